"""The local PostgreSQL and Redis-compatible server behind `manage.py up` and the tests.

Two young packages of the `embedded` extra bring the binaries; the launcher is ours (the packages' own ones
create system users, open directories to the world and leave servers behind after a kill -9).
Nothing here imports Django: settings.py asks `discovery` where a running instance listens.
"""

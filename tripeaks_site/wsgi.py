"""HTTP as WSGI: pages and API (STACK: a third of the CPU of Django under ASGI)."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tripeaks_site.settings")
application = get_wsgi_application()

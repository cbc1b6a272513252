"""Listens to the one signal of games."""

"""HTTP as WSGI: pages and API (STACK: a third of the CPU of Django under ASGI)."""

import os

from django.core.handlers.wsgi import WSGIRequest
from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tripeaks_site.settings")


class Utf8Request(WSGIRequest):
    """Queries and forms are UTF-8, as browsers send them, whatever character set a Content-Type header names.

    Django would read them by that one; `charset=hex` breaks it before anything of ours can answer.
    """

    @property
    def encoding(self) -> None:
        """None: the default, UTF-8."""
        return None

    @encoding.setter
    def encoding(self, _named: str | None) -> None:
        """Not taken from the request."""


application = get_wsgi_application()
application.request_class = Utf8Request

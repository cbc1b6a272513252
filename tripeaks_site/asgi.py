"""One port for everything: sockets as ASGI, pages and API as WSGI threads. Behind nginx only the sockets come here."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tripeaks_site.settings")
get_asgi_application()  # sets Django up; HTTP itself goes through WSGI below

from a2wsgi import WSGIMiddleware  # noqa: E402
from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402
from django.conf import settings  # noqa: E402

from games.realtime.routing import socket_routes as play_routes  # noqa: E402
from leaderboards.realtime.routing import socket_routes as standings_routes  # noqa: E402

from .wsgi import application as http_application  # noqa: E402

application = ProtocolTypeRouter(  # type: ignore[no-untyped-call]
    {
        "http": WSGIMiddleware(http_application, workers=settings.HTTP_THREADS),  # type: ignore[arg-type]
        "websocket": URLRouter([*play_routes, *standings_routes]),  # type: ignore[no-untyped-call]
    }
)

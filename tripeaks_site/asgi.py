"""One port for everything: sockets as ASGI, pages and API as WSGI threads."""

import gc
import json
import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tripeaks_site.settings")
get_asgi_application()  # sets Django up; HTTP itself goes through WSGI below

from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402
from django.conf import settings  # noqa: E402

from games.realtime.routing import socket_routes as play_routes  # noqa: E402
from leaderboards.realtime.routing import socket_routes as standings_routes  # noqa: E402

from .health import ALIVE  # noqa: E402
from .http_threads import HttpThreads  # noqa: E402
from .wsgi import application as http_application  # noqa: E402

application = ProtocolTypeRouter(  # type: ignore[no-untyped-call]
    {
        "http": HttpThreads(
            http_application,
            threads=settings.HTTP_THREADS,
            longest_body=settings.DATA_UPLOAD_MAX_MEMORY_SIZE,
            instant={"/healthz": json.dumps(ALIVE).encode()},
        ),
        "websocket": URLRouter([*play_routes, *standings_routes]),  # type: ignore[no-untyped-call]
    }
)
gc.freeze()  # as in TripeaksSiteConfig.ready, with what only serving needs

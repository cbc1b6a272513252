"""/ws/v1/standings: boards followed live. Everybody may; nothing here needs or takes a credential."""

from __future__ import annotations

from games.errors import BadInput, GameError, Unavailable
from games.realtime.base import Socket
from games.realtime.work import DATABASE_AWAY
from games.realtime.writer import Receive, Scope, Send
from games.throttles import throttle_here
from leaderboards.scopes import parse_scope

from .feeds import BoardFeed, Follower, Named
from .hub import StandingsHub
from .protocol import BOARDS_PER_SOCKET, ClientMessage, Ping, Pong, Refused, Resync, Subscribe, Unsubscribe, parser


async def standings(scope: Scope, receive: Receive, send: Send) -> None:
    """The ASGI application of /ws/v1/standings."""
    await StandingsSocket(scope, receive, send).run()


class StandingsSocket(Socket):
    """One spectator; `feeds` are the boards it follows."""

    kind = "standings"

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        super().__init__(scope, receive, send)
        self._hub = StandingsHub.here()
        self._followed: dict[Named, tuple[BoardFeed, Follower]] = {}
        self.writer.on_clear = self._catch_up

    @property
    def feeds(self) -> list[BoardFeed]:
        """The feeds of the followed boards, in the order of following."""
        return [feed for feed, _ in self._followed.values()]

    async def opened(self) -> bool:
        self._hub.join(self)
        return True

    async def handle(self, frame: str) -> None:
        message: ClientMessage = parser.parse(frame)
        if isinstance(message, Ping):
            await self.say(Pong(message.id))
            return
        try:
            named = (parse_scope(message.board).text, message.kind, message.view)
            match message:
                case Subscribe():
                    throttle_here("read", f"address:{self.address}")  # a board nobody follows yet is read for it
                    await self._subscribe(named)
                case Unsubscribe():
                    self._unsubscribe(named)
                case Resync():
                    self._resync(named)
        except GameError as error:
            await self._say_refused(message, error)
        except DATABASE_AWAY:
            await self._say_refused(message, Unavailable())

    async def _subscribe(self, named: Named) -> None:
        if named in self._followed:
            self._resync(named)
            return
        if len(self._followed) >= BOARDS_PER_SOCKET:
            raise BadInput("too_many_boards", f"At most {BOARDS_PER_SOCKET} boards a socket.", most=BOARDS_PER_SOCKET)
        follower = Follower(self.writer)
        self._followed[named] = (await self._hub.follow(named, follower), follower)

    def _unsubscribe(self, named: Named) -> None:
        followed = self._followed.pop(named, None)
        if followed is not None:
            self._hub.unfollow(*followed)

    def _resync(self, named: Named) -> None:
        followed = self._followed.get(named)
        if followed is None:
            raise BadInput("not_subscribed", "This board is not followed on this socket.")
        feed, follower = followed
        feed.send_snapshot(follower)

    async def _say_refused(self, message: Subscribe | Unsubscribe | Resync, error: GameError) -> None:
        shape = error.as_json()["error"]
        await self.say(Refused(shape, message.board, message.kind, message.view))

    def _catch_up(self) -> None:
        """The client reads again: instead of what it missed it gets everything as it is now."""
        for feed, follower in list(self._followed.values()):
            if follower.behind:
                feed.send_snapshot(follower)

    def left(self) -> None:
        for named in list(self._followed):
            self._unsubscribe(named)
        self._hub.leave(self)

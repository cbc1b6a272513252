"""All that passes between a page and the server: pages, scripts, JSON and socket frames, with their addresses."""

from __future__ import annotations

import contextlib
import json
import re
import time
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Page, Request, Response, WebSocket

CARD = re.compile(r"(?<![A-Za-z0-9])(?:[A23456789TJQK][CDHS]|XX)(?![A-Za-z0-9])")
# Keys that the page made up itself, now and then spelling a card between two dashes, and hashes in file names.
MADE_UP = {"move_id", "key"}


def _without_keys(told: Any) -> Any:
    if isinstance(told, dict):
        return {name: _without_keys(value) for name, value in told.items() if name not in MADE_UP}
    return [_without_keys(each) for each in told] if isinstance(told, list) else told


def _plain(text: str) -> str:
    try:
        return json.dumps(_without_keys(json.loads(text)))
    except ValueError:
        return text


@dataclass
class Traffic:
    """What a page said and heard, since `listen`."""

    heard: list[str] = field(default_factory=list)
    sent: list[dict[str, Any]] = field(default_factory=list)
    frames: list[dict[str, Any]] = field(default_factory=list)
    addresses: list[str] = field(default_factory=list)
    _answers: list[Response] = field(default_factory=list)
    _known: set[str] = field(default_factory=set)
    _read: list[int] = field(default_factory=lambda: [0, 0, 0, 0])

    @classmethod
    def listen(cls, page: Page) -> Traffic:
        """Record from now on; call it before the page goes anywhere."""
        traffic = cls()

        def on_request(request: Request) -> None:
            traffic.addresses.append(request.url)
            traffic.heard.append(_plain(request.post_data or ""))

        def on_socket(socket: WebSocket) -> None:
            traffic.addresses.append(socket.url)
            socket.on("framesent", lambda frame: traffic.sent.append(json.loads(frame)))
            socket.on("framereceived", lambda frame: traffic.frames.append(json.loads(frame)))

        page.on("request", on_request)
        page.on("response", lambda answer: traffic._answers.append(answer))
        page.on("websocket", on_socket)
        return traffic

    def moves(self) -> list[str]:
        """The moves that went over the play socket, in order."""
        return [frame["move"] for frame in self.sent if frame["type"] == "move"]

    def wait_for(self, page: Page, kind: str) -> None:
        """Until a frame of this type has come."""
        deadline = time.monotonic() + 40
        while not any(frame["type"] == kind for frame in self.frames):
            assert time.monotonic() < deadline, f"no frame {kind!r} came"
            page.wait_for_timeout(20)

    def texts(self) -> list[str]:
        """Everything said and heard, as text, with its address."""
        return [text for texts in self._texts([0, 0, 0, 0]) for text in texts]

    def cards(self) -> set[str]:
        """Every card named anywhere."""
        for number, texts in enumerate(self._texts(self._read)):
            self._read[number] += len(texts)
            self._known.update(card for text in texts for card in CARD.findall(text))
        return set(self._known)

    def _texts(self, since: list[int]) -> list[list[str]]:
        while self._answers:
            answer = self._answers.pop(0)
            # Scripts, styles and catalogues are the same for everybody: they know no deal.
            if answer.request.resource_type in {"script", "stylesheet"}:
                continue
            with contextlib.suppress(PlaywrightError):  # a redirect has no body
                self.heard.append(_plain(answer.text()))
        heard, sent, frames, addresses = since
        return [
            self.heard[heard:],
            [json.dumps(_without_keys(frame)) for frame in self.sent[sent:]],
            [json.dumps(_without_keys(frame)) for frame in self.frames[frames:]],
            self.addresses[addresses:],
        ]

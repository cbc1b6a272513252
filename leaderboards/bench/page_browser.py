"""The half of `manage.py bench page` that needs a browser: a real Chromium, by Playwright."""

from __future__ import annotations

import os
import shutil
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from .page_line import Line

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

FLAGS: Final = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
_NAMES: Final = ("chromium-headless-shell", "chromium", "chromium-browser")
FAR: Final = 0.3  # seconds of added delay each way
QUICK: Final = range(18, 28)  # the whole bottom row, one after the other
PAUSE_MS: Final = 60  # between two quick taps
UPDATES: Final = 1000
SECONDS: Final = 10.0

# For each tap the frames, and milliseconds from the finger's lifting, until the card has left its place on the screen.
_WATCH_TAPS = """() => {
  window.taps = [];
  let lifted = 0;
  addEventListener("pointerup", (event) => (lifted = event.timeStamp), true);
  addEventListener("click", (event) => {
    const slot = event.target.closest("[data-slot]");
    const since = lifted;
    let frames = 0;
    const channel = new MessageChannel();
    const frame = () => requestAnimationFrame(() => {
      frames += 1;
      channel.port2.postMessage(0);
    });
    channel.port1.onmessage = () => {
      if (slot.hidden || frames > 60) window.taps.push({ frames, ms: performance.now() - since });
      else frame();
    };
    frame();
  }, true);
}"""
_WATCH_TASKS = """() => {
  window.longest = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) window.longest = Math.max(window.longest, entry.duration);
  }).observe({ entryTypes: ["longtask"] });
}"""


@dataclass(frozen=True)
class Seat:
    """A started attempt at the table, and the cookie of the one who plays it."""

    address: str
    cookie: dict[str, str]


def find_chromium() -> str | None:
    """What CHROMIUM names, else Debian's Chromium without windows (the tests take two fifths less CPU), else any.

    None also without Playwright.
    """
    try:
        import playwright.sync_api  # noqa: F401
    except ImportError:
        return None
    named = os.environ.get("CHROMIUM")
    return named or next(filter(None, map(shutil.which, _NAMES)), None)


def measure(chromium: str, server: str, *, tapped: Seat, far: Seat, updates: int = UPDATES) -> dict[str, Any]:
    """All figures, each from a fresh context. `server` is its host:port; `far` plays over the long line."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        try:
            return {
                "requests": _requests(browser, f"http://{server}"),
                "tap": _tap(browser, f"http://{server}", tapped),
                "quick": _quick(browser, server, far),
                "updates": _updates(browser, server, updates),
            }
        finally:
            browser.close()


def _context(browser: Browser, url: str, seat: Seat | None = None) -> BrowserContext:
    context = browser.new_context(base_url=url, viewport={"width": 390, "height": 844})
    context.set_default_timeout(30_000)
    if seat is not None:
        context.add_cookies([{**seat.cookie, "url": url}])  # type: ignore[typeddict-item]
    return context


def _requests(browser: Browser, url: str) -> dict[str, int]:
    """What the first view of `/` asks for with nothing in the cache: the icon is among it, the socket counts by itself."""
    context = _context(browser, url)
    page, asked, sockets = context.new_page(), [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("websocket", lambda socket: sockets.append(socket.url))
    page.goto("/", wait_until="networkidle")
    page.wait_for_timeout(500)
    context.close()
    return {"http": len(asked), "sockets": len(sockets)}


def _at_table(context: BrowserContext, seat: Seat) -> Page:
    page = context.new_page()
    page.goto(seat.address)
    page.locator(f'.t-board [data-slot="{QUICK[0]}"]').wait_for()
    page.locator('#status[data-state="live"]').wait_for()
    page.evaluate(_WATCH_TASKS)
    return page


def _middles(page: Page) -> list[tuple[float, float]]:
    """Where to tap: near the lower edge of each card of the bottom row."""
    boxes = [page.locator(f'.t-board [data-slot="{slot}"]').bounding_box() for slot in QUICK]
    return [(box["x"] + box["width"] / 2, box["y"] + box["height"] * 0.8) for box in boxes if box]


def _tap(browser: Browser, url: str, seat: Seat) -> dict[str, float]:
    context = _context(browser, url, seat)
    page = _at_table(context, seat)
    page.evaluate(_WATCH_TAPS)
    for x, y in _middles(page):
        page.mouse.click(x, y)
        page.wait_for_timeout(400)  # each from rest: motion has ended, the answer is there
    taps = page.evaluate("window.taps")
    context.close()
    times = [tap["ms"] for tap in taps]
    return {"taps": len(taps), "frames": max(tap["frames"] for tap in taps), "ms": statistics.median(times)}


def _quick(browser: Browser, server: str, seat: Seat) -> dict[str, float]:
    with Line(server, delay=FAR) as line:
        context = _context(browser, line.url, seat)
        page = _at_table(context, seat)
        middles, busy = _middles(page), _busy(context, page)
        before, began = busy(), time.monotonic()
        for x, y in middles:
            page.mouse.click(x, y)
            page.wait_for_timeout(PAUSE_MS)
        tapped = time.monotonic() - began
        page.wait_for_timeout(2 * FAR * 1000 + 1500)
        spent, longest = busy() - before, page.evaluate("window.longest")
        context.close()
    return {"tapped_in_ms": tapped * 1000, "ms_per_play": spent / len(middles), "longest_task_ms": longest}


def _busy(context: BrowserContext, page: Page) -> Callable[[], float]:
    """Milliseconds of CPU that the page's main thread has used; what else the machine does, does not count."""
    session = context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def busy() -> float:
        metrics = session.send("Performance.getMetrics")["metrics"]
        return 1000 * float(next(each["value"] for each in metrics if each["name"] == "TaskDuration"))

    return busy


def _updates(browser: Browser, server: str, updates: int) -> dict[str, float]:
    """Milliseconds of the page's main thread in a second: under updates, and at rest before."""
    seconds = SECONDS * updates / UPDATES
    with Line(server, news=True) as line:
        context = _context(browser, line.url)
        page = context.new_page()
        page.goto("/")
        page.locator("[data-rows] tr").nth(9).wait_for()
        page.wait_for_timeout(1000)
        busy = _busy(context, page)
        before = busy()
        page.wait_for_timeout(3000)
        rest = (busy() - before) / 3
        before, began = busy(), time.monotonic()
        sent = line.tell(updates, seconds)
        took = time.monotonic() - began
        spent = (busy() - before) / took
        context.close()
    return {"sent": sent, "seconds": took, "ms_per_second": spent, "at_rest": rest}

"""The two boards of a case as SVG: what the player saw, and the same position with the hidden cards turned up.

Every card is drawn once a page and referred to, so that the script can step by changing references.
"""

from __future__ import annotations

from typing import Final

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from games.engine.layout import SLOTS
from games.engine.visibility import FACE_DOWN
from games.suits import JOKER_PATH, SUIT_PATHS
from leaderboards.templatetags.drawn import _PLACES, HEIGHT, MARGIN, PILES, RISE, STEP, WIDTH, _face

from .replay import Step, Watched, face

BOTTOM: Final = PILES + HEIGHT + 20
STOCK_STEP: Final = 35.4
STOCK_TOP: Final = 3 * RISE + HEIGHT + 12
_ROUND: Final = 13
"""Cards of the stock in one row."""


def card_defs(watched: Watched) -> SafeString:
    """Each card that this page may show, once; of a sealed deal no other."""
    suits = format_html_join("", '<path id="suit-{}" d="{}"></path>', [*SUIT_PATHS.items(), ("joker", JOKER_PATH)])
    cards = format_html_join(
        "",
        '<g id="card-{}"><rect class="paper" width="{}" height="{}" rx="4"></rect>{}</g>',
        ((card, WIDTH, HEIGHT, _face(card)) for card in watched.cards),
    )
    small = format_html_join(
        "",
        '<g id="small-{}"><rect class="paper" width="34" height="26" rx="3"></rect>'
        '<text class="small-rank {}" x="17" y="18.5" text-anchor="middle">{}</text></g>',
        ((card, f"suit-{card[1]}" if card != "XX" else "suit-joker", _small(card)) for card in _stock(watched)),
    )
    return format_html(
        '<svg class="desk-defs" width="0" height="0" aria-hidden="true" focusable="false"><defs>{}'
        '<pattern id="back-peaks" width="12.5" height="10" patternUnits="userSpaceOnUse">'
        '<path class="back-peak" d="M0 10 6.25 2 12.5 10z"></path></pattern>'
        '<g id="card-back"><rect class="back" width="{}" height="{}" rx="4"></rect>'
        '<rect fill="url(#back-peaks)" x="3" y="4" width="{}" height="{}"></rect></g>'
        '<g id="card-gone"><rect class="card-gone" x="1" y="1" width="{}" height="{}" rx="4"></rect></g>{}{}</defs></svg>',
        suits,
        WIDTH,
        HEIGHT,
        WIDTH - 6,
        HEIGHT - 8,
        WIDTH - 2,
        HEIGHT - 2,
        cards,
        small,
    )


def _stock(watched: Watched) -> list[str]:
    return list(dict.fromkeys(watched.stock))


def _small(card: str) -> str:
    return "★" if card == "XX" else face(card)


def seen_board(step: Step) -> SafeString:
    """What the player saw before a ply; outlined what fitted, ringed what was played."""
    slots = [_use(slot, card, _state(step, slot, card), *_PLACES[slot]) for slot, card in enumerate(step.seen.tableau)]
    return _board("seen", _seen_words(step), slots, step, [])


def hidden_board(watched: Watched, step: Step) -> SafeString:
    """The same position with everything turned up: tinted what the player could not see."""
    slots = []
    for slot, card in enumerate(step.seen.tableau):
        hidden = card == FACE_DOWN
        state = "known" if slot in step.before else "unseen" if hidden else _state(step, slot, card)
        slots.append(_use(slot, watched.deal[slot] if hidden else card, state, *_PLACES[slot]))
    return _board("hidden", _hidden_words(watched, step), slots, step, _stock_row(watched, step))


def _state(step: Step, slot: int, card: str | None) -> str:
    """The class of a slot as its player saw it."""
    if card is None:
        return "gone"
    if card == FACE_DOWN:
        return "under"
    if slot == step.slot:
        return "open chosen"
    return "open fits" if slot in step.fits else "open" if slot in step.seen.open else "under"


def _use(slot: int, card: str | None, state: str, x: float, y: float) -> SafeString:
    name = "gone" if card is None else "back" if card == FACE_DOWN else card
    return format_html(
        '<use class="slot {}" data-slot="{}" href="#card-{}" x="{}" y="{}"></use>', state, slot, name, x, y
    )


def _board(kind: str, words: str, slots: list[SafeString], step: Step, stock: list[SafeString]) -> SafeString:
    order = sorted(range(SLOTS), key=lambda slot: step.seen.tableau[slot] is not None)  # gaps lie below what is left
    bottom = BOTTOM
    width = 9 * STEP + WIDTH + 2 * MARGIN
    return format_html(
        '<svg class="desk-board" data-board="{}" viewBox="{} {} {} {}" role="img" aria-label="{}">{}{}{}</svg>',
        kind,
        -MARGIN,
        -MARGIN,
        width,
        bottom + 2 * MARGIN,
        words,
        format_html_join("", "{}", ((slots[slot],) for slot in order)),
        _piles(step, stock_shown=bool(stock)),
        format_html_join("", "{}", ((part,) for part in stock)),
    )


def _piles(step: Step, *, stock_shown: bool) -> SafeString:
    """Stock and waste; beside a stock that is spread out, the waste alone."""
    left, right = (0.0, 0.0) if stock_shown else (3.9 * STEP, 5.1 * STEP)
    waste = "gone" if step.seen.waste is None else step.seen.waste
    drawn = format_html(
        '<use class="slot open" data-waste href="#card-{}" x="{}" y="{}"></use>', waste, right, PILES - 6
    )
    if stock_shown:
        return drawn
    return format_html(
        '<use class="slot open{}" data-stock href="#card-{}" x="{}" y="{}"></use>{}'
        '<text class="pile-count" data-stock-count x="{}" y="{}" text-anchor="middle">{}</text>',
        " chosen" if step.move == "d" else "",
        "back" if step.seen.stock else "gone",
        left,
        PILES - 6,
        drawn,
        left + WIDTH / 2,
        PILES + HEIGHT + 10,
        step.seen.stock,
    )


def _stock_row(watched: Watched, step: Step) -> list[SafeString]:
    """The stock in the order in which it is drawn: what has been drawn already is faint."""
    drawn = len(watched.stock) - step.seen.stock
    parts = [mark_safe('<g class="desk-stock">')]
    for place, card in enumerate(watched.stock):
        row, column = divmod(place, _ROUND)
        parts.append(
            format_html(
                '<use class="{}" data-place="{}" href="#small-{}" x="{}" y="{}"></use>',
                "drawn" if place < drawn else "next" if place == drawn else "unseen",
                place,
                card,
                62 + column * STOCK_STEP,
                STOCK_TOP + 8 + row * 30,
            )
        )
    parts.append(mark_safe("</g>"))
    return parts


def _seen_words(step: Step) -> str:
    """The open cards, waste and stock in words, for who does not see the drawing."""
    open_cards = ", ".join(face(step.seen.tableau[slot] or "") for slot in step.seen.open) or "no card"
    waste = face(step.seen.waste) if step.seen.waste else "empty"
    return f"What the player saw. Open: {open_cards}. Waste: {waste}. {step.seen.stock} in the stock."


def _hidden_words(watched: Watched, step: Step) -> str:
    hidden = [watched.deal[slot] for slot, card in enumerate(step.seen.tableau) if card == FACE_DOWN]
    stock = watched.stock[len(watched.stock) - step.seen.stock :]
    down = ", ".join(face(card) for card in hidden) or "none"
    return (
        f"What was hidden. Face down: {down}. Stock, next first: {', '.join(face(card) for card in stock) or 'empty'}."
    )

"""Cards and tables as inline SVG for pages of words. The engine decides what a table shows, so no figure can be wrong."""

from __future__ import annotations

from typing import Final

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from games.engine.layout import ROWS
from games.engine.rulesets import find_ruleset
from games.engine.visibility import FACE_DOWN, view
from games.suits import JOKER_PATH, SUIT_PATHS
from leaderboards.examples import position_after

from .tripeaks import card_name

register = template.Library()

WIDTH: Final = 50
HEIGHT: Final = 70
STEP: Final = 52.5
"""From one column to the next: a gap of 5 % of a card."""
RISE: Final = 38.5
"""From one row to the next: rows overlap by 45 % of a card."""
MARGIN: Final = 4
PILES: Final = 3 * RISE + HEIGHT + 24


def _columns() -> list[float]:
    """Column of each slot: bottom row i at i; row three at i + ½; row two of peak p at 3p + 1 and 3p + 2; tip at 3p + 1½."""
    tips = [3 * peak + 1.5 for peak in range(3)]
    second = [3 * peak + side for peak in range(3) for side in (1.0, 2.0)]
    return [*tips, *second, *[slot + 0.5 for slot in range(9)], *[float(slot) for slot in range(10)]]


_PLACES: Final = [
    (column * STEP, row * RISE)
    for column, row in zip(_columns(), [row for row, slots in enumerate(ROWS) for _slot in slots], strict=True)
]


@register.simple_tag
def drawn_defs() -> SafeString:
    """The suits and the back, once a page: the figures refer to them."""
    paths = {**SUIT_PATHS, "joker": JOKER_PATH}
    suits = format_html_join("", '<path id="suit-{}" d="{}"></path>', paths.items())
    return format_html(
        '<svg class="drawn-defs" width="0" height="0" aria-hidden="true" focusable="false"><defs>{}'
        '<pattern id="back-peaks" width="12.5" height="10" patternUnits="userSpaceOnUse">'
        '<path class="back-peak" d="M0 10 6.25 2 12.5 10z"></path></pattern></defs></svg>',
        suits,
    )


def _face(card: str) -> SafeString:
    if card == "XX":
        return mark_safe(
            '<g class="ink suit-joker"><text class="rank" x="4.5" y="18">★</text>'
            '<use href="#suit-joker" transform="translate(9 26) scale(0.32)"></use></g>'
        )
    rank, suit = "10" if card[0] == "T" else card[0], card[1]
    return format_html(
        '<g class="ink suit-{}"><text class="rank" x="4.5" y="18">{}</text>'
        '<use href="#suit-{}" transform="translate(4.5 22) scale({})"></use>'
        '<use href="#suit-{}" transform="translate(21 40) scale({})"></use></g>',
        suit,
        rank,
        suit,
        0.1,
        suit,
        0.25,
    )


def _card(card: str, x: float, y: float, extra: str = "") -> SafeString:
    """A card with its corner at (x, y)."""
    if card == FACE_DOWN:
        inner = mark_safe(
            f'<rect class="back" width="{WIDTH}" height="{HEIGHT}" rx="4"></rect>'
            f'<rect fill="url(#back-peaks)" x="3" y="4" width="{WIDTH - 6}" height="{HEIGHT - 8}"></rect>'
        )
    else:
        paper = mark_safe(f'<rect class="paper" width="{WIDTH}" height="{HEIGHT}" rx="4"></rect>')
        inner = format_html("{}{}", paper, _face(card))
    return format_html('<g class="drawn {}" transform="translate({} {})">{}</g>', extra, x, y, inner)


def _name(card: str) -> str:
    return _("face-down card") if card == FACE_DOWN else card_name(card)


@register.simple_tag
def drawn_card(card: str) -> SafeString:
    """One card as a picture with its name: `{% drawn_card "3S" %}`, a back by `"??"`. Needs `drawn_defs` on the page."""
    return format_html(
        '<svg class="drawn-card" viewBox="-2 -2 {} {}" role="img" aria-label="{}"><title>{}</title>{}</svg>',
        WIDTH + 4,
        HEIGHT + 4,
        _name(card),
        _name(card),
        _card(card, 0, 0),
    )


@register.simple_tag
def drawn_table(label: str, moves: str = "", fits: bool = False, only: str = "") -> SafeString:
    """The published deal after these moves, as its player sees it.

    `label` says in words what there is to see. `fits` outlines what can be taken; `only` draws these slots and no piles.
    """
    position = position_after(find_ruleset("E"), moves)
    seen = view(position)
    wanted = [int(slot) for slot in only.split()] if only else list(range(28))
    legal = set(position.legal_moves()) if fits else set()
    gaps = [slot for slot in wanted if only and seen.tableau[slot] is None]
    parts = [_gap(*_PLACES[slot]) for slot in gaps]  # first: what lies above them is drawn over them
    for slot in wanted:
        card = seen.tableau[slot]
        if card is not None:
            state = "fits" if slot in legal else "open" if slot in seen.open else "under"
            parts.append(_card(card, *_PLACES[slot], state))
    xs, ys = [_PLACES[slot][0] for slot in wanted], [_PLACES[slot][1] for slot in wanted]
    left, top, right, bottom = min(xs), min(ys), max(xs) + WIDTH, max(ys) + HEIGHT
    if not only:
        parts += _piles(seen.stock, seen.waste)
        bottom = PILES + HEIGHT + 16
    return format_html(
        '<svg class="drawn-table{}" viewBox="{} {} {} {}" role="img" aria-label="{}"><title>{}</title>{}</svg>',
        " part" if only else "",
        left - MARGIN,
        top - MARGIN,
        right - left + 2 * MARGIN,
        bottom - top + 2 * MARGIN,
        label,
        label,
        format_html_join("", "{}", ((part,) for part in parts)),
    )


def _gap(x: float, y: float) -> SafeString:
    return format_html(
        '<rect class="gone" x="{}" y="{}" width="{}" height="{}" rx="4"></rect>', x + 1, y + 1, WIDTH - 2, HEIGHT - 2
    )


def _piles(stock: int, waste: str | None) -> list[SafeString]:
    """Stock with its count, and the waste's top card."""
    left, right = 3.9 * STEP, 5.1 * STEP
    pile = _card(FACE_DOWN, left, PILES, "open") if stock else _gap(left, PILES)
    count = format_html(
        '<text class="pile-count" x="{}" y="{}" text-anchor="middle">{}</text>',
        left + WIDTH / 2,
        PILES + HEIGHT + 13,
        stock,
    )
    return [pile, count, _card(waste, right, PILES, "open") if waste else _gap(right, PILES)]


@register.filter
def signed(points: int) -> SafeString:
    """`+100`, `−5`: in its own direction, whatever the page's."""
    return format_html('<bdi dir="ltr">{}{}</bdi>', "−" if points < 0 else "+", abs(points))


@register.filter
def summand(points: int, first: bool) -> str:
    """A number of a sum: `1` at its beginning, then `+ 2`, `− 5`."""
    if first and points >= 0:
        return str(points)
    return f"{'−' if points < 0 else '+'} {abs(points)}"

"""Rulesets in the words of the pages (R6). What is said comes from the fields of a row; a row without words of its own
here is named and explained all the same (R6.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext, pgettext_lazy

from games.engine.rulesets import RULESETS, Ruleset

_NAMES: Final = (  # where makemessages finds them; `ruleset_name` asks by the name in the registry
    pgettext_lazy("ruleset", "Easy"),
    pgettext_lazy("ruleset", "Classic"),
    pgettext_lazy("ruleset", "Runs"),
    pgettext_lazy("ruleset", "Runs, king and ace apart"),
    pgettext_lazy("ruleset", "Traditional"),
    pgettext_lazy("ruleset", "Numbered games"),
    pgettext_lazy("ruleset", "Open peaks"),
    pgettext_lazy("ruleset", "Empty waste"),
    pgettext_lazy("ruleset", "Joker"),
)
_PITCHES: Final = {
    "E": gettext_lazy("A king takes an ace, an ace takes a king. The best one to start with."),
    "C": gettext_lazy("Nothing goes past the king or the ace. Tighter than Easy."),
    "R": gettext_lazy("Long runs score: each card counts one more than the last, until you draw."),
    "RC": gettext_lazy("Long runs score, and king and ace do not meet."),
    "T": gettext_lazy("Long runs score, king and ace do not meet, and you draw only when no card fits."),
    "G": gettext_lazy("The waste starts empty. Leave as few cards as you can."),
    "O": gettext_lazy("Every card lies face up from the start. Plan ahead."),
    "W": gettext_lazy("The waste starts empty: begin with any open card you like."),
    "J": gettext_lazy("One joker is in the deck. It fits on every card, and every card fits on it."),
}
_RANKING: Final = {
    "result": gettext_lazy("A win beats any loss, then the higher score."),
    "score": gettext_lazy("The higher score is better."),
    "cards_left": gettext_lazy("Fewer cards left is better, then fewer moves."),
}
_SCORING: Final = {
    "points500": gettext_lazy("500 points"),
    "runs": gettext_lazy("runs"),
    "cards_left": gettext_lazy("cards left"),
}


def ruleset_name(ruleset: Ruleset) -> str:
    """Its name in the visitor's language."""
    return pgettext("ruleset", ruleset.name)


def pitch(ruleset: Ruleset) -> str:
    """What is special about it, in a line."""
    words = _PITCHES.get(ruleset.letters)
    return rule_line(ruleset) if words is None else str(words)


def rule_line(ruleset: Ruleset) -> str:
    """The ruleset in a few short sentences."""
    said = [_("King and ace are neighbours.") if ruleset.joined else _("King and ace are apart.")]
    said.append(_("Draw only when no card fits.") if ruleset.draw_only_when_stuck else _("Draw at any time."))
    if ruleset.faces_up:
        said.append(_("All cards lie face up."))
    if ruleset.waste_starts_empty:
        said.append(_("Any open card may start the empty waste."))
    if ruleset.has_joker:
        said.append(_("The joker fits on any card."))
    return " ".join([*said, str(_RANKING[ruleset.ranking])])


@dataclass(frozen=True, slots=True)
class RulesetRow:
    """A row of the table of rulesets, in words."""

    letters: str
    name: str
    pitch: str
    kings: str
    waste: str
    draw: str
    faces: str
    deck: int
    scoring: str
    ranking: str


def ruleset_row(ruleset: Ruleset) -> RulesetRow:
    """Every field of it that a player meets."""
    draw = _("only when no card fits") if ruleset.draw_only_when_stuck else _("at any time")
    if not ruleset.draw_onto_empty_waste:
        draw = _("not onto the empty waste")
    return RulesetRow(
        letters=ruleset.letters,
        name=ruleset_name(ruleset),
        pitch=pitch(ruleset),
        kings=_("neighbours") if ruleset.joined else _("apart"),
        waste=_("nothing") if ruleset.waste_starts_empty else _("one card"),
        draw=draw,
        faces=_("all face up") if ruleset.faces_up else _("hidden"),
        deck=ruleset.deck_size,
        scoring=str(_SCORING[ruleset.scoring]),
        ranking=str(_RANKING[ruleset.ranking]),
    )


def ruleset_rows() -> list[RulesetRow]:
    """The whole registry, the default first."""
    return [ruleset_row(ruleset) for ruleset in RULESETS.values()]

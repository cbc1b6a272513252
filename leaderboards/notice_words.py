"""What the pages say of decisions about a player: friendly, exact, in the visitor's language."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any, Final

from django.utils.translation import gettext_lazy as _

_WORDS: Final = {
    "under_review": (
        _("A result of yours is under review"),
        _("It stays off the boards until somebody has looked at it. You need not do anything, and you can play on."),
    ),
    "cleared": (
        _("Your result counts"),
        _("Somebody has looked at it and found nothing wrong. It stands on its boards, with its own date."),
    ),
    "disqualified": (
        _("A result of yours is disqualified"),
        _("A moderator has taken it off the boards. Your other results stay where they are."),
    ),
    "reinstated": (_("Your result counts again"), _("It is back on its boards, with its own date.")),
    "warned": (_("A warning"), _("Nothing was taken from you. Please mind it in your next games.")),
    "banned": (
        _("This account is shut out"),
        _(
            "It cannot play while that lasts. You can still read this, appeal, download your data, and delete the account."
        ),
    ),
    "unbanned": (_("You can play again"), _("This account is no longer shut out.")),
    "hidden": (
        _("This account is hidden"),
        _("Its results are on no board, and others do not find its page."),
    ),
    "shown": (_("This account is shown again"), _("Its results are back on their boards.")),
    "merged": (
        _("Two accounts count as one"),
        _("The results of your accounts count together: one person has one place on a board."),
    ),
    "separated": (_("Your accounts count on their own again"), _("The results of each stand under its own name.")),
    "answered": (_("Your appeal is answered"), _("A head moderator has read it.")),
}
"""By kind of notice: a title, and what it means."""
_WARNING_TAKEN_BACK: Final = (_("A warning is taken back"), _("Please forget it: it stands no more."))
_REASONS: Final = {
    "speed": _("moves at the speed or rhythm of a machine"),
    "copied": _("moves copied from another game"),
    "hidden_cards": _("knowledge of cards that were face down"),
    "accounts": _("more than one account"),
    "name": _("the name"),
    "conduct": _("conduct"),
    "mistake": _("a mistake of ours"),
    "other": _("another one"),
}
_GOOD: Final = frozenset({"cleared", "reinstated", "unbanned", "shown", "separated", "answered"})
"""Of these only a mistake of ours is a reason to name."""
_STATES: Final = {
    "open": _("Waiting for an answer."),
    "accepted": _("Accepted: we take the decision back."),
    "refused": _("Refused: the decision stands."),
}


def notice_shown(notice: Mapping[str, Any]) -> dict[str, Any]:
    """A notice (`player_selectors.notice_json`) with its words and its instants as such."""
    title, text = _WORDS[notice["kind"]]
    if notice["kind"] == "cleared" and notice["attempt"] is None:
        title, text = _WARNING_TAKEN_BACK
    named = notice["reason_class"] == "mistake" or notice["kind"] not in _GOOD
    appeal = notice["appeal"]
    return {
        **notice,
        "title": title,
        "text": text,
        "reason": _REASONS[notice["reason_class"]] if named else "",
        "at": _instant(notice["at"]),
        "until": _instant(notice["until"]),
        "appeal": appeal and {**appeal, "at": _instant(appeal["at"]), "state_words": _STATES[appeal["state"]]},
    }


def _instant(text: str | None) -> dt.datetime | None:
    return dt.datetime.fromisoformat(text) if text else None

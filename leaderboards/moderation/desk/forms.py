"""The forms of the desk. What is wrong is said in words beside the field; what was typed stays."""

from __future__ import annotations

import datetime as dt
from typing import Any, Final

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator

from games.engine.rulesets import RULESETS
from games.models import Player

from .. import selectors
from ..models import ModeratorAction
from .names import SIGNALS
from .words import DONE

WORDS_LONGEST: Final = 1000
_FOR_GOOD: Final = "for good"
_LENGTHS: Final = [(str(days), f"{days} day{'s' if days > 1 else ''}") for days in (1, 3, 7, 14, 30, 90, 365)]
_MODERATORS_DAYS: Final = 30
_FIRST_DAY, _LAST_DAY = dt.date(2000, 1, 1), dt.date(2999, 12, 31)


def _choices(first: str, pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [("", first), *pairs]


class QueueForm(forms.Form):
    """The filters of the queue, from the address."""

    state = forms.ChoiceField(
        required=False,
        choices=[
            ("open", "All open"),
            ("held", "Held"),
            ("flagged", "Flagged"),
            ("reported", "Reported"),
            ("appealed", "Appealed"),
            ("closed", "Closed"),
            ("all", "Open and closed"),
        ],
    )
    q = forms.CharField(required=False, max_length=60, label="Player or id")
    signal = forms.ChoiceField(
        required=False, choices=_choices("any", [(name, words.capitalize()) for name, words in SIGNALS.items()])
    )
    ruleset = forms.ChoiceField(
        required=False, choices=_choices("any", [(r.letters, r.name) for r in RULESETS.values()])
    )
    competition = forms.RegexField(
        r"^(daily|open|daily-[0-9]{4}-[0-9]{2}-[0-9]{2})$", required=False, label="Competition", max_length=40
    )
    role = forms.ChoiceField(
        required=False, choices=_choices("any", [("people", "People"), ("bots", "Bots"), ("guests", "Guests")])
    )
    age = forms.ChoiceField(
        required=False,
        label="Waiting",
        choices=_choices("any", [("day", "Less than a day"), ("week", "One to seven days"), ("older", "Over a week")]),
    )
    page = forms.IntegerField(required=False, min_value=1, max_value=100_000)

    def wanted(self) -> selectors.Wanted:
        """What is asked for; what makes no sense is left out."""
        self.is_valid()
        value = self.cleaned_data.get
        return selectors.Wanted(
            state=value("state") or "open",
            signal=value("signal") or "",
            ruleset=value("ruleset") or "",
            competition=value("competition") or "",
            role=value("role") or "",
            age=value("age") or "",
            text=value("q") or "",
        )

    @property
    def number(self) -> int:
        return self.cleaned_data.get("page") or 1


class _DayField(forms.DateField):
    """A day that may be left out, within bounds: there is none after the last that Python knows, nor a midnight."""

    def __init__(self, *, label: str) -> None:
        bounds = {"min": f"{_FIRST_DAY}", "max": f"{_LAST_DAY}"}
        super().__init__(
            required=False,
            label=label,
            widget=forms.DateInput(attrs={"type": "date", **bounds}),
            validators=[MinValueValidator(_FIRST_DAY), MaxValueValidator(_LAST_DAY)],
        )


class LogForm(forms.Form):
    """The filters of the log of actions."""

    moderator = forms.CharField(required=False, max_length=60, label="Moderator (or “judge”)")
    kind = forms.ChoiceField(required=False, choices=_choices("any", [(k, w.capitalize()) for k, w in DONE.items()]))
    since = _DayField(label="From")
    until = _DayField(label="To")
    page = forms.IntegerField(required=False, min_value=1, max_value=100_000)


class ReasonForm(forms.Form):
    """What every action needs: a reason for the log, and words for the player if there are any."""

    reason_class = forms.ChoiceField(
        label="Kind of reason",
        help_text="The player is told this.",
        choices=[("", "Choose…"), *ModeratorAction.ReasonClass.choices],
        error_messages={"required": "Choose what kind of reason it is."},
    )
    reason = forms.CharField(
        label="Reason, for the log",
        help_text="Other moderators read it; the player does not.",
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 3}),
        error_messages={"required": "Write down why. Nothing is done without a reason."},
    )
    words = forms.CharField(
        label="Words to the player",
        help_text="May be left empty.",
        required=False,
        max_length=WORDS_LONGEST,
        widget=forms.Textarea(attrs={"rows": 2}),
    )

    def __init__(self, *args: Any, kind: str, head: bool, about: Player, **kwargs: Any) -> None:
        super().__init__(*args, **{**kwargs, "auto_id": f"{kind}_%s"})
        self.head, self.about = head, about

    def arguments(self, now: dt.datetime) -> dict[str, Any]:
        """What the service of the action is called with, beside whom it is about and who asks."""
        return {name: self.cleaned_data[name] for name in ("reason_class", "reason", "words")}

    def told(self) -> list[tuple[str, str]]:
        """What was filled in, in words, for the page that asks for confirmation."""
        data = self.cleaned_data
        return [
            ("Kind of reason", dict(ModeratorAction.ReasonClass.choices)[data["reason_class"]]),
            ("Reason, for the log", data["reason"]),
            ("Words to the player", data["words"] or "none"),
        ]


class BanForm(ReasonForm):
    length = forms.ChoiceField(label="For how long", error_messages={"required": "Choose for how long."})

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        lengths = [pair for pair in _LENGTHS if self.head or int(pair[0]) <= _MODERATORS_DAYS]
        field = self.fields["length"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [("", "Choose…"), *lengths, *([(_FOR_GOOD, "for good")] if self.head else [])]
        self.order_fields(["length"])

    def until(self, now: dt.datetime) -> dt.datetime | None:
        length = self.cleaned_data["length"]
        return None if length == _FOR_GOOD else now + dt.timedelta(days=int(length))

    def arguments(self, now: dt.datetime) -> dict[str, Any]:
        return {**super().arguments(now), "until": self.until(now)}

    def told(self) -> list[tuple[str, str]]:
        lengths = dict([*_LENGTHS, (_FOR_GOOD, "for good")])
        return [("For how long", lengths[self.cleaned_data["length"]]), *super().told()]


class MergeForm(ReasonForm):
    other = forms.CharField(
        label="The other account",
        help_text="Its name or public id.",
        max_length=60,
        error_messages={"required": "Say which account it is merged with."},
    )
    main = forms.ChoiceField(
        label="Results count for",
        choices=[
            ("other", "the other account: this one is the second"),
            ("this", "this account: the other is the second"),
        ],
        initial="other",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.account: Player | None = None
        self.order_fields(["other", "main"])

    def clean_other(self) -> str:
        text: str = self.cleaned_data["other"].strip()
        found = [row for row in selectors.players_matching(text)[:50] if text in (row.name, row.public_id)]
        found = found or list(selectors.players_matching(text)[:2])
        if len(found) != 1:
            raise forms.ValidationError(
                "There is no account of this name."
                if not found
                else "More than one account begins like this: write the whole name."
            )
        if found[0].pk == self.about.pk:
            raise forms.ValidationError("That is this account itself.")
        self.account = found[0]
        return text

    def told(self) -> list[tuple[str, str]]:
        main = "the other account" if self.cleaned_data["main"] == "other" else "this account"
        return [("The other account", str(self.account)), ("Results count for", main), *super().told()]


class DismissForm(ReasonForm):
    """Nobody is told, so there are no words to anybody."""

    words = None  # type: ignore[assignment]
    reason_class = forms.ChoiceField(
        label="Kind of reason",
        choices=[("", "Choose…"), *ModeratorAction.ReasonClass.choices],
        error_messages={"required": "Choose what kind of reason it is."},
    )

    def arguments(self, now: dt.datetime) -> dict[str, Any]:
        return {name: self.cleaned_data[name] for name in ("reason_class", "reason")}

    def told(self) -> list[tuple[str, str]]:
        data = self.cleaned_data
        return [
            ("Kind of reason", dict(ModeratorAction.ReasonClass.choices)[data["reason_class"]]),
            ("Reason, for the log", data["reason"]),
        ]


class RevertForm(ReasonForm):
    """The kind of reason is that of the action, so only the reason is asked for."""

    reason_class = None  # type: ignore[assignment]

    def arguments(self, now: dt.datetime) -> dict[str, Any]:
        return {name: self.cleaned_data[name] for name in ("reason", "words")}

    def told(self) -> list[tuple[str, str]]:
        return [
            ("Reason, for the log", self.cleaned_data["reason"]),
            ("Words to the player", self.cleaned_data["words"] or "none"),
        ]


class AnswerForm(forms.Form):
    """An answer to an appeal: the player reads it, and it is the reason in the log."""

    accept = forms.ChoiceField(
        label="Answer",
        widget=forms.RadioSelect,
        choices=[
            ("yes", "Accept: the decision is to be taken back (that is the next step)"),
            ("no", "Refuse: the decision stands"),
        ],
        error_messages={"required": "Choose one."},
    )
    answer = forms.CharField(
        label="Words to the player",
        help_text="The player reads this; it is the reason in the log, too.",
        max_length=WORDS_LONGEST,
        widget=forms.Textarea(attrs={"rows": 3}),
        error_messages={"required": "Write why: the player reads it."},
    )

    def __init__(self, *args: Any, kind: str, head: bool, about: Player, **kwargs: Any) -> None:
        super().__init__(*args, **{**kwargs, "auto_id": f"{kind}_%s"})

    @property
    def accepted(self) -> bool:
        return bool(self.cleaned_data["accept"] == "yes")

    def arguments(self, now: dt.datetime) -> dict[str, Any]:
        return {"accept": self.accepted, "answer": self.cleaned_data["answer"]}

    def told(self) -> list[tuple[str, str]]:
        return [
            ("Answer", "accepted" if self.accepted else "refused"),
            ("Words to the player", self.cleaned_data["answer"]),
        ]

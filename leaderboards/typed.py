"""What a person types to get to a deal: a code, a number or a date (R7.6, R7.7), and the words for what is none."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from games.engine.codes import numbered_code, parse_code, parse_number
from games.engine.errors import EngineError
from games.errors import GameError

from .scopes import parse_board


class NotMeant(Exception):
    """Nothing can be meant by it: `message` says why, in the visitor's language."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


def target_meant(typed: str) -> str:
    """The canonical code or daily (`daily-2026-11-29`) behind what was typed. Raises NotMeant."""
    text = typed.strip()
    try:
        if re.fullmatch(r"(?:daily-)?[0-9]{4}-[0-9]{2}-[0-9]{2}", text, re.ASCII | re.IGNORECASE):
            return parse_board(f"daily-{text[-10:]}").scope.text
        if re.fullmatch(r"[0-9]+", text, re.ASCII):
            return numbered_code(parse_number(text)).text
        return parse_code(typed).text
    except (EngineError, GameError) as problem:
        raise NotMeant(problem_text(problem)) from problem


def number_meant(typed: str) -> int:
    """The number of a numbered game. Raises NotMeant."""
    try:
        return parse_number(typed)
    except EngineError as problem:
        raise NotMeant(problem_text(problem)) from problem


def problem_text(problem: EngineError | GameError) -> str:
    """Why it is none, and where: by the stable code of the refusal; an unknown one keeps its English sentence."""
    return _text(problem.code, problem.data) or problem.message


def _text(code: str, data: Mapping[str, Any]) -> str:
    match code:
        case "code_too_long":
            return _("This is too long for a game code.")
        case "code_character" if data:
            return _(
                "Character %(position)s (%(character)s) cannot stand in a game code: use plain letters and digits."
            ) % {"position": data["position"], "character": data["character"]}
        case "code_dashes":
            return _("A game code has two dashes, as in TP1-E-AAAAAAB (or none at all).")
        case "code_kind":
            return _("A game code starts with TP1, TP2 or TPX.")
        case "code_length":
            return _(
                "After %(kind)s and the ruleset a game code has %(expected)s characters; here it has %(length)s."
            ) % {
                "kind": data["kind"],
                "expected": data["expected"],
                "length": data["length"],
            }
        case "code_letters":
            return _letters_text(data)
        case "code_value":
            return _("There is no %(kind)s deal with so high a number.") % {"kind": data["kind"]}
        case "no_joker_order":
            return _("A TPX code orders 52 cards, so it cannot have the joker.")
        case "unknown_ruleset":
            return _("There is no ruleset %(ruleset)s.") % {"ruleset": data["ruleset"]}
        case "game_number":
            return _("Numbered games are %(lowest)s to %(highest)s, in plain digits.") % {
                "lowest": data["lowest"],
                "highest": data["highest"],
            }
        case "bad_date":
            return _("There is no such date.")
    return ""


def _letters_text(data: Mapping[str, Any]) -> str:
    where = {"position": data["position"], "character": data["character"], "kind": data["kind"]}
    if data["kind"] == "TP1":
        return (
            _(
                "Character %(position)s of the last part, %(character)s, cannot stand in a %(kind)s code:"
                " it takes letters A to Z only."
            )
            % where
        )
    return (
        _(
            "Character %(position)s of the last part, %(character)s, cannot stand in a %(kind)s code:"
            " it takes digits and letters except U only."
        )
        % where
    )

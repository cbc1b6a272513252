"""The rules of TriPeaks as pure values and functions: standard library only.

Nothing here reads a clock, a random source, a file or a setting, and nothing logs. The same input gives the same output
on every machine and in every process. Rule numbers (R1 ... R10) in docstrings refer to the project's rules.

A whole game in four lines::

    >>> from games.engine.codes import parse_code
    >>> from games.engine.deals import deal_cards
    >>> from games.engine.moves import format_log, parse_log
    >>> from games.engine.replay import replay
    >>> from games.engine.rulesets import find_ruleset
    >>> code = parse_code("tp1-e-aaaaaab")
    >>> played = replay(find_ruleset(code.ruleset), deal_cards(code), parse_log("t20 t23 t22"))
    >>> played.position.score, format_log(played.position.legal_moves())
    (497, 't18 d u')
"""

from __future__ import annotations

from typing import Final

ENGINE_VERSION: Final = 1
"""Raised whenever a stored log would lead to another position, score or refusal; stored with each attempt."""

"""`/rules`: everything is on it, drawn by the engine, in headings that are in order."""

from __future__ import annotations

import itertools
import re

import pytest

from games.engine.cards import CARD_TEXTS
from games.engine.rulesets import RULESETS
from games.suits import SUIT_PATHS
from leaderboards.examples import run_steps, scoring_examples
from leaderboards.templatetags.drawn import drawn_card, drawn_table

from .reading import Page, get


@pytest.fixture(scope="module")
def page() -> Page:
    return get("/rules")


def test_the_contents_lead_to_every_section_and_nothing_else(page: Page) -> None:
    contents = page.text.split('<div class="text">')[0]
    anchors = re.findall(r'<a href="#([\w-]+)"', contents.split('aria-labelledby="contents-title"')[1])
    assert anchors == re.findall(r'<section class="panel" id="([\w-]+)"', page.text)


def test_headings_are_in_order_and_ids_are_unique(page: Page) -> None:
    levels = [int(level) for level in re.findall(r"<h([1-6])", page.text)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))
    ids = re.findall(r'\bid="([^"]+)"', page.text)
    assert len(ids) == len(set(ids))


def test_every_ruleset_of_the_registry_has_its_row(page: Page) -> None:
    table = page.text.split('class="rows ruleset-table"')[1].split("</table>")[0]
    assert re.findall(r'<code class="code">(\w+)</code>', table) == list(RULESETS)


def test_the_worked_examples_are_what_the_engine_counts(page: Page) -> None:
    """R4.1, R4.2, R7.5: 750 by the published line, 772 at most, 466 for a perfect run."""
    examples = scoring_examples()
    assert "500 − 50 + 300 = 750" in page.words
    assert (examples["won"]["score"], examples["most"], examples["most_runs"]) == (750, 772, 466)
    assert [step.change for step in run_steps()] == [1, 2, 3, -5, 1, 2, 3, 4]
    assert "1 + 2 + 3 − 5 + 1 + 2 + 3 + 4 = 11" in page.words


def test_the_opening_figure_is_the_published_deal() -> None:
    """R7.4: ten open cards, the ace of clubs on the waste, three first moves."""
    figure = drawn_table("the opening", fits=True)
    assert figure.count('class="drawn fits"') == 3
    assert figure.count('class="drawn under"') == 18
    assert re.findall(r'<text class="rank"[^>]*>(\w+)</text>', figure) == [*"35K42AK879", "A"]
    assert ">23</text>" in figure


def test_a_card_has_its_name_and_a_shape_of_its_suit() -> None:
    for text in CARD_TEXTS:
        drawn = drawn_card(text)
        assert 'role="img"' in drawn
        assert "aria-label=" in drawn
        if text[1] in SUIT_PATHS:
            assert drawn.count(f'href="#suit-{text[1]}"') == 2
    assert 'aria-label="ten of diamonds"' in drawn_card("TD")


def test_what_is_named_is_escaped() -> None:
    assert "<b>" not in drawn_table("<b>label</b>")


def test_a_figure_that_breaks_the_rules_is_refused() -> None:
    with pytest.raises(ValueError, match="ply 1"):
        drawn_table("no", moves="t0")


def test_nothing_on_it_is_styled_or_scripted_in_place(page: Page) -> None:
    assert not re.search(r'\sstyle="|\son\w+="', page.text)

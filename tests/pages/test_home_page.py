"""The home page: today's daily in a few queries, and yesterday's winners once they are final."""

from __future__ import annotations

import datetime as dt
import hashlib
import html
import json
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from games.models import Player
from games.services import guest_claim
from leaderboards.models import DailyChallenge
from leaderboards.scopes import parse_board
from leaderboards.selectors import board_me, ranks, standings_snapshot
from leaderboards.services import dailies_prepare, daily_start
from tests.factories import credential
from tests.leaderboards.cast import NOON, bot, finish, guest, person
from tripeaks_site.quality import merge_static

from .conftest import SetClock
from .reading import get

pytestmark = pytest.mark.django_db(transaction=True)
DAY = dt.timedelta(days=1)


def played(daily: DailyChallenge, at: dt.datetime) -> None:
    """A win of alice, a loss of bob, a win of a bot."""
    alice, bob = person(f"alice {daily.number}"), person(f"bob {daily.number}")
    robot = bot(f"robot {daily.number}", bob)
    finish(alice, 771, at=at, code=daily.code, competition=daily.key, moves=29)
    finish(bob, 654, at=at, code=daily.code, competition=daily.key, outcome="stuck", peaks=2, cards_left=5)
    finish(robot, 750, at=at, code=daily.code, competition=daily.key, moves=50)


def test_the_first_day_is_told_whole(set_clock: SetClock) -> None:
    set_clock(NOON)
    page = get("/")
    daily = DailyChallenge.objects.get(date=NOON.date())
    assert page.status == 200
    for words in ("Daily 1", "Sunday, 29 November 2026", "Easy. King and ace are neighbours", daily.commitment):
        assert words in page.words
    assert "Yesterday" not in page.words
    assert "This seal was made late" in page.words
    assert page.lists == {"people": [], "bots": []}
    assert daily.code not in page.text


def test_C14_people_and_bots_have_lists_of_their_own(set_clock: SetClock) -> None:
    set_clock(NOON)
    dailies_prepare(now=NOON)
    played(DailyChallenge.objects.get(date=NOON.date()), NOON)
    page = get("/")
    assert page.lists == {"people": [(1, "alice 1"), (2, "bob 1")], "bots": [(1, "robot 1")]}
    assert "5 left" in page.words


def test_yesterday_is_announced_once_it_is_final(set_clock: SetClock) -> None:
    dailies_prepare(now=NOON)
    daily = DailyChallenge.objects.get(date=NOON.date())
    played(daily, NOON)
    set_clock(daily.final_at - dt.timedelta(seconds=30))
    before = get("/")
    assert "Yesterday: daily 1 It has closed." in before.words
    assert daily.code not in before.text
    set_clock(daily.final_at + dt.timedelta(seconds=1))
    after = get("/")
    assert "Yesterday: daily 1 1 alice 1 People Won · 771 1 robot 1 Bots Won · 750" in after.words
    assert f"Its game code: {daily.code}" in after.words
    assert hashlib.sha256(daily.code.encode()).hexdigest() == daily.commitment
    assert daily.commitment in get(f"/boards/{daily.key}").text


def test_the_page_is_in_one_language_whatever_the_browser_asks_for(set_clock: SetClock) -> None:
    set_clock(NOON)
    answer = Client().get("/", headers={"accept-language": "de, pl;q=0.9"})
    assert "Sunday, 29 November 2026" in answer.content.decode()
    assert answer.headers["Content-Language"] == "en"


def test_the_week_ahead_is_prepared_when_the_official_date_changes(set_clock: SetClock, settings: Settings) -> None:
    settings.OFFICIAL_ZONE = "America/New_York"
    set_clock(NOON)
    get("/")
    assert DailyChallenge.objects.count() == 8
    set_clock(dt.datetime(2026, 11, 30, 4, 59, tzinfo=dt.UTC))  # in New York still the 29th
    get("/")
    assert DailyChallenge.objects.count() == 8
    set_clock(dt.datetime(2026, 11, 30, 5, 1, tzinfo=dt.UTC))
    assert "Daily 2" in get("/").words
    assert DailyChallenge.objects.count() == 9


def test_before_day_one_it_says_when_that_is(set_clock: SetClock, settings: Settings) -> None:
    settings.DAILY_DAY_ONE = "2026-12-01"
    set_clock(NOON)
    page = get("/")
    assert page.status == 200
    assert "The first daily opens soon Tuesday, 1 December 2026" in page.words
    assert re.search(r"(36 h 00|35 h 59) min until it opens at 00:00 UTC", page.words)
    assert '<a class="button large" href="/new">New game</a>' in page.text
    set_clock(NOON + 2 * DAY)
    assert "Daily 1" in get("/").words


# --- one's own row -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Seen:
    """The home page as one player sees it: what stands on the button, the lines of the list of people, all words."""

    button: str
    lines: list[str]
    words: str
    cache: str
    queries: int


def look(player: Player | None) -> Seen:
    """Open the page twice with a player's cookie; the first look of a process, or of an hour, may write."""
    client = Client()
    if player is not None:
        client.cookies[settings.CREDENTIAL_COOKIE] = credential(player, via="cookie").secret
    client.get("/")
    with CaptureQueriesContext(connection) as queries, patch.object(ranks, "ask", wraps=ranks.ask) as prepared:
        answer = client.get("/")  # prepared statements go past Django's own count
    text = answer.content.decode()
    [people] = re.findall(r'data-kind="people".*?<tbody[^>]*>(.*?)</tbody>', text, re.DOTALL)
    lines = [plain(row) for row in re.findall(r"<tr.*?</tr>", people, re.DOTALL)]
    [button] = re.findall(r'<a class="button large" href="/play/daily-[-0-9]+">(.*?)</a>', text)
    return Seen(button, lines, plain(text), answer.headers.get("Cache-Control", ""), len(queries) + prepared.call_count)


def plain(text: str) -> str:
    """Words without tags."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", text)).split())


@pytest.fixture
def today(set_clock: SetClock) -> DailyChallenge:
    """A daily that thirty people have won, a point apart, and yesterday's, which is final."""
    yesterday, now = NOON - DAY, NOON
    dailies_prepare(now=yesterday)
    set_clock(now)
    before, daily = DailyChallenge.objects.filter(date__lte=now.date()).order_by("date")
    played(before, yesterday)
    for number in range(1, 31):
        finish(person(f"p{number}"), 772 - number, at=now, code=daily.code, competition=daily.key, moves=28 + number)
    return daily


def named(name: str) -> Player:
    return Player.objects.get(name=name)


def test_ones_own_row_is_there_with_its_neighbours(today: DailyChallenge) -> None:
    seen = look(named("p20"))
    assert [line.split(" Won")[0] for line in seen.lines[9:]] == [
        "10 p10", "···", "18 p18", "19 p19", "20 p20 you", "21 p21", "22 p22",
    ]  # fmt: skip
    assert "You are number 20 of 30." in seen.words
    assert seen.button == "See your result"


@pytest.mark.parametrize(
    ("name", "after"),
    [
        ("p5", []),
        ("p9", ["11 p11"]),
        ("p10", ["11 p11", "12 p12"]),
        ("p12", ["11 p11", "12 p12 you", "13 p13", "14 p14"]),
    ],
)
def test_near_the_top_nothing_is_left_out(today: DailyChallenge, name: str, after: list[str]) -> None:
    assert [line.split(" Won")[0] for line in look(named(name)).lines[10:]] == after


def test_the_last_has_nobody_below(today: DailyChallenge) -> None:
    assert [line.split(" Won")[0] for line in look(named("p30")).lines[10:]] == [
        "···",
        "28 p28",
        "29 p29",
        "30 p30 you",
    ]


@pytest.mark.parametrize(
    ("score", "place"), [(772, 1), (757, 15), (756, 16), (740, 31)], ids=["first", "equal to p15", "to p16", "last"]
)
def test_a_guest_sees_the_place_it_would_have(today: DailyChallenge, score: int, place: int) -> None:
    """R8.6: provisional, and nobody else's rank changes."""
    somebody = guest()
    finish(somebody, score, at=NOON, code=today.code, competition=today.key, moves=800 - score)
    seen = look(somebody)
    assert f"You would be number {place}." in seen.words
    assert [line for line in seen.lines if line.startswith(f"{place} You Won {score}")]
    assert "30 p30" in look(named("p30")).words
    assert len(look(named("p30")).lines) == 14


def test_a_guest_is_told_that_a_name_would_list_it_and_a_name_is_not(today: DailyChallenge) -> None:
    """Who took the name after the daily has a provisional place too (R8.6), and no name to take any more."""
    somebody = guest()
    finish(somebody, 700, at=NOON, code=today.code, competition=today.key, ranked=False)
    assert "Take a name before your next daily" in look(somebody).words
    guest_claim(player_id=somebody.pk, name="named", password="a long password", now=NOON)
    somebody.refresh_from_db()
    seen = look(somebody)
    assert "You would be number 31." in seen.words
    assert "Take a name" not in seen.words


def test_the_first_of_all_and_alone(set_clock: SetClock) -> None:
    set_clock(NOON)
    dailies_prepare(now=NOON)
    daily = DailyChallenge.objects.get(date=NOON.date())
    somebody = guest()
    finish(somebody, 700, at=NOON, code=daily.code, competition=daily.key)
    assert look(somebody).lines == ["1 You Won 700 30 1:00"]


def test_who_plays_is_told_so(today: DailyChallenge) -> None:
    somebody = person("player")
    daily_start(player_id=somebody.pk, kind="person", which="today", start_key="k", now=NOON)
    seen = look(somebody)
    assert seen.button == "Continue"
    assert seen.lines[10] == "···"
    assert re.fullmatch(r"– You playing… 0:0\d", seen.lines[11])


def test_nobody_has_played_yet(set_clock: SetClock) -> None:
    set_clock(NOON)
    seen = look(None)
    assert seen.button == "Play"
    assert seen.lines == []
    assert "Nobody has finished it yet. The first person to finish leads." in seen.words


def test_a_page_with_somebodys_row_is_theirs_alone(today: DailyChallenge) -> None:
    assert look(named("p3")).cache == "private, no-cache"
    assert "private" not in look(None).cache


def test_the_page_takes_six_queries_whoever_looks(today: DailyChallenge) -> None:
    somebody, playing = guest(), person("player")
    finish(somebody, 700, at=NOON, code=today.code, competition=today.key)
    daily_start(player_id=playing.pk, kind="person", which="today", start_key="k", now=NOON)
    taken = {name: look(who).queries for name, who in {
        "nobody": None, "new": person("new"), "playing": playing, "finished": named("p20"), "guest": somebody
    }.items()}  # fmt: skip
    assert max(taken.values()) <= 6, taken
    assert taken["finished"] == 6, "the count counts"


def test_ones_own_row_on_the_server_is_the_scripts(today: DailyChallenge, tmp_path: Path) -> None:
    """The lines below the top: `own_lines` here and `shownLines` of live.js agree, for every place."""
    merge_static(tmp_path)
    board = parse_board(today.key)
    top = standings_snapshot(today.key, "people", "best", 50, now=NOON)
    cases, expected = [], []
    for number in range(1, 31):
        player = named(f"p{number}")
        me = board_me(board, player_id=player.pk)
        cases.append({"player": player.public_id, "state": "finished", "startedAt": "", "me": me})
        expected.append([line.split(" Won")[0].removesuffix(" you") for line in look(player).lines])
    node = shutil.which("node")
    if node is None:
        pytest.skip("NO NODE HERE")
    script = f"""
        const {{ shownLines }} = await import("file://{tmp_path}/leaderboards/js/live.js");
        const text = ({{ row }}) => (row ? `${{row.rank}} ${{row.player.name}}` : "···");
        const lines = ({{ head, tail }}) => [...head, ...tail].map(text);
        const cases = {json.dumps(cases)}, top = {json.dumps(top)};
        console.log(JSON.stringify([top, {{ ...top, rows: top.rows.slice(0, 10) }}].map((each) =>
            cases.map((mine) => lines(shownLines(each, 10, mine))))));
    """
    done = subprocess.run(
        [node, "--input-type=module"], input=script, capture_output=True, text=True, check=True, timeout=60
    )
    followed, asked = json.loads(done.stdout)  # one's own row among those the socket tells, and beyond them
    assert followed == expected
    assert asked[10:] == expected[10:]


def test_below_the_last_row_that_is_followed_ones_place_is_asked_for(tmp_path: Path) -> None:
    """The socket tells of fifty rows: of the forty-ninth it does not know who stands below."""
    merge_static(tmp_path)
    node = shutil.which("node")
    if node is None:
        pytest.skip("NO NODE HERE")
    script = f"""
        const {{ shownLines }} = await import("file://{tmp_path}/leaderboards/js/live.js");
        const rows = Array.from({{ length: 50 }}, (_, at) => ({{ id: `a${{at}}`, rank: at + 1, player: {{ id: `p${{at}}` }} }}));
        const tail = (at, entries) => shownLines({{ rows, entries }}, 10,
            {{ player: `p${{at}}`, state: "finished", startedAt: "", me: null }}).tail?.map(({{ id }}) => id) ?? null;
        console.log(JSON.stringify([tail(47, 90), tail(48, 90), tail(49, 50)]));
    """
    done = subprocess.run([node, "--input-type=module"], input=script, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [["gap", "a45", "a46", "a47", "a48", "a49"], None, ["gap", "a47", "a48", "a49"]]

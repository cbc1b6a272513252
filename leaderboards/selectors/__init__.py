"""Reads, by noun. Never HTTP."""

from .boards import board_me as board_me
from .boards import board_page as board_page
from .boards import board_versions as board_versions
from .boards import standings_snapshot as standings_snapshot
from .dailies import daily_current as daily_current
from .dailies import daily_find as daily_find
from .dailies import daily_json as daily_json
from .dailies import daily_status as daily_status
from .dailies import daily_streaks as daily_streaks
from .dailies import daily_today as daily_today
from .home import daily_mine as daily_mine
from .home import home_before as home_before
from .home import home_get as home_get
from .news import news_get as news_get
from .numbered import numbered_get as numbered_get
from .numbered import numbered_list as numbered_list
from .numbered import numbered_random as numbered_random
from .profile import player_profile as player_profile
from .replays import replay_get as replay_get

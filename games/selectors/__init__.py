"""Reads, by noun. Never HTTP."""

from .attempts import attempt_get as attempt_get
from .attempts import attempt_replay as attempt_replay
from .attempts import attempt_resume as attempt_resume
from .attempts import attempt_state as attempt_state
from .attempts import attempts_list as attempts_list
from .exposure import help_standing as help_standing

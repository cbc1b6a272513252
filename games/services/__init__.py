"""Writes, by noun."""

from .attempts import Competition as Competition
from .attempts import MoveReply as MoveReply
from .attempts import attempt_move as attempt_move
from .attempts import attempt_resign as attempt_resign
from .attempts import attempt_start as attempt_start
from .attempts import attempts_expire as attempts_expire
from .attempts import random_code as random_code

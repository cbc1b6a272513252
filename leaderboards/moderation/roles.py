"""Who may do what at the moderators' desk. The rows decide at every question: a role taken away is gone at once.

A role is a Django group of its name, which `migrate` keeps (with the right to see every look-only page of the admin),
on an account that is staff. A superuser is a head moderator and needs no group. An auditor reads everything there is to
read and does nothing. While an account is banned its role is asleep: it may nothing, and still only heads act on it.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection
from typing import Any, Final, Protocol

from django.apps import apps as global_apps
from django.contrib import admin
from django.contrib.auth.models import Group
from django.db import connection, transaction
from django.db.models import Q

from games import clock
from games.errors import BadInput, Conflict, NotFound
from games.models import Player
from games.selectors.staff import staff_present
from games.services.staff import staff_sessions_end

MODERATOR, HEAD, AUDITOR = ROLES = ("moderator", "head", "auditor")
_HEADS_LOCK: Final = 0x48454144
"""Of the desk's advisory lock that holds until the end of a transaction."""
BAN_AT_MOST = dt.timedelta(days=30)
"""How long a moderator who is no head may shut somebody out."""
_MODERATORS = frozenset("clear hold disqualify reinstate warn ban dismiss revert".split())
_ACTS = {MODERATOR: _MODERATORS, HEAD: _MODERATORS | frozenset("unban hide show merge separate answer".split())}


class Somebody(Protocol):
    """A Player, or what a request has for one that is not signed in."""

    pk: Any


class Act(Protocol):
    """What of a ModeratorAction is asked."""

    kind: str
    moderator_id: int | None


def role_of(player: Somebody) -> str | None:
    """The account's role at this moment, None for everybody else; the highest where there are several. One query."""
    held = set()
    present = staff_present(now=clock.now()).filter(pk=player.pk)
    for superuser, group in present.values_list("is_superuser", "groups__name"):
        held.add(HEAD if superuser else group)
    return next((role for role in (HEAD, MODERATOR, AUDITOR) if role in held), None)


def may_read(player: Somebody) -> bool:
    """Whether the account may see the desk."""
    return role_of(player) is not None


def may_act(player: Somebody, kind: str) -> bool:
    """Whether the account's role has this kind of action (ModeratorAction.Kind) at all; `heads_only`, `may_ban`,
    `may_revert` and `may_answer` draw the finer lines.
    """
    return kind in _ACTS.get(role_of(player) or "", ())


def may_ban(player: Somebody, *, until: dt.datetime | None, now: dt.datetime) -> bool:
    """Whether the account may shut somebody out until then (None: for good)."""
    role = role_of(player)
    return role == HEAD or (role == MODERATOR and until is not None and until <= now + BAN_AT_MOST)


def may_revert(player: Somebody, action: Act) -> bool:
    """Whether the account may take this action back: a moderator what was the moderator's own, a head everything."""
    role = role_of(player)
    own = action.moderator_id is not None and action.moderator_id == player.pk
    return role == HEAD or (role == MODERATOR and own and action.kind in _MODERATORS)


def may_answer(player: Somebody, *, decided_by: int | None) -> bool:
    """Whether the account may answer an appeal against a decision of `decided_by` (None: the judge): a head, and not
    against the head's own decision unless there is no other head.
    """
    return role_of(player) == HEAD and (decided_by != player.pk or not _heads().exclude(pk=player.pk).exists())


def heads_only(subjects: Collection[Player]) -> bool:
    """Whether only a head acts on these accounts: one of them holds a role, or is a bot of who does. One query, none for
    people who are not of the staff by the rows in hand.
    """
    asked = [subject for subject in subjects if subject.is_staff or subject.is_superuser or subject.owner_id]
    if not asked:
        return False
    holds = Q(is_superuser=True) | Q(is_staff=True, groups__name__in=ROLES)
    return Player.objects.filter(holds, pk__in={subject.owner_id or subject.pk for subject in asked}).exists()


def not_last_head(player: Player) -> None:
    """Raises Conflict `last_head` for a head who may act at this moment where there is no other: a desk without one could
    let nobody in again. For every way in which somebody stops being one: a ban, a role taken away, a deletion.

    In the transaction that does it, under the lock of the player's row, which comes first. Of staff one at a time is
    asked about, so that of two heads who go at once by any two of these ways only the first does.
    """
    if not player.is_staff:
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_HEADS_LOCK])
    if set(_heads().values_list("pk", flat=True)) == {player.pk}:
        raise Conflict("last_head", "This is the last head moderator who can act. Make somebody else one first.")


def _heads() -> Any:
    return staff_present(now=clock.now()).filter(Q(is_superuser=True) | Q(groups__name=HEAD))


def role_set(*, player_id: int, role: str | None) -> None:
    """Give an account exactly this role, or none. It is staff with one and not without, and every session of the admin
    ends when a role does. Locks the player row; safe to repeat. Raises NotFound, BadInput `unknown_role`, Conflict
    `persons_only` (guests and bots moderate nothing), `superuser` (whose powers are no role) or `last_head`.
    """
    if role is not None and role not in ROLES:
        raise BadInput("unknown_role", f"A role is one of {', '.join(ROLES)}.", known=list(ROLES))
    with transaction.atomic(durable=True):
        player = Player.objects.select_for_update(no_key=True).filter(pk=player_id, deleted_at=None).first()
        if player is None:
            raise NotFound
        if player.kind != Player.Kind.PERSON:
            raise Conflict("persons_only", "Only accounts with a name and a password may have a role.")
        if player.is_superuser:
            raise Conflict("superuser", "A superuser may do everything already.")
        if role != HEAD:
            not_last_head(player)
        held = set(player.groups.filter(name__in=ROLES).values_list("name", flat=True))
        player.groups.remove(*Group.objects.filter(name__in=ROLES).exclude(name=role or ""))
        if role is not None:
            player.groups.add(Group.objects.get(name=role))
        player.is_staff = role is not None
        player.save(update_fields=["is_staff"])
        if held - {role} or role is None:
            staff_sessions_end(player_id=player.pk)


def groups_keep(*, apps: Any = global_apps, **kwargs: Any) -> None:
    """After each `migrate`: the three groups, each with exactly the right to see the look-only pages of the admin."""
    from games.admin import LookOnly

    try:
        group_model = apps.get_model("auth", "Group")
    except LookupError:  # on the way back to nothing
        return
    seen = []
    for model, page in admin.site._registry.items():
        if isinstance(page, LookOnly):
            options = model._meta
            content_type, _ = apps.get_model("contenttypes", "ContentType").objects.get_or_create(
                app_label=options.app_label, model=options.model_name
            )
            permission, _ = apps.get_model("auth", "Permission").objects.get_or_create(
                content_type=content_type,
                codename=f"view_{options.model_name}",
                defaults={"name": f"Can view {options.verbose_name_raw}"},
            )
            seen.append(permission)
    for role in ROLES:
        group, _ = group_model.objects.get_or_create(name=role)
        group.permissions.set(seen)

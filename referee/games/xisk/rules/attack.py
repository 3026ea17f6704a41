"""The attack phase: xisk/13 to xisk/20.

What lives here: attacks, dice compared, conquest, invasion, and how the phase ends. What must not
live here: elimination and victory themselves (``ending.py``).
"""

from __future__ import annotations

from referee.errors import IllegalActionError
from referee.games.xisk.rules.actions import END_ATTACK, Action, Attack, EndAttack, Invade, table_of
from referee.games.xisk.rules.adjust import enter_adjust
from referee.games.xisk.rules.ending import defeated_seat, eliminate, end_if_world_conquered
from referee.games.xisk.rules.events import Attacked, Conquered, Invaded, PhaseChanged
from referee.games.xisk.rules.state import NOBODY, Phase, State
from referee.games.xisk.rules.work import Work
from referee.games.xisk.rules.world import WORLDS

MOST_ATTACKER_DICE = 3
MOST_DEFENDER_DICE = 2


def attack(work: Work, action: Attack) -> None:
    """Roll one attack and take its consequences."""
    work.require_phase("xisk/13", "attack", Phase.ATTACK)
    source, target = _attack_between(work, action)
    chips = work.chips
    # xisk/14: as many dice as the chips allow; nobody chooses.
    counts = min(chips[source] - 1, MOST_ATTACKER_DICE), min(chips[target], MOST_DEFENDER_DICE)
    attacker, defender = work.chance.dice(counts)
    attacker_losses, defender_losses = losses(attacker, defender)
    chips[source] -= attacker_losses
    chips[target] -= defender_losses
    owner = work.owners[target]
    loser = None if owner < 0 else owner
    mover = work.mover
    work.events.append(
        Attacked(
            mover,
            action.source,
            action.target,
            loser,
            attacker,
            defender,
            attacker_losses,
            defender_losses,
        )
    )
    if chips[target]:
        _end_if_exhausted(work, source)
        return
    # xisk/16: at most one chip of the source can have been lost, so one always stays.
    moved = len(attacker)
    chips[source] -= moved
    chips[target] = moved
    work.owners[target] = mover
    work.conquered = True
    work.events.append(Conquered(mover, action.source, action.target, moved, loser))
    if not end_if_world_conquered(work):
        _after_conquest(work, source, target)


def losses(attacker: tuple[int, ...], defender: tuple[int, ...]) -> tuple[int, int]:
    """Chips that attacker and defender lose by these faces, given in any order."""
    # xisk/15: highest meets highest, second meets second if both have one; ties to the defender.
    pairs = zip(sorted(attacker, reverse=True), sorted(defender, reverse=True), strict=False)
    outcomes = [mine > theirs for mine, theirs in pairs]
    won = sum(outcomes)
    return len(outcomes) - won, won


def invade(work: Work, action: Invade) -> None:
    """Move more chips into the conquered country, or none; one decision."""
    # xisk/18
    work.require_phase("xisk/18", "invade", Phase.INVADE)
    source, target = work.source, work.target
    most = work.chips[source] - 1
    chips = action.chips
    if not 0 <= chips <= most:
        message = f"Invade with 0 to {most} chips, not {chips}: one stays behind."
        raise IllegalActionError("xisk/18", message)
    work.chips[source] -= chips
    work.chips[target] += chips
    work.source = work.target = NOBODY
    ids = work.world.ids
    work.events.append(Invaded(work.mover, ids[source], ids[target], chips))
    _go_on(work, source)


def end_attack(work: Work, _action: EndAttack) -> None:
    """End the attack phase by the seat's word."""
    # xisk/20
    work.require_phase("xisk/20", "end the attack phase", Phase.ATTACK)
    enter_adjust(work)


def _attack_between(work: Work, action: Attack) -> tuple[int, int]:
    """Country numbers of an attack that may be made.

    Raises:
        IllegalActionError: It may not; the error names xisk/13.
    """
    # xisk/13
    source = work.own_country(action.source, "xisk/13")
    target = work.country(action.target)
    names = work.world.names
    if work.chips[source] < 2:
        message = f"{names[source]} has 1 chip; an attack needs 2 or more."
        raise IllegalActionError("xisk/13", message)
    if target not in work.world.neighbours[source]:
        message = f"{names[source]} and {names[target]} are not adjacent."
        raise IllegalActionError("xisk/13", message)
    if work.owners[target] == work.mover:
        message = f"{names[target]} is yours; attack an opponent or a neutral country."
        raise IllegalActionError("xisk/13", message)
    return source, target


def _after_conquest(work: Work, source: int, target: int) -> None:
    """Ask for the invasion, unless there is nothing to decide."""
    # xisk/18: with 1 chip left there is no decision to take.
    if work.chips[source] > 1:
        work.phase = Phase.INVADE
        work.source, work.target = source, target
        work.events.append(PhaseChanged(work.mover, Phase.INVADE))
    else:
        _go_on(work, target)


def _go_on(work: Work, country: int) -> None:
    """After the invasion: eliminate who owns nothing now, or go on attacking."""
    # xisk/19: only now, after the invasion.
    defeated = defeated_seat(work)
    if defeated != NOBODY:
        eliminate(work, defeated)
        return
    if work.phase == Phase.INVADE:
        work.phase = Phase.ATTACK
        work.events.append(PhaseChanged(work.mover, Phase.ATTACK))
    _end_if_exhausted(work, country)


def _end_if_exhausted(work: Work, country: int) -> None:
    """End the phase if every own country has 1 chip; ``country`` is an own one to look at first."""
    # xisk/20
    if work.chips[country] == 1 and not work.can_move_chips():
        enter_adjust(work)


def legal_attack(state: State) -> list[Action]:
    """Every attack that may be made, and the end of the phase."""
    mover = state.mover
    owners = state.owners
    attacks = table_of(state.map_id).attacks
    legal: list[Action] = [END_ATTACK]
    for owner, chips, options in zip(owners, state.chips, attacks, strict=True):
        if owner == mover and chips > 1:
            for target, action in options:
                if owners[target] != mover:
                    legal.append(action)
    return legal


def attack_pairs(state: State) -> list[tuple[int, int]]:
    """Source and target numbers of every attack that may be made, by source."""
    mover = state.mover
    owners = state.owners
    neighbours = WORLDS[state.map_id].neighbours
    return [
        (source, target)
        for source, chips in enumerate(state.chips)
        if chips > 1 and owners[source] == mover
        for target in neighbours[source]
        if owners[target] != mover
    ]


def legal_invade(state: State) -> tuple[Action, ...]:
    """Every number of chips that may invade."""
    return table_of(state.map_id).invades(state.chips[state.source] - 1)

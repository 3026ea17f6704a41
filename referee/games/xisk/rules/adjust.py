"""The adjust phase: xisk/21.

What lives here: the one transfer, and the end of a turn without it. What must not live here: what
the end of a turn brings (``turn.py``).
"""

from __future__ import annotations

from referee.errors import IllegalActionError
from referee.games.xisk.rules.actions import END_TURN, Action, Adjust, EndTurn, table_of
from referee.games.xisk.rules.events import Adjusted, PhaseChanged
from referee.games.xisk.rules.state import Phase, State
from referee.games.xisk.rules.turn import close_turn
from referee.games.xisk.rules.work import Work
from referee.games.xisk.rules.world import WORLDS


def enter_adjust(work: Work) -> None:
    """Enter the phase, which ends by itself when every own country has 1 chip."""
    # xisk/21
    if not work.can_move_chips():
        close_turn(work)
        return
    work.phase = Phase.ADJUST
    work.events.append(PhaseChanged(work.mover, Phase.ADJUST))


def adjust(work: Work, action: Adjust) -> None:
    """Move chips between two adjacent own countries; the turn closes."""
    # xisk/21
    work.require_phase("xisk/21", "adjust chips", Phase.ADJUST)
    source = work.own_country(action.source, "xisk/21")
    target = work.own_country(action.target, "xisk/21")
    names = work.world.names
    if target not in work.world.neighbours[source]:
        message = f"{names[source]} and {names[target]} are not adjacent."
        raise IllegalActionError("xisk/21", message)
    most = work.chips[source] - 1
    chips = action.chips
    if not most:
        message = f"{names[source]} has 1 chip, which has to stay."
        raise IllegalActionError("xisk/21", message)
    if not 1 <= chips <= most:
        message = f"Move 1 to {most} chips out of {names[source]}, not {chips}: one stays behind."
        raise IllegalActionError("xisk/21", message)
    work.chips[source] -= chips
    work.chips[target] += chips
    work.events.append(Adjusted(work.mover, action.source, action.target, chips))
    close_turn(work)


def end_turn(work: Work, _action: EndTurn) -> None:
    """Close the turn without a transfer."""
    # xisk/21
    work.require_phase("xisk/21", "end your turn", Phase.ADJUST)
    close_turn(work)


def adjust_pairs(state: State) -> list[tuple[int, int]]:
    """Source and target numbers of every transfer that may be made, by source."""
    mover = state.mover
    owners = state.owners
    neighbours = WORLDS[state.map_id].neighbours
    return [
        (source, target)
        for source, chips in enumerate(state.chips)
        if chips > 1 and owners[source] == mover
        for target in neighbours[source]
        if owners[target] == mover
    ]


def legal_adjust(state: State) -> list[Action]:
    """Every number of chips between every two own countries, and the end of the turn."""
    adjusts = table_of(state.map_id).adjusts
    legal: list[Action] = [END_TURN]
    for source, target in adjust_pairs(state):
        legal += adjusts(source, target, state.chips[source] - 1)
    return legal

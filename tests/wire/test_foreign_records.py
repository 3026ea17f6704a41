"""Record files may come from anywhere: whatever they hold, reading and verifying only refuses."""

from __future__ import annotations

from random import Random

import pytest

from referee.errors import RefereeError
from referee.match import lifecycle
from referee.match.lifecycle import NewMatch
from referee.match.model import Joined, MatchId, Millis, SeedOrigin, Visibility
from referee.match.observe import record_for
from referee.match.verify import verify
from referee.registry import GAMES
from referee.wire.record import record_from_file, record_to, record_to_json

JSON_BYTES = b'0123456789abcXYZ-_"{}[],:AKQS'


def whole_record(game_id):
    """A record of a short match: some actions, then all but one resign."""
    game = GAMES[game_id]
    random = Random(1)
    seats = game.info.min_seats
    new = NewMatch(
        MatchId("01JD8ZK0000000000000000000"),
        game,
        game.default_settings,
        seats,
        Visibility.PUBLIC,
        SeedOrigin.SYSTEM,
        bytes(32),
    )
    steps = [lifecycle.create(new, Millis(1))]
    for seat in range(seats):
        steps.append(lifecycle.join(steps[-1].match, Millis(2), seat, Joined("", "", b"")))
    for _ in range(60):
        match = steps[-1].match
        if not match.to_move:
            break
        seat = match.to_move[0]
        action = random.choice(game.rules.legal_actions(match.game_state, seat))
        steps.append(lifecycle.act(match, Millis(3), seat, action))
    while steps[-1].match.to_move:
        match = steps[-1].match
        steps.append(lifecycle.resign(match, Millis(4), match.to_move[0]))
    return record_to(record_for(steps[-1].match, [step.event for step in steps], None))


@pytest.mark.parametrize("game_id", sorted(GAMES))
@pytest.mark.parametrize("form", ["json", "bytes"])
def test_a_file_with_a_few_bytes_changed_is_read_or_refused(game_id, form):
    message = whole_record(game_id)
    good = record_to_json(message).encode() if form == "json" else message.SerializeToString()
    assert verify(record_from_file(good)).good
    random = Random(2)
    refused = 0
    for _ in range(150):
        data = bytearray(good)
        for _ in range(random.choice((1, 1, 2, 8))):
            byte = random.choice(JSON_BYTES) if form == "json" else random.randrange(256)
            data[random.randrange(len(data))] = byte
        try:
            refused += not verify(record_from_file(bytes(data))).good
        except RefereeError:
            refused += 1
    assert refused > 100

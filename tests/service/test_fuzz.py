"""Random bytes and spoilt requests at every method: no answer says that the referee is at fault."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import grpc
import pytest
from google.protobuf import json_format
from google.protobuf.message import Message
from hypothesis import given, settings
from hypothesis import strategies as st

from referee._gen.referee.v1 import games_pb2, match_pb2
from referee._gen.referee.v1 import match_service_pb2 as pb
from referee._gen.referee.v1.match_service_pb2_grpc import MatchServiceStub
from referee._gen.xisk.v1 import xisk_pb2
from referee._gen.yoxii.v1 import yoxii_pb2
from tests.support.api import bearer
from tests.support.processes import RefereeProcess

METHODS = [method.name for method in pb.DESCRIPTOR.services_by_name["MatchService"].methods]
RED = match_pb2.COLOUR_RED
ACTIVE = match_pb2.MATCH_STATE_ACTIVE
OLDEST_FIRST = pb.ListMatchesRequest.ORDER_OLDEST_FIRST
OUR_FAULT = {grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN}


class Target:
    """Two matches to aim at, the wires to them, and a valid request of each method."""

    def __init__(self, address: str) -> None:
        options = [("grpc.use_local_subchannel_pool", 1)]
        channel: Any = grpc.insecure_channel(address, options=options)
        self.channel = channel
        self.stub: Any = MatchServiceStub(channel)
        self.tokens: list[str] = []
        of_xisk = games_pb2.GameSettings(xisk=xisk_pb2.Settings(round_limit=1))
        xisk = self._start(of_xisk)
        yoxii = self._start(games_pb2.GameSettings(yoxii=yoxii_pb2.Settings()))
        claim = xisk_pb2.Action(claim=xisk_pb2.Claim(country="alaska"))
        step = yoxii_pb2.Action(totem="d5", value=1, square="d6")
        seat = pb.OpenSeat(match_id=xisk, seat=0)
        self.valid: list[tuple[str, Message]] = [
            (
                "CreateMatch",
                pb.CreateMatchRequest(settings=games_pb2.GameSettings(xisk=xisk_pb2.Settings())),
            ),
            ("CreateMatch", pb.CreateMatchRequest(request_id="a", seats=3, server_seed=b"s" * 32)),
            ("JoinMatch", pb.JoinMatchRequest(open_seat=seat, display_name="Ann", colour=RED)),
            ("JoinMatch", pb.JoinMatchRequest(join_code=f"{xisk}-0-ABCDEFGHIJKLMNOP")),
            ("LeaveMatch", pb.LeaveMatchRequest(match_id=xisk)),
            ("GetMatch", pb.GetMatchRequest(match_id=xisk)),
            ("ListMatches", pb.ListMatchesRequest(game="xisk", page_size=3, page_token=xisk)),
            (
                "ListMatches",
                pb.ListMatchesRequest(state=ACTIVE, order=OLDEST_FIRST),
            ),
            ("ListGames", pb.ListGamesRequest()),
            ("GetObservation", pb.GetObservationRequest(match_id=xisk, include_legal_actions=True)),
            ("ListLegalActions", pb.ListLegalActionsRequest(match_id=yoxii)),
            ("GetRecord", pb.GetRecordRequest(match_id=yoxii)),
            ("Resign", pb.ResignRequest(match_id=xisk, request_id="r")),
            ("WatchMatch", pb.WatchMatchRequest(match_id=xisk, after_version=1)),
        ]
        for match_id, action in (
            (xisk, games_pb2.GameAction(xisk=claim)),
            (yoxii, games_pb2.GameAction(yoxii=step)),
        ):
            request = pb.SubmitActionRequest(
                match_id=match_id, expected_version=3, request_id="s", action=action
            )
            self.valid += [("SubmitAction", request)] * 3

    def _start(self, settings_of_game: games_pb2.GameSettings) -> str:
        created = self.stub.CreateMatch(pb.CreateMatchRequest(settings=settings_of_game))
        for code in created.join_codes:
            joined = self.stub.JoinMatch(pb.JoinMatchRequest(join_code=code.code))
        self.tokens.append(joined.seat_token)
        match_id: str = created.match.match_id
        return match_id

    def call(self, method: str, request: bytes, token: int) -> grpc.StatusCode:
        """The code of the answer to some bytes."""
        metadata = bearer(self.tokens[token]) if token < len(self.tokens) else None
        path = f"/referee.v1.MatchService/{method}"
        try:
            if method == "WatchMatch":
                stream = self.channel.unary_stream(path)(request, metadata=metadata, timeout=5)
                next(stream, None)
                stream.cancel()
            else:
                self.channel.unary_unary(path)(request, metadata=metadata, timeout=5)
        except grpc.RpcError as error:
            code: grpc.StatusCode = error.code()
            return code
        return grpc.StatusCode.OK


@pytest.fixture(scope="module")
def target(referee_process: RefereeProcess) -> Iterator[Target]:
    """Matches on the shared referee."""
    found = Target(referee_process.address)
    yield found
    found.channel.close()


@settings(max_examples=300, deadline=None, database=None)
@given(method=st.sampled_from(METHODS), request=st.binary(max_size=200), token=st.integers(0, 2))
def test_random_bytes_are_never_our_fault(target, method, request, token):
    assert target.call(method, request, token) not in OUR_FAULT


@st.composite
def spoils(draw: st.DrawFn) -> list[tuple[str, int, bytes]]:
    """A few changes to some bytes: overwrite, insert, cut, double."""
    kinds = st.sampled_from(["overwrite", "insert", "cut", "double"])
    change = st.tuples(kinds, st.integers(0, 10_000), st.binary(min_size=1, max_size=4))
    return draw(st.lists(change, min_size=0, max_size=3))


def spoilt(data: bytes, changes: list[tuple[str, int, bytes]]) -> bytes:
    """The bytes with the changes made."""
    for kind, position, new in changes:
        at = position % (len(data) + 1)
        if kind == "overwrite":
            data = data[:at] + new + data[at + len(new) :]
        elif kind == "insert":
            data = data[:at] + new + data[at:]
        elif kind == "cut":
            data = data[:at] + data[at + len(new) :]
        else:
            data = data[:at] + data[at // 2 :]
    return data


@settings(max_examples=400, deadline=None, database=None)
@given(which=st.integers(0, 10_000), changes=spoils(), token=st.integers(0, 2))
def test_a_spoilt_request_is_never_our_fault(target, which, changes, token):
    method, request = target.valid[which % len(target.valid)]
    data = spoilt(request.SerializeToString(), changes)
    assert target.call(method, data, token) not in OUR_FAULT


# --- readable requests with extreme values -----------------------------------------------------

texts = st.one_of(
    st.sampled_from(["", "alaska", "kamchatka", "d5", "AS"]),
    st.text(st.characters(codec="utf-8"), max_size=50),
)
counts = st.one_of(st.integers(0, 5), st.sampled_from([2**31, 2**32 - 1]))


def xisk_action(kind: str, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[xisk_pb2.Action]:
    """Actions of one kind."""
    return st.builds(
        lambda **drawn: json_format.ParseDict({kind: drawn}, xisk_pb2.Action()), **fields
    )


xisk_actions = st.one_of(
    xisk_action("claim", country=texts),
    xisk_action("redeem", cards=st.lists(texts, max_size=5)),
    xisk_action("place", country=texts, chips=counts),
    xisk_action("attack", source=texts, target=texts),
    xisk_action("invade", chips=counts),
    xisk_action("adjust", source=texts, target=texts, chips=counts),
)
yoxii_actions = st.builds(
    lambda t, n, s: yoxii_pb2.Action(totem=t, value=n, square=s), texts, counts, texts
)
actions = st.one_of(
    st.builds(lambda a: games_pb2.GameAction(xisk=a), xisk_actions),
    st.builds(lambda a: games_pb2.GameAction(yoxii=a), yoxii_actions),
)


@settings(max_examples=300, deadline=None, database=None)
@given(action=actions, version=st.sampled_from([0, 3, 2**64 - 1]), token=st.integers(0, 1))
def test_a_readable_action_with_whatever_values_is_never_our_fault(target, action, version, token):
    request: Any = target.valid[-1 if token else -4][1]
    sent = pb.SubmitActionRequest(
        match_id=request.match_id, action=action, expected_version=version
    )
    assert target.call("SubmitAction", sent.SerializeToString(), token) not in OUR_FAULT

"""Talking to a referee in tests, on the bare generated stubs: what the wire really says."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any

import grpc
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2

from referee._gen.referee.v1 import games_pb2, match_pb2, match_service_pb2_grpc
from referee._gen.referee.v1 import match_service_pb2 as pb
from referee.registry import GAMES

Metadata = tuple[tuple[str, str], ...]


@asynccontextmanager
async def connected(
    address: str, *options_besides: tuple[str, int]
) -> AsyncIterator[match_service_pb2_grpc.MatchServiceStub]:
    """A stub on a connection of its own, so that tests don't share HTTP/2 state."""
    options = [("grpc.use_local_subchannel_pool", 1), *options_besides]
    async with grpc.aio.insecure_channel(address, options=options) as channel:
        yield match_service_pb2_grpc.MatchServiceStub(channel)


async def raw_call(
    address: str, method: str, request: bytes, metadata: Metadata | None = None
) -> bytes:
    """Call a unary method with bytes that need not be a message; gives the answer's bytes."""
    options = [("grpc.use_local_subchannel_pool", 1)]
    async with grpc.aio.insecure_channel(address, options=options) as channel:
        call: Any = channel.unary_unary(f"/referee.v1.MatchService/{method}")
        answer: bytes = await call(request, metadata=metadata)
        return answer


def bearer(token: str) -> Metadata:
    """Metadata that carries a token."""
    return (("authorization", f"Bearer {token}"),)


def settings(game_id: str, message: Message | None = None) -> games_pb2.GameSettings:
    """Settings of a game; the defaults for None."""
    wrapped = games_pb2.GameSettings()
    field_of_game = getattr(wrapped, game_id)
    field_of_game.SetInParent()
    if message is not None:
        field_of_game.CopyFrom(message)
    return wrapped


def action(game_id: str, text: str) -> games_pb2.GameAction:
    """An action from its notation."""
    game = GAMES[game_id]
    return games_pb2.GameAction(
        **{game_id: game.wire.action_to_message(game.notation.parse_action(text))}
    )


@dataclass
class Table:
    """A match with all its seats' tokens.

    Attributes:
        stub: What it is played through.
        game_id: The game.
        match: The match as it was when the last seat was taken.
        tokens: Seat tokens by seat.
    """

    stub: match_service_pb2_grpc.MatchServiceStub
    game_id: str
    match: match_pb2.Match
    tokens: dict[int, str] = field(default_factory=dict)

    @property
    def match_id(self) -> str:
        """Id of the match."""
        return self.match.match_id

    def auth(self, seat: int) -> Metadata:
        """A seat's metadata."""
        return bearer(self.tokens[seat])

    def auth_or_none(self, seat: int | None) -> Metadata | None:
        """A seat's metadata; None for the public."""
        return None if seat is None else self.auth(seat)

    async def observation(
        self, seat: int | None = None, *, legal: bool = False
    ) -> pb.GetObservationResponse:
        """What a seat, or the public, may see."""
        request = pb.GetObservationRequest(match_id=self.match_id, include_legal_actions=legal)
        return await self.stub.GetObservation(request, metadata=self.auth_or_none(seat))

    async def legal(self, seat: int) -> list[str]:
        """A seat's legal actions in notation, sorted."""
        request = pb.ListLegalActionsRequest(match_id=self.match_id)
        found = await self.stub.ListLegalActions(request, metadata=self.auth(seat))
        if not found.count:
            return []
        game = GAMES[self.game_id]
        actions = game.wire.legal_actions_from_message(getattr(found.legal_actions, self.game_id))
        return sorted(map(game.notation.format_action, actions))

    async def submit(self, seat: int, text: str, **fields: Any) -> pb.SubmitActionResponse:
        """Submit an action in notation."""
        request = pb.SubmitActionRequest(
            match_id=self.match_id, action=action(self.game_id, text), **fields
        )
        return await self.stub.SubmitAction(request, metadata=self.auth(seat))

    async def record(self, seat: int | None = None) -> match_pb2.Record:
        """The record as a seat, or the public, may see it."""
        request = pb.GetRecordRequest(match_id=self.match_id)
        response = await self.stub.GetRecord(request, metadata=self.auth_or_none(seat))
        return response.record

    async def resign(self, seat: int, request_id: str = "") -> pb.ResignResponse:
        """Resign a seat."""
        request = pb.ResignRequest(match_id=self.match_id, request_id=request_id)
        return await self.stub.Resign(request, metadata=self.auth(seat))

    async def now(self) -> match_pb2.Match:
        """The match as it is now."""
        return (await self.stub.GetMatch(pb.GetMatchRequest(match_id=self.match_id))).match

    async def to_move(self) -> int:
        """The seat to move."""
        return (await self.now()).to_move[0]

    async def play(self, plies: int, random: Random) -> list[pb.SubmitActionResponse]:
        """Play legal actions, picked by ``random``; stops with the match."""
        answers: list[pb.SubmitActionResponse] = []
        seats = list((await self.now()).to_move)
        while seats and len(answers) < plies:
            text = random.choice(await self.legal(seats[0]))
            answers.append(await self.submit(seats[0], text))
            seats = list(answers[-1].receipt.event.to_move)
        return answers

    def watch(self, seat: int | None = None, after: int = 0) -> Any:
        """A stream of the match as a seat, or the public, may see it."""
        request = pb.WatchMatchRequest(match_id=self.match_id, after_version=after)
        return self.stub.WatchMatch(request, metadata=self.auth_or_none(seat))


async def open_table(
    stub: match_service_pb2_grpc.MatchServiceStub,
    game_id: str,
    seats: int = 0,
    *,
    server_seed: bytes = b"",
    metadata: Metadata | None = None,
    game_settings: Message | None = None,
    time_control: match_pb2.TimeControl | None = None,
) -> Table:
    """Create a match and take all its seats."""
    request = pb.CreateMatchRequest(
        settings=settings(game_id, game_settings),
        seats=seats,
        server_seed=server_seed,
        time_control=time_control,
    )
    created = await stub.CreateMatch(request, metadata=metadata)
    table = Table(stub, game_id, created.match)
    for code in created.join_codes:
        joined = await stub.JoinMatch(pb.JoinMatchRequest(join_code=code.code))
        table.tokens[joined.seat] = joined.seat_token
        table.match = joined.match
    return table


async def events_of(stream: Any) -> list[match_pb2.Event]:
    """All events of a stream, to its end."""
    return [message.event async for message in stream if message.HasField("event")]


async def next_event(stream: Any) -> match_pb2.Event:
    """The next event of a stream, past any heartbeats."""
    while True:
        message = await stream.read()
        assert message is not grpc.aio.EOF, "the stream ended"
        if message.HasField("event"):
            event: match_pb2.Event = message.event
            return event


async def read_to_fault(stream: Any) -> tuple[list[Any], Fault]:
    """All messages of a stream that must fail, and how it does."""
    messages: list[Any] = []
    while True:
        try:
            messages.append(await stream.read())
        except grpc.aio.AioRpcError as error:
            return messages, unpack(error)
        assert messages[-1] is not grpc.aio.EOF, "the stream was expected to fail"


@dataclass(frozen=True)
class Fault:
    """A failed call, with its details unpacked."""

    code: grpc.StatusCode
    message: str
    reason: str
    domain: str
    metadata: Mapping[str, str]
    fields: tuple[str, ...]
    retry_after: float | None


async def fault_of(call: Any) -> Fault:
    """Await a call that must fail, and unpack its error."""
    try:
        await call
    except grpc.aio.AioRpcError as error:
        return unpack(error)
    raise AssertionError("the call was expected to fail")


def unpack(error: grpc.aio.AioRpcError) -> Fault:
    """An error's code and details."""
    status = status_pb2.Status()
    for key, value in error.trailing_metadata() or ():
        if key == "grpc-status-details-bin":
            status.ParseFromString(value if isinstance(value, bytes) else value.encode())
    info = error_details_pb2.ErrorInfo()
    bad = error_details_pb2.BadRequest()
    retry = error_details_pb2.RetryInfo()
    has_retry = False
    for detail in status.details:
        detail.Unpack(info)
        detail.Unpack(bad)
        has_retry |= detail.Unpack(retry)
    return Fault(
        code=error.code(),
        message=error.details() or "",
        reason=info.reason,
        domain=info.domain,
        metadata=dict(info.metadata),
        fields=tuple(violation.field for violation in bad.field_violations),
        retry_after=retry.retry_delay.ToMilliseconds() / 1000 if has_retry else None,
    )

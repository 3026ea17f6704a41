"""Records: as messages, and as files.

A record file is the message ``referee.v1.Record``, either as protobuf's JSON form (to read, and for
other languages) or as its bytes (about a sixth of the size). Which one a file holds, its first byte
tells: JSON begins with a brace.
"""

from __future__ import annotations

from google.protobuf import json_format
from google.protobuf.message import DecodeError, Message

from referee._gen.referee.v1 import match_pb2 as pb
from referee.chance.seed import MAX_NONCE_BYTES
from referee.errors import InvalidRequestError
from referee.match.model import Event, Joined, Left, Record
from referee.registry import AnyGame
from referee.wire.event import event_from, event_to
from referee.wire.games import settings_from
from referee.wire.match import match_from, match_to

FORMAT = 1


def record_to(record: Record) -> pb.Record:
    """A record as a message."""
    game = record.match.game
    return pb.Record(
        format=FORMAT,
        match=match_to(record.match),
        events=[event_to(game, event) for event in record.events],
        server_seed=record.server_seed,
    )


def record_from(message: pb.Record) -> Record:
    """A record from its message, which may come from anywhere.

    Raises:
        RefereeError: It is not a record that this referee can read.
    """
    if message.format != FORMAT:
        raise InvalidRequestError(
            "format", f"this referee reads record format {FORMAT}, not {message.format}"
        )
    game, _ = settings_from(message.match.settings)
    events = tuple([_event_from_outside(game, event) for event in message.events])
    joined_versions = [0] * len(message.match.seats)
    for event in events:
        if event.seat is None:
            continue
        if event.seat >= len(joined_versions):
            raise InvalidRequestError(
                "seat", f"version {event.version} speaks of seat {event.seat}"
            )
        if isinstance(event.cause, Joined):
            joined_versions[event.seat] = event.version
            if len(event.cause.client_nonce) > MAX_NONCE_BYTES:
                raise InvalidRequestError("client_nonce", f"is longer than {MAX_NONCE_BYTES} bytes")
        elif isinstance(event.cause, Left):
            joined_versions[event.seat] = 0
    return Record(match_from(message.match, joined_versions), events, message.server_seed)


def _event_from_outside(game: AnyGame, message: pb.Event) -> Event:
    """An event that anybody may have written: games read their events as the store gives them."""
    try:
        return event_from(game, message)
    except InvalidRequestError as error:
        what = f"version {message.version} can't be read: {error.message}"
        raise InvalidRequestError("events", what) from error
    except (LookupError, ValueError, TypeError, AssertionError) as error:
        what = f"version {message.version} holds what no event of {game.info.title} can hold"
        raise InvalidRequestError("events", what) from error


def record_to_json(message: Message) -> str:
    """A record as JSON text."""
    return json_format.MessageToJson(message, preserving_proto_field_name=True) + "\n"


def record_from_file(data: bytes) -> Record:
    """A record from a file's bytes, JSON or protobuf.

    Raises:
        RefereeError: It is not a record that this referee can read.
    """
    message = pb.Record()
    try:
        if data.lstrip()[:1] == b"{":
            json_format.Parse(data, message)
        else:
            message.ParseFromString(data)
    except (json_format.ParseError, DecodeError, UnicodeDecodeError) as error:
        reason = str(error).splitlines()[0]  # the others list every field that there is
        raise InvalidRequestError("record", f"can't be read: {reason}") from error
    return record_from(message)

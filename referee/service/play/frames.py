"""Updates of a Play stream as bytes, ready to be put behind one another in a frame.

A frame is a message with one repeated field, so its bytes are those of its updates in a row, each
behind its tag and length. The same holds one level down: the bytes of an event, which were made for
the store already, are put into a receipt and into what watchers get without being encoded again.

What must not live here: what goes to whom.
"""

from __future__ import annotations

from google.protobuf.message import Message

from referee._gen.referee.v1 import games_pb2, match_pb2
from referee._gen.referee.v1 import match_service_pb2 as pb
from referee.wire.match import heartbeat_to

_LENGTH_DELIMITED = 2
_VARINT = 0


def _tag(number: int, kind: int = _LENGTH_DELIMITED) -> bytes:
    return bytes([number << 3 | kind])  # all field numbers here are below 16


_UPDATE = _tag(pb.PlayResponse.UPDATES_FIELD_NUMBER)
_SUBSCRIBED = _tag(pb.PlayUpdate.SUBSCRIBED_FIELD_NUMBER)
_UNSUBSCRIBED = _tag(pb.PlayUpdate.UNSUBSCRIBED_FIELD_NUMBER)
_PLAYED = _tag(pb.PlayUpdate.PLAYED_FIELD_NUMBER)
_RESULT = _tag(pb.PlayUpdate.SUBMIT_RESULT_FIELD_NUMBER)
_HEARTBEAT = _tag(pb.PlayUpdate.HEARTBEAT_FIELD_NUMBER)
_FAILURE = _tag(pb.PlayUpdate.FAILURE_FIELD_NUMBER)
_PLAYED_MATCH = _tag(pb.Played.MATCH_ID_FIELD_NUMBER)
_PLAYED_EVENT = _tag(pb.Played.EVENT_FIELD_NUMBER)
_PLAYED_SEAT = _tag(pb.Played.SEAT_FIELD_NUMBER, _VARINT)
_RESULT_MATCH = _tag(pb.SubmitResult.MATCH_ID_FIELD_NUMBER)
_RESULT_REQUEST = _tag(pb.SubmitResult.REQUEST_ID_FIELD_NUMBER)
_RESULT_RECEIPT = _tag(pb.SubmitResult.RECEIPT_FIELD_NUMBER)
_RESULT_OBSERVATION = _tag(pb.SubmitResult.OBSERVATION_FIELD_NUMBER)
_RESULT_LEGAL = _tag(pb.SubmitResult.LEGAL_ACTIONS_FIELD_NUMBER)
_RECEIPT_MATCH = _tag(match_pb2.Receipt.MATCH_ID_FIELD_NUMBER)
_RECEIPT_REQUEST = _tag(match_pb2.Receipt.REQUEST_ID_FIELD_NUMBER)
_RECEIPT_EVENT = _tag(match_pb2.Receipt.EVENT_FIELD_NUMBER)
_ONE_BYTE = [bytes([length]) for length in range(128)]


def _sized(data: bytes) -> bytes:
    """Bytes behind their length as a varint."""
    length = len(data)
    if length < 128:
        return _ONE_BYTE[length] + data
    if length < 16384:
        return bytes((length & 127 | 128, length >> 7)) + data
    head = bytearray()
    while length > 127:
        head.append(length & 127 | 128)
        length >>= 7
    head.append(length)
    return bytes(head) + data


def subscribed(match_id: str, version: int, seat: int | None) -> bytes:
    """A match is followed."""
    return _update(_SUBSCRIBED, pb.Subscribed(match_id=match_id, version=version, seat=seat))


def unsubscribed(match_id: str, seat: int | None, failure: pb.Failure | None = None) -> bytes:
    """A match is no longer followed."""
    message = pb.Unsubscribed(match_id=match_id, seat=seat, failure=failure)
    return _update(_UNSUBSCRIBED, message)


def played(match_id: str, seat: int | None, event: bytes) -> bytes:
    """A commit, from the bytes of its event as the seat may see it."""
    data = _PLAYED_MATCH + _sized(match_id.encode()) + _PLAYED_EVENT + _sized(event)
    if seat is not None:
        data += _PLAYED_SEAT + _ONE_BYTE[seat]  # there are never more than 127 seats
    return _UPDATE + _sized(_PLAYED + _sized(data))


def accepted(
    match_id: str,
    request_id: str,
    event: bytes,
    observation: games_pb2.GameObservation | None,
    legal_actions: games_pb2.GameLegalActions | None,
) -> bytes:
    """A submit was accepted; from the bytes of its event as its seat may see it."""
    match, request = _sized(match_id.encode()), _sized(request_id.encode())
    receipt = _RECEIPT_MATCH + match
    data = _RESULT_MATCH + match
    if request_id:
        receipt += _RECEIPT_REQUEST + request
        data += _RESULT_REQUEST + request
    data += _RESULT_RECEIPT + _sized(receipt + _RECEIPT_EVENT + _sized(event))
    if observation is not None:
        data += _RESULT_OBSERVATION + _sized(observation.SerializeToString())
    if legal_actions is not None:
        data += _RESULT_LEGAL + _sized(legal_actions.SerializeToString())
    return _UPDATE + _sized(_RESULT + _sized(data))


def refused(match_id: str, request_id: str, failure: pb.Failure) -> bytes:
    """A submit was refused, or failed."""
    message = pb.SubmitResult(match_id=match_id, request_id=request_id, failure=failure)
    return _update(_RESULT, message)


def failed(failure: pb.Failure) -> bytes:
    """A command that is none."""
    return _update(_FAILURE, failure)


def heartbeat() -> bytes:
    """Nothing new."""
    return _update(_HEARTBEAT, heartbeat_to(0))


def _update(tag: bytes, message: Message) -> bytes:
    return _UPDATE + _sized(tag + _sized(message.SerializeToString()))

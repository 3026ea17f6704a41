"""How a failed call becomes a typed error.

What lives here: one table from reason to class, and the reading of ``google.rpc.Status`` in the
trailing metadata. What must not live here: the classes (``_errors.py``).
"""

from __future__ import annotations

from collections.abc import Mapping

import grpc
from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2, status_pb2

from referee_client._errors import (
    ColourTakenError,
    ContendedError,
    DeadlineExceededError,
    DrainingError,
    FlagFellError,
    IllegalActionError,
    InvalidActionError,
    InvalidRequestError,
    InvalidSettingsError,
    LimitExceededError,
    MatchAlreadyStartedError,
    MatchNotFoundError,
    MatchNotStartedError,
    MatchOverError,
    NotYourTurnError,
    PermissionDeniedError,
    RefereeError,
    RequestIdReusedError,
    SeatTakenError,
    SlowReaderError,
    StaleVersionError,
    StoreUnavailableError,
    UnauthenticatedError,
    UnavailableError,
    UnknownGameError,
)
from referee_client._gen.referee.v1.error_reason_pb2 import ErrorReason
from referee_client._gen.referee.v1.match_service_pb2 import Failure

DOMAIN = "referee"
_STATUS_KEY = "grpc-status-details-bin"

ERROR_BY_REASON: Mapping[str, type[RefereeError]] = {
    "INVALID_REQUEST": InvalidRequestError,
    "INVALID_ACTION": InvalidActionError,
    "INVALID_SETTINGS": InvalidSettingsError,
    "ILLEGAL_ACTION": IllegalActionError,
    "NOT_YOUR_TURN": NotYourTurnError,
    "MATCH_OVER": MatchOverError,
    "MATCH_NOT_STARTED": MatchNotStartedError,
    "MATCH_ALREADY_STARTED": MatchAlreadyStartedError,
    "SEAT_TAKEN": SeatTakenError,
    "COLOUR_TAKEN": ColourTakenError,
    "FLAG_FELL": FlagFellError,
    "STALE_VERSION": StaleVersionError,
    "REQUEST_ID_REUSED": RequestIdReusedError,
    "MATCH_NOT_FOUND": MatchNotFoundError,
    "UNKNOWN_GAME": UnknownGameError,
    "TOKEN_MISSING": UnauthenticatedError,
    "TOKEN_INVALID": UnauthenticatedError,
    "PERMISSION_DENIED": PermissionDeniedError,
    "LIMIT_EXCEEDED": LimitExceededError,
    "STORE_UNAVAILABLE": StoreUnavailableError,
    "DRAINING": DrainingError,
    "CONTENDED": ContendedError,
    "SLOW_READER": SlowReaderError,
    "DEADLINE_EXCEEDED": DeadlineExceededError,
}
"""One line per reason of ``referee.v1.ErrorReason``."""

# A connection that broke, or a deadline of this side, brings a code and no reason.
_ERROR_BY_CODE: Mapping[grpc.StatusCode, type[RefereeError]] = {
    grpc.StatusCode.UNAVAILABLE: UnavailableError,
    grpc.StatusCode.DEADLINE_EXCEEDED: DeadlineExceededError,
}
_CODES: Mapping[int, grpc.StatusCode] = {code.value[0]: code for code in grpc.StatusCode}


def error_from_rpc(error: grpc.aio.AioRpcError, target: str = "") -> RefereeError:
    """The typed error that a failed call stands for; ``target`` is who was called, for people."""
    code = error.code()
    info, violation, retry = _details(error)
    reason = info.reason if info.domain == DOMAIN else ""
    metadata = dict(info.metadata)
    if violation.field:
        metadata.setdefault("field", violation.field)
    kind = ERROR_BY_REASON.get(reason) or _ERROR_BY_CODE.get(code, RefereeError)
    message = error.details() or code.name
    if kind is UnavailableError and not reason and target:
        message = (
            f"No referee answers at {target} ({message.rstrip('.')}). Is it running? "
            "Start one with `referee serve`."
        )
    return kind(
        message,
        code=code,
        reason=reason,
        metadata=metadata,
        retry_after=None if retry is None else retry.retry_delay.ToTimedelta().total_seconds(),
    )


def error_from_failure(failure: Failure) -> RefereeError:
    """The typed error that a failed command of a stream stands for."""
    code = _CODES.get(failure.code, grpc.StatusCode.UNKNOWN)
    reason = ""
    if failure.reason in ErrorReason.values() and failure.reason:
        reason = ErrorReason.Name(failure.reason).removeprefix("ERROR_REASON_")
    kind = ERROR_BY_REASON.get(reason) or _ERROR_BY_CODE.get(code, RefereeError)
    return kind(
        failure.message or code.name,
        code=code,
        reason=reason,
        metadata=dict(failure.metadata),
        retry_after=failure.retry_delay_ms / 1000 if failure.retry_delay_ms else None,
    )


def _details(
    error: grpc.aio.AioRpcError,
) -> tuple[
    error_details_pb2.ErrorInfo,
    error_details_pb2.BadRequest.FieldViolation,
    error_details_pb2.RetryInfo | None,
]:
    """ErrorInfo, the first field violation and RetryInfo of a failed call; empty if not there.

    ``grpc_status.from_call`` is not used: it raises where code or text differ from the status, as
    they do once a proxy has rewritten them, and an error that hides an error helps nobody.
    """
    info, violation = error_details_pb2.ErrorInfo(), error_details_pb2.BadRequest.FieldViolation()
    retry: error_details_pb2.RetryInfo | None = None
    for detail in _status(error).details:
        bad_request, retry_info = error_details_pb2.BadRequest(), error_details_pb2.RetryInfo()
        try:
            if detail.Unpack(bad_request) and bad_request.field_violations:
                violation = bad_request.field_violations[0]
            elif detail.Unpack(retry_info):
                retry = retry_info
            else:
                detail.Unpack(info)
        except DecodeError:
            continue  # a broken detail says nothing; code and text still do
    return info, violation, retry


def _status(error: grpc.aio.AioRpcError) -> status_pb2.Status:
    for key, value in error.trailing_metadata() or ():
        if key == _STATUS_KEY and isinstance(value, bytes):
            try:
                return status_pb2.Status.FromString(value)
            except DecodeError:
                break
    return status_pb2.Status()

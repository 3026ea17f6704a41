"""THE table from errors to gRPC statuses, and the only place that builds one.

Every status carries a ``google.rpc.ErrorInfo`` (domain ``referee``, reason, metadata), and where
they fit a ``BadRequest`` that names the field, or a ``RetryInfo`` that says when to try again. A
test walks the error tree: a class without a row fails it.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Mapping

import grpc
from google.protobuf import any_pb2
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2
from grpc_status import rpc_status

from referee import errors
from referee._gen.referee.v1 import error_reason_pb2
from referee._gen.referee.v1 import match_service_pb2 as pb
from referee.errors import RefereeError

log = logging.getLogger(__name__)

DOMAIN = "referee"

CODES: Mapping[type[RefereeError], grpc.StatusCode] = {
    errors.InvalidRequestError: grpc.StatusCode.INVALID_ARGUMENT,
    errors.InvalidActionError: grpc.StatusCode.INVALID_ARGUMENT,
    errors.InvalidSettingsError: grpc.StatusCode.INVALID_ARGUMENT,
    errors.IllegalActionError: grpc.StatusCode.FAILED_PRECONDITION,
    errors.NotYourTurnError: grpc.StatusCode.FAILED_PRECONDITION,
    errors.MatchOverError: grpc.StatusCode.FAILED_PRECONDITION,
    errors.MatchNotStartedError: grpc.StatusCode.FAILED_PRECONDITION,
    errors.MatchAlreadyStartedError: grpc.StatusCode.FAILED_PRECONDITION,
    errors.SeatTakenError: grpc.StatusCode.FAILED_PRECONDITION,
    errors.ColourTakenError: grpc.StatusCode.FAILED_PRECONDITION,
    errors.FlagFellError: grpc.StatusCode.FAILED_PRECONDITION,
    errors.StaleVersionError: grpc.StatusCode.ABORTED,
    errors.RequestIdReusedError: grpc.StatusCode.ALREADY_EXISTS,
    errors.MatchNotFoundError: grpc.StatusCode.NOT_FOUND,
    errors.UnknownGameError: grpc.StatusCode.NOT_FOUND,
    errors.UnauthenticatedError: grpc.StatusCode.UNAUTHENTICATED,
    errors.PermissionDeniedError: grpc.StatusCode.PERMISSION_DENIED,
    errors.LimitExceededError: grpc.StatusCode.RESOURCE_EXHAUSTED,
    errors.StoreUnavailableError: grpc.StatusCode.UNAVAILABLE,
    errors.NewerFormatError: grpc.StatusCode.UNAVAILABLE,
    errors.ContendedError: grpc.StatusCode.UNAVAILABLE,
    errors.SlowReaderError: grpc.StatusCode.UNAVAILABLE,
    errors.DrainingError: grpc.StatusCode.UNAVAILABLE,
    errors.DeadlineError: grpc.StatusCode.DEADLINE_EXCEEDED,
}


def status_of(error: RefereeError) -> grpc.Status:
    """The status of an error, with its details."""
    code = CODES[type(error)]
    info = error_details_pb2.ErrorInfo(
        reason=error.reason.value, domain=DOMAIN, metadata=dict(error.metadata)
    )
    details: list[Message] = [info]
    if isinstance(error, errors.InvalidRequestError):
        violation = error_details_pb2.BadRequest.FieldViolation(
            field=error.field, description=error.description
        )
        details.append(error_details_pb2.BadRequest(field_violations=[violation]))
    delay_ms = _retry_delay_ms(error)
    if delay_ms is not None:
        delay = Duration()
        delay.FromMilliseconds(delay_ms)
        details.append(error_details_pb2.RetryInfo(retry_delay=delay))
    message = status_pb2.Status(
        code=code.value[0], message=error.message, details=map(_packed, details)
    )
    status: grpc.Status = rpc_status.to_status(message)
    return status


def failure_of(error: RefereeError) -> pb.Failure:
    """What the status of an error says, for a stream that goes on."""
    return pb.Failure(
        code=CODES[type(error)].value[0],
        reason=error_reason_pb2.ErrorReason.Value(f"ERROR_REASON_{error.reason.value}"),
        message=error.message,
        metadata=dict(error.metadata),
        retry_delay_ms=_retry_delay_ms(error) or 0,
    )


def incident_failure_of(error: Exception) -> pb.Failure:
    """The failure that stands for a mistake of ours; the log has the rest."""
    return pb.Failure(code=grpc.StatusCode.INTERNAL.value[0], message=log_incident(error))


def log_incident(error: Exception) -> str:
    """Log a mistake of ours under a number; gives what the caller is told of it."""
    incident = secrets.token_hex(4)
    log.error("incident %s", incident, exc_info=error)
    return (
        f"The referee made a mistake (incident {incident}). Nothing was changed, or the change is "
        "stored."
    )


def _retry_delay_ms(error: RefereeError) -> int | None:
    """When trying again makes sense; None where it does not."""
    if isinstance(error, errors.LimitExceededError | errors.UnavailableError):
        return round(error.retry_after * 1000)
    return None


def _packed(message: Message) -> any_pb2.Any:
    packed = any_pb2.Any()
    packed.Pack(message, deterministic=True)  # the same error is the same bytes everywhere
    return packed

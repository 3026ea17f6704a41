"""The one table from errors to statuses: every class has a row, every row its details."""

from __future__ import annotations

from collections.abc import Iterator

import grpc
import pytest
from google.rpc import error_details_pb2, status_pb2

from referee import errors
from referee.errors import RefereeError
from referee.service.status import CODES, DOMAIN, status_of


def tree(root: type[RefereeError]) -> Iterator[type[RefereeError]]:
    """A class of the error tree and all below it."""
    yield root
    for child in root.__subclasses__():
        yield from tree(child)


SHOWN = [kind for kind in tree(RefereeError) if hasattr(kind, "reason")]
MADE: dict[type[RefereeError], RefereeError] = {
    errors.InvalidRequestError: errors.InvalidRequestError("seats", "is too much.", most="6"),
    errors.InvalidActionError: errors.InvalidActionError("claim.country", "is unknown."),
    errors.InvalidSettingsError: errors.InvalidSettingsError("map_id", "is unknown."),
    errors.IllegalActionError: errors.IllegalActionError("xisk/14", "One chip can't attack."),
    errors.FlagFellError: errors.FlagFellError(0, 1_000),
    errors.StaleVersionError: errors.StaleVersionError(3, 7),
    errors.LimitExceededError: errors.LimitExceededError("Too many.", retry_after=1.25),
}


def made(kind: type[RefereeError]) -> RefereeError:
    """An error of a class."""
    return MADE.get(kind) or kind("A sentence.")


def details_of(error: RefereeError) -> status_pb2.Status:
    """The rich status that an error becomes."""
    ((key, value),) = status_of(error).trailing_metadata
    assert "grpc-status-details-bin" == key
    return status_pb2.Status.FromString(value)


@pytest.mark.parametrize("kind", SHOWN)
def test_every_class_of_the_tree_has_a_row_and_an_error_info(kind):
    error = made(kind)
    status, rich = status_of(error), details_of(error)
    assert CODES[kind] is status.code
    assert (status.code.value[0], error.message, error.message) == (
        rich.code,
        rich.message,
        status.details,
    )
    info = error_details_pb2.ErrorInfo()
    assert rich.details[0].Unpack(info)
    assert (DOMAIN, error.reason.value, dict(error.metadata)) == (
        info.domain,
        info.reason,
        dict(info.metadata),
    )


@pytest.mark.parametrize("kind", SHOWN)
def test_what_can_be_fixed_names_its_field_and_what_will_pass_its_delay(kind):
    error = made(kind)
    names = [detail.TypeName() for detail in details_of(error).details[1:]]
    if isinstance(error, errors.InvalidRequestError):
        assert ["google.rpc.BadRequest"] == names
    elif isinstance(error, errors.UnavailableError | errors.LimitExceededError):
        assert ["google.rpc.RetryInfo"] == names
    else:
        assert [] == names


def test_a_bad_request_says_what_is_wrong_with_which_field():
    bad = error_details_pb2.BadRequest()
    details_of(made(errors.InvalidRequestError)).details[1].Unpack(bad)
    assert [("seats", "is too much.")] == [
        (one.field, one.description) for one in bad.field_violations
    ]


def test_the_delay_is_told_to_the_millisecond():
    retry = error_details_pb2.RetryInfo()
    details_of(made(errors.LimitExceededError)).details[1].Unpack(retry)
    assert 1250 == retry.retry_delay.ToMilliseconds()


def test_a_token_that_is_missing_has_another_reason_than_a_bad_one():
    missing = errors.UnauthenticatedError("Send a token.", missing=True)
    bad = errors.UnauthenticatedError("Send a good token.")
    assert ["TOKEN_MISSING", "TOKEN_INVALID"] == [missing.reason, bad.reason]
    assert grpc.StatusCode.UNAUTHENTICATED is status_of(missing).code is status_of(bad).code


def test_codes_that_say_the_referee_is_at_fault_are_not_in_the_table():
    assert not {grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN} & set(CODES.values())

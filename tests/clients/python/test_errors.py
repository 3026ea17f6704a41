"""Every answer that is an error becomes one error of the tree, with what it carries."""

from __future__ import annotations

import re

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration
from google.rpc import error_details_pb2
from hypothesis import given
from hypothesis import strategies as st

import referee_client
from referee_client import (
    DeadlineExceededError,
    IllegalActionError,
    InvalidRequestError,
    LimitExceededError,
    NotYourTurnError,
    RefereeError,
    StaleVersionError,
    UnavailableError,
    UnknownGameError,
    _errors,
)
from referee_client._gen.referee.v1.error_reason_pb2 import ErrorReason
from referee_client._status import ERROR_BY_REASON, error_from_rpc
from tests.support.scripted_server import Fail

REASONS = [
    value.name.removeprefix("ERROR_REASON_")
    for value in ErrorReason.DESCRIPTOR.values
    if value.number
]


def info(reason: str, domain: str = "referee", **metadata: str) -> error_details_pb2.ErrorInfo:
    return error_details_pb2.ErrorInfo(reason=reason, domain=domain, metadata=metadata)


async def error_of(server, client, fail: Fail) -> RefereeError:
    """What a client raises when a read is answered like that; only codes that aren't retried."""
    server.on("GetMatch", fail)
    with pytest.raises(RefereeError) as caught:
        await client.get_match("01M")
    return caught.value


def tree_classes() -> list[type[RefereeError]]:
    found = [RefereeError]
    for kind in found:
        found += kind.__subclasses__()
    return found


def test_every_reason_of_the_catalogue_has_a_class_and_no_other_has():
    assert sorted(REASONS) == sorted(ERROR_BY_REASON)


def test_every_class_is_public_and_drawn_in_the_tree():
    drawing = _errors.__doc__ or ""
    names = [kind.__name__ for kind in tree_classes()]
    assert [] == [name for name in names if name not in referee_client.__all__]
    assert [] == [name for name in names if not re.search(rf"\b{name}\b", drawing)]


@pytest.mark.parametrize("reason", REASONS)
async def test_a_reason_becomes_the_class_of_its_row(server, client, reason):
    code = grpc.StatusCode.FAILED_PRECONDITION
    error = await error_of(server, client, Fail(code, "what to do", [info(reason, a="b")]))
    assert ERROR_BY_REASON[reason] is type(error)
    assert (reason, code, "what to do") == (error.reason, error.code, error.message)
    assert {"a": "b"} == error.metadata


async def test_an_unknown_reason_gives_the_base_error_with_its_code(server, client):
    code = grpc.StatusCode.FAILED_PRECONDITION
    error = await error_of(server, client, Fail(code, details=[info("NEWER_THAN_THIS")]))
    assert RefereeError is type(error)
    assert ("NEWER_THAN_THIS", code) == (error.reason, error.code)


async def test_a_reason_of_another_domain_is_not_taken_for_ours(server, client):
    code = grpc.StatusCode.PERMISSION_DENIED
    error = await error_of(server, client, Fail(code, details=[info("MATCH_OVER", "proxy")]))
    assert (RefereeError, "") == (type(error), error.reason)


async def test_an_illegal_action_names_its_rule(server, client):
    details = [info("ILLEGAL_ACTION", rule="xisk/14")]
    error = await error_of(server, client, Fail(grpc.StatusCode.FAILED_PRECONDITION, "", details))
    assert isinstance(error, IllegalActionError)
    assert "xisk/14" == error.rule
    assert "FAILED_PRECONDITION" == error.message


async def test_a_stale_version_names_the_current_one(server, client):
    details = [info("STALE_VERSION", current_version="41")]
    error = await error_of(server, client, Fail(grpc.StatusCode.ABORTED, details=details))
    assert isinstance(error, StaleVersionError)
    assert 41 == error.current_version


@pytest.mark.parametrize("named", ["2, 4", "2,4"])
async def test_the_seats_to_move_are_numbers(server, client, named):
    details = [info("NOT_YOUR_TURN", to_move=named)]
    error = await error_of(server, client, Fail(grpc.StatusCode.FAILED_PRECONDITION, "", details))
    assert isinstance(error, NotYourTurnError)
    assert (2, 4) == error.to_move


async def test_an_unknown_game_lists_those_there_are(server, client):
    details = [info("UNKNOWN_GAME", games="xisk, yoxii")]
    error = await error_of(server, client, Fail(grpc.StatusCode.NOT_FOUND, details=details))
    assert isinstance(error, UnknownGameError)
    assert ("xisk", "yoxii") == error.games


async def test_the_field_of_a_bad_request_is_named(server, client):
    violation = error_details_pb2.BadRequest.FieldViolation(
        field="match_id", description="is short"
    )
    bad = error_details_pb2.BadRequest(field_violations=[violation])
    fail = Fail(grpc.StatusCode.INVALID_ARGUMENT, details=[bad, info("INVALID_REQUEST")])
    error = await error_of(server, client, fail)
    assert isinstance(error, InvalidRequestError)
    assert "match_id" == error.field


async def test_a_limit_says_when_to_try_again_and_is_not_tried_before(server, client):
    retry = error_details_pb2.RetryInfo(retry_delay=Duration(seconds=7, nanos=500_000_000))
    fail = Fail(grpc.StatusCode.RESOURCE_EXHAUSTED, details=[info("LIMIT_EXCEEDED"), retry])
    error = await error_of(server, client, fail)
    assert isinstance(error, LimitExceededError)
    assert 7.5 == error.retry_after
    assert 1 == len(server.calls("GetMatch"))


async def test_details_that_are_broken_leave_code_and_message(server, client):
    fail = Fail(grpc.StatusCode.NOT_FOUND, "gone", raw_details=b"\xff\xff\xff")
    error = await error_of(server, client, fail)
    assert (RefereeError, grpc.StatusCode.NOT_FOUND, "gone") == (
        type(error),
        error.code,
        error.message,
    )


@given(st.binary(max_size=60))
def test_no_bytes_in_the_details_break_the_reading(raw):
    trailing = grpc.aio.Metadata(("grpc-status-details-bin", raw))
    failed = grpc.aio.AioRpcError(grpc.StatusCode.ABORTED, grpc.aio.Metadata(), trailing, "text")
    error = error_from_rpc(failed)
    assert ("text", grpc.StatusCode.ABORTED) == (error.message, error.code)


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (grpc.StatusCode.UNAVAILABLE, UnavailableError),
        (grpc.StatusCode.DEADLINE_EXCEEDED, DeadlineExceededError),
    ],
)
def test_a_code_without_details_has_a_class_where_the_transport_gives_it(code, kind):
    error = error_from_rpc(grpc.aio.AioRpcError(code, grpc.aio.Metadata(), grpc.aio.Metadata()))
    assert (kind, code.name) == (type(error), error.message)

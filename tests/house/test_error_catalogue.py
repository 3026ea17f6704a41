"""One catalogue of reasons: the enum, the contract, the status table and the page agree."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import grpc
import pytest

from referee import errors
from referee._gen.referee.v1 import error_reason_pb2
from referee.errors import Reason, RefereeError
from referee.service.status import CODES
from tests.house.source import REPO, code_files, name_of, text_of, tree_of

PREFIX = "ERROR_REASON_"
ROW = re.compile(r"^\| `([A-Z_]+)` \| ([A-Z_]+) \|", re.MULTILINE)
PAGE = REPO / "docs/reference/errors.md"
PROTO = REPO / "protos/referee/v1/error_reason.proto"


def tree(root: type[RefereeError] = RefereeError) -> Iterator[type[RefereeError]]:
    """Every class of the error tree."""
    yield root
    for child in root.__subclasses__():
        yield from tree(child)


SHOWN = [error for error in tree() if hasattr(error, "reason")]
ABSTRACT = [error for error in tree() if not hasattr(error, "reason")]


def codes_of_the_contract() -> dict[str, str]:
    """Reason to status code, as the comments of the contract have it."""
    found = re.findall(rf"// ([A-Z_]+)\. [^=]*?\n  {PREFIX}([A-Z_]+) = ", text_of(PROTO))
    return {reason: code for code, reason in found}


def test_the_enum_and_the_contract_have_the_same_reasons():
    named = [name for name, number in error_reason_pb2.ErrorReason.items() if number]
    contract = sorted(name.removeprefix(PREFIX) for name in named)
    assert sorted(reason.value for reason in Reason) == contract


def test_a_reasons_name_is_its_value():
    assert [reason.name for reason in Reason] == [reason.value for reason in Reason]


def test_the_whole_error_tree_is_in_one_file():
    assert {"referee.errors"} == {error.__module__ for error in tree()}


def test_every_class_is_drawn_in_the_head_of_the_file():
    drawing = errors.__doc__ or ""
    assert [] == [error.__name__ for error in tree() if error.__name__ not in drawing]


@pytest.mark.parametrize("error", SHOWN)
def test_a_class_with_a_reason_has_a_status_code(error):
    assert isinstance(CODES[error], grpc.StatusCode)


def test_no_class_without_a_reason_is_raised():
    abstract = {error.__name__ for error in ABSTRACT}
    raised = [
        f"{name_of(path)}:{node.lineno}"
        for path in code_files()
        if name_of(path).startswith("referee/")
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in abstract
    ]
    assert [] == raised


def test_no_class_but_those_of_the_tree_has_a_status_code():
    assert set() == set(CODES) - set(tree())


def test_the_page_lists_every_reason_once_and_in_order():
    assert [reason.value for reason in Reason] == [
        reason for reason, _ in ROW.findall(text_of(PAGE))
    ]


def test_the_page_the_contract_and_the_table_name_the_same_codes():
    page = dict(ROW.findall(text_of(PAGE)))
    assert page == codes_of_the_contract()
    table = {error.reason.value: CODES[error].name for error in SHOWN}
    assert table == {reason: page[reason] for reason in table}

"""A user without generated code: ``buf curl`` learns the service by reflection, and plays."""

from __future__ import annotations

import json
import subprocess
import sys
from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest

from tests.support.processes import RefereeProcess

BUF = Path(sys.executable).parent / "buf"


class Curl:
    """Calls methods of one referee with JSON, as on a command line."""

    def __init__(self, address: str, home: Path) -> None:
        self._url = f"http://{address}/referee.v1.MatchService"
        # Without a home of its own buf would read the settings of whoever runs the tests.
        self._environment = {"HOME": str(home), "PATH": ""}

    def run(self, method: str, request: dict[str, Any], token: str = "") -> tuple[int, str, str]:
        """Exit code, standard output and standard error."""
        command = [str(BUF), "curl", "--protocol", "grpc", "--http2-prior-knowledge"]
        if token:
            command += ["-H", f"authorization: Bearer {token}"]
        command += ["-d", json.dumps(request), f"{self._url}/{method}"]
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=30,
            env=self._environment,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    def __call__(self, method: str, request: dict[str, Any], token: str = "") -> dict[str, Any]:
        """The answer of a call that succeeds."""
        code, out, err = self.run(method, request, token)
        assert (0, "") == (code, err)
        answer: dict[str, Any] = json.loads(out)
        return answer

    def refusal(self, method: str, request: dict[str, Any], token: str = "") -> dict[str, Any]:
        """The error of a call that is refused."""
        code, out, err = self.run(method, request, token)
        assert code
        assert out == ""
        error: dict[str, Any] = json.loads(err)
        return error


def begun(curl: Curl) -> tuple[str, list[str]]:
    """A match that has begun, and its seats' tokens."""
    created = curl("CreateMatch", {"settings": {"yoxii": {}}})
    codes = [{"join_code": code["code"]} for code in created["joinCodes"]]
    return created["match"]["matchId"], [curl("JoinMatch", code)["seatToken"] for code in codes]


@pytest.fixture
def curl(referee_process: RefereeProcess, tmp_path: Path) -> Curl:
    return Curl(referee_process.address, tmp_path)


def test_an_opening_action_is_played_by_reflection_alone(curl):
    games = {game["game"]: game for game in curl("ListGames", {})["games"]}
    assert {"xisk", "yoxii"} == games.keys()
    assert (2, 6) == (games["xisk"]["minSeats"], games["xisk"]["maxSeats"])

    created = curl("CreateMatch", {"settings": {"yoxii": {}}, "request_id": "create-1"})
    match_id = created["match"]["matchId"]
    assert "MATCH_STATE_OPEN" == created["match"]["state"]
    assert 32 == len(b64decode(created["match"]["commitment"]))

    tokens = []
    for seat, name in enumerate(("Ada", "Grace")):
        code = created["joinCodes"][seat]["code"]
        joined = curl("JoinMatch", {"join_code": code, "display_name": name})
        assert seat == joined.get("seat", 0)
        tokens.append(joined["seatToken"])
    match = joined["match"]
    assert ("MATCH_STATE_ACTIVE", [0], "3") == (match["state"], match["toMove"], match["version"])
    assert ["Ada", "Grace"] == [seat["displayName"] for seat in match["seats"]]
    assert created["match"]["commitment"] == match["commitment"]

    legal = curl("ListLegalActions", {"match_id": match_id}, tokens[0])
    assert ("3", 256) == (legal["version"], legal["count"])
    options = legal["legalActions"]["yoxii"]["totems"][0]
    action = {
        "totem": options["totem"],
        "value": legal["legalActions"]["yoxii"]["values"][-1],
        "square": options["squares"][0],
    }
    submit = {
        "match_id": match_id,
        "expected_version": 3,
        "request_id": "first",
        "action": {"yoxii": action},
    }
    receipt = curl("SubmitAction", submit, tokens[0])["receipt"]
    assert ("4", 1, [1]) == tuple(receipt["event"][key] for key in ("version", "ply", "toMove"))
    assert action == receipt["event"]["action"]["action"]["yoxii"]
    assert {"receipt": receipt} == curl("SubmitAction", submit, tokens[0])

    seen = curl("GetObservation", {"match_id": match_id})
    board = seen["observation"]["yoxii"]
    assert "4" == seen["match"]["version"]
    assert action["totem"] == board["totem"]
    assert [action["square"]] == [piece["square"] for piece in board["pieces"]]
    assert [action["value"]] == [piece["value"] for piece in board["pieces"]]


def test_a_refusal_reads_well_and_carries_its_details(curl):
    match_id, tokens = begun(curl)
    far = {"yoxii": {"totem": "a3", "value": 1, "square": "a4"}}
    error = curl.refusal("SubmitAction", {"match_id": match_id, "action": far}, tokens[0])
    assert "failed_precondition" == error["code"]
    assert error["message"].endswith(".")
    (info,) = error["details"]
    assert "google.rpc.ErrorInfo" == info["type"]
    assert b"ILLEGAL_ACTION" in b64decode(info["value"] + "==")
    assert b"yoxii/3" in b64decode(info["value"] + "==")


def test_a_watch_tells_the_story_line_by_line(curl):
    match_id, tokens = begun(curl)
    curl("Resign", {"match_id": match_id}, tokens[1])
    code, out, err = curl.run("WatchMatch", {"match_id": match_id, "after_version": 1})
    assert (0, "") == (code, err)
    decoder, events = json.JSONDecoder(), []
    while out.strip():
        message, end = decoder.raw_decode(out.strip())
        events.append(message["event"])
        out = out.strip()[end:]
    assert ["2", "3", "4"] == [event["version"] for event in events]
    assert {"winners": [0], "termination": "TERMINATION_RESIGNATION"} == events[-1]["result"]

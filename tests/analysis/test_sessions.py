"""Sessions as clients use them: batches come in any order and any number of times, and count once."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import uuid
from datetime import timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.utils import timezone

from ronda.accounts.roles import Role
from ronda.analysis import duties, ending, live, segments
from ronda.analysis.models import AnswerRow, Batch, Session
from ronda.jobs.models import Job
from ronda.policies.services import change_setting
from tests.analysis.asking import SCORES, Caller, rows_csv, work_off
from tests.people import person_with

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("home")]

ANA, BEN = ("ana", 3), ("ben", 5)


def test_from_opening_to_the_answer() -> None:
    caller = Caller()
    session = caller.open()
    assert caller.put(session, 2, rows_csv(BEN))[0] == 201
    assert caller.put(session, 1, rows_csv(ANA))[0] == 201
    work_off()
    so_far = caller.answers(session)["best"]
    assert so_far["rows"] == [["ben", 5], ["ana", 3]]
    assert (so_far["complete"], so_far["seen"]["scores"]["rows"]) == (False, 2)
    status, closed = caller.close(session, scores=2)
    assert (status, closed["state"]) == (200, "answering")
    work_off()
    answers = caller.answers(session)
    assert answers["best"]["rows"] == [["ben", 5], ["ana", 3]]
    assert answers["total"]["rows"] == [[8, 2]]
    assert all(answer["complete"] for answer in answers.values())
    assert answers["best"]["used"] == {"scores": 2}
    assert caller.call("GET", f"/sessions/{session}")[1]["state"] == "answered"


def test_what_is_sent_twice_counts_once() -> None:
    caller = Caller()
    session = caller.open()
    first, _ = caller.put(session, 1, rows_csv(ANA, BEN))
    again, batch = caller.put(session, 1, rows_csv(ANA, BEN))
    assert (first, again, batch["rows"]) == (201, 200, 2)
    status, problem = caller.put(session, 1, rows_csv(ANA))
    assert status == 409
    assert hashlib.sha256(rows_csv(ANA, BEN)).hexdigest() in problem["detail"]
    assert caller.call("GET", f"/sessions/{session}")[1]["tables"][0]["rows"] == 2


def test_what_is_acknowledged_can_be_asked() -> None:
    caller = Caller()
    session = caller.open()
    for number in (1, 2, 3, 7):
        caller.put(session, number, rows_csv((f"n{number}", number)))
    table = caller.call("GET", f"/sessions/{session}")[1]["tables"][0]
    assert (table["numbers"], table["batches"]) == ("1-3, 7", 4)
    _, page = caller.call("GET", f"/sessions/{session}/tables/scores/batches")
    assert [item["number"] for item in page["items"]] == [1, 2, 3, 7]
    assert page["items"][3]["checksum"] == hashlib.sha256(rows_csv(("n7", 7))).hexdigest()


def test_closing_names_what_is_missing() -> None:
    caller = Caller()
    session = caller.open()
    for number in (1, 4):
        caller.put(session, number, rows_csv(ANA))
    status, problem = caller.close(session, scores=5)
    assert status == 409
    assert "scores lacks 2, 3, 5" in problem["detail"]
    assert "beyond" in caller.close(session, scores=2)[1]["detail"]
    assert "no batch at all" in caller.close(caller.open())[1]["detail"]
    for number in (2, 3, 5):
        caller.put(session, number, rows_csv(BEN))
    assert caller.close(session, scores=5)[0] == 200
    assert caller.close(session, scores=5)[0] == 200, "closing twice is closing once"
    assert caller.close(session, scores=4)[0] == 409
    assert caller.put(session, 6, rows_csv(ANA))[0] == 409, "nothing is added behind the end"
    assert caller.put(session, 5, rows_csv(BEN))[0] == 200


def test_nothing_of_another_client_is_visible() -> None:
    ana, ben = Caller(), Caller("ben@example.org", Role.CLIENT)
    administrator = Caller("root@example.org", Role.ADMINISTRATOR)
    session = ana.open()
    ana.put(session, 1, rows_csv(ANA))
    ana.close(session, scores=1)
    work_off()
    answer = ana.answers(session)["best"]["id"]
    for other in (ben, administrator):
        assert other.call("GET", "/sessions")[1]["total"] == 0
        assert other.call("GET", "/answers")[1]["total"] == 0
        for method, path in (
            ("GET", ""),
            ("DELETE", ""),
            ("GET", "/answers"),
            ("GET", f"/answers/{answer}"),
            ("GET", "/events"),
            ("GET", "/tables/scores/batches"),
            ("POST", "/heartbeat"),
        ):
            assert other.call(method, f"/sessions/{session}{path}")[0] == 404, (method, path)
        assert other.put(session, 1, rows_csv(ANA))[0] == 404
        assert other.close(session, scores=1)[0] == 404
    assert ana.call("GET", "/answers")[1]["total"] == 2
    assert Caller("reader@example.org", Role.READER).call("GET", "/sessions")[0] == 403


def test_what_ronda_gathered_is_for_directors() -> None:
    assert Caller().call("POST", "/sessions", {"questions": "ronda"})[0] == 403
    director = Caller("director@example.org", Role.CLIENT, Role.DIRECTOR)
    status, made = director.call("POST", "/sessions", {"questions": "ronda"})
    assert (status, made["state"]) == (201, "answering")


@pytest.mark.parametrize("packing", ["", "gzip", "zstd"])
@pytest.mark.parametrize("kind", ["csv", "ndjson", "parquet", "arrow"])
def test_every_format_plain_and_packed(kind: str, packing: str) -> None:
    table = pa.table({"name": ["ana", "ben"], "score": [3, 5]})
    sink = io.BytesIO()
    if kind == "csv":
        body, media = rows_csv(ANA, BEN), "text/csv; charset=utf-8"
    elif kind == "ndjson":
        body, media = (
            b"".join(json.dumps(row).encode() + b"\n" for row in table.to_pylist()),
            "application/x-ndjson",
        )
    elif kind == "parquet":
        pq.write_table(table, sink)
        body, media = sink.getvalue(), "application/vnd.apache.parquet"
    else:
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
        body, media = sink.getvalue(), "application/vnd.apache.arrow.stream"
    if packing == "gzip":
        body = gzip.compress(body)
    elif packing == "zstd":
        body = pa.Codec("zstd").compress(body, asbytes=True)
    caller = Caller()
    session = caller.open()
    headers = {"Content_Encoding": packing} if packing else {}
    status, batch = caller.put(session, 1, body, kind=media, **headers)
    assert status == 201, batch
    caller.close(session, scores=1)
    work_off()
    assert caller.answers(session)["total"]["rows"] == [[8, 2]]


def test_the_same_key_is_the_same_session() -> None:
    caller, other = Caller(), Caller("ben@example.org")
    body = {"sql": SCORES, "key": "mine"}
    status, first = caller.call("POST", "/sessions", body)
    again, second = caller.call("POST", "/sessions", body)
    assert (status, again, first["id"]) == (201, 200, second["id"])
    assert other.call("POST", "/sessions", body)[0] == 201
    caller.put(first["id"], 1, rows_csv(ANA))
    caller.close(first["id"], scores=1)
    work_off()
    assert caller.call("POST", "/sessions", body)[0] == 201, "what is answered is not asked again"


def test_a_silent_client_loses_its_session_and_nothing_is_left(home: Path) -> None:
    caller = Caller()
    kept, left = caller.open(), caller.open()
    for session in (kept, left):
        caller.put(session, 1, rows_csv(ANA, BEN))
    live.consider_all()
    assert Job.objects.count() > 0
    assert segments.folder_of(Session.objects.get(pk=left).pk).is_dir()
    _silence(left, 3600)
    watch = duties.Watch()
    assert watch.seconds(0) == 0, "who begins to look has not seen a silence yet"
    silent = ending.silent_sessions(60)
    assert [str(found.pk) for found in silent] == [left]
    for _ in range(2):  # as often as one likes
        ending.begin_to_end(uuid.UUID(left))
        assert caller.call("GET", f"/sessions/{left}")[0] == 404
        ending.finish_all()
    assert not Session.objects.filter(pk=left).exists()
    assert not Batch.objects.filter(session=left).exists()
    assert not AnswerRow.objects.filter(session=left).exists()
    assert not Job.objects.filter(arguments__session=left).exists()
    assert [path.name for path in (home / "sessions").iterdir()] == [kept]
    assert caller.put(left, 2, rows_csv(ANA))[0] == 404
    ending.sweep()
    assert [path.name for path in (home / "sessions").iterdir()] == [kept]


def _silence(session: str, seconds: int) -> None:
    Session.objects.filter(pk=session).update(heartbeat_at=timezone.now() - timedelta(seconds=seconds))


def test_a_leader_that_was_away_blames_nobody() -> None:
    watch = duties.Watch()
    assert [watch.seconds(now) for now in (100, 102, 104, 300, 302)] == [0, 2, 4, 0, 2]


def test_deleting_leaves_nothing(home: Path) -> None:
    caller = Caller()
    session = caller.open()
    caller.put(session, 1, rows_csv(ANA))
    caller.close(session, scores=1)
    work_off()
    assert caller.call("DELETE", f"/sessions/{session}")[0] == 204
    assert caller.call("DELETE", f"/sessions/{session}")[0] == 404
    assert not Session.objects.exists()
    assert not Job.objects.exists()
    assert not any((home / "sessions").iterdir())


def test_a_folder_without_a_row_goes(home: Path) -> None:
    caller = Caller()
    session = caller.open()
    caller.put(session, 1, rows_csv(ANA))
    stranger = home / "sessions" / "11111111-1111-4111-8111-111111111111" / "scores"
    stranger.mkdir(parents=True)
    (stranger / "1.parquet").write_bytes(b"what a killed process left")
    assert ending.sweep() == 1
    assert [path.name for path in (home / "sessions").iterdir()] == [session]


def test_tables_go_before_answers(home: Path) -> None:
    caller = Caller()
    session = caller.open()
    caller.put(session, 1, rows_csv(ANA))
    caller.close(session, scores=1)
    work_off()
    ending.expire(keep_hours=0, answer_days=30)
    assert caller.call("GET", f"/sessions/{session}")[1]["state"] == "expired"
    assert caller.answers(session)["total"]["rows"] == [[3, 1]]
    assert not any((home / "sessions").iterdir())
    again = {"question": "best", "parameters": {"least": 4}}
    assert caller.call("POST", f"/sessions/{session}/answers", again)[0] == 409
    ending.expire(keep_hours=0, answer_days=0)
    ending.finish_all()
    assert not Session.objects.exists()


def test_a_question_can_be_asked_in_another_way() -> None:
    caller = Caller()
    session = caller.open()
    caller.put(session, 1, rows_csv(ANA, BEN))
    caller.close(session, scores=1)
    work_off()
    path = f"/sessions/{session}/answers"
    status, asked = caller.call("POST", path, {"question": "best", "parameters": {"least": 4}})
    assert (status, asked["state"]) == (202, "waiting")
    work_off()
    _, answered = caller.call("GET", f"{path}/{asked['id']}")
    assert answered["rows"] == [["ben", 5]]
    _, same = caller.call("POST", path, {"question": "best", "parameters": {"least": "4"}})
    assert same["id"] == asked["id"]
    assert caller.call("POST", path, {"question": "best", "parameters": {"most": 4}})[0] == 422
    assert caller.call("POST", path, {"question": "worst"})[0] == 404


def test_a_folder_of_sql_files_is_a_set(home: Path) -> None:
    """Whoever runs Ronda adds sets; a session keeps the questions as they were when it was opened."""
    folder = home / "questions" / "scores"
    folder.mkdir(parents=True)
    for name, text in SCORES.items():
        (folder / name).write_text(text)
    caller = Caller()
    _, sets = caller.call("GET", "/questions")
    assert {"movies", "reddit", "ronda", "scores"} <= {one["name"] for one in sets["items"]}
    session = caller.open(sql={}, questions="scores", only=["total"])
    (folder / "total.sql").write_text("SELECT 'another' AS question FROM scores")
    caller.put(session, 1, rows_csv(ANA, BEN))
    caller.close(session, scores=1)
    work_off()
    assert {name: answer["rows"] for name, answer in caller.answers(session).items()} == {"total": [[8, 2]]}


def test_a_question_that_lost_its_run_says_so() -> None:
    caller = Caller()
    session = caller.open()
    caller.put(session, 1, rows_csv(ANA))
    caller.close(session, scores=1)
    Job.objects.filter(state="queued").update(state="failed", error="Given up.", ended_at=timezone.now())
    ending.give_up_answering()
    answers = caller.answers(session)
    assert {(answer["state"], answer["error"]) for answer in answers.values()} == {("failed", "Given up.")}
    assert caller.call("GET", f"/sessions/{session}")[1]["state"] == "answered"


def test_caps_of_a_client() -> None:
    director = person_with(Role.DIRECTOR, email="director@example.org")
    change_setting(actor=director, name="sessions_per_client", value=2)
    change_setting(actor=director, name="session_batches", value=1)
    change_setting(actor=director, name="session_batch_megabytes", value=1)
    caller = Caller()
    session, _ = caller.open(), caller.open()
    status, problem = caller.call("POST", "/sessions", {"sql": SCORES})
    assert status == 429
    assert "2 sessions" in problem["detail"]
    assert caller.put(session, 1, b"name,score\n" + b"x,1\n" * 300_000)[0] == 413
    assert caller.put(session, 1, rows_csv(ANA))[0] == 201
    assert caller.put(session, 2, rows_csv(ANA))[0] == 413
    caller.close(session, scores=1)
    work_off()
    assert caller.open(), "an answered one is no longer under way"


def test_answers_are_taken_home() -> None:
    caller = Caller()
    session = caller.open()
    caller.put(session, 1, rows_csv(ANA, BEN))
    caller.close(session, scores=1)
    work_off()
    number = caller.answers(session)["best"]["id"]
    path = f"/api/v1/sessions/{session}/answers/{number}"
    taken = caller._client.get(f"{path}?format=csv")
    assert taken.content == b"name,score\nben,5\nana,3\n"
    parquet = caller._client.get(f"{path}?format=parquet")
    assert pq.read_table(io.BytesIO(parquet.content)).to_pylist()[0] == {"name": "ben", "score": 5}

"""The image of the happiest meme goes into the queue of the grid, once; that it cannot be had fails no answer."""

from __future__ import annotations

import pytest

from ronda.accounts.roles import Role
from ronda.analysis import images
from ronda.analysis.models import AnswerRow
from ronda.frontier.models import Request
from ronda.policies.services import change_setting
from tests.analysis.asking import Caller, work_off
from tests.people import person_with

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("home")]

POSTS = (
    b"id,url,score,title,permalink\np1,https://i.redd.it/p1.png,3,t,x\np2,https://i.redd.it/p2.png,5,t,x\n"
)
COMMENTS = (
    b"permalink,body,sentiment\n/r/meirl/comments/p1/a/c/,good,0.9\n/r/meirl/comments/p2/a/c/,so so,0.1\n"
)


def _asked(caller: Caller) -> str:
    status, made = caller.call("POST", "/sessions", {"questions": "reddit", "is_live": False})
    assert status == 201, made
    session = str(made["id"])
    assert caller.put(session, 1, POSTS, table="posts")[0] == 201
    assert caller.put(session, 1, COMMENTS, table="comments")[0] == 201
    assert caller.close(session, posts=1, comments=1)[0] == 200
    work_off()
    return session


def test_the_image_is_fetched_once() -> None:
    caller = Caller()
    session = _asked(caller)
    row = AnswerRow.objects.get(session=session, question="happiest_meme")
    assert row.fetch is not None
    assert row.fetch.owner == caller.person
    assert list(Request.objects.values_list("url", flat=True)) == ["https://i.redd.it/p1.png"]
    images.fetch_image(row)
    assert Request.objects.count() == 1


def test_who_cannot_pay_gets_the_answer_all_the_same() -> None:
    director = person_with(Role.DIRECTOR, email="director@example.org")
    change_setting(actor=director, name="price_per_thousand", value="5")
    caller = Caller()
    answer = caller.answers(_asked(caller))["happiest_meme"]
    assert answer["state"] == "done"
    assert answer["rows"][0][0] == "p1"
    assert "image is not fetched" in answer["warnings"][0]

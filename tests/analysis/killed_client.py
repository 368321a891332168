"""A client that may be killed: python -m tests.analysis.killed_client URL TOKEN FOLDER; it writes FOLDER/answers.

Started again it goes on by itself: the same question about the same files is the same session.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from ronda.analysis.client import Asking, Server, ask

SQL = {
    "set.toml": """
[tables.posts]
columns = { id = "VARCHAR", score = "BIGINT", title = "VARCHAR" }
[tables.comments]
columns = { post = "VARCHAR", body = "VARCHAR", sentiment = "DOUBLE" }
""",
    "mean.sql": "SELECT sum(score)::DOUBLE / count(*) AS mean, count(*) AS posts FROM posts",
    "liked.sql": """SELECT p.id, any_value(p.title) AS title, count(*) AS comments FROM posts p
JOIN comments c ON c.post = p.id WHERE c.body ILIKE '%student%' AND p.score > (SELECT avg(score) FROM posts)
GROUP BY p.id ORDER BY comments DESC, p.id LIMIT 50""",
    "happiest.sql": """SELECT post, sum((sentiment * 10000)::BIGINT)::DOUBLE / count(*) AS mean, count(*) AS comments
FROM comments WHERE sentiment IS NOT NULL GROUP BY post ORDER BY mean DESC, post LIMIT 10""",
}
COMPARED = (
    "question",
    "rows",
    "digest",
    "columns",
    "used",
    "dropped",
    "seen",
    "warnings",
    "error",
    "complete",
)


def main(url: str, token: str, folder: Path) -> None:
    asking = Asking(
        sql=SQL,
        tables={"posts": [folder / "posts.csv"], "comments": [folder / "comments.csv"]},
        connections=2,
        batch_bytes=8_000,
    )
    answers = ask(Server(url, token), asking)
    text = json.dumps([{name: answer[name] for name in COMPARED} for answer in answers], sort_keys=True)
    fresh = folder / "answers.new"
    fresh.write_text(text)
    fresh.replace(folder / "answers")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))

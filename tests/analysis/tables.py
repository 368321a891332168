"""Small tables for tests of questions: made by the benchmarks' generators, or written here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from bench import movies_data, reddit_data

from ronda.analysis.engines.contract import Answer, Engine
from ronda.analysis.local import taking_files
from ronda.analysis.questions import load

# Shape of the documents' sample, which is not at hand: few rows, every rule in them. Values chosen by us.
_MATERIAL = Path(__file__).parent / "material"
POSTS, COMMENTS = ((_MATERIAL / f"{name}.csv").read_text("utf-8") for name in ("posts", "comments"))


def write(folder: Path, **texts: str) -> dict[str, Path]:
    paths = {name: folder / f"{name}.csv" for name in texts}
    for name, text in texts.items():
        paths[name].write_text(text, "utf-8")
    return paths


def movies_files(data: movies_data.MoviesData, *, links: bool = True) -> dict[str, Path]:
    files = {"movies": data.movies, "ratings": data.ratings, "credits": data.credits}
    return {**files, "links": data.links} if links else files


def reddit_files(data: reddit_data.RedditData) -> dict[str, Path]:
    return {"posts": data.posts, "comments": data.comments}


def answers(
    engine: Engine,
    set_name: str,
    files: Mapping[str, Path | Sequence[Path]],
    parameters: Mapping[str, object] | None = None,
    only: Sequence[str] = (),
) -> dict[str, Answer]:
    """All answers of a set, with what was dropped on the way in."""
    questions = load(set_name)
    given = {name: [one] if isinstance(one, Path) else list(one) for name, one in files.items()}
    with ExitStack() as stack:
        stack.callback(engine.close)
        taking = stack.enter_context(taking_files(questions, given))
        found = {}
        for question in taking.in_turn(one for one in questions.questions if not only or one.name in only):
            own = {each.name for each in question.parameters}
            chosen = {name: value for name, value in (parameters or {}).items() if name in own}
            answer = engine.answer(question, taking.segments, chosen)
            found[question.name] = answer.with_dropped(taking.dropped_of(question))
        return found

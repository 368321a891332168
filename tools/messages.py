"""Keeps the catalogues of translations in step with the texts of code and templates; needs no gettext programs.

    python tools/messages.py            update every django.po and compile its django.mo
    python tools/messages.py --check    change nothing; exit 1 if something is missing, left over or stale

Four kinds of texts are gathered: calls of gettext and its kin, translate tags of templates, what errors say:
the docstrings of errors.py (they are the message, see ronda.errors) and the plain texts services raise, which
ronda.http.wording looks up when a page shows them; and what questions that Ronda comes with say of themselves, with
the reasons rows are left out for.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.utils.translation.template import templatize

from ronda.analysis import drop_reasons
from ronda.analysis.questions import QuestionSet, built_in_names, load_built_in

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "ronda"
LOCALES = {"es": "nplurals=2; plural=(n != 1);"}

KEYWORDS = {
    **dict.fromkeys(("_", "gettext", "gettext_lazy", "gettext_noop")),
    **dict.fromkeys(("ngettext", "ngettext_lazy"), (1, 2)),
    **dict.fromkeys(("pgettext", "pgettext_lazy"), ((1, "c"), 2)),
    **dict.fromkeys(("npgettext", "npgettext_lazy"), ((1, "c"), 2, 3)),
}
# In the part of a question that counts what it leaves out, and in the views it counts with.
_REASON = re.compile(r"'([^']+)' AS reason|IS NULL THEN '([^']+)'")
_CALL = re.compile(r"\b(?:n?p?gettext|_)\(")

# The vocabulary of ronda.errors; messages of other errors are their docstrings.
ERRORS = [
    "InvalidInput",
    "NotAuthenticated",
    "Forbidden",
    "PaymentRequired",
    "NotFound",
    "Conflict",
    "TooLarge",
    "TooMany",
    "Unavailable",
]
HEADER = "# Texts of Ronda's console. Translations are edited here; the rest is kept by tools/messages.py."

Key = tuple[str | None, str | tuple[str, ...]]
Found = dict[Key, set[str]]


class StableCatalog(Catalog):
    """A catalogue whose header says nothing that changes from run to run or tells about a machine."""

    plural_rule = ""

    @property
    def mime_headers(self) -> list[tuple[str, str]]:
        return [
            ("Project-Id-Version", "Ronda"),
            ("Language", str(self.locale)),
            ("MIME-Version", "1.0"),
            ("Content-Type", "text/plain; charset=utf-8"),
            ("Content-Transfer-Encoding", "8bit"),
            ("Plural-Forms", self.plural_rule),
        ]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument(
        "--check", action="store_true", help="change nothing; exit 1 if the catalogues are not in step"
    )
    is_check = parser.parse_args().check
    found = _gather()
    complaints = [line for locale in LOCALES for line in _bring_in_step(locale, found, is_check=is_check)]
    for line in complaints:
        sys.stderr.write(f"{line}\n")
    if not complaints:
        sys.stderr.write(f"{len(found)} texts, all translated\n")
    return 1 if complaints else 0


def _gather() -> Found:
    found: Found = {}
    for path in sorted(PACKAGE.rglob("*")):
        if path.suffix == ".py" and "migrations" not in path.parts:
            keys = [*_from_python(path.read_text()), *_from_errors(path)]
        elif "templates" in path.parts and path.suffix in (".html", ".txt"):
            keys = list(_from_template(path.read_text()))
        else:
            continue
        for key in keys:
            found.setdefault(key, set()).add(path.relative_to(ROOT).as_posix())
    for name in built_in_names():
        for text in _of_questions(load_built_in(name)):
            found.setdefault((None, text), set()).add(f"src/ronda/analysis/questions/{name}")
    for text in (value for name, value in vars(drop_reasons).items() if name.isupper()):
        found.setdefault((None, text), set()).add("src/ronda/analysis/drop_reasons.py")
    return found


def _of_questions(found: QuestionSet) -> Iterator[str]:
    """What a page shows of a set, as it looks it up."""
    said = [found.title, found.description, *(table.title for table in found.tables)]
    for question in found.questions:
        said += [question.title, question.description, *(one.title for one in question.parameters)]
        said += [caution.text for caution in question.cautions]
        for sql in (question.rows_sql, *(view.sql for view in question.views)):
            said += [reason[1] or reason[2] for reason in _REASON.finditer(sql)]
    yield from (text for text in said if text)


def _from_python(source: str) -> Iterator[Key]:
    for _line, texts, _comments, context in extract("python", io.BytesIO(source.encode()), KEYWORDS):
        yield context, texts


def _from_template(source: str) -> Iterator[Key]:
    """templatize leaves calls of gettext in a sea of letters; only the calls go to the Python reader."""
    for line in templatize(source).splitlines():
        for call in _calls(line):
            yield from _from_python(call)


def _calls(line: str) -> Iterator[str]:
    for match in _CALL.finditer(line):
        rest = line[match.start() :]
        for end in (place.end() for place in re.finditer(r"\)", rest)):
            try:
                ast.parse(rest[:end])
            except SyntaxError:
                continue
            yield rest[:end]
            break


def _from_errors(path: Path) -> Iterator[Key]:
    if not _is_shown_on_pages(path):
        return
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ClassDef) and path.name == "errors.py" and (text := ast.get_docstring(node)):
            yield None, text
        elif isinstance(node, ast.Call) and _is_an_error(node.func):
            yield from ((None, text) for text in _plain_texts(node))


def _is_shown_on_pages(path: Path) -> bool:
    """What rooms with pages or an API raise; what only commands and processes raise stays English."""
    room = path.relative_to(PACKAGE).parts[0]
    has_pages = any(any((PACKAGE / room).glob(name)) for name in ("*pages.py", "pages", "*api.py"))
    return (has_pages and room != "demo") or room in ("http", "errors.py")


def _is_an_error(function: ast.expr) -> bool:
    return isinstance(function, ast.Name) and function.id in ERRORS


def _plain_texts(call: ast.Call) -> Iterator[str]:
    given = [*call.args[:1], *(keyword.value for keyword in call.keywords if keyword.arg == "hint")]
    for value in given:
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            yield value.value


def _bring_in_step(locale: str, found: Found, *, is_check: bool) -> Iterator[str]:
    """Write, or compare with, what the catalogue should be; yields what is wrong with it."""
    folder = PACKAGE / "locale" / locale / "LC_MESSAGES"
    po, mo = folder / "django.po", folder / "django.mo"
    known = _known(po, locale)
    catalog = _catalog(locale, found, known)
    po_bytes, mo_bytes = _as_po(catalog), _as_mo(catalog)
    if not is_check:
        folder.mkdir(parents=True, exist_ok=True)
        po.write_bytes(po_bytes)
        mo.write_bytes(mo_bytes)
    for message in catalog:
        if message.id and not all(_strings(message)):
            yield f"{locale}: not translated: {message.id!r}"
        for error in message.check(catalog) if message.id and all(_strings(message)) else ():
            yield f"{locale}: {message.id!r}: {error}"
    yield from (f"{locale}: left over: {key[1]!r}" for key in known if key not in found)
    for path, wanted in ((po, po_bytes), (mo, mo_bytes)):
        if not path.exists() or path.read_bytes() != wanted:
            yield f"{path.relative_to(ROOT)} is stale: run python tools/messages.py"


def _known(po: Path, locale: str) -> dict[Key, Message]:
    if not po.exists():
        return {}
    with po.open("rb") as file:
        read = read_po(file, locale=locale)
    fuzzy = [message.id for message in read if message.fuzzy and message.id]
    if fuzzy:
        raise SystemExit(f"{po}: fuzzy, settle them by hand: {fuzzy}")
    return {(message.context, _text(message)): message for message in read if message.id}


def _catalog(locale: str, found: Found, known: Mapping[Key, Message]) -> Catalog:
    catalog = StableCatalog(locale=locale, domain="django", fuzzy=False, header_comment=HEADER)
    catalog.plural_rule = LOCALES[locale]
    for key in sorted(found, key=lambda key: (str(key[1]), key[0] or "")):
        context, text = key
        # A singular that also stands alone elsewhere is one message for gettext.
        string = known[key].string if key in known else ""
        places = [(place, None) for place in sorted(found[key])]
        catalog.add(text, string, locations=places, context=context)  # type: ignore[arg-type]
    return catalog


def _text(message: Message) -> str | tuple[str, ...]:
    return message.id if isinstance(message.id, str) else tuple(message.id)


def _strings(message: Message) -> tuple[str, ...]:
    return (message.string or "",) if isinstance(message.string, str | None) else tuple(message.string)


def _as_po(catalog: Catalog) -> bytes:
    out = io.BytesIO()
    write_po(out, catalog, width=110, sort_output=True, include_lineno=False, include_previous=False)
    return out.getvalue()


def _as_mo(catalog: Catalog) -> bytes:
    out = io.BytesIO()
    write_mo(out, catalog)
    return out.getvalue()


if __name__ == "__main__":
    sys.exit(main())

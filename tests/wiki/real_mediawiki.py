"""A real MediaWiki on loopback: Debian's package, PHP's own server, SQLite. It edits, hides, moves, dumps itself."""

from __future__ import annotations

import http.cookiejar
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.sax.saxutils import escape

SITE = Path(sys.prefix) / "mediawiki" / "site"
PASSWORD = "Long-Enough-Pass-1"
STARTED_SECONDS = 60


def is_installed() -> bool:
    return (SITE.parent / "ready").exists() and shutil.which("php") is not None


class RealMediaWiki:
    def __init__(self, folder: Path, port: int) -> None:
        self.folder = folder
        self.port = port
        self.api = f"http://127.0.0.1:{port}/api.php"
        self._settings = folder / "LocalSettings.php"
        self._server: subprocess.Popen[bytes] | None = None
        self._opener = urllib.request.build_opener(
            urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        )

    def install(self) -> None:
        (self.folder / "db").mkdir(parents=True)
        where = ["--dbtype", "sqlite", "--dbname", "wiki", "--dbpath", str(self.folder / "db")]
        address = ["--server", f"http://127.0.0.1:{self.port}", "--scriptpath", ""]
        names = ["--pass", PASSWORD, "--skins", "Vector", "TestWiki", "Admin"]
        command = ["install.php", *where, "--confpath", str(self.folder), *address, *names]
        self._run([str(SITE / "maintenance" / command[0]), *command[1:]])
        with self._settings.open("a") as settings:
            settings.write('$wgGroupPermissions["sysop"]["deleterevision"] = true;\n')
            settings.write("$wgRateLimits = []; $wgJobRunRate = 0; $wgShowExceptionDetails = true;\n")

    def adapt(self, original: Path) -> None:
        """Its settings name the folder and the port it was installed with."""
        text = self._settings.read_text().replace(str(original), str(self.folder))
        self._settings.write_text(f'{text}\n$wgServer = "http://127.0.0.1:{self.port}";\n')

    def start(self) -> None:
        environment = {**os.environ, "MW_CONFIG_FILE": str(self._settings)}
        self._server = subprocess.Popen(
            ["php", "-S", f"127.0.0.1:{self.port}", "-t", str(SITE)],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        deadline = time.monotonic() + STARTED_SECONDS
        while True:
            try:
                self.ask(action="query", meta="siteinfo")
                return
            except OSError:
                assert self._server.poll() is None
                assert time.monotonic() < deadline
                time.sleep(0.1)

    def stop(self) -> None:
        if self._server:
            os.killpg(self._server.pid, signal.SIGKILL)
            self._server.wait()

    def maintain(self, script: str, *arguments: str) -> bytes:
        return self._run([str(SITE / "maintenance" / script), "--conf", str(self._settings), *arguments])

    def _run(self, arguments: list[str]) -> bytes:
        done = subprocess.run(["php", *arguments], capture_output=True, check=False)
        assert done.returncode == 0, (done.stdout + done.stderr)[-2000:].decode()
        return done.stdout

    def import_history(self, pages: str) -> None:
        """`pages` is the inside of an export file."""
        dump = self.folder / "history.xml"
        dump.write_text(
            '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en">'
            f"{pages}</mediawiki>"
        )
        self.maintain("importDump.php", "--no-updates", "--username-prefix=imported", str(dump))

    def dump(self) -> bytes:
        """All its revisions, as the wiki itself writes them down."""
        return self.maintain("dumpBackup.php", "--full", "--quiet")

    # The API, logged in.

    def ask(self, *, is_post: bool = False, **parameters: str) -> dict[str, Any]:
        form = urllib.parse.urlencode({"format": "json", "formatversion": "2", **parameters})
        url, data = (self.api, form.encode()) if is_post else (f"{self.api}?{form}", None)
        with self._opener.open(url, data, timeout=60) as answer:
            told: dict[str, Any] = json.load(answer)
        assert "error" not in told, told
        return told

    def log_in(self) -> None:
        token = self.ask(action="query", meta="tokens", type="login")["query"]["tokens"]["logintoken"]
        told = self.ask(is_post=True, action="login", lgname="Admin", lgpassword=PASSWORD, lgtoken=token)
        assert told["login"]["result"] == "Success", told

    def do(self, action: str, **parameters: str) -> dict[str, Any]:
        token = self.ask(action="query", meta="tokens")["query"]["tokens"]["csrftoken"]
        return self.ask(is_post=True, action=action, token=token, **parameters)

    def edit(self, title: str, text: str, **more: str) -> int:
        told = self.do("edit", title=title, text=text, **more)["edit"]
        return int(told["newrevid"])


def page_xml(title: str, revisions: str) -> str:
    return f"<page><title>{escape(title)}</title><ns>0</ns>{revisions}</page>"


def revision_xml(timestamp: str, user: str, text: str, *, comment: str = "", is_minor: bool = False) -> str:
    who = f"<ip>{user}</ip>" if user[0].isdigit() else f"<username>{user}</username><id>0</id>"
    return (
        f"<revision><timestamp>{timestamp}</timestamp><contributor>{who}</contributor>"
        + ("<minor/>" if is_minor else "")
        + f"<comment>{escape(comment)}</comment><model>wikitext</model><format>text/x-wiki</format>"
        f'<text xml:space="preserve">{escape(text)}</text></revision>'
    )


def revisions_of_dump(dump: bytes, title: str) -> dict[int, dict[str, Any]]:
    """Every revision of a page as the dump has it, by its id; read here by hand, so that nobody checks themselves."""
    root = ElementTree.fromstring(dump)
    space = root.tag.partition("}")[0] + "}"
    found: dict[int, dict[str, Any]] = {}
    for page in root.iter(f"{space}page"):
        if page.findtext(f"{space}title") == title:
            for one in page.iter(f"{space}revision"):
                found[int(one.findtext(f"{space}id") or 0)] = _revision(one, space)
    return found


def _revision(one: ElementTree.Element, space: str) -> dict[str, Any]:
    who, comment, text = (one.find(f"{space}{name}") for name in ("contributor", "comment", "text"))
    assert who is not None
    assert text is not None
    is_hidden = [part is not None and part.get("deleted") is not None for part in (who, comment, text)]
    name = who.findtext(f"{space}username") or who.findtext(f"{space}ip")
    return {
        "parentid": int(one.findtext(f"{space}parentid") or 0),
        "timestamp": (one.findtext(f"{space}timestamp") or "").rstrip("Z"),
        "user": None if is_hidden[0] else name,
        "comment": None if is_hidden[1] else (comment.text if comment is not None else None) or "",
        "minor": one.find(f"{space}minor") is not None,
        "size": int(text.get("bytes") or 0),
        "sha1": None if is_hidden[2] else f"{int(one.findtext(f'{space}sha1') or '0', 36):040x}",
        "text": None if is_hidden[2] else text.text or "",
        "hidden": is_hidden,
    }

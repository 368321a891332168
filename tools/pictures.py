"""Takes the pictures in docs/pictures from a running Ronda, so that they can be made anew when pages change.

    ./run                                              in one terminal
    .venv/bin/python tools/pictures.py LOGIN_LINK [FOLDER]

LOGIN_LINK: what `ronda login-link` prints. FOLDER (default docs/pictures) gets the README's picture only; any other
folder gets every page, at desktop and phone width, light and dark, in both languages, to be looked at.
"""

from __future__ import annotations

import sys
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page, sync_playwright

PICTURES = Path(__file__).resolve().parent.parent / "docs" / "pictures"
PAGES = (
    "", "grid", "fetches", "fetches/new", "hosts", "opt-outs", "nodes", "jobs", "jobs/start", "people", "tokens",
    "settings", "system", "account", "sources", "collections", "topics", "search", "favourites", "groups",
    "simulations", "notifications", "wiki/query", "wiki/revisions", "wiki/diff", "wiki/compare",
)  # fmt: skip
WIDTHS = {"desktop": 1280, "phone": 375}


def main() -> None:
    link, folder = sys.argv[1], Path(sys.argv[2]) if len(sys.argv) > 2 else PICTURES
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        state = _logged_in(browser, link)
        base = "{0.scheme}://{0.netloc}".format(urlsplit(link))
        if folder == PICTURES:
            _shoot(browser, state, f"{base}/", folder / "overview.png", "desktop", "light", "en")
        else:
            _shoot_everything(browser, state, base, folder)
        browser.close()


def _logged_in(browser: Browser, link: str) -> str:
    page = browser.new_page()
    page.goto(link)
    page.locator("main form button").click()
    page.wait_for_load_state()
    path = PICTURES.parent.parent / ".venv" / "picture-session.json"
    page.context.storage_state(path=path)
    page.close()
    return str(path)


def _shoot_everything(browser: Browser, state: str, base: str, folder: Path) -> None:
    for name in PAGES:
        for width in WIDTHS:
            for scheme, language in (("light", "en"), ("dark", "es")):
                path = folder / f"{name.replace('/', '-') or 'overview'}-{width}-{scheme}-{language}.png"
                _shoot(browser, state, f"{base}/{name}", path, width, scheme, language)


def _shoot(
    browser: Browser, state: str, url: str, path: Path, width: str, scheme: str, language: str
) -> None:
    context = browser.new_context(
        storage_state=state,
        viewport={"width": WIDTHS[width], "height": 800},
        color_scheme="dark" if scheme == "dark" else "light",
        locale=language,
    )
    page: Page = context.new_page()
    page.on("console", lambda message: sys.stderr.write(f"{url}: {message.text}\n"))
    page.goto(url)
    page.wait_for_load_state("networkidle")
    page.screenshot(path=path, full_page=path.parent != PICTURES)
    context.close()


if __name__ == "__main__":
    main()

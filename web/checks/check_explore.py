# SPDX-License-Identifier: Apache-2.0
"""Opens the page of `dorm explore` in headless Chromium and Firefox and uses all of it by keyboard.

    check_explore.py [--dorm build/dorm] [--browsers chromium,firefox] [--mock] [--shots FOLDER] [--url ADDRESS]

The server is dorm explore on generated data; --mock asks the stand-in of web/mock instead, --url a server that runs
(two linear models, judging, texts, at least 60 queries). Every view is opened at 1280 and 375 pixels, light and dark:
nothing on the console, nothing fetched from elsewhere, no sideways scrolling, contrast of lines, axe-core. Then every
feature is used by keyboard alone, and figures on the page are compared with the server's and with dorm eval. Prints one
line per finding and exits 1 if there is any. Firefox is the one of the distribution, driven over WebDriver BiDi.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

from check_report import AXE_PROBE, COLOUR_PROBE, PLOT_CONTRAST, contrast, find_axe, find_browser
from explore_walks import CURVES, VIEWS, VIEWS_OF_CURVES, WALKS, Failed, Session, check_figures
from explore_world import explored, figures_of_eval, make_world
from playwright.sync_api import Error, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
WIDTHS = (1280, 375)
THEMES = ("light", "dark")


class Chromium:
    def __init__(self, playwright):
        self.browser = playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])

    def context(self, width, theme):
        return self.browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=theme, reduced_motion="reduce", accept_downloads=True
        )

    def close(self):
        self.browser.close()


class Firefox:
    """WebDriver BiDi cannot emulate a colour scheme yet: a preference does, for a browser as a whole."""

    def __init__(self, playwright):
        names = ("firefox-esr", "firefox")
        path = next(filter(None, map(shutil.which, names)), None)
        if path is None:
            sys.exit(f"check_explore.py: no Firefox on the PATH; expected one of {', '.join(names)}")
        self.of_theme = {
            theme: playwright.firefox.launch(
                channel="moz-firefox",
                executable_path=path,
                firefox_user_prefs={
                    "layout.css.prefers-color-scheme.content-override": number,
                    "ui.prefersReducedMotion": 1,
                    "accessibility.tabfocus": 7,
                },
            )
            for theme, number in (("dark", 0), ("light", 1))
        }

    def context(self, width, theme):
        unchanged = {name: "null" for name in ("color_scheme", "reduced_motion", "forced_colors", "contrast")}
        return self.of_theme[theme].new_context(viewport={"width": width, "height": 900}, **unchanged)

    def close(self):
        for browser in self.of_theme.values():
            browser.close()


BROWSERS = {"chromium": Chromium, "firefox": Firefox}


def look(session, axe):
    page = session.page
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    if wide > 0:
        yield f"scrolls sideways by {wide} pixels"
    found = page.evaluate(COLOUR_PROBE)
    for k, colour in enumerate(found["colours"]):
        if contrast(colour, found["bg"]) < PLOT_CONTRAST:
            yield f"colour {k} {colour} on {found['bg']}: contrast {contrast(colour, found['bg']):.2f}"
    if axe:
        page.evaluate(axe)
        for violation in page.evaluate(AXE_PROBE):
            for node in violation["nodes"]:
                yield f"axe: {violation['id']}: {violation['help']}: {node['html'][:160]}"


def look_at_all(browser, base, axe, shots, views):
    for width in WIDTHS:
        for theme in THEMES:
            session = Session(browser, base, width, theme)
            for name, fragment in views.items():
                session.open(fragment)
                if shots:
                    session.page.screenshot(path=shots / f"explore-{name}-{width}-{theme}.png", full_page=True)
                session.page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
                yield from (f"{name} {width} {theme}: {finding}" for finding in look(session, axe))
            session.press("?")
            yield from (f"keys {width} {theme}: {finding}" for finding in look(session, axe))
            yield from (f"{width} {theme}: {line}" for line in session.log)
            session.context.close()


@contextmanager
def mock(*options):
    """The address of a mock server, while it is needed."""
    command = ["node", str(ROOT / "web/mock/server.mjs"), *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            yield server.stdout.readline().strip()
        finally:
            server.terminate()


def walk_all(browser, base, walks):
    for walk in walks:
        session = Session(browser, base)
        try:
            walk(session)
        except (Failed, Error) as problem:
            yield f"{walk.__name__}: {problem}"
        yield from (f"{walk.__name__}: {line}" for line in session.log)
        session.context.close()


def servers(arguments):
    """(what it is, its address while it is needed, walks), one after another."""
    if arguments.url:
        yield "", contextmanager(lambda: iter([arguments.url]))(), WALKS
    elif arguments.mock:
        yield "mock", mock(), WALKS
        yield "mock, one model", mock("--one"), ()
    else:
        with tempfile.TemporaryDirectory() as name:
            folder, dorm = Path(name), str(arguments.dorm.resolve())
            make_world(dorm, folder)
            words = ("dorm.json", "ridge.json", "--texts", "texts.jsonl", "--judgments", "judgments.sqlite")
            figures = figures_of_eval(dorm, folder, "dorm.json", "ridge.json")
            yield "dorm explore", explored(dorm, folder, *words), (lambda s: check_figures(s, figures), *WALKS)
            yield "dorm explore, a kernel", explored(dorm, folder, "kernel.json"), ()
            yield "dorm explore, curves", explored(dorm, folder, "curves.json"), CURVES


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dorm", type=Path, default=ROOT / "build/dorm", help="the command")
    parser.add_argument("--browsers", default="chromium,firefox", help="comma-separated")
    parser.add_argument("--mock", action="store_true", help="ask the stand-in for the server")
    parser.add_argument("--url", help="of a server that runs")
    parser.add_argument("--shots", type=Path, help="folder for screenshots")
    arguments = parser.parse_args()
    if arguments.shots:
        arguments.shots.mkdir(parents=True, exist_ok=True)
    axe, found = find_axe(), []
    with sync_playwright() as playwright:
        for name in arguments.browsers.split(","):
            browser = BROWSERS[name](playwright)
            for what, server, walks in servers(arguments):
                shots = arguments.shots if walks and name == "chromium" else None
                views = VIEWS_OF_CURVES if walks == CURVES else VIEWS
                with server as base:
                    lines = [*walk_all(browser, base, walks), *look_at_all(browser, base, axe, shots, views)]
                found += [f"{name}: {what}: {line}" for line in lines]
            browser.close()
            print(f"{name}: {len(found)} findings so far", flush=True)
    print("\n".join(found) if found else "the page of dorm explore is as it should be")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()

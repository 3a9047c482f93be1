# SPDX-License-Identifier: Apache-2.0
"""Opens the page of `dorm explore` in headless Chromium and uses all of it by keyboard.

    check_explore.py [--url http://127.0.0.1:8080/] [--shots FOLDER]

Without --url the mock server of web/mock answers. A server that is given needs two linear models, judging and at least
25 queries. Every view is opened at 1280 and 375 pixels, light and dark: nothing on the console, nothing fetched from
elsewhere, no sideways scrolling, contrast of lines, axe-core. Then every feature is used by keyboard alone, and figures
on the page are compared with the server's. Prints one line per finding and exits 1 if there is any.
"""

import argparse
import subprocess
import sys
from contextlib import contextmanager, nullcontext
from pathlib import Path

from check_report import AXE_PROBE, COLOUR_PROBE, PLOT_CONTRAST, contrast, find_axe, find_browser
from explore_walks import VIEWS, WALKS, Failed, Session
from playwright.sync_api import Error, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
WIDTHS = (1280, 375)
THEMES = ("light", "dark")


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


def look_at_all(browser, base, axe, shots):
    for width in WIDTHS:
        for theme in THEMES:
            session = Session(browser, base, width, theme)
            for name, fragment in VIEWS.items():
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


def walk_all(browser, base):
    for walk in WALKS:
        session = Session(browser, base)
        try:
            walk(session)
        except (Failed, Error) as problem:
            yield f"{walk.__name__}: {problem}"
        yield from (f"{walk.__name__}: {line}" for line in session.log)
        session.context.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--url", help="of a server that runs")
    parser.add_argument("--shots", type=Path, help="folder for screenshots")
    arguments = parser.parse_args()
    if arguments.shots:
        arguments.shots.mkdir(parents=True, exist_ok=True)
    chromium = find_browser()
    axe = find_axe()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        with mock() if not arguments.url else nullcontext(arguments.url) as base:
            found = [*walk_all(browser, base), *look_at_all(browser, base, axe, arguments.shots)]
        if not arguments.url:
            with mock("--one") as base:
                found += [f"one model: {line}" for line in look_at_all(browser, base, axe, None)]
        browser.close()
    print("\n".join(found) if found else "the page of dorm explore is as it should be")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""The pictures of docs/explore.md: views of dorm explore on the data of check_explore.py, in Chromium.

explore_shots.py [--dorm build/dorm] [--out docs/img]
"""

import argparse
import tempfile
from pathlib import Path

from check_explore import ROOT, Chromium
from explore_walks import Session
from explore_world import explored, make_world
from playwright.sync_api import sync_playwright

WIDTH, HEIGHT = 1160, 720
CURVES = {"curves-dark": ("dark", "#whatif?q=20&edits=0.2%3A0.4", None)}
SHOTS = {
    "queries-light": ("light", "#queries?right=b", None),
    "query-dark": ("dark", "#query?q=20&right=b&first=5&second=4", "main h2"),
    "why-light": ("light", "#query?q=20&right=b&first=5&second=4", "table.stacks"),
    "whatif-light": ("light", "#whatif?edits=0%3A0.2", None),
    "judge-dark": ("dark", "#judge?q=20", None),
    "data-dark": ("dark", "#data", None),
}


def take(browser, base, shots, folder):
    for shot, (theme, fragment, target) in shots.items():
        session = Session(browser, base, WIDTH, theme)
        session.page.set_viewport_size({"width": WIDTH, "height": HEIGHT})
        session.open(fragment)
        if target:
            session.page.locator(target).first.evaluate("e => e.scrollIntoView({ block: 'start' })")
        session.page.evaluate("document.querySelector('[role=status]').hidden = true")
        session.page.wait_for_timeout(200)
        session.page.screenshot(path=folder / f"explore-{shot}.png")
        session.context.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dorm", type=Path, default=ROOT / "build/dorm")
    parser.add_argument("--out", type=Path, default=ROOT / "docs/img")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder, dorm = Path(name), str(arguments.dorm.resolve())
        make_world(dorm, folder)
        browser = Chromium(playwright)
        words = ("dorm.json", "ridge.json", "--texts", "texts.jsonl", "--judgments", "judgments.sqlite")
        with explored(dorm, folder, *words) as base:
            for d, label in ((0, 3), (1, 1), (2, 4), (3, 0), (4, 2)):
                for judge, change in (("ada", 0), ("bob", d % 2)):
                    session = Session(browser, base)
                    body = {"q": 20, "d": d, "label": max(0, label - change), "judge": judge}
                    session.page.request.post(f"{base}api/judgments", data=body)
                    session.context.close()
            take(browser, base, SHOTS, arguments.out)
        with explored(dorm, folder, "curves.json", "--texts", "texts.jsonl") as base:
            take(browser, base, CURVES, arguments.out)
        browser.close()


if __name__ == "__main__":
    main()

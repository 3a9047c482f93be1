# SPDX-License-Identifier: Apache-2.0
"""Opens report pages in headless Chromium and checks what a reader would meet; see docs/report.md.

    check_report.py PAGE.html ... [--shots FOLDER]

Every page is opened at 1280 and 390 pixels, light and dark: nothing on the console, nothing fetched, no sideways
scrolling, plot text large enough, inside its picture and not on other text, contrast of plot lines, axe-core
(where npm put it). Sorting, the theme button, printing and the page without its script are tried once, queries are
opened and compared by keyboard. Prints one
line per finding and exits 1 if there is any. `make check-report` installs what it needs.
"""

import argparse
import shutil
import sys
from pathlib import Path

try:
    from playwright.sync_api import Error, sync_playwright
except ImportError:
    sys.exit("check_report.py: playwright is not installed; `tools/setup.sh browser` installs it into .venv-browser")

WIDTHS = (1280, 390)
THEMES = ("light", "dark")
OPENED = ((1280, "light"), (390, "dark"))  # with a query opened, too
SMALLEST_TEXT = 9.5  # CSS pixels on the screen
PLOT_CONTRAST = 3.0

TEXT_PROBE = """
() => Array.from(document.querySelectorAll('figure svg[role=img]')).flatMap((svg, plot) => {
  const box = svg.getBoundingClientRect(), scale = box.width / svg.viewBox.baseVal.width;
  return Array.from(svg.querySelectorAll('text')).map(text => {
    const b = text.getBoundingClientRect();
    return {plot, text: text.textContent, size: parseFloat(getComputedStyle(text).fontSize) * scale,
            left: b.left - box.left, right: b.right - box.left, top: b.top - box.top, bottom: b.bottom - box.top,
            width: box.width, height: box.height};
  });
})"""

COLOUR_PROBE = """
() => {
  const style = getComputedStyle(document.documentElement);
  const value = name => style.getPropertyValue(name).trim();
  return {bg: value('--bg'), colours: Array.from({length: 8}, (_, k) => value('--c' + k))};
}"""

# All rules run; what passes is not described node by node, which on a long page takes three times as long.
AXE_PROBE = "axe.run({resultTypes: ['violations'], selectors: false}).then(found => found.violations)"

SORT_PROBE = """
([table, column]) => Array.from(document.querySelectorAll('table.sortable')[table].tBodies[0].rows)
    .map(row => row.cells[column].dataset.v ?? row.cells[column].textContent)"""


def luminance(colour):
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a, b):
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def overlap(a, b):
    slack = 1.0
    return (
        a["plot"] == b["plot"]
        and a["left"] < b["right"] - slack
        and b["left"] < a["right"] - slack
        and a["top"] < b["bottom"] - slack
        and b["top"] < a["bottom"] - slack
    )


def text_findings(texts):
    for i, t in enumerate(texts):
        where = f'plot {t["plot"] + 1}, "{t["text"]}"'
        if t["size"] < SMALLEST_TEXT:
            yield f"{where}: text of {t['size']:.1f} pixels, at least {SMALLEST_TEXT} expected"
        if t["left"] < -1 or t["top"] < -1 or t["right"] > t["width"] + 1 or t["bottom"] > t["height"] + 1:
            yield f"{where}: cut off by the edge of the picture"
        for other in texts[i + 1 :]:
            if overlap(t, other):
                yield f'{where}: lies on "{other["text"]}"'


def look(page, axe):
    """What is wrong with the page as it stands on the screen."""
    width = page.evaluate("innerWidth")
    wide = page.evaluate("document.documentElement.scrollWidth")
    if wide > width:
        yield f"scrolls sideways: {wide} pixels wide"
    yield from text_findings(page.evaluate(TEXT_PROBE))
    found = page.evaluate(COLOUR_PROBE)
    for k, colour in enumerate(found["colours"]):
        if contrast(colour, found["bg"]) < PLOT_CONTRAST:
            yield f"colour {k} {colour} on {found['bg']}: contrast {contrast(colour, found['bg']):.2f}"
    if axe:
        page.evaluate(axe)
        for violation in page.evaluate(AXE_PROBE):
            for node in violation["nodes"]:
                yield f"axe: {violation['id']}: {violation['help']}: {node['html'][:160]}"


def sorted_right(values, numeric, descending):
    present = [float(v) for v in values if v != ""] if numeric else values
    if not numeric:
        return True  # the order of words is the browser's
    return present == sorted(present, reverse=descending) and all(v != "" for v in values[: len(present)])


def try_sorting(page):
    for t in range(page.locator("table.sortable").count()):
        table = page.locator("table.sortable").nth(t)
        if not table.is_visible():
            continue
        for c in range(table.locator("thead th").count()):
            head = table.locator("thead th").nth(c)
            before = sorted(page.evaluate(SORT_PROBE, [t, c]))
            numeric = "n" in (head.get_attribute("class") or "").split()
            for _ in range(2):
                head.locator("button").focus()
                page.keyboard.press("Enter")
                order = head.get_attribute("aria-sort")
                values = page.evaluate(SORT_PROBE, [t, c])
                if order not in ("ascending", "descending") or not sorted_right(values, numeric, order == "descending"):
                    yield f"table {t + 1}, column {c + 1}: not sorted ({order})"
                if sorted(values) != before:
                    yield f"table {t + 1}, column {c + 1}: sorting changed its cells"


def try_theme_button(page):
    background = "getComputedStyle(document.body).backgroundColor"
    before = page.evaluate(background)
    page.locator("#theme").click()
    if page.evaluate(background) == before:
        yield "the theme button changes nothing"
    page.locator("#theme").click()
    if page.evaluate(background) != before:
        yield "the theme button does not lead back"


def try_script(page):
    """What the script adds: muted lines, values under the keys, filtered methods, commands to copy."""
    for legend in page.locator("ul.legend.switch").all()[:3]:
        if not legend.is_visible():
            continue
        control = legend.locator("button").first
        control.click()
        if control.get_attribute("aria-pressed") != "false" or page.locator("svg .muted").count() == 0:
            yield "an entry of a legend does not mute its line"
        control.click()
        if page.locator("svg .muted").count() != 0:
            yield "a muted line does not come back"
    plots = page.locator("svg[data-cross][tabindex]")
    if plots.count():
        plots.first.focus()
        page.keyboard.press("ArrowRight")
        if not page.locator(".tip").is_visible():
            yield "the arrow keys show no values"
        page.keyboard.press("Escape")
    if page.locator(".filter input").count():
        before = page.locator("table.methods tbody tr:visible").count()
        page.locator(".filter input").fill("ridge")
        after = page.locator("table.methods tbody tr:visible").count()
        if not 0 < after < before:
            yield f"the filter shows {after} of {before} rows"
        page.locator(".filter input").fill("")
    for block in page.locator("pre").all():
        if block.locator(".copy").count() != 1:
            yield "a command without a button to copy it"


def open_query(page):
    """From the list of queries into one of them and to two of its documents, by keyboard alone."""
    explorer = page.locator(".explorer")
    links = explorer.locator("table.queries tbody a")
    if links.count() == 0:
        return
    name = links.first.inner_text()
    explorer.locator("input[type=search]").fill(name[:20])
    page.wait_for_timeout(400)
    links.first.focus()
    page.keyboard.press("Enter")
    explorer.locator(".rankings").wait_for()
    focused = page.evaluate("document.activeElement.textContent")
    if name.strip() not in focused:
        yield f"opening a query moves the focus to {focused[:40]!r}"
    if explorer.locator("section.ranking").count() < 2:
        yield "a query without two rankings"
    explorer.locator(".doc[tabindex='0']").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    if explorer.locator(".doc[aria-pressed=true]").count() < 2:
        yield "the keys pick no documents"
    if explorer.locator("table.stacks:not(.waterfall)").count() == 1:  # contributions are on this page
        try:
            explorer.locator("table.waterfall").wait_for(timeout=10000)
        except Error:
            yield "two documents are picked, and no waterfall is shown"
    explorer.locator(".walk button").last.focus()
    page.keyboard.press("Enter")
    page.wait_for_timeout(100)
    if links.count() != 0:
        yield "the next query leads back to the list"


def try_differences(page):
    """The bars of wins and losses are a slider that opens a query."""
    slider = page.locator(".differences")
    if slider.count() == 0:
        return
    slider.focus()
    page.keyboard.press("Home")
    told = slider.get_attribute("aria-valuetext")
    if not told.startswith("query "):
        yield f"the bars of differences tell {told!r}"
    before = page.locator(".winloss p").first.inner_text()
    choices = page.locator(".explorer p.search select")
    choices.last.select_option("none")
    if slider.count() != 0:
        yield "differences are shown, and nothing is compared"
    choices.last.select_option(index=1)
    if not page.locator(".winloss p").first.inner_text().startswith(before[:8]):
        yield "comparing again shows no differences"


def open_page(browser, path, width, theme, log, **context):
    page = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=theme, reduced_motion="reduce", **context
    ).new_page()
    page.on("console", lambda m: log.append(f"console {m.type}: {m.text}") if m.type in ("error", "warning") else None)
    page.on("dialog", lambda d: (log.append(f"a name became a script: {d.message}"), d.dismiss()))
    page.on("pageerror", lambda e: log.append(f"script: {e}"))
    page.on("request", lambda r: log.append(f"fetches {r.url}") if not r.url.startswith("file:") else None)
    page.goto(path.resolve().as_uri())
    return page


def check(browser, path, axe, shots):
    for width in WIDTHS:
        for theme in THEMES:
            log = []
            page = open_page(browser, path, width, theme, log)
            if shots:
                page.screenshot(path=shots / f"{path.stem}-{width}-{theme}.png", full_page=True)
            findings = [*look(page, axe), *log]
            page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
            findings += [f"all parts opened: {f}" for f in look(page, axe)]
            if (width, theme) in OPENED:
                findings += [*open_query(page), *[f"a query opened: {f}" for f in look(page, axe)]]
                if shots and page.locator(".explorer .rankings").count():
                    page.locator(".queries-block").screenshot(path=shots / f"{path.stem}-query-{width}-{theme}.png")
            yield from (f"{path.name} {width} {theme}: {finding}" for finding in findings)
            page.context.close()
    log = []
    page = open_page(browser, path, WIDTHS[0], "light", log)
    with_script = page.locator("main h2").count()
    printed = page.pdf(format="A4")
    if shots:
        (shots / f"{path.stem}.pdf").write_bytes(printed)
    findings = [
        *try_sorting(page),
        *try_theme_button(page),
        *try_script(page),
        *try_differences(page),
        *look(page, axe),
        *log,
    ]
    page.context.close()
    page = open_page(browser, path, WIDTHS[0], "light", [], java_script_enabled=False)
    if page.locator("main h2").count() != with_script or page.locator("thead button").count() != 0:
        findings.append("differs without its script")
    if page.locator("#theme").is_visible():
        findings.append("shows a theme button that cannot work without the script")
    page.context.close()
    yield from (f"{path.name}: {finding}" for finding in findings)


def find_browser():
    names = ("chromium", "chromium-browser", "google-chrome")
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        sys.exit(f"check_report.py: no browser on the PATH; expected one of {', '.join(names)}. No page was checked.")
    return found


def find_axe():
    for folder in (Path(sys.prefix), Path.cwd()):
        script = folder / "node_modules" / "axe-core" / "axe.min.js"
        if script.exists():
            return script.read_text()
    print("axe-core is not installed: its rules are not checked")
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", nargs="+", type=Path)
    parser.add_argument("--shots", type=Path, help="folder for screenshots and the printed form")
    arguments = parser.parse_args()
    if arguments.shots:
        arguments.shots.mkdir(parents=True, exist_ok=True)
    chromium = find_browser()
    axe = find_axe()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        found = [line for page in arguments.pages for line in check(browser, page, axe, arguments.shots)]
        browser.close()
    print("\n".join(found) if found else f"{len(arguments.pages)} pages checked, nothing found")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()

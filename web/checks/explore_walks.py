# SPDX-License-Identifier: Apache-2.0
"""Ways through the page of `dorm explore` by keyboard alone, for check_explore.py: one per view, and wrong turns."""

import re
from pathlib import Path

VIEWS = {
    "queries": "#queries",
    "query": "#query?q=20&at=0&first=3&second=5",
    "alone": "#query?q=20&right=none",
    "whatif": "#whatif?edits=0%3A2",
    "judge": "#judge?q=20",
    "blind": "#blind",
    "data": "#data",
}
VIEWS_OF_CURVES = {"curves": "#whatif?q=20&first=3&edits=0.2%3A1", "why": "#query?q=20&first=3&second=5"}


class Failed(Exception):
    """A step of the walk did not do what it should."""


def expect(condition, what):
    if not condition:
        raise Failed(what)


class Session:
    """A page with its keyboard, and what the server says."""

    def __init__(self, browser, base, width=1280, theme="light", judge="ada"):
        self.base = base
        self.log = []
        self.context = browser.context(width, theme)
        self.context.add_init_script(f"try {{ localStorage.setItem('dorm-judge', '{judge}') }} catch (error) {{}}")
        self.page = self.context.new_page()
        self.page.set_default_timeout(20000)  # machines may be busy
        self.page.on("console", lambda m: self.log.append(f"console {m.type}: {m.text}"))
        self.page.on("pageerror", lambda e: self.log.append(f"script: {e}"))
        self.page.on("request", self.requested)

    def requested(self, request):
        if not request.url.startswith(self.base):
            self.log.append(f"fetches {request.url}")

    def open(self, fragment):
        self.page.goto("about:blank")
        self.page.goto(self.base + fragment)
        self.settle()

    def settle(self):
        self.page.wait_for_selector("main h2")
        self.page.wait_for_timeout(350)  # longer than any delay before a request
        self.page.wait_for_load_state("networkidle")
        self.page.wait_for_function("!document.querySelector('main [aria-busy=true], .measure[aria-busy=true]')")

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)
        self.settle()

    def ask(self, path):
        answer = self.page.request.get(f"{self.base}api/{path}")
        expect(answer.ok, f"{path}: status {answer.status}")
        return answer.json()

    def text(self, selector):
        return self.page.locator(selector).first.inner_text()

    def said(self):
        return self.text("[role=status]")

    def focused(self, script="element => element.textContent"):
        return self.page.evaluate(f"({script})(document.activeElement)")

    def tab_to(self, selector, most=90):
        """Tabs until an element has the focus, and checks that it shows."""
        for _ in range(most):
            self.page.keyboard.press("Tab")
            if self.page.evaluate("selector => document.activeElement.matches(selector)", selector):
                width = self.page.evaluate("parseFloat(getComputedStyle(document.activeElement).outlineWidth)")
                expect(width >= 2, f"{selector}: its focus is not to be seen")
                return
        raise Failed(f"{selector}: not reached by Tab")


def figure(value):
    return f"{value:.4f}".replace("-", "\u2212")


def check_figures(s, figures):
    """What stands on the page beside what dorm eval says of the two models, by name."""
    s.open("#queries?right=b")
    top = s.text("dl.measure")
    models = [model["name"] for model in s.ask("info")["models"]]
    for name in models:
        for part in ("mean", "low", "high"):
            expect(figure(figures[name][part]) in top, f"{part} of {name} is not the one of dorm eval")
    expect(
        figure(abs(figures[models[1]]["against"]["difference"])) in top, "the difference is not the one of dorm eval"
    )


def walk_queries(s):
    s.open("#queries?right=b")
    summary = s.ask("summary?right=b")
    top = s.text("dl.measure")
    for side in ("a", "right", "difference"):
        expect(figure(abs(summary[side]["mean"])) in top, f"the mean of {side} is not on top")
        expect(figure(summary[side]["low"]) in top, f"the interval of {side} is not on top")
    column = {"loss": "loss", "difference": "difference", "swaps": "swaps"}
    for sort, heading in column.items():
        s.page.locator("thead button", has_text=heading).focus()
        active = s.page.locator("th[aria-sort=descending]", has_text=heading).count()
        s.press(*([] if active else ["Enter"]))
        rows = s.ask(f"queries?right=b&sort={sort}&limit=50&judge=ada")["rows"]
        shown = s.page.locator("table.queries tbody th").all_inner_texts()
        expect(len(shown) == len(rows), f"sorted by {sort}: {len(shown)} rows")
        expect(f"sort={sort}" in s.page.url or sort == "loss", f"sorted by {sort}: not in the address")
        losses = s.page.locator("table.queries tbody tr td:nth-child(2)").all_inner_texts()
        told = [figure(row["loss"]) if row["loss"] is not None else "\u2013" for row in rows]
        expect([text.strip() for text in losses] == told, f"sorted by {sort}: other rows than the server's")
    s.press("/")
    s.page.keyboard.type("q:20")
    s.settle()
    expect(s.page.locator("table.queries tbody tr").count() == 1, "the filter q:20 does not leave one row")
    expect("filter=q" in s.page.url, "the filter is not in the address")
    s.page.keyboard.press("Control+A")
    s.press("Delete")
    s.page.locator("h2").first.focus()
    s.press("]")
    expect("offset=50" in s.page.url, "] does not turn the page")
    s.press("[", "j", "j", "k")
    first = s.ask("queries?right=b&sort=swaps&limit=1")["rows"][0]
    expect(s.focused("e => e.closest('tr') && e.closest('tr').rowIndex") == 1, "j, j, k is not at the first row")
    s.press("Enter")
    expect("#query" in s.page.url and f"q={first['q']}" in s.page.url, "Enter does not open the query")
    expect(s.focused("e => e.tagName") == "H2", "a new view does not take the focus")


def walk_query(s):
    s.open("#query?q=20&at=3")
    query = s.ask("query?q=20&right=b&limit=20&judge=ada")
    for column in ("a", "right", "ideal", "violated"):
        shown = s.page.locator(f"[data-column={column}]").evaluate_all("all => all.map(e => Number(e.dataset.d))")
        expect(shown == query["order"][column], f"the ranking {column} is not the server's")
    labels = {doc["d"]: str(doc["label"]) for doc in query["docs"]}
    marks = s.page.locator("[data-column=a] .grade").evaluate_all("all => all.map(e => e.lastChild.textContent)")
    expect(marks == [labels[d] for d in query["order"]["a"]], "labels differ")
    cut = "ol li:has(.cut) .rank"
    if query["cutoff"] and query["documents"] > query["cutoff"]:
        expect(s.text(f".ranking.a {cut}") == str(query["cutoff"] + 1), "the cutoff is not below its position")
    both = set(query["order"]["a"]) & set(query["order"]["right"])
    expect(s.page.locator("svg.links path").count() == len(both), "not every document is linked")
    s.page.locator("#right").focus()
    s.page.keyboard.press("Home")
    s.settle()
    expect("right=none" in s.page.url, "nothing to compare with cannot be chosen")
    both_ideal = set(query["order"]["a"]) & set(query["order"]["ideal"])
    expect(s.page.locator("svg.links path").count() == len(both_ideal), "a ranking alone is not linked to the ideal")
    s.page.keyboard.press("ArrowDown")
    s.settle()
    s.tab_to("button.doc")
    s.press("ArrowDown")
    second = query["order"]["a"][1]
    place = s.focused("e => [e.dataset.column, Number(e.dataset.d)]")
    expect(place == ["a", second], f"arrow down leads to {place}")
    expect(s.page.locator("svg.links path.on").count() == int(second in both), "the link in focus is not marked")
    s.press("ArrowRight")
    column, document = s.focused("e => [e.dataset.column, Number(e.dataset.d)]")
    expect(column == "right" and (document == second or second not in both), "arrow right leads elsewhere")
    s.press("ArrowRight", "ArrowRight")
    expect(s.focused("e => e.dataset.column") == "violated", "arrow right does not reach the most violated ranking")
    s.press("End", "Home", "ArrowLeft", "ArrowLeft", "ArrowLeft")
    expect(s.focused("e => e.dataset.column") == "a", "arrow left does not lead back")
    s.press("Home", "Enter", "ArrowDown", "ArrowDown", "Enter")
    first, third = query["order"]["a"][0], query["order"]["a"][2]
    expect(f"first={first}&second={third}" in s.page.url, "picked documents are not in the address")
    expect(s.page.locator("[data-column=ideal][aria-pressed=true]").count() <= 2, "more than two documents are picked")
    check_why(s, first, third)
    s.page.locator(f"[data-column=a][data-d='{first}']").focus()
    s.press("Escape")
    expect("first=" not in s.page.url, "Escape does not unpick")
    s.press("n")
    expect("at=4" in s.page.url, "n does not lead to the next query")
    s.press("p", "g")
    s.press("1")
    expect("#queries" in s.page.url, "g 1 does not lead to the queries")


def check_why(s, first, third):
    why = s.ask(f"why?q=20&model=a&docs={first}&parts=12")
    part = why["documents"][0]["parts"][0]
    label = s.page.locator("table.stacks tbody tr.picked svg").first.get_attribute("aria-label")
    expect(part["name"] in label, "the largest contribution is not named in the bar")
    pair = s.ask(f"pair?q=20&model=a&first={first}&second={third}")
    rows = s.page.locator("table.waterfall tbody tr").all_inner_texts()
    largest = pair["parts"][0]
    shown = figure(abs(largest["difference"]))
    expect(largest["name"] in rows[1] and shown in rows[1], "the waterfall does not begin with the largest difference")
    steps = sum(part["difference"] != 0 for part in pair["parts"]) + (abs(pair["rest"]) > 1e-9)
    expect(len(rows) == steps + 2, f"the waterfall has {len(rows)} rows")
    swaps = s.page.locator("#swaps li").all_inner_texts()
    expect(len(swaps) == len(pair["swaps"]), "not every swap is told")
    for text, swap in zip(swaps, pair["swaps"]):
        told = re.search(
            rf"of the {swap['document']} document were .* {'higher' if swap['change'] > 0 else 'lower'}", text
        )
        expect(swap["name"] in text and told, f"a swap reads: {text}")
    s.page.locator("summary", has_text="What the bound saw").focus()
    s.press("Enter")
    expect(s.page.locator("details[open]", has_text="most violated ranking").count() == 1, "the bound is not explained")


def walk_whatif(s):
    s.open("#whatif")
    row = s.ask("weights?limit=1")["rows"][0]
    slider = f"#weight-{row['feature']}"
    s.tab_to(slider)
    s.press("ArrowLeft", "ArrowLeft", "ArrowLeft", "PageDown")
    edits = re.search(r"edits=([^&]*)", s.page.url)
    expect(edits, "a moved weight is not in the address")
    summary = s.ask(f"summary?right=edited&edits={edits[1]}")
    expect(figure(summary["right"]["mean"]) in s.text("dl.measure"), "the measure does not follow the slider")
    changed = summary["difference"]["wins"] + summary["difference"]["losses"] > 0
    expect(not changed or " p " in s.said() or "p <" in s.said(), "the new figure is not announced")
    s.tab_to("a[download]")
    with s.page.expect_download() as download:
        s.page.keyboard.press("Enter")
    expect('"edited"' in Path(download.value.path()).read_text(), "the downloaded model does not say that it is edited")
    s.press("r")
    expect("edits=" not in s.page.url, "r does not reset the weights")
    s.tab_to("input.number")
    s.page.keyboard.press("Control+A")
    s.page.keyboard.type(str(row["high"]))
    s.press("Enter", "Tab")
    expect("edits=" in s.page.url, "a typed weight does not count")
    s.page.locator("a", has_text="Queries that change").focus()
    s.press("Enter")
    expect("#queries" in s.page.url and "right=edited" in s.page.url, "the queries that change are not shown")
    s.page.go_back()
    s.settle()
    expect("#whatif" in s.page.url, "back does not lead back")


def walk_curves(s):
    s.open("#whatif?q=20&first=3")
    row = s.ask("curves?limit=1&q=20")["rows"][0]
    pictures = s.page.locator(".curves svg")
    expect(pictures.count() == s.ask("curves")["total"], "not every curve is drawn")
    dots = pictures.first.locator(".document").count()
    expect(dots == sum(x is not None for x in row["x"]), f"{dots} documents lie on the curve")
    s.tab_to(".moves input[type=range]")
    s.press("ArrowRight", "ArrowRight", "PageUp")
    edits = re.search(r"edits=([^&]*)", s.page.url)
    expect(edits and "." in edits[1], "a moved point is not in the address")
    summary = s.ask(f"summary?right=edited&edits={edits[1]}")
    expect(figure(summary["right"]["mean"]) in s.text("dl.measure"), "the measure does not follow the point")
    expect(pictures.first.locator(".was").count() == 1, "the curve of the model is gone")
    s.press("r")
    expect("edits=" not in s.page.url, "r does not reset the points")
    point = pictures.first.locator(".point .reach").nth(1)
    point.scroll_into_view_if_needed()
    box = point.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    s.page.mouse.move(x, y)
    s.page.mouse.down()
    s.page.mouse.move(x, y - 20, steps=4)
    s.page.mouse.up()
    s.settle()
    moved = re.search(rf"edits={row['feature']}\.1%3A(-?[0-9.]+)", s.page.url)
    expect(moved and float(moved[1]) > row["points"][1]["y"], "a point that is pulled up does not go up")


def walk_values(s):
    """Of the picked document, by any model."""
    s.open("#whatif?q=20&first=3")
    part = s.ask("why?q=20&docs=3&parts=1")["documents"][0]["parts"][0]
    s.tab_to(f"#value-{part['feature']}", 400)
    s.page.keyboard.press("Control+A")
    s.page.keyboard.type("25")
    s.press("Tab")
    after = s.ask(f"change?q=20&d=3&values={part['feature']}:25")["after"]
    expect(f"Rank {after['rank']} " in s.text(".outcome"), "the new rank is not told")
    expect(figure(after["measure"]) in s.text(".outcome"), "the new measure of the query is not told")


def walk_judge(s):
    s.open("#judge?q=20")
    s.tab_to("#judge-name")
    s.page.keyboard.press("Control+A")
    s.page.keyboard.type("Ada L.")
    s.press("Enter")
    expect(s.page.evaluate("localStorage.getItem('dorm-judge')") == "Ada L.", "the judge's name is not kept")
    s.page.keyboard.press("Control+A")
    s.page.keyboard.type("ada")
    s.press("Tab")
    expect(s.page.locator("#judge-name").input_value() == "ada", "the judge's name is not remembered")
    expect(s.page.locator(".to-judge .grade").count() == 0, "labels of the data are shown")
    documents = s.page.locator(".judged-doc").evaluate_all("all => all.map(e => Number(e.dataset.d))")
    s.tab_to(".judged-doc")
    for label in "431":
        s.press(label)
    kept = {doc["d"]: doc["judged"] for doc in s.ask("query?q=20&judge=ada&limit=50")["docs"]}
    expect([kept[d] for d in documents[:3]] == [4, 3, 1], "labels given by keys are not kept")
    expect("label 1" in s.said(), f"a label is announced as: {s.said()}")
    expect(s.focused("e => Number(e.dataset.d)") == documents[3], "the next document has not the focus")
    s.press("u")
    kept = {doc["d"]: doc["judged"] for doc in s.ask("query?q=20&judge=ada&limit=50")["docs"]}
    expect(kept[documents[2]] is None, "u does not undo")
    expect(s.focused("e => Number(e.dataset.d)") == documents[2], "undo does not lead to its document")
    s.press("ArrowUp", "Delete")
    kept = {doc["d"]: doc["judged"] for doc in s.ask("query?q=20&judge=ada&limit=50")["docs"]}
    expect(kept[documents[1]] is None, "Delete does not take the label away")
    s.press("u")
    s.press("Tab", "Tab", "Enter")
    kept = {doc["d"]: doc["judged"] for doc in s.ask("query?q=20&judge=ada&limit=50")["docs"]}
    expect(kept[documents[1]] == 1, f"a button gives label {kept[documents[1]]} instead of 1")
    agreement = s.ask("agreement")
    shown = s.text("section[aria-labelledby=agreement]")
    for pair in agreement["pairs"]:
        told = "\u2013" if pair["kappa"] is None else f"{pair['kappa']:.2f}"
        expect(told in shown.replace("\u2212", "-"), f"kappa {told} is not shown")
    for name in ("qrels", "txt", "jsonl"):
        s.page.locator(f"a[href$='judgments.{name}']").focus()
        with s.page.expect_download() as download:
            s.page.keyboard.press("Enter")
        expect(Path(download.value.path()).stat().st_size > 0, f"the {name} are empty")
    s.page.reload()
    s.settle()
    expect(s.page.locator(".grades [aria-pressed=true]").count() >= 2, "judgments are gone after a reload")


def walk_blind(s):
    s.open("#blind")
    for key in ("ArrowLeft", "ArrowRight", "="):
        before = s.ask("blind?judge=ada")
        shown = s.page.locator("ol.blind").first.locator("li").count()
        expect(shown == len(before["left"]), "the left list is not shown")
        expect("label" not in before["left"][0] and "score" not in before["left"][0], "the trial is not blind")
        s.press(key)
        expect(s.ask("blind?judge=ada")["done"] == before["done"] + 1, f"{key} is not counted")
    s.page.locator("button", has_text="Show the result").focus()
    s.press("Enter")
    result = s.ask("blind/result")
    expect(f"A better in {result['a']}, B better in {result['b']}" in s.text("#blind-told"), "the result differs")


def walk_data(s):
    s.open("#data")
    titles = [finding["title"] for finding in s.ask("checks")["findings"]]
    expect(s.page.locator(".finding strong").all_inner_texts() == titles, "checks differ from the server's")
    s.page.locator("thead button", has_text="shift").focus()
    s.press("Enter")
    rows = s.ask("drift?sort=shift&limit=50")["rows"]
    names = s.page.locator("table.drift tbody th").all_inner_texts()
    expect(
        [name.strip() for name in names] == [row["name"].strip() for row in rows], "features are not sorted by shift"
    )


def walk_help(s):
    s.open("#queries")
    s.press("?")
    expect(s.page.locator("dialog[open]").count() == 1, "? does not open the list of keys")
    s.press("j", "Escape")
    expect(s.page.locator("dialog[open]").count() == 0, "Escape does not close it")
    s.press("?")
    s.tab_to("dialog input")
    s.press("Space", "Escape", "?")
    expect(s.page.locator("dialog[open]").count() == 0, "keys cannot be switched off")
    s.page.evaluate("localStorage.setItem('dorm-keys', 'on')")
    before = s.page.evaluate("getComputedStyle(document.body).backgroundColor")
    s.page.locator("button", has_text="theme").focus()
    s.press("Enter")
    expect(s.page.evaluate("getComputedStyle(document.body).backgroundColor") != before, "the theme does not turn")


def walk_trouble(s):
    """Addresses that people mistype, names that would be markup."""
    s.open("#query?q=99999999")
    expect(s.page.locator("main [role=alert]").count() == 1, "a query that does not exist is not told")
    s.log = [line for line in s.log if "404" not in line]
    s.open("#nowhere?sort=%E0%A4%A&offset=-1&edits=__proto__:1,<b>:2")
    expect(s.page.locator("table.queries").count() == 1, "a wrong address does not show the queries")
    s.page.route("**/api/queries*", lambda route: route.abort())
    s.open("#queries")
    expect("server does not answer" in s.text("main [role=alert]"), "a server that has gone is not told")
    s.page.unroute("**/api/queries*")
    s.log = [line for line in s.log if "ERR_FAILED" not in line]
    for view in VIEWS.values():
        s.open(view)
        bad = "document.querySelectorAll('#app img, #app script, #app iframe, #app b:not([class]), #app i').length"
        expect(s.page.evaluate(bad) == 0, f"{view}: a name has become markup")
        expect(s.page.title() != "owned", f"{view}: a name has run")


CURVES = (walk_curves, walk_values)
WALKS = (walk_queries, walk_query, walk_whatif, walk_values, walk_judge, walk_blind, walk_data, walk_help, walk_trouble)

(function () {
  "use strict";
  var root = document.documentElement;
  var button = document.getElementById("theme");
  var system = window.matchMedia("(prefers-color-scheme: dark)");
  function each(selector, action, from) { Array.from((from || document).querySelectorAll(selector)).forEach(action); }
  function make(tag, name, text) {
    var element = document.createElement(tag);
    if (name) { element.className = name; }
    if (text !== undefined) { element.textContent = text; }
    if (tag === "button") { element.type = "button"; }
    return element;
  }

  /* Light and dark. */
  function remembered(theme) {
    try {
      if (theme) { localStorage.setItem("dorm-theme", theme); }
      return localStorage.getItem("dorm-theme");
    } catch (error) { return null; }
  }
  function dark() {
    var theme = root.getAttribute("data-theme");
    return theme ? theme === "dark" : system.matches;
  }
  function label() { button.textContent = dark() ? "Light theme" : "Dark theme"; }
  var before = remembered();
  if (before) { root.setAttribute("data-theme", before); }
  button.hidden = false;
  button.addEventListener("click", function () {
    var theme = dark() ? "light" : "dark";
    root.setAttribute("data-theme", theme);
    remembered(theme);
    label();
  });
  system.addEventListener("change", label);
  label();

  /* Tables sort by a click on a heading. */
  function key(row, column, numeric) {
    var cell = row.cells[column];
    if (!numeric) { return cell.textContent; }
    return cell.hasAttribute("data-v") ? Number(cell.getAttribute("data-v")) : null;
  }
  function sort(table, column, head, numeric) {
    var now = head.getAttribute("aria-sort");
    var down = now ? now === "ascending" : numeric;
    Array.from(table.tHead.rows[0].cells).forEach(function (other) { other.removeAttribute("aria-sort"); });
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    var body = table.tBodies[0];
    var rows = Array.from(body.rows).map(function (row) { return { row: row, key: key(row, column, numeric) }; });
    rows.sort(function (a, b) {
      if (a.key === null) { return b.key === null ? 0 : 1; }
      if (b.key === null) { return -1; }
      var order = numeric ? a.key - b.key : a.key.localeCompare(b.key, undefined, { numeric: true });
      return down ? -order : order;
    });
    rows.forEach(function (entry) { body.appendChild(entry.row); });
  }
  each("table.sortable", function (table) {
    Array.from(table.tHead.rows[0].cells).forEach(function (head, column) {
      var control = make("button");
      while (head.firstChild) { control.appendChild(head.firstChild); }
      head.appendChild(control);
      control.addEventListener("click", function () { sort(table, column, head, head.classList.contains("n")); });
    });
  });

  /* Commands are copied by a button. */
  function copy(text, code, done) {
    function by_selection() {
      window.getSelection().selectAllChildren(code);
      done(document.execCommand("copy"));
    }
    if (!navigator.clipboard) { by_selection(); return; }
    navigator.clipboard.writeText(text).then(function () { done(true); }, by_selection);
  }
  each("pre", function (block) {
    var control = make("button", "copy", "Copy");
    var code = block.querySelector("code");
    control.addEventListener("click", function () {
      copy(code.textContent, code, function (worked) {
        control.textContent = worked ? "Copied" : "Select and copy";
        setTimeout(function () { control.textContent = "Copy"; }, 2000);
      });
    });
    block.appendChild(control);
  });

  /* A line of a plot is muted by its entry in the legend, or by a click on its name. */
  function mute(figure, series, control) {
    var off;
    each("svg [data-s='" + series + "']", function (part) { off = part.classList.toggle("muted"); }, figure);
    if (control) { control.setAttribute("aria-pressed", off ? "false" : "true"); }
  }
  each("ul.legend.switch", function (legend) {
    var figure = legend.closest("figure");
    Array.from(legend.children).forEach(function (entry, series) {
      var control = make("button");
      control.title = "Show or hide";
      control.setAttribute("aria-pressed", "true");
      while (entry.firstChild) { control.appendChild(entry.firstChild); }
      entry.appendChild(control);
      control.addEventListener("click", function () { mute(figure, series, control); });
      each("svg [data-s='" + series + "'] .name", function (name) {
        name.addEventListener("click", function () { mute(figure, series, control); });
      }, figure);
    });
  });

  /* A line under the pointer, or under the arrow keys, and the values there. */
  var tip = make("div", "tip");
  tip.hidden = true;
  tip.setAttribute("role", "status");
  document.body.appendChild(tip);
  function place_of(mark) {
    return mark.transform.baseVal.getItem(0).matrix;
  }
  function show_values(svg, line, at) {
    var values = Array.from(svg.querySelectorAll("g:not(.muted) > .mark")).filter(function (mark) {
      return Math.abs(place_of(mark).e - at) > 0.6 ? false : mark.querySelector("title");
    });
    if (!values.length) { return; }
    values.sort(function (a, b) { return place_of(a).f - place_of(b).f; });
    tip.textContent = "";
    values.slice(0, 16).forEach(function (mark) { tip.appendChild(make("div", "", mark.querySelector("title").textContent)); });
    line.setAttribute("x1", at);
    line.setAttribute("x2", at);
    line.removeAttribute("visibility");
    tip.hidden = false;
    var box = svg.getBoundingClientRect();
    var x = box.left + at * box.width / svg.viewBox.baseVal.width;
    var wide = tip.offsetWidth;
    var left = x + 14 + wide > innerWidth ? Math.max(4, x - 14 - wide) : x + 14;
    tip.style.left = left + "px";
    tip.style.top = Math.max(4, box.top + 34) + "px";
  }
  each("figure > svg[data-cross]", function (svg) {
    var places = Array.from(svg.querySelectorAll("g > .mark")).map(function (mark) { return place_of(mark).e; });
    places = Array.from(new Set(places)).sort(function (a, b) { return a - b; });
    if (!places.length) { return; }
    var now = 0;
    var line = document.createElementNS("http" + "://www.w3.org/2000/svg", "line");
    var edge = svg.getAttribute("data-cross").split(" ");
    line.setAttribute("class", "cross");
    line.setAttribute("y1", edge[0]);
    line.setAttribute("y2", edge[1]);
    line.setAttribute("visibility", "hidden");
    svg.appendChild(line);
    function leave() { tip.hidden = true; line.setAttribute("visibility", "hidden"); }
    svg.addEventListener("pointermove", function (event) {
      var box = svg.getBoundingClientRect();
      var x = (event.clientX - box.left) * svg.viewBox.baseVal.width / box.width;
      places.forEach(function (place, k) { if (Math.abs(places[now] - x) > Math.abs(place - x)) { now = k; } });
      show_values(svg, line, places[now]);
    });
    svg.addEventListener("pointerleave", leave);
    svg.addEventListener("blur", leave);
    svg.setAttribute("tabindex", "0");
    svg.addEventListener("keydown", function (event) {
      var step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (event.key === "Escape") { leave(); }
      if (!step) { return; }
      event.preventDefault();
      if (!tip.hidden) { now = Math.max(0, Math.min(places.length - 1, now + step)); }
      show_values(svg, line, places[now]);
    });
  });
  window.addEventListener("scroll", function () {
    if (!document.activeElement.matches("svg[data-cross]")) { tip.hidden = true; }
  }, { passive: true });

  /* Methods by name: in tables, forests and plots. */
  function filter(text) {
    var words = text.toLowerCase().split(/[\s,]+/).filter(Boolean);
    function hidden(name) {
      return words.length ? !words.some(function (word) { return name.toLowerCase().includes(word); }) : false;
    }
    each("table.methods tbody tr", function (row) { row.hidden = hidden(row.cells[0].textContent); });
    each("svg [data-name]", function (part) { part.classList.toggle("muted", hidden(part.getAttribute("data-name"))); });
  }
  if (document.querySelector("table.methods")) {
    var box = make("label", "filter", "Filter methods ");
    var input = make("input");
    input.type = "search";
    input.placeholder = "e.g. dorm ridge";
    input.addEventListener("input", function () { filter(input.value); });
    box.appendChild(input);
    document.querySelector("main section").before(box);
  }

  /* Many tables of one form, found by name. */
  function cell(tag, text, numeric) {
    var element = make(tag, numeric ? "n" : "word", text);
    if (tag === "th") { element.scope = "col"; }
    return element;
  }
  function table_of(data, entry) {
    var scroll = make("div", "scroll");
    scroll.tabIndex = 0;
    scroll.setAttribute("role", "region");
    scroll.setAttribute("aria-label", entry[0]);
    var table = scroll.appendChild(make("table"));
    table.appendChild(make("caption", "", entry[0] + ": " + data.facts.map(function (fact, k) {
      return fact + " " + entry[1][k];
    }).join(", ")));
    var head = table.createTHead().insertRow();
    data.columns.forEach(function (column) { head.appendChild(cell("th", column[0], column[1])); });
    var body = table.createTBody();
    entry[2].forEach(function (values) {
      var row = body.insertRow();
      values.forEach(function (value, k) { row.appendChild(cell("td", value, data.columns[k][1])); });
    });
    return scroll;
  }
  each(".finder", function (finder) {
    var data = JSON.parse(finder.querySelector(".data").textContent);
    var input = finder.querySelector("input"), order = finder.querySelector("select");
    var list = finder.querySelector(".found"), shown = finder.querySelector(".shown"), count = finder.querySelector(".count");
    function chosen(entry, control) {
      shown.textContent = "";
      each("[aria-current]", function (other) { other.removeAttribute("aria-current"); }, list);
      control.setAttribute("aria-current", "true");
      shown.appendChild(entry[2] ? table_of(data, entry) : make("p", "foot", entry[0] + ": its list is not on this page."));
    }
    function update() {
      var text = input.value.trim().toLowerCase();
      var entries = data.entries.filter(function (entry) { return entry[0].toLowerCase().includes(text); });
      var by = order.value.split(" ");
      entries.sort(function (a, b) {
        var x = Number(a[1][by[0]]), y = Number(b[1][by[0]]);
        return by[1] === "up" ? x - y : y - x;
      });
      list.textContent = "";
      entries.slice(0, 12).forEach(function (entry) {
        var control = make("button", "", entry[0]);
        control.appendChild(make("span", "note", entry[1][by[0]]));
        control.addEventListener("click", function () { chosen(entry, control); });
        list.appendChild(make("li")).appendChild(control);
      });
      count.textContent = entries.length + " of " + data.entries.length + (entries.length > 12 ? ", the first 12 shown" : "");
    }
    finder.querySelector(".find").hidden = false;
    each(".plain", function (part) { part.hidden = true; }, finder);
    input.addEventListener("input", update);
    order.addEventListener("change", update);
    update();
  });

  var opened = [];
  window.addEventListener("beforeprint", function () {
    opened = Array.from(document.querySelectorAll("details.print:not([open])"));
    opened.forEach(function (part) { part.open = true; });
  });
  window.addEventListener("afterprint", function () {
    opened.forEach(function (part) { part.open = false; });
  });
})();

(function () {
  "use strict";
  var root = document.documentElement;
  var button = document.getElementById("theme");
  var system = window.matchMedia("(prefers-color-scheme: dark)");
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
  document.querySelectorAll("table.sortable").forEach(function (table) {
    Array.from(table.tHead.rows[0].cells).forEach(function (head, column) {
      var control = document.createElement("button");
      control.type = "button";
      while (head.firstChild) { control.appendChild(head.firstChild); }
      head.appendChild(control);
      control.addEventListener("click", function () {
        sort(table, column, head, head.classList.contains("n"));
      });
    });
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

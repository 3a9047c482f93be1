// SPDX-License-Identifier: Apache-2.0
// What a report's tables and other static parts gain with a script: sorting, filtering, copying, printing.
import { each, make } from "./dom";

function key(row: HTMLTableRowElement, column: number, numeric: boolean): string | number | null {
  const cell = row.cells[column];
  if (!numeric) return cell?.textContent ?? "";
  const value = cell?.getAttribute("data-v") ?? null;
  return value === null ? null : Number(value);
}

/** Words by language and number, figures by value; rows without one stay last. */
export function compareKeys(a: string | number | null, b: string | number | null, down: boolean): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  const order = typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), undefined, { numeric: true });
  return down ? -order : order;
}

function sort(table: HTMLTableElement, column: number, head: HTMLElement, numeric: boolean): void {
  const now = head.getAttribute("aria-sort");
  const down = now ? now === "ascending" : numeric;
  each("thead th", (other) => other.removeAttribute("aria-sort"), table);
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  const body = table.tBodies[0];
  if (!body) return;
  const rows = Array.from(body.rows).map((row) => ({ row, key: key(row, column, numeric) }));
  rows.sort((a, b) => compareKeys(a.key, b.key, down));
  for (const { row } of rows) body.appendChild(row);
}

export function sortTables(): void {
  each<HTMLTableElement>("table.sortable", (table) => {
    Array.from(table.tHead?.rows[0]?.cells ?? []).forEach((head, column) => {
      const control = make("button");
      control.append(...head.childNodes);
      head.appendChild(control);
      control.addEventListener("click", () => sort(table, column, head, head.classList.contains("n")));
    });
  });
}

/** Methods by name: in tables, forests and plots. */
function filter(text: string): void {
  const words = text.toLowerCase().split(/[\s,]+/).filter(Boolean);
  const hidden = (name: string | null) => words.length > 0 && !words.some((word) => (name ?? "").toLowerCase().includes(word));
  each<HTMLTableRowElement>("table.methods tbody tr", (row) => { row.hidden = hidden(row.cells[0]?.textContent ?? null); });
  each("svg [data-name]", (part) => part.classList.toggle("muted", hidden(part.getAttribute("data-name"))));
}

export function filterMethods(): void {
  if (!document.querySelector("table.methods")) return;
  const box = make("label", "filter", "Filter methods ");
  const input = make("input");
  input.type = "search";
  input.placeholder = "e.g. dorm ridge";
  input.addEventListener("input", () => filter(input.value));
  box.appendChild(input);
  document.querySelector("main section")?.before(box);
}

function copy(code: Element, done: (worked: boolean) => void): void {
  const bySelection = () => {
    getSelection()?.selectAllChildren(code);
    done(document.execCommand("copy"));
  };
  if (navigator.clipboard) navigator.clipboard.writeText(code.textContent ?? "").then(() => done(true), bySelection);
  else bySelection();
}

export function copyCommands(): void {
  each("pre", (block) => {
    const code = block.querySelector("code");
    if (!code) return;
    const control = make("button", "copy", "Copy");
    control.addEventListener("click", () => copy(code, (worked) => {
      control.textContent = worked ? "Copied" : "Select and copy";
      setTimeout(() => { control.textContent = "Copy"; }, 2000);
    }));
    block.appendChild(control);
  });
}

/** Folded parts that belong on paper are opened while it is printed. */
export function openForPrint(): void {
  let opened: HTMLDetailsElement[] = [];
  addEventListener("beforeprint", () => {
    opened = Array.from(document.querySelectorAll<HTMLDetailsElement>("details.print:not([open])"));
    for (const part of opened) part.open = true;
  });
  addEventListener("afterprint", () => { for (const part of opened) part.open = false; });
}

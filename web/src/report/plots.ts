// SPDX-License-Identifier: Apache-2.0
// Plots of a report: lines that the legend mutes, values under the pointer or the arrow keys.
import { each, make } from "./dom";

function mute(figure: Element, series: number, control: Element): void {
  let off = false;
  each(`svg [data-s='${series}']`, (part) => { off = part.classList.toggle("muted"); }, figure);
  control.setAttribute("aria-pressed", off ? "false" : "true");
}

export function muteByLegend(): void {
  each("ul.legend.switch", (legend) => {
    const figure = legend.closest("figure");
    if (!figure) return;
    Array.from(legend.children).forEach((entry, series) => {
      const control = make("button");
      control.title = "Show or hide";
      control.setAttribute("aria-pressed", "true");
      control.append(...entry.childNodes);
      entry.appendChild(control);
      control.addEventListener("click", () => mute(figure, series, control));
      each(`svg [data-s='${series}'] .name`, (name) => name.addEventListener("click", () => mute(figure, series, control)), figure);
    });
  });
}

function placeOf(mark: SVGGraphicsElement): DOMMatrix | SVGMatrix {
  return mark.transform.baseVal.getItem(0).matrix;
}

/** The nearest of some places, which are sorted or not. */
export function nearest(places: number[], x: number): number {
  let best = 0;
  places.forEach((place, k) => { if (Math.abs((places[best] ?? 0) - x) > Math.abs(place - x)) best = k; });
  return best;
}

function showValues(svg: SVGSVGElement, line: SVGLineElement, tip: HTMLElement, at: number): void {
  const values = Array.from(svg.querySelectorAll<SVGGraphicsElement>("g:not(.muted) > .mark"))
    .filter((mark) => Math.abs(placeOf(mark).e - at) <= 0.6 && mark.querySelector("title"));
  if (values.length === 0) return;
  values.sort((a, b) => placeOf(a).f - placeOf(b).f);
  tip.replaceChildren(...values.slice(0, 16).map((mark) => make("div", "", mark.querySelector("title")?.textContent ?? "")));
  line.setAttribute("x1", String(at));
  line.setAttribute("x2", String(at));
  line.removeAttribute("visibility");
  tip.hidden = false;
  const box = svg.getBoundingClientRect();
  const x = box.left + at * box.width / svg.viewBox.baseVal.width;
  const wide = tip.offsetWidth;
  tip.style.left = `${x + 14 + wide > innerWidth ? Math.max(4, x - 14 - wide) : x + 14}px`;
  tip.style.top = `${Math.max(4, box.top + 34)}px`;
}

function cross(svg: SVGSVGElement, tip: HTMLElement): void {
  const marks = Array.from(svg.querySelectorAll<SVGGraphicsElement>("g > .mark"));
  const places = [...new Set(marks.map((mark) => placeOf(mark).e))].sort((a, b) => a - b);
  if (places.length === 0) return;
  let now = 0;
  const line = document.createElementNS(svg.namespaceURI ?? "", "line") as SVGLineElement;
  const [top = "0", bottom = "0"] = (svg.getAttribute("data-cross") ?? "").split(" ");
  line.setAttribute("class", "cross");
  line.setAttribute("y1", top);
  line.setAttribute("y2", bottom);
  line.setAttribute("visibility", "hidden");
  svg.appendChild(line);
  const show = () => showValues(svg, line, tip, places[now] ?? 0);
  const leave = () => {
    tip.hidden = true;
    line.setAttribute("visibility", "hidden");
  };
  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect();
    now = nearest(places, (event.clientX - box.left) * svg.viewBox.baseVal.width / box.width);
    show();
  });
  svg.addEventListener("pointerleave", leave);
  svg.addEventListener("blur", leave);
  svg.setAttribute("tabindex", "0");
  svg.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (event.key === "Escape") leave();
    if (step === undefined) return;
    event.preventDefault();
    if (!tip.hidden) now = Math.max(0, Math.min(places.length - 1, now + step));
    show();
  });
}

export function crossPlots(): void {
  const tip = make("div", "tip");
  tip.hidden = true;
  tip.setAttribute("role", "status");
  document.body.appendChild(tip);
  each<SVGSVGElement>("figure > svg[data-cross]", (svg) => cross(svg, tip));
  addEventListener("scroll", () => { if (!document.activeElement?.matches("svg[data-cross]")) tip.hidden = true; }, { passive: true });
}

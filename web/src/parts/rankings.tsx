// SPDX-License-Identifier: Apache-2.0
// Rankings of one query side by side, with lines between the same documents.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Column, Doc, Query } from "../api";
import { nameOf, useApp, type App } from "../app";
import { figure, moved, short } from "../format";
import { curve, linksBetween, type Link } from "../links";
import { pick } from "../state";
import { DocName, Label } from "./basic";

function heading(app: App, column: Column, query: Query): { title: string; value: number | null; note: string } {
  if (column === "a") return { title: "A", value: query.a, note: app.info.models[0]?.name ?? "" };
  if (column === "right") {
    const note = app.right === "edited" ? "A with edited weights" : app.info.models[1]?.name ?? "";
    return { title: nameOf(app, "right"), value: query.right, note };
  }
  if (column === "ideal") return { title: "Ideal order", value: query.ideal, note: "by label" };
  return { title: "Most violated", value: query.violated?.measure ?? null, note: "what the bound of A saw" };
}

interface Focus {
  column: Column;
  d: number;
}

interface ItemProps {
  doc: Doc;
  column: Column;
  place: number;
  cutoff: number | null;
  focusable: boolean;
  lit: boolean;
  onFocus(): void;
  onHover(on: boolean): void;
}

function Item({ doc, column, place, cutoff, focusable, lit, onFocus, onHover }: ItemProps) {
  const app = useApp();
  const { state, go, info } = app;
  const picked = state.first === doc.d ? "1" : state.second === doc.d ? "2" : "";
  const change = column === "a" ? { mark: "", words: "" } : moved(doc.ranks.a, place);
  const score = column === "a" ? doc.scores.a : column === "right" ? doc.scores.right : null;
  const most = info.data.labels[info.data.labels.length - 1] ?? 0;
  return (
    <li class={cutoff !== null && place > cutoff ? "below" : ""}>
      {cutoff !== null && place === cutoff + 1 ? <div class="cut">cutoff {cutoff}</div> : null}
      <button type="button" class={`doc ${lit ? "lit" : ""}`} data-d={doc.d} data-column={column} aria-pressed={picked !== ""}
        tabIndex={focusable ? 0 : -1} onFocus={onFocus} onMouseEnter={() => onHover(true)} onMouseLeave={() => onHover(false)}
        onClick={() => go(pick(state, doc.d), true)}>
        <span class="rank">{place}</span>
        <Label value={doc.label} most={most} />
        <span class="what">
          <DocName doc={doc} />
          <span class="facts-line">
            {score !== null ? <span>score {short(score)}</span> : null}
            {change.mark !== "" ? <span class={change.mark[0] === "▲" ? "up" : change.mark[0] === "▼" ? "down" : ""}>
              <span aria-hidden="true">{change.mark}</span><span class="sr">{change.words} than in A</span></span> : null}
            {picked !== "" ? <span class="picked">picked</span> : null}
          </span>
        </span>
      </button>
    </li>
  );
}

interface Drawn {
  links: Link[];
  left: number; // of the gap
  right: number;
}

function Lines({ drawn, lit, picked }: { drawn: Drawn; lit: number | null; picked: (number | null)[] }) {
  // Marked lines are drawn last, above the others.
  const marked = (link: Link) => link.d === lit || picked.includes(link.d);
  const sorted = [...drawn.links].sort((a, b) => Number(marked(a)) - Number(marked(b)));
  return (
    <svg class="links" aria-hidden="true">
      {sorted.map((link) => (
        <path key={link.d} class={`${link.way} ${marked(link) ? "on" : ""}`} d={curve(drawn.left, drawn.right, link.from, link.to)} />
      ))}
    </svg>
  );
}

/** Lines over the gap between the first two rankings, measured after every layout; none where they stand below each other. */
function useLines(query: Query, other: Column, box: { current: HTMLDivElement | null }): Drawn {
  const [drawn, setDrawn] = useState<Drawn>({ links: [], left: 0, right: 0 });
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const measure = () => {
      const origin = element.getBoundingClientRect();
      const rows = (column: Column) => [...element.querySelectorAll<HTMLElement>(`[data-column=${column}]`)].map((row) => {
        const area = row.getBoundingClientRect();
        return { d: Number(row.dataset["d"]), y: area.top - origin.top + area.height / 2, left: area.left, right: area.right };
      });
      const a = rows("a");
      const b = rows(other);
      const left = (a[0]?.right ?? 0) - origin.left;
      const right = (b[0]?.left ?? 0) - origin.left;
      const ranks = new Map(query.docs.map((doc) => [doc.d, doc.ranks]));
      const links = right > left ? linksBetween(a, b, (d) => {
        const of = ranks.get(d);
        const there = of?.[other] ?? null;
        return of && of.a !== null && there !== null ? [of.a, there] : null;
      }) : [];
      setDrawn({ links, left, right });
    };
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(element);
    return () => watch.disconnect();
  }, [query, other]);
  return drawn;
}

export function Rankings({ query }: { query: Query }) {
  const app = useApp();
  const { state, go, announce } = app;
  const box = useRef<HTMLDivElement>(null);
  const [focus, setFocus] = useState<Focus | null>(null);
  const [hover, setHover] = useState<number | null>(null);
  const docs = new Map(query.docs.map((doc) => [doc.d, doc]));
  const columns = (["a", "right", "ideal", "violated"] as const).filter((column) => query.order[column] !== null);
  const drawn = useLines(query, columns[1] ?? "ideal", box);
  const first = focus && query.order[focus.column]?.includes(focus.d) ? focus : { column: "a" as Column, d: query.order.a?.[0] ?? -1 };
  const lit = hover ?? (focus ? focus.d : null);

  const to = (column: Column, d: number | undefined) => {
    if (d === undefined) return;
    box.current?.querySelector<HTMLElement>(`[data-column=${column}][data-d="${d}"]`)?.focus();
  };
  const pressed = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.altKey || event.metaKey || !focus) return;
    const order = query.order[focus.column] ?? [];
    const place = order.indexOf(focus.d);
    const column = columns.indexOf(focus.column);
    const across = (step: number) => {
      const other = columns[column + step];
      if (other === undefined) return;
      const there = query.order[other] ?? [];
      if (!there.includes(focus.d)) announce("not among the documents shown there");
      to(other, there.includes(focus.d) ? focus.d : there[Math.min(place, there.length - 1)]);
    };
    const actions: Record<string, () => void> = {
      ArrowDown: () => to(focus.column, order[place + 1]),
      ArrowUp: () => to(focus.column, order[place - 1]),
      Home: () => to(focus.column, order[0]),
      End: () => to(focus.column, order[order.length - 1]),
      ArrowLeft: () => across(-1),
      ArrowRight: () => across(1),
      Escape: () => go({ first: null, second: null }, true),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  };
  return (
    <div ref={box} class="rankings" onKeyDown={pressed}>
      {columns.map((column) => {
        const { title, value, note } = heading(app, column, query);
        return (
          <section key={column} class={`ranking ${column}`} aria-labelledby={`ranking-${column}`}>
            <h4 id={`ranking-${column}`}>{title} <span class="value">{figure(value)}</span><span class="note"><bdi>{note}</bdi></span></h4>
            <ol start={query.offset + 1}>
                {(query.order[column] ?? []).map((d, index) => {
                  const doc = docs.get(d);
                  return doc ? <Item key={d} doc={doc} column={column} place={query.offset + index + 1} cutoff={query.cutoff}
                    focusable={first.column === column && first.d === d} lit={lit === d || state.first === d || state.second === d}
                    onFocus={() => setFocus({ column, d })} onHover={(on) => setHover(on ? d : null)} /> : null;
                })}
            </ol>
          </section>
        );
      })}
      {drawn.links.length > 0 ? <Lines drawn={drawn} lit={lit} picked={[state.first, state.second]} /> : null}
    </div>
  );
}

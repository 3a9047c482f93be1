// SPDX-License-Identifier: Apache-2.0
// Which queries are won and lost: their differences, sorted, one bar each. A slider by keyboard; Enter opens the query.
import { useState } from "preact/hooks";
import type { QueryRow } from "../api";
import { bin, rangeOf } from "../bars";
import { counted, figure, signed } from "../format";
import { Id } from "./basic";

const bars = 400; // drawn at most

interface Props {
  rows: QueryRow[]; // with a difference, the largest loss first
  names: [string, string]; // of A and of the other
  open(row: QueryRow): void;
}

/** "B less A: +0.0120 over 60 queries; 30 better, 20 worse, 10 the same". */
export function tally(rows: QueryRow[], names: [string, string]): string {
  const by = rows.map((row) => row.difference ?? 0);
  const mean = by.reduce((total, value) => total + value, 0) / Math.max(1, by.length);
  const better = by.filter((value) => value > 0).length;
  const worse = by.filter((value) => value < 0).length;
  return `${names[1]} less ${names[0]}: ${signed(mean)} over ${counted(rows.length, "query", "queries")}; ${better} better, ${worse} worse, ` +
    `${rows.length - better - worse} the same`;
}

export function WinLoss({ rows, names, open }: Props) {
  const [at, setAt] = useState<number | null>(null);
  if (rows.length === 0) return null;
  const range = rangeOf(rows.map((row) => row.difference ?? 0));
  const y = (value: number) => 100 * (range.high - value) / (range.high - range.low);
  const drawn = bin(rows.length, bars);
  const width = 1000 / drawn.length;
  const shown = at === null ? null : rows[Math.min(at, rows.length - 1)] ?? null;
  const to = (place: number) => setAt(Math.max(0, Math.min(rows.length - 1, place)));
  const under = (event: PointerEvent | MouseEvent) => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    return Math.max(0, Math.min(rows.length - 1, Math.floor((event.clientX - box.left) / box.width * rows.length)));
  };
  const pressed = (event: KeyboardEvent) => {
    const now = at ?? -1;
    const page = Math.max(1, Math.round(rows.length / 10));
    const steps: Record<string, number> = { ArrowRight: now + 1, ArrowUp: now + 1, ArrowLeft: now - 1, ArrowDown: now - 1, Home: 0,
      End: rows.length - 1, PageUp: now + page, PageDown: now - page };
    const step = steps[event.key];
    if (step !== undefined) to(step);
    else if (event.key === "Enter" && shown && shown.open !== false) open(shown);
    else return;
    event.preventDefault();
  };
  return (
    <div class="winloss">
      <p>{tally(rows, names)}.</p>
      <div class="differences" role="slider" tabIndex={0} aria-label="Queries, from the largest loss to the largest win" aria-valuemin={1}
        aria-valuemax={rows.length} aria-valuenow={(at ?? 0) + 1}
        aria-valuetext={shown ? `query ${shown.id}: ${signed(shown.difference)}` : "none picked"} onKeyDown={pressed}
        onPointerMove={(event) => to(under(event))} onPointerLeave={() => setAt(null)} onBlur={() => setAt(null)}
        onClick={(event) => { const row = rows[under(event)]; if (row && row.open !== false) open(row); }}>
        <svg viewBox="0 0 1000 100" preserveAspectRatio="none" aria-hidden="true">
          {drawn.map((place, k) => {
            const value = rows[place]?.difference ?? 0;
            return <rect key={place} class={value > 0 ? "for" : "against"} x={k * width} width={Math.max(width * 0.85, 0.5)} y={Math.min(y(0), y(value))}
              height={Math.abs(y(value) - y(0))} />;
          })}
          <line class="zero" x1="0" x2="1000" y1={y(0)} y2={y(0)} />
          {at !== null ? <line class="guide" x1={(at + 0.5) * 1000 / rows.length} x2={(at + 0.5) * 1000 / rows.length} y1="0" y2="100" /> : null}
        </svg>
      </div>
      <p class="note pointed" aria-hidden="true">{shown ? <><span class="clamp">query <Id text={shown.id} /></span> {signed(shown.difference)}: {names[0]} {figure(shown.a)},
        {" "}{names[1]} {figure(shown.right)}{shown.open === false ? "" : "; click or Enter opens it"}</>
        : rows.length > bars ? `one bar for every ${(rows.length / drawn.length).toFixed(1)} queries` : "one bar for every query"}</p>
    </div>
  );
}

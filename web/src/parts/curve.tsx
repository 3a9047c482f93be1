// SPDX-License-Identifier: Apache-2.0
// A curve that can be moved by its points: above the distribution of the values, with the documents of the open query.
import { useRef, useState } from "preact/hooks";
import type { CurveRow, Curves } from "../api";
import { useApp } from "../app";
import { addsAt, corners, handle, keyOf, movedPoints, room, type Shape } from "../curves";
import { short, signed, stepOf } from "../format";

const width = 400;
const height = 190;
const foot = 36; // of the distribution
const left = 48;
const above = 14;

/** Where a point begins, as in the data where that is known. */
function place(row: CurveRow, k: number): string {
  const point = row.points[k];
  if (!point || point.x === null) return `below ${place(row, 1)}`;
  return tidy(row, point.value ?? point.x);
}

/** What rounding has left of 0 is 0. */
function tidy(row: CurveRow, value: number): string {
  const [low, high] = row.ends ?? [row.from, row.to];
  return short(Math.abs(value) < 1e-6 * (high - low) ? 0 : value);
}

interface PictureProps {
  row: CurveRow;
  curves: Curves;
  ys: number[];
  weight: number;
  chosen: number;
  choose(k: number): void;
  move(k: number, y: number): void;
}

function Picture({ row, curves, ys, weight, chosen, choose, move }: PictureProps) {
  const { state } = useApp();
  const shape: Shape = curves.shape;
  const svg = useRef<SVGSVGElement>(null);
  const held = useRef<{ low: number; high: number } | null>(null); // the axis does not move under a hand
  const was = row.points.map((point) => point.y);
  const before = corners(row, shape, was, row.weight);
  const now = corners(row, shape, ys, weight);
  const frame = held.current ?? room([...before, ...now].map((corner) => corner.y));
  const bottom = height - foot - 4;
  const px = (x: number) => left + (x - row.from) / (row.to - row.from) * (width - left - 6);
  const py = (y: number) => bottom - (y - frame.low) / (frame.high - frame.low) * (bottom - above);
  const path = (list: { x: number; y: number }[]) => list.map(({ x, y }) => `${px(x).toFixed(1)},${py(y).toFixed(1)}`).join(" ");
  const edited = ys.some((y, k) => y !== was[k]) || weight !== row.weight;
  const drag = (event: PointerEvent, k: number) => {
    const box = svg.current?.getBoundingClientRect();
    if (!box || held.current === null) return;
    const at = (event.clientY - box.top) / box.height * height;
    const y = frame.low + (bottom - at) / (bottom - above) * (frame.high - frame.low);
    move(k, Number(Math.min(row.high, Math.max(row.low, y)).toPrecision(4)));
  };
  const bar = (width - left - 6) / row.shares.length;
  return (
    <svg ref={svg} class="curve" viewBox={`0 0 ${width} ${height}`} role="img"
      aria-label={`${row.name} adds ${row.points.map((_, k) => `${signed(ys[k] ?? 0, 3)} at ${place(row, k)}`).join(", ") || `${short(weight)} for each unit`}`}>
      {row.shares.map((share, k) => <rect key={k} class="share" x={left + k * bar} width={Math.max(0.5, bar - 0.5)}
        y={height - share * foot} height={share * foot} />)}
      <line class="zero" x1={left} x2={width - 6} y1={py(0)} y2={py(0)} />
      <text x={left - 9} y={py(0) + 4}>0</text>
      {[Math.max(...now.map(({ y }) => y)), Math.min(...now.map(({ y }) => y))].map((y) => (
        Math.abs(py(y) - py(0)) > 13 ? <text key={y} x={left - 9} y={py(y) + 4}>{short(Number(y.toPrecision(2)))}</text> : null))}
      {edited ? <polyline class="was" points={path(before)} /> : null}
      <polyline class="now" points={path(now)} />
      {(curves.query?.documents ?? []).map((document, k) => {
        const x = row.x[k] ?? null;
        if (x === null) return null;
        const inside = Math.min(row.to, Math.max(row.from, x));
        const picked = document.d === state.first || document.d === state.second;
        return (
          <circle key={document.d} class={`document ${document.label > 0 ? "relevant" : ""} ${picked ? "chosen" : ""}`}
            cx={px(inside)} cy={py(addsAt(row, shape, ys, weight, inside))} r={picked ? 5.5 : 3.5}>
            <title>{`rank ${document.rank}, label ${document.label}: ${document.id}`}</title>
          </circle>
        );
      })}
      {row.points.map((_, k) => {
        const { x, y } = handle(row, shape, ys, k);
        return (
          <g key={k} class={`point ${k === chosen ? "chosen" : ""}`}
            onPointerDown={(event) => {
              held.current = frame;
              event.currentTarget.setPointerCapture(event.pointerId);
              choose(k);
            }}
            onPointerMove={(event) => drag(event, k)}
            onPointerUp={() => { held.current = null; }} onPointerCancel={() => { held.current = null; }}>
            <circle class="reach" cx={px(x)} cy={py(y)} r="13" />
            <rect x={px(x) - 4.5} y={py(y) - 4.5} width="9" height="9" />
          </g>
        );
      })}
    </svg>
  );
}

/** One feature: its picture, and one of its points on a slider. */
export function CurvePart({ row, curves, set }: { row: CurveRow; curves: Curves; set(key: string, value: number | null): void }) {
  const { state } = useApp();
  const [chosen, choose] = useState(Math.floor(row.points.length / 2));
  const ys = movedPoints(row, state.edits);
  const line = row.points.length === 0;
  const key = line ? String(row.feature) : keyOf(row.feature, chosen);
  const own = line ? row.weight : row.points[chosen]?.y ?? 0;
  const value = state.edits.get(key) ?? own;
  const change = (next: number) => set(key, next === own ? null : next);
  const step = stepOf(row.low, row.high);
  const edited = row.points.filter((_, k) => state.edits.has(keyOf(row.feature, k))).length;
  const gaps = row.x.filter((x) => x === null).length;
  const end = (side: 0 | 1) => (row.ends ? tidy(row, row.ends[side]) : `${short(side === 0 ? row.from : row.to)} scaled`);
  return (
    <li class={state.edits.has(key) || edited > 0 ? "edited" : ""}>
      <h3><bdi>{row.name}</bdi></h3>
      <Picture row={row} curves={curves} ys={ys} weight={line ? value : row.weight} chosen={line ? -1 : chosen} choose={choose}
        move={(k, y) => set(keyOf(row.feature, k), y)} />
      <p class="ends"><span>{end(0)}</span><span>{end(1)}</span></p>
      <div class="moves">
        {line ? <span>weight</span> : (
          <select aria-label={`point of ${row.name}`} value={chosen} onChange={(event) => choose(Number(event.currentTarget.value))}>
            {row.points.map((_, k) => <option key={k} value={k}>at {place(row, k)}</option>)}
          </select>
        )}
        <input type="range" aria-label={line ? `weight of ${row.name}` : `what ${row.name} adds at ${place(row, chosen)}`}
          min={row.low} max={row.high} step={step} value={value} aria-valuetext={short(value)}
          onInput={(event) => change(event.currentTarget.valueAsNumber)} />
        <input type="number" class="number" aria-label={line ? `weight of ${row.name}, as a number` : `what ${row.name} adds at ${place(row, chosen)}, as a number`}
          step={step} value={Number(value.toPrecision(4))}
          onChange={(event) => { if (Number.isFinite(event.currentTarget.valueAsNumber)) change(event.currentTarget.valueAsNumber); }} />
        <button type="button" class="small" disabled={!state.edits.has(key) && edited === 0} onClick={() => set(line ? key : `${row.feature}.`, null)}>
          Reset<span class="sr">: {row.name}</span></button>
      </div>
      {row.missing === null || gaps === 0 ? null : <p class="note">Missing in {gaps} of these documents: adds {signed(row.missing)}.</p>}
    </li>
  );
}

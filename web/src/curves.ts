// SPDX-License-Identifier: Apache-2.0
// Where curves run, and where their points may go; no browser needed.
import type { CurveRow } from "./api";
import type { Edits } from "./state";

export type Shape = "lines" | "steps";
export interface XY { x: number; y: number }

/** What names a point in an address: "3.2". */
export function keyOf(feature: number, point: number): string {
  return `${feature}.${point}`;
}

/** What the points of a curve add, as they are moved. */
export function movedPoints(row: CurveRow, edits: Edits): number[] {
  return row.points.map((point, k) => edits.get(keyOf(row.feature, k)) ?? point.y);
}

/** What a feature adds at a scaled value; null: it is missing. `ys`: of the points, `weight`: of a line. */
export function addsAt(row: CurveRow, shape: Shape, ys: number[], weight: number, x: number | null): number {
  if (x === null) return row.missing ?? 0;
  if (ys.length === 0) return weight * (x - row.median);
  const at = (k: number) => ys[k] ?? 0;
  const xs = row.points.map((point) => point.x ?? -Infinity);
  const last = xs.length - 1;
  let k = 0;
  while (k < last && x >= (xs[k + 1] ?? 0)) ++k;
  if (shape === "steps") return at(k);
  const from = xs[k] ?? 0;
  if (x <= from || k === last) return at(k) + row.weight * (x - from);
  const share = (x - from) / ((xs[k + 1] ?? 0) - from);
  return at(k) + share * (at(k + 1) - at(k));
}

/** The corners of what is drawn. */
export function corners(row: CurveRow, shape: Shape, ys: number[], weight: number): XY[] {
  const value = (x: number) => ({ x, y: addsAt(row, shape, ys, weight, x) });
  const out = [value(row.from)];
  for (const [k, point] of row.points.entries()) {
    if (point.x === null) continue;
    if (shape === "steps") out.push({ x: point.x, y: ys[k - 1] ?? 0 });
    out.push({ x: point.x, y: ys[k] ?? 0 });
  }
  return [...out, value(row.to)];
}

/** Where a point is drawn: a level in its middle. */
export function handle(row: CurveRow, shape: Shape, ys: number[], k: number): XY {
  const x = row.points[k]?.x ?? row.from;
  const next = shape === "steps" ? row.points[k + 1]?.x ?? row.to : x;
  return { x: (x + next) / 2, y: ys[k] ?? 0 };
}

/** The room for a picture: what is drawn, 0, and a third as much above and below. */
export function room(values: number[]): { low: number; high: number } {
  const low = Math.min(0, ...values);
  const high = Math.max(0, ...values);
  const more = high > low ? (high - low) / 3 : 1;
  return { low: low - more, high: high + more };
}

// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import type { CurveRow } from "../src/api";
import { addsAt, corners, handle, keyOf, movedPoints, room } from "../src/curves";

const row = (points: [number | null, number][], more: Partial<CurveRow> = {}): CurveRow => ({
  feature: 3, name: "bm25", weight: 0.5, low: -2, high: 2, median: 1, missing: null, moves: 1, from: -1, to: 5, ends: null, shares: [1], x: [],
  points: points.map(([x, y]) => ({ x, value: null, y })), ...more });

test("lines run through their points, and beyond them by the weight", () => {
  const lines = row([[0, 0], [2, 1], [4, -1]], { missing: -0.25 });
  const ys = lines.points.map((point) => point.y);
  const at = (x: number | null) => addsAt(lines, "lines", ys, 0.5, x);
  assert.deepEqual([0, 1, 2, 3, 4].map(at), [0, 0.5, 1, 0, -1]);
  assert.equal(at(-2), -1);
  assert.equal(at(6), 0);
  assert.equal(at(null), -0.25);
  assert.deepEqual(corners(lines, "lines", ys, 0.5).map(({ x, y }) => [x, y]), [[-1, -0.5], [0, 0], [2, 1], [4, -1], [5, -0.5]]);
});

test("steps change at their points", () => {
  const steps = row([[null, -1], [0, 0.5], [2, 2]], { weight: 0 });
  const ys = steps.points.map((point) => point.y);
  assert.deepEqual([-0.5, 0, 1.9, 2, 9].map((x) => addsAt(steps, "steps", ys, 0, x)), [-1, 0.5, 0.5, 2, 2]);
  assert.deepEqual(corners(steps, "steps", ys, 0).map(({ x, y }) => [x, y]), [[-1, -1], [0, -1], [0, 0.5], [2, 0.5], [2, 2], [5, 2]]);
  assert.deepEqual(handle(steps, "steps", ys, 0), { x: -0.5, y: -1 });
  assert.deepEqual(handle(steps, "steps", ys, 2), { x: 3.5, y: 2 });
});

test("a line has its weight alone", () => {
  assert.equal(addsAt(row([]), "lines", [], 2, 4), 6);
  assert.deepEqual(corners(row([]), "lines", [], 2), [{ x: -1, y: -4 }, { x: 5, y: 8 }]);
});

test("moved points take the place of the model's", () => {
  const lines = row([[0, 0], [2, 1], [4, -1]]);
  assert.equal(keyOf(3, 10), "3.10");
  assert.deepEqual(movedPoints(lines, new Map([["3.1", 7], ["3", 9], ["2.0", 9]])), [0, 7, -1]);
  assert.deepEqual(room([1, 4]), { low: -4 / 3, high: 4 + 4 / 3 });
  assert.deepEqual(room([]), { low: -1, high: 1 });
});

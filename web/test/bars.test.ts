// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import { address, type Pair, type Part } from "../src/api";
import { legend, rangeOf, stack, waterfall } from "../src/bars";
import { curve, linksBetween } from "../src/links";

const part = (feature: number, above_mean: number): Part =>
  ({ feature, name: `f${feature}`, value: 0, scaled: 0, weight: 1, contribution: above_mean, above_mean });

test("stacks keep every contribution, on its side of zero", () => {
  const parts = [part(0, 3), part(1, -2), part(2, 1), part(3, -0.5)];
  const segments = stack(parts, 0.25, [1, 0]);
  assert.deepEqual(segments.map(({ key, colour, from, to }) => [key, colour, from, to]),
    [["1", 0, 0, -2], ["0", 1, 0, 3], ["rest", -1, 3, 3.75]]);
  assert.equal(segments.reduce((sum, segment) => sum + segment.value, 0), 1.75);
});

test("the legend has the largest contributions, ties by feature", () => {
  const documents = [{ parts: [part(0, 1), part(1, -2)] }, { parts: [part(2, 2), part(0, 1), part(3, 0)] }];
  assert.deepEqual(legend(documents, 9).map((entry) => entry.feature), [0, 1, 2]);
  assert.deepEqual(legend(documents, 1).map((entry) => entry.feature), [0]);
});

test("a waterfall leads from the lower score to the upper", () => {
  const difference = (feature: number, value: number) => ({ feature, name: `f${feature}`, upper: 1, lower: 0, weight: 1, difference: value });
  const pair: Pair = { upper: { d: 0, rank: 1, score: 2 }, lower: { d: 1, rank: 4, score: 0.5 }, gap: 1.5, additive: true,
    parts: [difference(4, 2), difference(1, -1), difference(2, 0)], rest: 0.5, swaps: [], why_none: null };
  assert.deepEqual(waterfall(pair).map(({ key, from, to }) => [key, from, to]), [["4", 0.5, 2.5], ["1", 2.5, 1.5], ["rest", 1.5, 2]]);
  assert.equal(waterfall({ ...pair, rest: 1e-17 }).length, 2);
});

test("ranges are never empty", () => {
  assert.deepEqual(rangeOf([2, 5]), { low: 0, high: 5 });
  assert.deepEqual(rangeOf([2, 5], false), { low: 2, high: 5 });
  assert.deepEqual(rangeOf([3, 3], false), { low: 2.5, high: 3.5 });
  assert.deepEqual(rangeOf([]), { low: -0.5, high: 0.5 });
});

test("links join documents that stand in both lists", () => {
  const ranks: Record<number, [number, number]> = { 7: [1, 2], 8: [2, 1], 9: [3, 3] };
  const links = linksBetween([{ d: 7, y: 10 }, { d: 8, y: 20 }, { d: 9, y: 30 }, { d: 1, y: 40 }], [{ d: 8, y: 11 }, { d: 7, y: 21 }, { d: 9, y: 31 }, { d: 2, y: 41 }],
    (d) => ranks[d] ?? null);
  assert.deepEqual(links, [{ d: 7, from: 10, to: 21, way: "down" }, { d: 8, from: 20, to: 11, way: "up" }, { d: 9, from: 30, to: 31, way: "same" }]);
  assert.equal(curve(10, 30, 1, 2), "M10.0 1.0C20.0 1.0 20.0 2.0 30.0 2.0");
});

test("addresses are encoded, and leave out what is empty", () => {
  assert.equal(address("info"), "api/info");
  assert.equal(address("queries", { filter: "a b&c=#<é>", offset: 0, right: "", judge: null, edits: undefined }),
    "api/queries?filter=a%20b%26c%3D%23%3C%C3%A9%3E&offset=0");
});

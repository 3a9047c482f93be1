// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import { agreementWord, counted, figure, moved, probability, share, short, signed, stepOf, swapSentence, verdict } from "../src/format";

test("numbers", () => {
  assert.equal(figure(0.71784), "0.7178");
  assert.equal(figure(null), "–");
  assert.equal(signed(-0.00404), "−0.0040");
  assert.equal(signed(0.00404), "+0.0040");
  assert.equal(signed(-0.00001), "0.0000");
  assert.deepEqual([0, 12.5, -0.25, 123456.7, 1e-7, -2.5e9].map(short), ["0", "12.5", "−0.25", "123500", "1.00e−7", "−2.50e+9"]);
  assert.deepEqual([0, 0.00001, 0.0125, 0.5, 1].map(share), ["0.0 %", "< 0.1 %", "1.3 %", "50 %", "100 %"]);
  assert.deepEqual([0.0001, 0.021, 0.21, 1].map(probability), ["p < 0.001", "p 0.021", "p 0.21", "p 1.00"]);
  assert.deepEqual([0, 1, 1200].map((count) => counted(count, "query", "queries")), ["0 queries", "1 query", "1,200 queries"]);
});

test("a verdict says what a test allows", () => {
  const of = (mean: number, p: number | null, wins = 3) => verdict({ mean, low: null, high: null, p, wins, losses: 0, ties: 9 });
  assert.equal(of(0.004, 0.21), "+0.0040, p 0.21: may be noise");
  assert.equal(of(0.004, 0.01), "+0.0040, p 0.010: better");
  assert.equal(of(-0.004, 0.01), "−0.0040, p 0.010: worse");
  assert.equal(of(0.004, null), "+0.0040, no test: may be noise");
  assert.equal(of(0, 1, 0), "no query changes");
});

test("what would swap two documents", () => {
  const swap = { feature: 3, name: "bm25", document: "lower" as const, from: 11.1, to: 12.4, change: 1.3, seen: true };
  assert.equal(swapSentence(swap), "bm25 of the lower document were 1.3 higher (12.4 instead of 11.1)");
  assert.equal(swapSentence({ ...swap, document: "upper", to: 9.8, change: -1.3, seen: false }),
    "bm25 of the upper document were 1.3 lower (9.8 instead of 11.1; no document of the data has such a value)");
});

test("ranks and agreement", () => {
  assert.deepEqual(moved(5, 2), { mark: "▲3", words: "3 higher" });
  assert.deepEqual(moved(2, 5), { mark: "▼3", words: "3 lower" });
  assert.deepEqual(moved(2, 2), { mark: "=", words: "same rank" });
  assert.equal(moved(null, 2).mark, "");
  assert.deepEqual([null, -0.1, 0, 0.2, 0.21, 0.61, 1].map(agreementWord), ["undefined", "none", "none", "slight", "fair", "substantial", "almost perfect"]);
});

test("steps of sliders", () => {
  assert.deepEqual([[-1, 1], [-2.4, 2.4], [0, 1e-6], [-300, 300]].map(([low, high]) => stepOf(low!, high!)), [0.01, 0.05, 5e-9, 5]);
});

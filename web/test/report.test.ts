// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import type { Page, Pair, Query, QueryRow, WeightRow, Why } from "../src/api";
import { bin } from "../src/bars";
import { tally } from "../src/parts/winloss";
import type { Island } from "../src/report/island";
import { nearest } from "../src/report/plots";
import { answerOf, infoOf, restOf, rowOf, sorted } from "../src/report/source";
import { compareKeys } from "../src/report/tables";

// Two rankers on three queries; the first query has lists. Weights 2 and -1; documents x = (1, 0), (0, 1), (1, 1), so
// that scores are 2, -1, 1, their mean 2/3, and the means of the contributions 4/3 and -2/3.
const third = 1 / 3;
const island: Island = {
  measure: "ndcg@10", cutoff: 10, data: "t.txt", labels: [0, 1], ids: ["<b>", "x2", "X10"], documents: [3, 4, 5], relevant: [1, 2, 3],
  ideal: [1, 1, null],
  rankers: [
    { name: "m", values: [0.5, 0.75, null], features: ["bm25", "age"], weights: [2, -1] },
    { name: "r", values: [0.75, 0.25, 0.5], features: [], weights: [] },
  ],
  lists: { 0: {
    docs: [["d0", 0], ["d1", 1], ["d2", 0]], order: [[0, 2, 1], []], ranks: [[1, 3, 2], []], scores: [[2, -1, 1], []],
    ideal: [1, 0, 2], idealRanks: [2, 1, 3], kept: 3,
    why: [{ features: [0, 1], mean: 2 * third, means: [4 * third, -2 * third],
      values: [[1, 0], [0, 1], [1, 1]], above: [[2 * third, 2 * third], [-4 * third, -third], [2 * third, -third]] }, null],
  } },
  compared: [0, 1],
};
const both = { a: 0, b: 1 };
const near = (value: number, expected: number) => assert.ok(Math.abs(value - expected) < 1e-9, `${value} is not ${expected}`);

test("queries are rows with losses and differences", () => {
  assert.deepEqual(rowOf(island, both, 0), { q: 0, id: "<b>", documents: 3, relevant: 1, a: 0.5, right: 0.75, difference: 0.25, loss: 0.5,
    swaps: 0, text: null, judged: 0, open: true });
  const row = rowOf(island, both, 2);
  assert.deepEqual([row.a, row.difference, row.loss, row.open], [null, null, null, false]);
});

test("queries are sorted and filtered as the server does it, those without a value last", () => {
  const ids = (url: string) => (answerOf(island, both, url) as Page<QueryRow>).rows.map((row) => row.id);
  assert.deepEqual(ids("api/queries?sort=loss&order=desc&right=b"), ["<b>", "x2", "X10"]);
  assert.deepEqual(ids("api/queries?sort=loss&order=asc&right=b"), ["x2", "<b>", "X10"]);
  assert.deepEqual(ids("api/queries?sort=gain&order=asc&right=b"), ["x2", "<b>", "X10"]);
  assert.deepEqual(ids("api/queries?sort=id&order=asc"), ["<b>", "X10", "x2"]);
  assert.deepEqual(ids("api/queries?filter=x"), ["x2", "X10"]);
  assert.deepEqual(ids("api/queries?filter=q%3A2"), ["X10"]);
  assert.deepEqual(ids("api/queries?offset=1&limit=1"), ["x2"]);
  const alone = answerOf(island, both, "api/queries") as Page<QueryRow>;
  assert.deepEqual([alone.total, alone.rows[0]?.right], [3, null]);
  assert.deepEqual(sorted([], "loss", "desc"), []);
});

test("a query has its lists, those of a ranker without any are none", () => {
  const query = answerOf(island, both, "api/query?q=0&offset=0&limit=2&right=b") as Query;
  assert.deepEqual(query.order, { a: [0, 2], right: null, ideal: [1, 0], violated: null });
  assert.deepEqual(query.docs[1], { d: 1, id: "d1", label: 1, title: null, text: null, judged: null,
    ranks: { a: 3, right: null, ideal: 1, violated: null }, scores: { a: -1, right: null } });
  assert.throws(() => answerOf(island, both, "api/query?q=1"), /not on this page/);
  assert.throws(() => answerOf(island, both, "api/judgments"), /does not answer/);
});

test("contributions add up to the score less the mean", () => {
  const why = answerOf(island, both, "api/why?q=0&model=a&docs=1,0&parts=12") as Why;
  const [first] = why.documents;
  assert.equal(first?.d, 1);
  assert.deepEqual(first?.parts.map((part) => part.name), ["bm25", "age"]);
  near(first?.parts[0]?.contribution ?? NaN, 0);
  near(first?.parts[1]?.contribution ?? NaN, -1);
  near(first?.parts[1]?.scaled ?? NaN, 1);
  assert.equal(first?.rest, 0);
  assert.throws(() => answerOf(island, both, "api/why?q=0&model=b&docs=0"), /not on this page/);
});

test("two documents are told apart by the contributions of each feature", () => {
  const pair = answerOf(island, both, "api/pair?q=0&model=a&first=1&second=2") as Pair;
  assert.deepEqual([pair.upper.d, pair.lower.d, pair.gap, pair.rest, pair.swaps], [2, 1, 2, 0, null]);
  near(pair.parts[0]?.difference ?? NaN, 2);
  near(pair.parts[1]?.difference ?? NaN, 0);
});

test("a rest is what parts lack, but not what rounding leaves", () => {
  assert.equal(restOf(1, [0.5, 0.500001]), 0);
  assert.equal(restOf(1, [0.5, 0.25]), 0.25);
  assert.equal(restOf(0, []), 0);
});

test("weights come the largest first, and know their scale", () => {
  const page = answerOf(island, both, "api/weights?filter=&offset=0&limit=50") as Page<WeightRow>;
  assert.deepEqual(page.rows.map((row) => [row.name, row.weight, row.low, row.high]), [["bm25", 2, -2, 2], ["age", -1, -2, 2]]);
  assert.equal((answerOf(island, both, "api/weights?model=b") as Page<WeightRow>).total, 0);
  assert.deepEqual(infoOf(island, both).models.map((model) => [model.name, model.linear, model.explains]), [["m", true, true], ["r", false, false]]);
});

test("wins and losses are counted", () => {
  const rows = [0, 1].map((q) => rowOf(island, both, q));
  assert.equal(tally(rows, ["A", "B"]), "B less A: \u22120.1250 over 2 queries; 1 better, 1 worse, 0 the same");
});

test("many bars are thinned evenly, ends kept", () => {
  assert.deepEqual(bin(3, 5), [0, 1, 2]);
  assert.deepEqual(bin(11, 3), [0, 5, 10]);
});

test("tables sort figures by value, words by language, what is missing last", () => {
  assert.deepEqual([3, null, 1].sort((a, b) => compareKeys(a, b, true)), [3, 1, null]);
  assert.deepEqual(["q10", "q9"].sort((a, b) => compareKeys(a, b, false)), ["q9", "q10"]);
  assert.equal(nearest([0, 10, 20], 14), 1);
});

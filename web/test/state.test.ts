// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import { pick, readEdits, readHash, rightOf, start, writeEdits, writeHash, type State } from "../src/state";

test("an address and its state are one", () => {
  const state: State = { ...start, view: "query", right: "edited", edits: new Map([["3.10", 2], ["3", 1.25], ["3.2", 0.5], ["0", -1e-7]]), sort: "swaps", order: "asc",
    filter: "a&b=c #?%<é>", offset: 50, q: 17, at: 2, from: 20, first: 0, second: 5, model: "right", features: "x", page: 50, drift: "name", driftOrder: "asc" };
  assert.deepEqual(readHash(writeHash(state)), { ...state, edits: new Map([["0", -1e-7], ["3", 1.25], ["3.2", 0.5], ["3.10", 2]]) });
  assert.equal(writeHash(start), "#queries");
  assert.deepEqual(readHash("#queries"), start);
  assert.deepEqual(readHash(""), start);
});

test("what is not understood has its default", () => {
  for (const hash of ["#nowhere", "#__proto__?right=zz", "#queries?sort=constructor&order=up&offset=-1&q=1e3&at=x&first=999999999999", "#?%E0%A4%A", "##"]) {
    assert.deepEqual(readHash(hash), start, hash);
  }
});

test("edits are numbers or nothing", () => {
  assert.deepEqual([...readEdits("3:1.25,0:-2e-5,x:1,4:,5:1e999,6:0x10,7:1,7:2,__proto__:1")], [["3", 1.25], ["0", -2e-5], ["7", 2]]);
  assert.equal(writeEdits(new Map([["10", 1], ["2", 0.5]])), "2:0.5,10:1");
  assert.equal(readEdits(Array.from({ length: 300 }, (_, k) => `${k}:1`).join()).size, 100);
});

test("picking: one, two, another second, none", () => {
  const of = (first: number | null, second: number | null): State => ({ ...start, first, second });
  assert.deepEqual(pick(of(null, null), 4), { first: 4, second: null });
  assert.deepEqual(pick(of(4, null), 0), { first: 4, second: 0 });
  assert.deepEqual(pick(of(4, 0), 7), { first: 4, second: 7 });
  assert.deepEqual(pick(of(4, 0), 4), { first: 0, second: null });
  assert.deepEqual(pick(of(4, 0), 0), { first: 4, second: null });
});

test("what is compared", () => {
  assert.equal(rightOf(start, 1), "");
  assert.equal(rightOf(start, 2), "b");
  assert.equal(rightOf({ ...start, right: "none" }, 2), "");
  assert.equal(rightOf({ ...start, right: "b" }, 1), "");
  assert.equal(rightOf({ ...start, view: "whatif", right: "b" }, 2), "edited");
  assert.equal(rightOf({ ...start, view: "whatif", right: "edited" }, 1, false), "");
});

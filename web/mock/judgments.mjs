// SPDX-License-Identifier: Apache-2.0
// Judgments and blind trials of the mock, in memory.
import { kappa } from "./data.mjs";
import { Refused } from "./refused.mjs";

export class Judgments {
  constructor(queries) {
    this.queries = queries;
    this.labels = new Map(); // judge -> Map("q d" -> label)
    this.changes = new Map(); // judge -> [{q, d, before}]
    for (let d = 0; d < 8; d++) this.set({ q: 20, d, label: Math.max(0, Math.min(4, queries[20].documents[d].label + (d % 3) - 1)), judge: "bob" });
  }
  of(judge) {
    if (!this.labels.has(judge)) this.labels.set(judge, new Map());
    return this.labels.get(judge);
  }
  label(judge, q, d) {
    return this.labels.get(judge)?.get(`${q} ${d}`) ?? null;
  }
  count(judge, q) {
    return [...(this.labels.get(judge)?.keys() ?? [])].filter((key) => key.startsWith(`${q} `)).length;
  }
  write(judge, q, d, label) {
    if (label === null) this.of(judge).delete(`${q} ${d}`);
    else this.of(judge).set(`${q} ${d}`, label);
    return { q, d, label, judgments: this.of(judge).size };
  }
  set({ q, d, label, judge }) {
    if (typeof judge !== "string" || judge === "" || judge.length > 64) throw new Refused(400, "judge: expected a name of 1 to 64 characters");
    if (!this.queries[q]?.documents[d]) throw new Refused(404, `q: found ${q}, d: found ${d}; there is no such document`);
    if (label !== null && ![0, 1, 2, 3, 4].includes(label)) throw new Refused(400, `label: found ${label}; expected 0 to 4`);
    const before = this.label(judge, q, d);
    if (!this.changes.has(judge)) this.changes.set(judge, []);
    this.changes.get(judge).push({ q, d, before });
    return { ...this.write(judge, q, d, label), before };
  }
  undo({ judge }) {
    const last = this.changes.get(judge)?.pop();
    return last ? this.write(judge, last.q, last.d, last.before) : { q: null, d: null, label: null, judgments: this.labels.get(judge)?.size ?? 0 };
  }
  agreement() {
    const judged = new Map([...this.labels].filter(([, labels]) => labels.size > 0));
    const data = new Map();
    for (const labels of judged.values()) {
      for (const key of labels.keys()) {
        const [q, d] = key.split(" ").map(Number);
        data.set(key, this.queries[q].documents[d].label);
      }
    }
    if (data.size > 0) judged.set("data", data);
    const names = [...judged.keys()];
    const pairs = names.flatMap((first, i) => names.slice(i + 1).map((second) => {
      const both = [...judged.get(first)].filter(([key]) => judged.get(second).has(key)).map(([key, label]) => [label, judged.get(second).get(key)]);
      return { first, second, both: both.length, same: both.filter(([x, y]) => x === y).length, kappa: kappa(both, false), weighted: kappa(both, true) };
    })).filter((pair) => pair.both > 0);
    return { judges: names.map((judge) => ({ judge, judgments: judged.get(judge).size })), pairs };
  }
  lines() {
    return [...this.labels].flatMap(([judge, labels]) => [...labels].map(([key, label]) => {
      const [q, d] = key.split(" ").map(Number);
      return { query: this.queries[q].id, document: this.queries[q].documents[d].id, label, judge };
    }));
  }
}

export class Blind {
  constructor(queries, orderOf) {
    this.queries = queries;
    this.orderOf = orderOf;
    this.answers = [];
    this.open = new Map(); // judge -> trial
  }
  next(judge) {
    const done = this.answers.filter((answer) => answer.judge === judge).length;
    const q = 20 + done;
    if (done >= 5) return { trial: null, id: null, q: null, done, left: [], right: [] };
    const query = this.queries[q];
    const flipped = q % 2 === 1;
    this.open.set(judge, { trial: `trial-${q}`, flipped });
    const list = (side) => this.orderOf(query, side).slice(0, 10).map((d) => {
      const { id, title, text } = query.documents[d];
      return { d, id, title, text };
    });
    return { trial: `trial-${q}`, id: query.id, q, done, left: list(flipped ? "b" : "a"), right: list(flipped ? "a" : "b") };
  }
  answer({ judge, trial, better }) {
    const open = this.open.get(judge);
    if (open?.trial !== trial) throw new Refused(404, "trial: there is no such trial");
    if (!["left", "right", "same"].includes(better)) throw new Refused(400, "better: expected left, right or same");
    this.open.delete(judge);
    const model = better === "same" ? "same" : (better === "left") !== open.flipped ? "a" : "b";
    this.answers.push({ judge, model });
    return { done: this.answers.filter((answer) => answer.judge === judge).length };
  }
  result() {
    const count = (model) => this.answers.filter((answer) => answer.model === model).length;
    return { trials: this.answers.length, a: count("a"), b: count("b"), same: count("same"), p: this.answers.length ? 0.62 : null };
  }
}

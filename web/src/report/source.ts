// SPDX-License-Identifier: Apache-2.0
// Answers the questions that views ask (web/API.md) from what a report carries, for two of its rankers.
import type { Doc, Info, ModelInfo, Page, Pair, Part, Query, QueryRow, WeightRow, Why } from "../api";
import type { Island, Kept, Lists } from "./island";

/** A, and what it is compared with: rankers by place. */
export interface Compared {
  a: number;
  b: number | null;
}

function model(island: Island, key: "a" | "b", place: number): ModelInfo {
  const ranker = island.rankers[place];
  const explains = Object.values(island.lists).some((lists) => (lists.why[place] ?? null) !== null);
  return { key, name: ranker?.name ?? "", method: "", measure: island.measure, bound: null, linear: (ranker?.weights.length ?? 0) > 0,
    fingerprint: "", features: ranker?.features.length ?? 0, explains };
}

export function infoOf(island: Island, { a, b }: Compared): Info {
  const documents = island.documents.reduce((sum, count) => sum + count, 0);
  return { version: "", measure: island.measure, convention: "", cutoff: island.cutoff,
    data: { name: island.data, queries: island.ids.length, documents, features: 0, labels: island.labels, texts: false },
    models: [model(island, "a", a), ...(b === null ? [] : [model(island, "b", b)])],
    judging: { on: false, file: null, labels: [] }, report: true };
}

const less = (x: number | null, y: number | null): number | null => (x === null || y === null ? null : x - y);

export function rowOf(island: Island, { a, b }: Compared, q: number): QueryRow {
  const own = island.rankers[a]?.values[q] ?? null;
  const right = b === null ? null : island.rankers[b]?.values[q] ?? null;
  return { q, id: island.ids[q] ?? "", text: island.texts?.[q] ?? null, documents: island.documents[q] ?? 0, relevant: island.relevant[q] ?? 0, a: own, right,
    difference: less(right, own), loss: less(island.ideal[q] ?? null, own), swaps: 0, judged: 0, open: island.lists[q] !== undefined };
}

type Key = (row: QueryRow) => number | null;
const keys: Record<string, Key> = {
  loss: (row) => row.loss,
  difference: (row) => (row.difference === null ? null : Math.abs(row.difference)),
  gain: (row) => row.difference,
  documents: (row) => row.documents,
};

const byText = (x: string, y: string): number => (x < y ? -1 : x > y ? 1 : 0);

/** Rows in the order asked for, ties by query; those without a value come last. */
export function sorted(rows: QueryRow[], sort: string, order: string): QueryRow[] {
  const way = order === "asc" ? 1 : -1;
  if (sort === "id") return [...rows].sort((x, y) => way * byText(x.id, y.id) || x.q - y.q);
  const key = keys[sort] ?? ((row: QueryRow) => row.loss);
  return [...rows].sort((x, y) => {
    const [left, right] = [key(x), key(y)];
    if (left === null || right === null) return Number(left === null) - Number(right === null) || x.q - y.q;
    return way * (left - right) || x.q - y.q;
  });
}

function queries(island: Island, compared: Compared, asked: URLSearchParams): Page<QueryRow> {
  const text = (asked.get("filter") ?? "").toLowerCase();
  const one = /^q:(\d+)$/.exec(text);
  const compares = asked.get("right") === "b" ? compared : { ...compared, b: null };
  const all = island.ids.map((_, q) => rowOf(island, compares, q))
    .filter((row) => (one ? row.q === Number(one[1]) : `${row.id}\n${row.text ?? ""}`.toLowerCase().includes(text)));
  const offset = Number(asked.get("offset") ?? 0);
  const rows = sorted(all, asked.get("sort") ?? "loss", asked.get("order") ?? "desc");
  return { total: rows.length, offset, rows: rows.slice(offset, offset + Number(asked.get("limit") ?? 50)) };
}

function listsOf(island: Island, q: number): Lists {
  const lists = island.lists[q];
  if (!lists) throw new Error("the lists of this query are not on this page: it keeps those of some queries, to stay small");
  return lists;
}

function query(island: Island, { a, b }: Compared, asked: URLSearchParams): Query {
  const q = Number(asked.get("q"));
  const lists = listsOf(island, q);
  const right = asked.get("right") === "b" ? b : null;
  const offset = Number(asked.get("offset") ?? 0);
  const cut = (order: number[] | undefined) => (order === undefined || order.length === 0 ? null
    : order.slice(offset, offset + Number(asked.get("limit") ?? 50)));
  const at = (table: (number | null)[][], ranker: number | null, d: number) => (ranker === null ? null : table[ranker]?.[d] ?? null);
  const docs = lists.docs.map(([id, label, title], d): Doc => ({ d, id, label: label ?? 0, title: title ?? null, text: null, judged: null,
    ranks: { a: at(lists.ranks, a, d), right: at(lists.ranks, right, d), ideal: lists.idealRanks[d] ?? null, violated: null },
    scores: { a: at(lists.scores, a, d), right: at(lists.scores, right, d) } }));
  const row = rowOf(island, { a, b: right }, q);
  return { q, id: row.id, text: row.text ?? null, documents: row.documents, kept: Math.min(lists.kept, row.documents), cutoff: island.cutoff, a: row.a,
    right: row.right, ideal: island.ideal[q] ?? null, offset,
    order: { a: cut(lists.order[a]), right: right === null ? null : cut(lists.order[right]), ideal: cut(lists.ideal), violated: null },
    violated: null, docs };
}

interface Explained {
  lists: Lists;
  ranker: number;
  kept: Kept;
}

function explained(island: Island, { a, b }: Compared, asked: URLSearchParams): Explained {
  const lists = listsOf(island, Number(asked.get("q")));
  const ranker = asked.get("model") === "b" ? b ?? a : a;
  const kept = lists.why[ranker] ?? null;
  if (kept === null) throw new Error("contributions to the scores of this ranker are not on this page");
  return { lists, ranker, kept };
}

/** The kept contributions to the score of one document. */
function partsOf(island: Island, { ranker, kept }: Explained, d: number): Part[] {
  const { features = [], weights = [] } = island.rankers[ranker] ?? {};
  return kept.features.map((feature, k) => {
    const above = kept.above[d]?.[k] ?? 0;
    const contribution = above + (kept.means[k] ?? 0);
    const weight = weights[feature] ?? 0;
    return { feature, name: features[feature] ?? String(feature), value: kept.values[d]?.[k] ?? 0,
      scaled: weight === 0 ? 0 : contribution / weight, weight, contribution, above_mean: above };
  });
}

const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);

/** What is left of a total; nothing, where that is no more than the rounding of what a report keeps. */
export function restOf(total: number, parts: number[]): number {
  const rest = total - sum(parts);
  const size = Math.abs(total) + sum(parts.map(Math.abs));
  return Math.abs(rest) <= 1e-5 * size ? 0 : rest;
}

function why(island: Island, compared: Compared, asked: URLSearchParams): Why {
  const found = explained(island, compared, asked);
  const documents = (asked.get("docs") ?? "").split(",").map(Number).map((d) => {
    const parts = partsOf(island, found, d).sort((x, y) => Math.abs(y.above_mean) - Math.abs(x.above_mean));
    const score = found.lists.scores[found.ranker]?.[d] ?? 0;
    return { d, score, rank: found.lists.ranks[found.ranker]?.[d] ?? 0, parts,
      rest: restOf(score - found.kept.mean, parts.map((part) => part.above_mean)) };
  });
  return { additive: true, mean_score: found.kept.mean, documents };
}

function pair(island: Island, compared: Compared, asked: URLSearchParams): Pair {
  const found = explained(island, compared, asked);
  const side = (name: string) => {
    const d = Number(asked.get(name));
    return { d, rank: found.lists.ranks[found.ranker]?.[d] ?? 0, score: found.lists.scores[found.ranker]?.[d] ?? 0 };
  };
  const [upper, lower] = [side("first"), side("second")].sort((x, y) => x.rank - y.rank) as [Pair["upper"], Pair["lower"]];
  const below = partsOf(island, found, lower.d);
  const parts = partsOf(island, found, upper.d).map((part, k) => ({ feature: part.feature, name: part.name, upper: part.value,
    lower: below[k]?.value ?? 0, weight: part.weight, difference: part.contribution - (below[k]?.contribution ?? 0) }))
    .sort((x, y) => Math.abs(y.difference) - Math.abs(x.difference));
  const gap = upper.score - lower.score;
  return { upper, lower, gap, additive: true, parts, rest: restOf(gap, parts.map((part) => part.difference)), swaps: null, why_none: null };
}

/** Weights of A, the largest first; low and high frame all of both rankers. */
function weights(island: Island, compared: Compared, asked: URLSearchParams): Page<WeightRow> {
  const ranker = island.rankers[asked.get("model") === "b" ? compared.b ?? -1 : compared.a];
  const text = (asked.get("filter") ?? "").toLowerCase();
  const most = Math.max(0, ...(ranker?.weights ?? []).map(Math.abs));
  const all = (ranker?.weights ?? []).map((weight, feature) => ({ feature, name: ranker?.features[feature] ?? "", weight, low: -most, high: most }))
    .filter((row) => row.name.toLowerCase().includes(text))
    .sort((x, y) => Math.abs(y.weight) - Math.abs(x.weight) || x.feature - y.feature);
  const offset = Number(asked.get("offset") ?? 0);
  return { total: all.length, offset, rows: all.slice(offset, offset + Number(asked.get("limit") ?? 50)) };
}

const answers: Record<string, (island: Island, compared: Compared, asked: URLSearchParams) => unknown> = { queries, query, why, pair, weights };

/** The answer to an address (api.ts). Throws where the report has none. */
export function answerOf(island: Island, compared: Compared, url: string): unknown {
  const [, path = "", asked = ""] = /^api\/([^?]*)\??(.*)$/.exec(url) ?? [];
  const found = answers[path];
  if (!found) throw new Error(`a report does not answer ${path}`);
  return found(island, compared, new URLSearchParams(asked));
}

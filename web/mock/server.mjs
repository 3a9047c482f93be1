// SPDX-License-Identifier: Apache-2.0
// A stand-in for the server of `dorm explore`, for the tests of the page: generated data, the endpoints of
// web/API.md, the same headers. `node mock/server.mjs [--port N] [--one]`; prints its address.
// --one: a single model with a kernel and without a bound, no texts, no judging.
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import path from "node:path";
import { cutoff, features, idealOrder, interval, makeData, ndcg, permutationTest, rank, scoresOf, swaps, violatedOrder, weights } from "./data.mjs";
import { Blind, Judgments } from "./judgments.mjs";
import { Refused } from "./refused.mjs";

const dist = path.join(path.dirname(fileURLToPath(import.meta.url)), "../dist");
const one = process.argv.includes("--one");
const port = Number(process.argv[process.argv.indexOf("--port") + 1]) || 0;
const queries = makeData();
const total = queries.reduce((sum, query) => sum + query.documents.length, 0);
const judgments = new Judgments(queries);
const blind = new Blind(queries, (query, model) => rank(scoresOf(query, weights[model])));

function weightsOf(model, edits) {
  if (model === "a" || (model === "b" && !one)) return weights[model];
  if (model === "edited" && one) throw new Refused(409, "right: the model has a kernel; expected one with weights");
  if (model !== "edited") throw new Refused(404, `model: found ${model}; expected a, b or edited`);
  const w = [...weights.a];
  for (const piece of (edits ?? "").split(",").filter((text) => text !== "")) {
    const [feature, weight] = piece.split(":").map(Number);
    if (!(feature in w) || !Number.isFinite(weight)) throw new Refused(400, `edits: found ${piece}; expected feature:weight`);
    w[feature] = weight;
  }
  return w;
}

const cache = new Map();
/** Rankings of all queries by some weights. */
function evaluated(w) {
  const key = w.join();
  if (!cache.has(key)) {
    if (cache.size > 20) cache.clear();
    cache.set(key, queries.map((query) => {
      const scores = scoresOf(query, w);
      const order = rank(scores);
      return { scores, order, value: ndcg(query, order) };
    }));
  }
  return cache.get(key);
}

const sides = (values) => ({
  a: evaluated(weights.a),
  right: values.right ? evaluated(weightsOf(values.right, values.edits)) : null,
});

function number(values, name, fallback, most) {
  if (values[name] === undefined) return fallback;
  const value = Number(values[name]);
  if (!Number.isInteger(value) || value < 0 || value > most) throw new Refused(400, `${name}: found ${values[name]}; expected 0 to ${most}`);
  return value;
}

function queryOf(values) {
  const query = queries[Number(values.q)];
  if (!query) throw new Refused(404, `q: found ${values.q}; expected 0 to ${queries.length - 1}`);
  return query;
}

function paged(rows, values) {
  const offset = number(values, "offset", 0, 1e9);
  return { total: rows.length, offset, rows: rows.slice(offset, offset + number(values, "limit", 50, 200)) };
}

function info() {
  const models = ["a", "b"].slice(0, one ? 1 : 2).map((key) => ({ key, name: key === "a" ? "dorm.json" : "<i>ridge</i>.json", linear: !one, edits: !one && key === "a" ? "weights" : null,
    method: key === "a" ? "dorm" : "ridge", measure: key === "a" ? "ndcg@10" : null, bound: key === "a" && !one ? "soft" : null,
    fingerprint: "9f2c0011", features: features.length }));
  return { version: "0.0.0-mock", measure: "ndcg@10", convention: "letor", cutoff, models,
    data: { name: "test & <data>.txt", queries: queries.length, documents: total, features: features.length, labels: [0, 1, 2, 3, 4], texts: !one },
    judging: { on: !one, file: one ? null : "judgments.sqlite", labels: [0, 1, 2, 3, 4] } };
}

function summary(values) {
  const { a, right } = sides(values);
  const known = a.map((_, q) => q).filter((q) => a[q].value !== null);
  const of = (side) => (side ? interval(known.map((q) => side[q].value)) : null);
  const differences = right ? known.map((q) => right[q].value - a[q].value) : null;
  return { measure: "ndcg@10", queries: known.length, skipped: queries.length - known.length, a: of(a), right: of(right),
    difference: differences && { ...interval(differences), p: permutationTest(differences), wins: differences.filter((x) => x > 0).length,
      losses: differences.filter((x) => x < 0).length, ties: differences.filter((x) => x === 0).length } };
}

const swapCounts = new Map();
function swapCount(query, left, right) {
  const key = `${query.q} ${right ? right.slice(0, 12) : ""}`;
  if (!swapCounts.has(key)) swapCounts.set(key, swaps(query, left, right));
  return swapCounts.get(key);
}

function table(values) {
  const { a, right } = sides(values);
  const wanted = (values.filter ?? "").toLowerCase();
  const index = /^q:(\d+)$/.exec(wanted);
  const rows = queries.filter((query) => (index ? query.q === Number(index[1]) : query.id.toLowerCase().includes(wanted))).map((query) => {
    const [x, y] = [a[query.q], right?.[query.q]];
    return { q: query.q, id: query.id, documents: query.documents.length, relevant: query.documents.filter((document) => document.label > 0).length,
      a: x.value, right: y?.value ?? null, difference: y && x.value !== null ? y.value - x.value : null,
      loss: x.value === null ? null : 1 - x.value, swaps: swapCount(query, x.order, y?.order), judged: judgments.count(values.judge, query.q) };
  });
  const sort = values.sort ?? "loss";
  const keys = { loss: (row) => row.loss ?? -1, difference: (row) => Math.abs(row.difference ?? 0), gain: (row) => row.difference ?? 0, swaps: (row) => row.swaps,
    documents: (row) => row.documents, id: (row) => row.id, judged: (row) => row.judged };
  if (!Object.hasOwn(keys, sort)) throw new Refused(400, `sort: found ${sort}; expected ${Object.keys(keys).join(", ")}`);
  const sign = values.order === "asc" ? 1 : -1;
  rows.sort((x, y) => sign * (keys[sort](x) < keys[sort](y) ? -1 : keys[sort](x) > keys[sort](y) ? 1 : 0) || x.q - y.q);
  return paged(rows, values);
}

function oneQuery(values) {
  const query = queryOf(values);
  const { a, right } = sides(values);
  const [x, y] = [a[query.q], right?.[query.q] ?? null];
  const offset = number(values, "offset", 0, 1e9);
  const limit = number(values, "limit", 50, 200);
  const full = { a: x.order, right: y?.order ?? null, ideal: idealOrder(query), violated: one ? null : violatedOrder(query, x.scores) };
  const order = Object.fromEntries(Object.entries(full).map(([key, list]) => [key, list?.slice(offset, offset + limit) ?? null]));
  const also = (values.also ?? "").split(",").filter((text) => text !== "").map(Number).filter((d) => query.documents[d]);
  const shown = [...new Set([...Object.values(order).flatMap((list) => list ?? []), ...also])];
  const value = one ? 0 : ndcg(query, full.violated) ?? 0;
  return { q: query.q, id: query.id, documents: query.documents.length, cutoff, a: x.value, right: y?.value ?? null,
    ideal: ndcg(query, full.ideal), offset, order, violated: one ? null : { measure: value, loss: 1 - value, gain: -0.25, violation: 0.75 - value },
    docs: shown.map((d) => {
      const { id, label, title, text } = query.documents[d];
      return { d, id, label, title: one ? null : title, text: one ? null : text, judged: judgments.label(values.judge, query.q, d),
        ranks: Object.fromEntries(Object.entries(full).map(([key, list]) => [key, list ? list.indexOf(d) + 1 : null])),
        scores: { a: x.scores[d], right: y?.scores[d] ?? null } };
    }) };
}

function parts(query, w) {
  const means = w.map((weight, j) => (weight * query.documents.reduce((sum, { x }) => sum + x[j], 0)) / query.documents.length);
  return (d) => w.map((weight, j) => ({ feature: j, name: features[j], value: query.documents[d].x[j], scaled: query.documents[d].x[j], weight,
    contribution: weight * query.documents[d].x[j], above_mean: weight * query.documents[d].x[j] - means[j] }))
    .sort((x, y) => Math.abs(y.above_mean) - Math.abs(x.above_mean));
}

function why(values) {
  const query = queryOf(values);
  const w = weightsOf(values.model ?? "a", values.edits);
  const { scores, order } = evaluated(w)[query.q];
  const partsOf = parts(query, w);
  const most = number(values, "parts", 8, 30);
  const documents = (values.docs ?? "").split(",").map(Number).map((d) => {
    if (!query.documents[d]) throw new Refused(404, `docs: there is no document ${d}`);
    const all = partsOf(d);
    return { d, score: scores[d], rank: order.indexOf(d) + 1, parts: all.slice(0, most), rest: all.slice(most).reduce((sum, part) => sum + part.above_mean, 0) };
  });
  return { additive: !one, mean_score: scores.reduce((sum, score) => sum + score, 0) / scores.length, documents };
}

function pair(values) {
  const query = queryOf(values);
  const w = weightsOf(values.model ?? "a", values.edits);
  const { scores, order } = evaluated(w)[query.q];
  const chosen = [Number(values.first), Number(values.second)];
  if (chosen.some((d) => !query.documents[d]) || chosen[0] === chosen[1]) throw new Refused(404, "first, second: expected two documents of the query");
  const [upper, lower] = chosen.sort((x, y) => order.indexOf(x) - order.indexOf(y)).map((d) => ({ d, rank: order.indexOf(d) + 1, score: scores[d] }));
  const [x, y] = [query.documents[upper.d].x, query.documents[lower.d].x];
  const all = w.map((weight, j) => ({ feature: j, name: features[j], upper: x[j], lower: y[j], weight, difference: weight * (x[j] - y[j]) }))
    .sort((p, q) => Math.abs(q.difference) - Math.abs(p.difference));
  const gap = upper.score - lower.score;
  const most = number(values, "parts", 12, 30);
  const found = all.filter((part) => Math.abs(part.weight) > 0.2).map((part) => {
    const change = gap / part.weight;
    return { feature: part.feature, name: part.name, document: "lower", from: part.lower, to: part.lower + change, change, seen: Math.abs(part.lower + change) < 3 };
  }).sort((p, q) => Math.abs(p.change) - Math.abs(q.change)).slice(0, 5);
  return { upper, lower, gap, additive: !one, parts: all.slice(0, most), rest: all.slice(most).reduce((sum, part) => sum + part.difference, 0),
    swaps: one ? [] : found, why_none: one ? "the model has a kernel" : null };
}

function change(values) {
  const query = queryOf(values);
  const d = Number(values.d);
  const w = weightsOf(values.model ?? "a", values.edits);
  const documents = query.documents.map((document) => ({ ...document, x: [...document.x] }));
  for (const piece of (values.values ?? "").split(",").filter((text) => text !== "")) {
    const [feature, value] = piece.split(":").map(Number);
    documents[d].x[feature] = value;
  }
  const place = (scores, order) => ({ score: scores[d], rank: order.indexOf(d) + 1, measure: ndcg(query, order) });
  const { scores, order } = evaluated(w)[query.q];
  const after = scoresOf({ ...query, documents }, w);
  return { d, before: place(scores, order), after: place(after, rank(after)) };
}

const filtered = (values) => features.map((name, feature) => ({ feature, name })).filter(({ name }) => name.toLowerCase().includes((values.filter ?? "").toLowerCase()));

function weightRows(values) {
  const rows = filtered(values).map((row) => ({ ...row, weight: weights.a[row.feature], low: -2.4, high: 2.4 }));
  return paged(one ? [] : rows.sort((x, y) => Math.abs(y.weight) - Math.abs(x.weight)), values);
}

function drift(values) {
  const all = queries.flatMap((query) => query.documents);
  const rows = filtered(values).map((row) => {
    const column = all.map(({ x }) => x[row.feature]);
    const mean = column.reduce((sum, value) => sum + value, 0) / column.length;
    const known = row.name !== "stock";
    const [low, high] = row.feature % 4 === 1 ? [-1.5, 2] : [-4.5, 4.5];
    return { ...row, weight: weights.a[row.feature], train_low: known ? low : null, train_high: known ? high : null, train_mean: known ? 0.1 : null,
      data_low: Math.min(...column), data_high: Math.max(...column), data_mean: mean,
      outside: known ? column.filter((value) => value < low || value > high).length / column.length : null, shift: known ? Math.abs(mean - 0.1) / (high - low) : null };
  });
  const sort = values.sort ?? "outside";
  const sign = values.order === "asc" ? 1 : -1;
  rows.sort((x, y) => sign * (sort === "name" ? (x.name < y.name ? -1 : 1) : (x[sort] ?? -1) - (y[sort] ?? -1)));
  return paged(rows, values);
}

const checks = () => ({ findings: [
  { kind: "constant", severity: "warn", title: "1 feature is constant", count: 1, examples: ["constant"], queries: [] },
  { kind: "range", severity: "warn", title: "3 features leave the range of training", count: 3, examples: ["popularity", "url length", "stock"], queries: [] },
  { kind: "one-label", severity: "note", title: "5 queries have one label only", count: 5, examples: ["10040", "<img src=x onerror=alert(1)>"], queries: [31, 40, 81] },
  { kind: "one-document", severity: "note", title: "1 query has one document", count: 1, examples: ["10031"], queries: [31] },
  { kind: "duplicates", severity: "good", title: "no query has equal documents", count: 0, examples: [], queries: [] },
  { kind: "missing", severity: "good", title: "the data have all features of the model", count: 0, examples: [], queries: [] },
] });

const needsJudging = (answer) => {
  if (one) throw new Refused(409, "judging is off");
  return answer();
};

const gets = {
  info, summary, queries: table, query: oneQuery, why, pair, weights: weightRows, change, checks, drift,
  agreement: () => needsJudging(() => judgments.agreement()),
  blind: (values) => needsJudging(() => blind.next(values.judge)),
  "blind/result": () => needsJudging(() => blind.result()),
};
const posts = { judgments: (body) => judgments.set(body), undo: (body) => judgments.undo(body), blind: (body) => blind.answer(body) };
const downloads = {
  "model.json": (values) => JSON.stringify({ method: "edited", weights: weightsOf("edited", values.edits) }),
  "judgments.qrels": () => judgments.lines().map((line) => `${line.query.replace(/\s/g, "_")} 0 ${line.document.replace(/\s/g, "_")} ${line.label}\n`).join(""),
  "judgments.txt": () => judgments.lines().map((line) => `${line.label} qid:1\n`).join(""),
  "judgments.jsonl": () => judgments.lines().map((line) => `${JSON.stringify(line)}\n`).join(""),
};

async function bodyOf(request) {
  if (request.headers["content-type"] !== "application/json") throw new Refused(415, "expected application/json");
  let text = "";
  for await (const piece of request) text += piece;
  return JSON.parse(text);
}

const types = { ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8" };

async function respond(request) {
  const url = new URL(request.url, "http://localhost");
  const values = Object.fromEntries(url.searchParams);
  if (!url.pathname.startsWith("/api/")) {
    const name = url.pathname === "/" ? "index.html" : url.pathname.slice(1);
    if (!["index.html", "app.js", "app.css"].includes(name)) throw new Refused(404, "no such page");
    return { type: types[path.extname(name)], body: await readFile(path.join(dist, name)) };
  }
  const name = url.pathname.slice(5);
  if (request.method === "POST") {
    if (!Object.hasOwn(posts, name)) throw new Refused(404, "no such endpoint");
    const body = await bodyOf(request);
    return { type: "application/json", body: JSON.stringify(needsJudging(() => posts[name](body))) };
  }
  if (Object.hasOwn(downloads, name)) return { type: "application/octet-stream", body: downloads[name](values), file: name === "model.json" ? "edited.json" : name };
  if (!Object.hasOwn(gets, name)) throw new Refused(404, "no such endpoint");
  return { type: "application/json", body: JSON.stringify(gets[name](values)) };
}

const server = createServer(async (request, response) => {
  response.setHeader("Content-Security-Policy", "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'");
  response.setHeader("X-Content-Type-Options", "nosniff");
  response.setHeader("Referrer-Policy", "no-referrer");
  response.setHeader("Cache-Control", "no-store");
  try {
    if (request.url === "/favicon.ico") {
      response.writeHead(204).end();
      return;
    }
    const { type, body, file } = await respond(request);
    if (file) response.setHeader("Content-Disposition", `attachment; filename="${file}"`);
    response.writeHead(200, { "Content-Type": type });
    response.end(body);
  } catch (problem) {
    response.writeHead(problem instanceof Refused ? problem.status : 500, { "Content-Type": "application/json" });
    response.end(JSON.stringify({ error: String(problem.message) }));
  }
});
server.listen(port, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/`));

// SPDX-License-Identifier: Apache-2.0
// Generated queries and two linear rankers, with names that try to become markup, and figures computed from them.

const hostile = [
  "<img src=x onerror=\"document.title='owned'\">", "\"><script>document.title='owned'</script>", "javascript:alert(1)", "__proto__",
  "constructor", "\u202Eevil\u202C", "a".repeat(300), "  ", "tab\there", "line\nbreak", "naïve 🦊 日本語", "'; DROP TABLE judgments; --",
  "{{7*7}}", "</textarea><svg onload=alert(1)>", "&lt;b&gt;", "%3Cscript%3E", "=1+1", "q:17",
];
const featureNames = ["bm25", "popularity", "freshness", "title match", "<b>clicks</b>", "url length", "page rank", "dwell time", "price",
  "stock", "age of the document in days since it was first crawled", "constant"];
const words = "ranking search model vector query click judge order measure bound loss weight feature document index score list page".split(" ");

export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let x = Math.imul(state ^ (state >>> 15), 1 | state);
    x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x;
    return ((x ^ (x >>> 14)) >>> 0) / 4294967296;
  };
}

function normal(next) {
  return Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
}

export const weights = { a: [1.2, 0.6, -0.2, 0.8, 0.35, -0.1, 0.3, 0.15, -0.25, 0.05, -0.02, 0], b: [0.9, 0.9, 0.2, 0.5, 0.6, 0, 0.1, 0.3, 0, 0.1, 0, 0] };
export const features = featureNames;
export const cutoff = 10;

function makeQuery(q, next, length) {
  const truth = [1, 0.5, 0.1, 1, 0.2, 0, 0.5, 0.3, -0.4, 0, 0, 0];
  const documents = Array.from({ length }, (_, d) => {
    const x = featureNames.map((name) => (name === "constant" ? 1 : normal(next)));
    const score = x.reduce((sum, value, j) => sum + value * truth[j], 0) + 1.2 * normal(next);
    const label = Math.max(0, Math.min(4, Math.floor(score)));
    const text = Array.from({ length: 8 + Math.floor(next() * 30) }, () => words[Math.floor(next() * words.length)]).join(" ");
    const id = (q + d) % 9 === 3 ? hostile[(q + d) % hostile.length] + (d % 2 ? ` ${d}` : "") : `GX${String(q).padStart(3, "0")}-${d}`;
    const title = d % 11 === 7 ? hostile[d % hostile.length] : d % 5 === 4 ? null : `${words[d % words.length]} ${words[(q + 3 * d) % words.length]} ${d}`;
    return { d, id, x, label: q % 41 === 40 ? 0 : label, title, text: d % 6 === 5 ? null : d % 13 === 4 ? hostile[0] + text : text };
  });
  const id = q < hostile.length ? hostile[q] : `${10000 + q}`;
  return { q, id, documents };
}

export function makeData(count = 240, seed = 7) {
  const next = random(seed);
  return Array.from({ length: count }, (_, q) => makeQuery(q, next, q === 30 ? 1000 : q === 31 ? 1 : 8 + Math.floor(next() * 50)));
}

export function rank(scores) {
  return scores.map((_, d) => d).sort((i, j) => scores[j] - scores[i] || i - j);
}

export function scoresOf(query, w) {
  return query.documents.map(({ x }) => x.reduce((sum, value, j) => sum + value * w[j], 0));
}

function dcg(query, order) {
  return order.slice(0, cutoff).reduce((sum, d, i) => sum + (2 ** query.documents[d].label - 1) / Math.log2(i + 2), 0);
}

export function idealOrder(query) {
  return rank(query.documents.map((document) => document.label));
}

export function ndcg(query, order) {
  const best = dcg(query, idealOrder(query));
  return best > 0 ? dcg(query, order) / best : null;
}

/** A stand-in for the most violated ranking: scores spoilt by labels. */
export function violatedOrder(query, scores) {
  return rank(scores.map((score, d) => score - 0.7 * query.documents[d].label));
}

export function swaps(query, left, right) {
  const place = (order) => order.reduce((places, d, i) => ((places[d] = i), places), []);
  const [a, b] = [place(left), place(right ?? left)];
  let count = 0;
  for (const i of left.slice(0, right ? left.length : cutoff)) {
    for (const j of left.slice(a[i] + 1)) {
      if (right) count += Math.min(a[i], b[j]) < cutoff && b[i] > b[j] ? 1 : 0;
      else count += query.documents[i].label < query.documents[j].label ? 1 : 0;
    }
  }
  return count;
}

export function interval(values, seed = 1) {
  const next = random(seed);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const means = Array.from({ length: 300 }, () => {
    let sum = 0;
    for (let i = 0; i < values.length; i++) sum += values[Math.floor(next() * values.length)];
    return sum / values.length;
  }).sort((x, y) => x - y);
  return { mean, low: means[7], high: means[292] };
}

export function permutationTest(differences) {
  const next = random(3);
  const sum = Math.abs(differences.reduce((total, value) => total + value, 0));
  let more = 0;
  const rounds = 400;
  for (let round = 0; round < rounds; round++) {
    let total = 0;
    for (const value of differences) total += next() < 0.5 ? value : -value;
    more += Math.abs(total) >= sum - 1e-12 ? 1 : 0;
  }
  return (more + 1) / (rounds + 1);
}

/** Cohen's kappa; with quadratic weights where asked. */
export function kappa(pairs, weighted) {
  const labels = [...new Set(pairs.flat())].sort((x, y) => x - y);
  if (pairs.length === 0 || labels.length < 2) return null;
  const cost = (x, y) => (weighted ? (x - y) ** 2 : x === y ? 0 : 1);
  const seen = pairs.reduce((sum, [x, y]) => sum + cost(x, y), 0) / pairs.length;
  let chance = 0;
  for (const x of pairs) for (const y of pairs) chance += cost(x[0], y[1]);
  chance /= pairs.length ** 2;
  return chance === 0 ? null : 1 - seen / chance;
}

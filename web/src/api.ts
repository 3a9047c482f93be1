// SPDX-License-Identifier: Apache-2.0
// What the server answers (web/API.md), and how it is asked. Nothing else of the page fetches. A report answers the same
// questions from what it carries with it; what only a report says is optional here.

export interface ModelInfo {
  key: "a" | "b";
  name: string;
  method: string;
  measure: string | null;
  bound: string | null;
  kind?: string; // model, run, scores, feature or order
  linear: boolean;
  family?: string; // linear, kernel, trees, sum or curves
  edits?: "weights" | "curves" | "parts" | null; // what of it can be moved
  fingerprint: string;
  features: number;
  explains?: boolean; // false: its contributions are not at hand
  trained_share?: number; // of these queries that it was trained on
}

export interface Info {
  version: string;
  measure: string;
  convention: string;
  cutoff: number | null;
  data: { name: string; queries: number; documents: number; features: number; labels: number[]; texts: boolean };
  models: ModelInfo[];
  judging: { on: boolean; file: string | null; labels: number[]; queue?: number };
  report?: boolean; // part of a report: under its headings, without swaps
}

export interface Estimate {
  mean: number;
  low: number | null;
  high: number | null;
}

export interface Difference extends Estimate {
  p: number | null;
  wins: number;
  losses: number;
  ties: number;
}

export interface Summary {
  measure: string;
  queries: number;
  skipped: number;
  a: Estimate;
  right: Estimate | null;
  difference: Difference | null;
}

export interface QueryRow {
  q: number;
  id: string;
  text?: string | null; // what people typed
  documents: number;
  relevant: number;
  a: number | null;
  right: number | null;
  difference: number | null;
  loss: number | null;
  swaps: number;
  judged: number;
  open?: boolean; // false: its lists are not at hand
}

export interface Page<Row> {
  total: number;
  offset: number;
  rows: Row[];
}

export type Column = "a" | "right" | "ideal" | "violated";

export interface Doc {
  d: number;
  id: string;
  label: number;
  title: string | null;
  text: string | null;
  url?: string | null;
  judged: number | null;
  ranks: Record<Column, number | null>;
  scores: { a: number | null; right: number | null };
}

export interface Query {
  q: number;
  id: string;
  text?: string | null;
  documents: number;
  kept?: number; // positions that are at hand; absent: all
  cutoff: number | null;
  a: number | null;
  right: number | null;
  ideal: number | null;
  offset: number;
  order: Record<Column, number[] | null>;
  violated: { measure: number; loss: number; gain: number; violation: number } | null;
  docs: Doc[];
}

export interface Part {
  feature: number;
  name: string;
  value: number;
  scaled: number;
  weight: number;
  contribution: number;
  above_mean: number;
}

export interface Why {
  additive: boolean;
  mean_score: number;
  documents: { d: number; score: number; rank: number; rest: number; parts: Part[] }[];
}

export interface Swap {
  feature: number;
  name: string;
  document: "upper" | "lower";
  from: number;
  to: number;
  change: number;
  seen: boolean;
}

export interface Pair {
  upper: { d: number; rank: number; score: number };
  lower: { d: number; rank: number; score: number };
  gap: number;
  additive: boolean;
  parts: { feature: number; name: string; upper: number; lower: number; weight: number; difference: number }[];
  rest: number;
  swaps: Swap[] | null; // null: not looked for
  why_none: string | null;
}

export interface WeightRow {
  feature: number;
  name: string;
  weight: number;
  low: number;
  high: number;
}

export interface CurvePoint {
  x: number | null; // scaled; null: of the lowest level of steps
  value: number | null; // as in the data, where the scaling can be undone
  y: number; // what it adds to a score
}

export interface CurveRow extends WeightRow {
  median: number;
  missing: number | null;
  moves: number;
  points: CurvePoint[]; // none: a line
  from: number; // what is drawn
  to: number;
  ends: [number, number] | null; // as in the data
  shares: number[]; // of the values there, the largest 1
  x: (number | null)[]; // of the documents of the query; null: missing
}

export interface Curves extends Page<CurveRow> {
  shape: "lines" | "steps";
  scaling: string;
  query: { q: number; id: string; documents: { d: number; rank: number; id: string; label: number }[] } | null;
}

export interface Place {
  score: number;
  rank: number;
  measure: number | null;
}

export interface Change {
  d: number;
  before: Place;
  after: Place;
}

export interface Judged {
  q: number | null;
  d: number | null;
  label: number | null;
  judgments: number;
}

/** A document that is to be judged, as the queue lists it. */
export interface Queued {
  q: number;
  query: string;
  query_text: string | null;
  d: number;
  id: string;
  label: number;
  title: string | null;
  text: string | null;
  url?: string | null;
  judged: number | null;
}

export interface Queue extends Page<Queued> {
  first: number | null; // not judged yet
}

export interface Agreement {
  judges: { judge: string; judgments: number }[];
  pairs: { first: string; second: string; both: number; same: number; kappa: number | null; weighted: number | null }[];
}

export interface BlindDoc {
  d: number;
  id: string;
  title: string | null;
  text: string | null;
}

export interface Trial {
  trial: string | null;
  id: string | null;
  text?: string | null; // of the query
  q: number | null;
  done: number;
  left: BlindDoc[];
  right: BlindDoc[];
}

export interface BlindResult {
  trials: number;
  a: number;
  b: number;
  same: number;
  p: number | null;
}

export interface Finding {
  kind: string;
  severity: "good" | "note" | "warn";
  title: string;
  count: number;
  examples: string[];
  queries: number[];
}

export interface DriftRow {
  feature: number;
  name: string;
  weight: number | null;
  train_low: number | null;
  train_high: number | null;
  train_mean: number | null;
  data_low: number;
  data_high: number;
  data_mean: number;
  outside: number | null;
  shift: number | null;
}

export type Values = Record<string, string | number | null | undefined>;

/** The address of an endpoint. What is null, undefined or empty is left out. Relative, so that a proxy may
 * put the page anywhere. */
export function address(path: string, values: Values = {}): string {
  const pairs = Object.entries(values).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const text = pairs.map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(String(value))}`).join("&");
  return `api/${path}${text === "" ? "" : `?${text}`}`;
}

async function answer<T>(response: Response): Promise<T> {
  const text = await response.text();
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new Error(`the server's answer (status ${response.status}) is not JSON`);
  }
  if (!response.ok) {
    const told = (body as { error?: unknown } | null)?.error;
    throw new Error(typeof told === "string" ? told : `the server answered with status ${response.status}`);
  }
  return body as T;
}

async function ask(url: string, options: RequestInit): Promise<Response> {
  try {
    return await fetch(url, options);
  } catch (problem) {
    if (problem instanceof TypeError) throw new Error("the server does not answer; does dorm explore still run?");
    throw problem;
  }
}

type Source = (url: string, signal: AbortSignal) => Promise<unknown>;
let source: Source = async (url, signal) => answer(await ask(url, { signal }));

/** Lets something else than the server answer. */
export function answerFrom(other: Source): void {
  source = other;
}

export function get<T>(url: string, signal: AbortSignal): Promise<T> {
  return source(url, signal) as Promise<T>;
}

export async function post<T>(path: string, body: unknown): Promise<T> {
  const headers = { "Content-Type": "application/json" };
  return answer<T>(await ask(`api/${path}`, { method: "POST", headers, body: JSON.stringify(body) }));
}

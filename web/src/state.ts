// SPDX-License-Identifier: Apache-2.0
// What is shown, kept in the address behind the #, so that a view can be linked, reloaded and gone back to.

export const views = ["queries", "query", "whatif", "judge", "blind", "data"] as const;
export type View = (typeof views)[number];

export const sorts = ["loss", "difference", "gain", "swaps", "documents", "id", "judged"] as const;
export type Sort = (typeof sorts)[number];

export const driftSorts = ["outside", "shift", "name"] as const;
export type DriftSort = (typeof driftSorts)[number];

export type Order = "asc" | "desc";
export type Right = "" | "none" | "b" | "edited"; // "": the second model where there is one

/** What differs from the model: weights by feature ("3"), points of curves by feature and point ("3.2"). */
export type Edits = ReadonlyMap<string, number>;

export interface State {
  view: View;
  right: Right;
  edits: Edits;
  // The table of queries, which "next query" walks along.
  sort: Sort;
  order: Order;
  filter: string;
  offset: number;
  // One query.
  q: number | null;
  at: number | null; // its place in the table
  from: number; // the first position shown
  first: number | null; // documents that are picked
  second: number | null;
  model: "a" | "right"; // whose contributions are shown
  // Lists of features: weights, drift.
  features: string;
  page: number;
  drift: DriftSort;
  driftOrder: Order;
}

export const start: State = {
  view: "queries",
  right: "",
  edits: new Map(),
  sort: "loss",
  order: "desc",
  filter: "",
  offset: 0,
  q: null,
  at: null,
  from: 0,
  first: null,
  second: null,
  model: "a",
  features: "",
  page: 0,
  drift: "outside",
  driftOrder: "desc",
};

export const mostEdits = 100;

function oneOf<T extends string>(choices: readonly T[], text: string | null, fallback: T): T {
  return choices.find((choice) => choice === text) ?? fallback;
}

function count(text: string | null): number | null {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null;
}

export function writeEdits(edits: Edits): string {
  const place = (key: string) => key.split(".").map(Number);
  const order = (a: string, b: string) => {
    const [one, other] = [place(a), place(b)];
    return (one[0] ?? 0) - (other[0] ?? 0) || (one[1] ?? -1) - (other[1] ?? -1);
  };
  return [...edits].sort(([a], [b]) => order(a, b)).map(([key, weight]) => `${key}:${weight}`).join(",");
}

export function readEdits(text: string | null): Edits {
  const edits = new Map<string, number>();
  for (const piece of (text ?? "").split(",")) {
    const match = /^(\d{1,9}(?:\.\d{1,3})?):(-?\d+(?:\.\d+)?(?:e[+-]?\d{1,3})?)$/.exec(piece);
    const weight = match ? Number(match[2]) : NaN;
    if (match && Number.isFinite(weight) && edits.size < mostEdits) edits.set(match[1] ?? "", weight);
  }
  return edits;
}

/** Reads what stands behind the #. Whatever is not understood has its default: addresses are typed by people. */
export function readHash(hash: string): State {
  const [view = "", rest = ""] = hash.replace(/^#/, "").split(/\?(.*)/s);
  const values = new URLSearchParams(rest);
  return {
    view: oneOf(views, view, start.view),
    right: oneOf(["", "none", "b", "edited"] as const, values.get("right"), start.right),
    edits: readEdits(values.get("edits")),
    sort: oneOf(sorts, values.get("sort"), start.sort),
    order: oneOf(["asc", "desc"] as const, values.get("order"), start.order),
    filter: values.get("filter") ?? "",
    offset: count(values.get("offset")) ?? 0,
    q: count(values.get("q")),
    at: count(values.get("at")),
    from: count(values.get("from")) ?? 0,
    first: count(values.get("first")),
    second: count(values.get("second")),
    model: oneOf(["a", "right"] as const, values.get("model"), start.model),
    features: values.get("features") ?? "",
    page: count(values.get("page")) ?? 0,
    drift: oneOf(driftSorts, values.get("drift"), start.drift),
    driftOrder: oneOf(["asc", "desc"] as const, values.get("driftOrder"), start.driftOrder),
  };
}

/** The address of a state: only what differs from the default. */
export function writeHash(state: State): string {
  const values = new URLSearchParams();
  for (const key of Object.keys(start) as (keyof State)[]) {
    const value = state[key];
    if (key === "view" || value === null || value === start[key]) continue;
    const text = key === "edits" ? writeEdits(state.edits) : String(value);
    if (text !== "") values.set(key, text);
  }
  const text = values.toString();
  return `#${state.view}${text === "" ? "" : `?${text}`}`;
}

/** A document is picked, or no more: the third one takes the place of the second. */
export function pick(state: State, d: number): Pick<State, "first" | "second"> {
  if (state.first === d) return { first: state.second, second: null };
  if (state.second === d) return { first: state.first, second: null };
  return state.first === null ? { first: d, second: null } : { first: state.first, second: d };
}

/** What the models are compared with: "" where there is nothing. */
export function rightOf(state: State, models: number, editable = true): "" | "b" | "edited" {
  if (editable && (state.view === "whatif" || state.right === "edited")) return "edited";
  if (state.right === "none") return "";
  return models > 1 ? "b" : "";
}

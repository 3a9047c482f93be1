// SPDX-License-Identifier: Apache-2.0
// What every part of the page shares: the state, the figures known at the start, and how to load and to speak.
import { createContext } from "preact";
import { useCallback, useContext, useEffect, useRef, useState } from "preact/hooks";
import { get, type Info, type Values } from "./api";
import { readHash, rightOf, writeEdits, writeHash, type State } from "./state";

export interface App {
  info: Info;
  state: State;
  /** Shows another state. With replace, "back" does not return to the one of now. */
  go(change: Partial<State>, replace?: boolean): void;
  /** The address of a state, for links. */
  link(change: Partial<State>): string;
  /** Said to screen readers, and shown at the foot for a while. */
  announce(text: string): void;
  judge: string;
  setJudge(name: string): void;
  right: "" | "b" | "edited";
}

export const AppContext = createContext<App | null>(null);

export function useApp(): App {
  const app = useContext(AppContext);
  if (!app) throw new Error("outside of the page");
  return app;
}

/** `mine`: which addresses are states; a report has others. */
export function useHashState(mine: (hash: string) => boolean = () => true): [State, (change: Partial<State>, replace?: boolean) => void] {
  const [state, setState] = useState(() => readHash(mine(location.hash) ? location.hash : ""));
  const latest = useRef(state);
  latest.current = state;
  useEffect(() => {
    const changed = () => { if (mine(location.hash)) setState(readHash(location.hash)); };
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  const go = useCallback((change: Partial<State>, replace = false) => {
    const next = { ...latest.current, ...change };
    latest.current = next;
    history[replace ? "replaceState" : "pushState"](null, "", writeHash(next));
    setState(next);
  }, []);
  return [state, go];
}

export interface Loaded<T> {
  data: T | null;
  error: string | null;
  busy: boolean;
  reload(): void;
}

/** The answer of an address, the one before it until the next arrives. Waits `delay` ms for further changes. */
export function useLoad<T>(url: string | null, delay = 0): Loaded<T> {
  const [found, setFound] = useState<{ url: string | null; data: T | null; error: string | null }>(
    { url: null, data: null, error: null });
  const [turn, setTurn] = useState(0);
  const done = useRef(-1);
  useEffect(() => {
    if (url === null) return;
    const control = new AbortController();
    const timer = setTimeout(() => {
      get<T>(url, control.signal).then(
        (data) => { done.current = turn; setFound({ url, data, error: null }); },
        (error: Error) => {
          if (control.signal.aborted) return;
          done.current = turn;
          setFound({ url, data: null, error: error.message });
        });
    }, delay);
    return () => { clearTimeout(timer); control.abort(); };
  }, [url, turn, delay]);
  const reload = useCallback(() => setTurn((count) => count + 1), []);
  if (url === null) return { data: null, error: null, busy: false, reload };
  return { data: found.data, error: found.error, busy: found.url !== url || done.current !== turn, reload };
}

/** The parameters that say what is compared. */
export function comparison(app: App): Values {
  return { right: app.right, edits: app.right === "edited" ? writeEdits(app.state.edits) : "" };
}

/** What of the first model can be moved. */
export function editable(info: Info): "weights" | "curves" | "parts" | null {
  return info.models[0]?.edits ?? null;
}

/** What is moved, in words: one of them, for counts. */
export function movedThing(info: Info): string {
  return editable(info) === "curves" ? "point" : "weight";
}

export function rightModel(info: Info, state: State): "" | "b" | "edited" {
  return rightOf(state, info.models.length, editable(info) !== null);
}

/** What the sides are called. */
export function nameOf(app: App, side: "a" | "right"): string {
  if (side === "a") return "A";
  return app.right === "edited" ? "edited" : "B";
}

/** Whether the contributions of a side are at hand. */
export function explains(app: App, side: "a" | "right"): boolean {
  if (side === "right" && app.right !== "b") return app.right === "edited";
  return app.info.models[side === "a" ? 0 : 1]?.explains !== false;
}

/** The side whose contributions are shown: the one asked for, where it has them. */
export function explained(app: App): "a" | "right" {
  const asked = app.state.model === "right" && app.right !== "" ? "right" : "a";
  const other = asked === "a" ? "right" : "a";
  return explains(app, asked) || !explains(app, other) ? asked : other;
}

/** A setting that this browser remembers; without storage it lasts as long as the page. */
export function remembered(key: string, value?: string): string {
  try {
    if (value !== undefined) localStorage.setItem(`dorm-${key}`, value);
    return localStorage.getItem(`dorm-${key}`) ?? "";
  } catch {
    return value ?? "";
  }
}

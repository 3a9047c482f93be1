// SPDX-License-Identifier: Apache-2.0
// The queries of a report: the views of `dorm explore`, fed by what the report carries.
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { answerFrom, type QueryRow } from "../api";
import { AppContext, rightModel, useHashState, type App } from "../app";
import { WinLoss } from "../parts/winloss";
import { writeHash, type State, type View } from "../state";
import { QueriesView } from "../views/queries";
import { QueryView } from "../views/query";
import { WeightsView } from "../views/weights";
import type { Island } from "./island";
import { answerOf, infoOf, rowOf, sorted, type Compared } from "./source";

const names: [View, string][] = [["queries", "Queries"], ["query", "Query"], ["whatif", "Weights"]];
const views: Partial<Record<View, () => preact.JSX.Element>> = { queries: QueriesView, query: QueryView, whatif: WeightsView };
const isState = (hash: string) => /^#(queries|query|whatif)(\?|$)/.test(hash);

function Choice({ island, label, value, but, none, set }:
  { island: Island; label: string; value: number | null; but: number | null; none: boolean; set(place: number | null): void }) {
  return (
    <label>{label} <select value={value ?? "none"} onChange={(event) => {
      const chosen = event.currentTarget.value;
      set(chosen === "none" ? null : Number(chosen));
    }}>
      {none ? <option value="none">nothing</option> : null}
      {island.rankers.map((ranker, place) => (place === but ? null : <option key={place} value={place}>{ranker.name}</option>))}
    </select></label>
  );
}

function Explorer({ island, compared, announce }: { island: Island; compared: Compared; announce(text: string): void }) {
  const [state, go] = useHashState(isState);
  const info = useMemo(() => infoOf(island, compared), [island, compared]);
  const link = useCallback((change: Partial<State>) => writeHash({ ...state, ...change }), [state]);
  const right = rightModel(info, { ...state, view: "queries", right: "" });
  const app = useMemo<App>(() => ({ info, state, go, link, announce, judge: "", setJudge: () => {}, right }), [info, state, right]);
  const box = useRef<HTMLDivElement>(null);
  const before = useRef(state.view);
  useEffect(() => {
    if (before.current !== state.view) box.current?.querySelector<HTMLElement>("h3")?.focus();
    before.current = state.view;
  }, [state.view]);
  const rows = useMemo(() => (compared.b === null ? []
    : sorted(island.ids.map((_, q) => rowOf(island, compared, q)).filter((row) => row.difference !== null), "gain", "asc")), [island, compared]);
  const open = (row: QueryRow) => {
    go({ view: "query", q: row.q, at: sorted(rows, state.sort, state.order).findIndex((other) => other.q === row.q), from: 0, first: null, second: null });
  };
  const linear = info.models.some((model) => model.linear);
  const lists = Object.keys(island.lists).length > 0;
  const shown = names.filter(([view]) => (view === "whatif" ? linear : view === "query" ? lists : true));
  const view = shown.some(([name]) => name === state.view) ? state.view : "queries";
  const Shown = views[view] ?? QueriesView;
  return (
    <AppContext.Provider value={app}>
      {compared.b === null ? null : <WinLoss rows={rows} names={["A", "B"]} open={open} />}
      {shown.length > 1 ? (
        <nav aria-label="Parts of the queries">
          <ul class="tabs">{shown.map(([name, title]) => (
            <li key={name}><a href={link({ view: name })} aria-current={view === name ? "page" : undefined}>{title}</a></li>))}</ul>
        </nav>
      ) : null}
      <div ref={box}><Shown key={view} /></div>
    </AppContext.Provider>
  );
}

/** What the block becomes. The choice of rankers stands above; another choice begins anew. */
export function Queries({ island }: { island: Island }) {
  const [compared, setCompared] = useState<Compared>({ a: island.compared[0], b: island.compared[1] });
  const [said, setSaid] = useState("");
  useMemo(() => answerFrom((url) => new Promise((done) => done(answerOf(island, compared, url)))), [island, compared]);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => { if (isState(location.hash)) box.current?.scrollIntoView(); }, []);
  useEffect(() => {
    if (said === "") return;
    const timer = setTimeout(() => setSaid(""), 6000);
    return () => clearTimeout(timer);
  }, [said]);
  return (
    <div ref={box} class="explorer" data-keys>
      {island.rankers.length > 1 ? (
        <p class="search">
          <Choice island={island} label="A" value={compared.a} but={compared.b} none={false} set={(a) => setCompared({ ...compared, a: a ?? 0 })} />
          <Choice island={island} label="B" value={compared.b} but={compared.a} none={true} set={(b) => setCompared({ ...compared, b })} />
        </p>
      ) : null}
      <Explorer key={`${compared.a} ${compared.b}`} island={island} compared={compared} announce={setSaid} />
      <div class={said === "" ? "said" : "said shown"} role="status" aria-live="polite">{said}</div>
    </div>
  );
}

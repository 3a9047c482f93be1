// SPDX-License-Identifier: Apache-2.0
// Weights moved by hand. The server recomputes the measure over all queries, and its paired test, when a slider rests.
import { useEffect, useState } from "preact/hooks";
import { address, type Page, type WeightRow } from "../api";
import { useApp, useLoad } from "../app";
import { counted, short, stepOf } from "../format";
import { useKeys } from "../keys";
import { pageSize, Pager, Show } from "../parts/basic";
import { mostEdits, writeEdits } from "../state";

function Slider({ row }: { row: WeightRow }) {
  const { state, go, announce } = useApp();
  const value = state.edits.get(row.feature) ?? row.weight;
  const edited = state.edits.has(row.feature);
  const set = (weight: number | null) => {
    const edits = new Map(state.edits);
    if (weight === null || weight === row.weight) edits.delete(row.feature);
    else if (Number.isFinite(weight) && (edits.has(row.feature) || edits.size < mostEdits)) edits.set(row.feature, weight);
    else if (edits.size >= mostEdits) announce(`at most ${mostEdits} weights can be changed`);
    go({ edits }, true);
  };
  const step = stepOf(row.low, row.high);
  const id = `weight-${row.feature}`;
  return (
    <li class={edited ? "edited" : ""}>
      <label for={id}><bdi>{row.name}</bdi></label>
      <input id={id} type="range" min={row.low} max={row.high} step={step} value={value} aria-valuetext={short(value)}
        onInput={(event) => set(event.currentTarget.valueAsNumber)} />
      <input type="number" class="number" aria-label={`weight of ${row.name}`} step={step} value={Number(value.toPrecision(6))}
        onChange={(event) => set(event.currentTarget.valueAsNumber)} />
      <button type="button" class="small" disabled={!edited} onClick={() => set(null)}>
        {edited ? `Reset to ${short(row.weight)}` : "as trained"}<span class="sr">: {row.name}</span></button>
    </li>
  );
}

export function WhatIfView() {
  const { state, go, link, info, announce } = useApp();
  const [typed, setTyped] = useState(state.features);
  const weights = useLoad<Page<WeightRow>>(address("weights", { filter: state.features, offset: state.page, limit: pageSize }));
  useEffect(() => {
    if (typed === state.features) return;
    const timer = setTimeout(() => go({ features: typed, page: 0 }, true), 200);
    return () => clearTimeout(timer);
  }, [typed]);
  const reset = () => {
    go({ edits: new Map() }, true);
    announce("all weights are as in the model");
  };
  useKeys({ r: reset });
  if (info.models[0]?.linear !== true) {
    return <section><h2 tabIndex={-1}>What if</h2><p class="notice plain">Weights can be moved in linear models; A is not one.</p></section>;
  }
  return (
    <section>
      <h2 tabIndex={-1}>What if weights were different</h2>
      <p class="note">Move a weight: the measure over all queries and the paired test above follow. Weights are those of scaled features.
        Choosing weights by these figures fits them to these data; judge the outcome on others.</p>
      <div class="search">
        <label>Filter features <input type="search" value={typed} onInput={(event) => setTyped(event.currentTarget.value)} /></label>
        <span>{counted(state.edits.size, "weight")} changed</span>
        <button type="button" disabled={state.edits.size === 0} onClick={reset} aria-keyshortcuts="r">Reset all</button>
        {state.edits.size > 0 ? (
          <>
            <a download="edited.json" href={address("model.json", { edits: writeEdits(state.edits) })}>Download the edited model</a>
            <a href={link({ view: "queries", right: "edited", sort: "difference", order: "desc", offset: 0 })}>Queries that change</a>
          </>
        ) : null}
      </div>
      <Show from={weights}>{(page) => (
        <>
          <ul class="sliders">{page.rows.map((row) => <Slider key={row.feature} row={row} />)}</ul>
          <Pager offset={page.offset} total={page.total} what="features" go={(offset) => go({ page: offset }, true)} />
        </>
      )}</Show>
    </section>
  );
}

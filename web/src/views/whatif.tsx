// SPDX-License-Identifier: Apache-2.0
// Weights, points of curves and values moved by hand. The server recomputes the measure over all queries, and its paired
// test, when a slider rests.
import { useEffect, useState } from "preact/hooks";
import { address, type Curves, type Page, type WeightRow } from "../api";
import { editable, movedThing, useApp, useLoad } from "../app";
import { counted, short, stepOf } from "../format";
import { useKeys } from "../keys";
import { pageSize, Pager, QueryName, Show } from "../parts/basic";
import { ChangePart } from "../parts/change";
import { CurvePart } from "../parts/curve";
import { mostEdits, writeEdits } from "../state";

const curvesShown = 12;

/** Moves one thing; null: as in the model. A key that ends in a point is all points of a feature. */
function useEdit(): (key: string, value: number | null) => void {
  const { info, state, go, announce } = useApp();
  return (key, value) => {
    const edits = new Map(state.edits);
    if (value === null) for (const known of edits.keys()) if (known === key || (key.endsWith(".") && known.startsWith(key))) edits.delete(known);
    if (value !== null) {
      if (!edits.has(key) && edits.size >= mostEdits) return announce(`at most ${mostEdits} ${movedThing(info)}s can be changed`);
      if (Number.isFinite(value)) edits.set(key, value);
    }
    go({ edits }, true);
  };
}

function Slider({ row }: { row: WeightRow }) {
  const { state } = useApp();
  const edit = useEdit();
  const key = String(row.feature);
  const value = state.edits.get(key) ?? row.weight;
  const edited = state.edits.has(key);
  const set = (weight: number) => edit(key, weight === row.weight ? null : weight);
  const step = stepOf(row.low, row.high);
  const id = `weight-${row.feature}`;
  return (
    <li class={edited ? "edited" : ""}>
      <label for={id}><bdi>{row.name}</bdi></label>
      <input id={id} type="range" min={row.low} max={row.high} step={step} value={value} aria-valuetext={short(value)}
        onInput={(event) => set(event.currentTarget.valueAsNumber)} />
      <input type="number" class="number" aria-label={`weight of ${row.name}`} step={step} value={Number(value.toPrecision(4))}
        onChange={(event) => set(event.currentTarget.valueAsNumber)} />
      <button type="button" class="small" disabled={!edited} onClick={() => edit(key, null)}>
        {edited ? `Reset to ${short(row.weight)}` : "as trained"}<span class="sr">: {row.name}</span></button>
    </li>
  );
}

function Weights() {
  const { state, go, info } = useApp();
  const weights = useLoad<Page<WeightRow>>(address("weights", { filter: state.features, offset: state.page, limit: pageSize }));
  return (
    <Show from={weights}>{(page) => (
      <>
        <ul class="sliders">{page.rows.map((row) => <Slider key={row.feature} row={row} />)}</ul>
        <Pager offset={page.offset} total={page.total} what={editable(info) === "parts" ? "parts" : "features"} go={(offset) => go({ page: offset }, true)} />
      </>
    )}</Show>
  );
}

function CurveList() {
  const { state, go } = useApp();
  const edit = useEdit();
  const curves = useLoad<Curves>(address("curves", { filter: state.features, offset: state.page, limit: curvesShown, q: state.q }));
  return (
    <Show from={curves}>{(page) => (
      <>
        {page.query === null ? null
          : <p class="note">Dots: the first {page.query.documents.length} documents of query <QueryName query={page.query} />, filled where the
            label is above 0.</p>}
        <ul class="curves">{page.rows.map((row) => <CurvePart key={row.feature} row={row} curves={page} set={edit} />)}</ul>
        <Pager offset={page.offset} total={page.total} size={curvesShown} what="features" go={(offset) => go({ page: offset }, true)} />
      </>
    )}</Show>
  );
}

const about = {
  weights: ["What if weights were different", "Move a weight: the measure over all queries and the paired test above follow. Weights are those of scaled features."],
  curves: ["What if curves were different", "Move a point, by hand or on the slider: the measure over all queries and the paired test above follow. Squares are "
    + "the points; the broken line is the curve of the model, the foot the distribution of the values in the first documents. The features that move documents most come first."],
  parts: ["What if parts counted differently", "The model is a sum of rankers. Move the weight of one, or set it to 0: the measure over all queries and the paired test above follow."],
} as const;

export function WhatIfView() {
  const { state, go, link, info, announce } = useApp();
  const what = editable(info);
  const [typed, setTyped] = useState(state.features);
  useEffect(() => {
    if (typed === state.features) return;
    const timer = setTimeout(() => go({ features: typed, page: 0 }, true), 200);
    return () => clearTimeout(timer);
  }, [typed]);
  const reset = () => {
    go({ edits: new Map() }, true);
    announce(`all ${movedThing(info)}s are as in the model`);
  };
  useKeys({ r: reset });
  const explains = info.models[0]?.explains !== false && (info.models[0]?.features ?? 0) > 0;
  if (what === null) {
    return (
      <section>
        <h2 tabIndex={-1}>What if</h2>
        <p class="notice plain">A has no weights and no curves that could be moved{info.models[0]?.family ? ` (${info.models[0].family})` : ""}.
          {explains ? " Its scores of other values are below." : ""}</p>
        {explains ? <ChangePart /> : null}
      </section>
    );
  }
  const [title, note] = about[what];
  return (
    <section>
      <h2 tabIndex={-1}>{title}</h2>
      <p class="note">{note} Choosing by these figures fits the model to these data; judge the outcome on others.</p>
      <div class="search">
        <label>Filter features <input type="search" value={typed} onInput={(event) => setTyped(event.currentTarget.value)} /></label>
        <span>{counted(state.edits.size, movedThing(info))} changed</span>
        <button type="button" disabled={state.edits.size === 0} onClick={reset} aria-keyshortcuts="r">Reset all</button>
        {state.edits.size > 0 ? (
          <>
            <a download="edited.json" href={address("model.json", { edits: writeEdits(state.edits) })}>Download the edited model</a>
            <a href={link({ view: "queries", right: "edited", sort: "difference", order: "desc", offset: 0 })}>Queries that change</a>
          </>
        ) : null}
      </div>
      {what === "curves" ? <CurveList /> : <Weights />}
      {explains ? <ChangePart /> : null}
    </section>
  );
}

// SPDX-License-Identifier: Apache-2.0
// What if a document had other values: any model scores its query again.
import { useEffect, useState } from "preact/hooks";
import { address, type Change, type Query, type Why } from "../api";
import { comparison, useApp, useLoad } from "../app";
import { figure, short, signed } from "../format";
import { nameOfDoc, QueryName, Show } from "./basic";

const shown = 12; // features

function Outcome({ q, d, values }: { q: number; d: number; values: string }) {
  const app = useApp();
  const change = useLoad<Change>(values === "" ? null : address("change", {
    q, d, values, model: app.right === "edited" ? "edited" : "a", edits: comparison(app)["edits"] }), 120);
  const found = change.data;
  const told = found && found.after.rank !== found.before.rank ? `rank ${found.after.rank} instead of ${found.before.rank}` : null;
  useEffect(() => { if (told !== null) app.announce(told); }, [told]);
  if (values === "") return <p class="outcome">Change a value: the query is scored again.</p>;
  return (
    <Show from={change}>{(data) => (
      <p class="outcome"><strong>Rank {data.after.rank}</strong>{app.state.edits.size > 0 ? " by the edited model" : ""} instead of {data.before.rank}; score {short(data.after.score)} instead
        of {short(data.before.score)} ({signed(data.after.score - data.before.score)}); {app.info.measure} of the
        query {figure(data.after.measure)} instead of {figure(data.before.measure)}.</p>
    )}</Show>
  );
}

function Values({ q, d }: { q: number; d: number }) {
  const app = useApp();
  const [changed, setChanged] = useState<ReadonlyMap<number, number>>(new Map());
  const why = useLoad<Why>(address("why", {
    q, docs: String(d), parts: shown, model: app.right === "edited" ? "edited" : "a", edits: comparison(app)["edits"] }));
  const set = (feature: number, value: number | null) => {
    const next = new Map(changed);
    if (value === null || !Number.isFinite(value)) next.delete(feature);
    else next.set(feature, value);
    setChanged(next);
  };
  const values = [...changed].map(([feature, value]) => `${feature}:${value}`).join(",");
  return (
    <>
      <Outcome q={q} d={d} values={values} />
      <Show from={why}>{(data) => (
        <ul class="sliders values">{(data.documents[0]?.parts ?? []).map((part) => {
          const id = `value-${part.feature}`;
          const value = changed.get(part.feature) ?? (part.value === null ? null : Number(part.value.toPrecision(6)));
          return (
            <li key={part.feature} class={changed.has(part.feature) ? "edited" : ""}>
              <label for={id}><bdi>{part.name}</bdi> <span class="note">adds {signed(part.contribution)}</span></label>
              <input id={id} type="number" class="number" step="any" value={value ?? ""}
                onInput={(event) => set(part.feature, event.currentTarget.value === "" ? null : event.currentTarget.valueAsNumber)} />
              <button type="button" class="small" disabled={!changed.has(part.feature)} onClick={() => set(part.feature, null)}>
                {changed.has(part.feature) ? `Reset to ${short(part.value)}` : "as in the data"}<span class="sr">: {part.name}</span></button>
            </li>
          );
        })}</ul>
      )}</Show>
    </>
  );
}

/** Of the document that is picked in the open query. */
export function ChangePart() {
  const app = useApp();
  const { state, link } = app;
  const d = state.first;
  const query = useLoad<Query>(state.q === null ? null : address("query", { q: state.q, limit: 10, also: d === null ? "" : String(d) }));
  const doc = query.data?.docs.find((each) => each.d === d);
  return (
    <section aria-labelledby="change">
      <h3 id="change">What if a document had other values</h3>
      {state.q === null
        ? <p class="note">Open a query (<a href={link({ view: "queries" })}>Queries</a>) and pick a document in it by Enter: its values can be changed here.</p>
        : (
          <Show from={query}>{(data) => (
            <>
              <p><a href={link({ view: "query" })}>Query <QueryName query={data} /></a>{" "}
                <label>Document <select value={d ?? ""} onChange={(event) => app.go({ first: Number(event.currentTarget.value) }, true)}>
                  {d === null ? <option value="">none is picked</option> : null}
                  {data.docs.filter((each) => each.ranks.a !== null).sort((x, y) => (x.ranks.a ?? 0) - (y.ranks.a ?? 0)).map((each) => (
                    <option key={each.d} value={each.d}>{each.ranks.a}. {nameOfDoc(each)} (label {each.label})</option>))}
                </select></label></p>
              {doc && d !== null ? <Values key={`${data.q} ${d}`} q={data.q} d={d} /> : null}
            </>
          )}</Show>
        )}
    </section>
  );
}

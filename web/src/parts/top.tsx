// SPDX-License-Identifier: Apache-2.0
// The head of the page: what is explored, the measure with its interval, and the way to the views.
import { useEffect } from "preact/hooks";
import { address, type Estimate, type Summary } from "../api";
import { comparison, editable, movedThing, nameOf, useApp, useLoad } from "../app";
import { counted, figure, interval, verdict } from "../format";
import { views, type Right, type View } from "../state";
import { Trouble } from "./basic";
import { Theme } from "./theme";

export const viewNames: Record<View, string> = {
  queries: "Queries", query: "Query", whatif: "What if", judge: "Judge", blind: "Blind A/B", data: "Data",
};

function Tile({ name, estimate, note }: { name: string; estimate: Estimate; note: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{figure(estimate.mean)}<span class="note">{interval(estimate)}</span><span class="note"><bdi>{note}</bdi></span></dd>
    </div>
  );
}

/** The measure over all queries; with something to compare, the difference and its paired test. */
export function Measure() {
  const app = useApp();
  const { info, announce } = app;
  const summary = useLoad<Summary>(address("summary", comparison(app)), app.right === "edited" ? 120 : 0);
  const told = summary.data?.difference ? verdict(summary.data.difference) : null;
  useEffect(() => {
    if (told !== null && app.right === "edited" && app.state.edits.size > 0) announce(`${info.measure}: ${told}`);
  }, [told]);
  if (summary.error !== null) return <Trouble error={summary.error} />;
  const data = summary.data;
  if (data === null) return <p class="note" aria-busy="true">Loading…</p>;
  const difference = data.difference;
  const second = info.models[1]?.name ?? "";
  return (
    <dl class={`tiles measure ${summary.busy ? "busy" : ""}`} aria-busy={summary.busy}>
      <Tile name={`${data.measure}, A`} estimate={data.a} note={info.models[0]?.name ?? ""} />
      {data.right ? <Tile name={`${data.measure}, ${nameOf(app, "right")}`} estimate={data.right}
        note={app.right === "edited" ? `A, ${counted(app.state.edits.size, movedThing(info))} changed` : second} /> : null}
      {difference ? (
        <div class="wide">
          <dt>{nameOf(app, "right")} less A</dt>
          <dd id="verdict">{verdict(difference)}
            <span class="note">{interval(difference)}</span>
            <span class="note">{counted(difference.wins, "query", "queries")} better, {difference.losses.toLocaleString("en")} worse,
              {" "}{difference.ties.toLocaleString("en")} the same</span>
          </dd>
        </div>
      ) : null}
      <div>
        <dt>Data</dt>
        <dd>{counted(data.queries, "query", "queries")}<span class="note"><bdi>{info.data.name}</bdi></span>
          <span class="note">{data.skipped > 0 ? `${data.skipped} more without a value` : `${counted(info.data.documents, "document")}`}</span></dd>
      </div>
    </dl>
  );
}

/** Figures on queries that a ranker has learnt from flatter it: that comes first. */
function TrainedHere() {
  const { info } = useApp();
  const known = info.models.filter((model) => (model.trained_share ?? 0) > 0);
  if (known.length === 0) return null;
  return (
    <p class="notice" role="note">
      {known.map((model) => <span key={model.key}><bdi>{model.name}</bdi> was trained on{" "}
        {(model.trained_share ?? 0) < 1 ? `${Math.round(100 * (model.trained_share ?? 0))} % of these` : "these very"} documents. </span>)}
      Figures flatter it, and say nothing about queries it has not seen: look at others, or tune with a test part (dorm tune --test).
    </p>
  );
}

export function Top({ openHelp }: { openHelp(): void }) {
  const { info, state, go, link, right } = useApp();
  const canEdit = editable(info) !== null;
  const choose = (event: Event) => go({ right: (event.currentTarget as HTMLSelectElement).value as Right });
  return (
    <>
      <header>
        <div>
          <h1>DORM explore</h1>
          <p class="summary"><bdi>{info.models.map((model) => model.name).join(" and ")}</bdi> on <bdi>{info.data.name}</bdi></p>
        </div>
        <Theme />
        <button type="button" class="plain" onClick={openHelp} aria-keyshortcuts="?">Keys <kbd>?</kbd></button>
      </header>
      <nav aria-label="Views">
        <ul class="tabs">
          {views.map((view) => (
            <li key={view}><a href={link({ view })} aria-current={state.view === view ? "page" : undefined}>{viewNames[view]}</a></li>
          ))}
        </ul>
      </nav>
      {["judge", "blind"].includes(state.view) ? null : <TrainedHere />}
      {["judge", "blind", "data"].includes(state.view) ? null : (
        <section aria-label="The measure over all queries" class={state.view === "whatif" ? "sticky brief" : state.view === "query" ? "brief" : ""}>
          {state.view === "whatif" || (info.models.length < 2 && !canEdit) ? null : (
            <p class="against"><label>Compare A with{" "}
              <select id="right" value={right === "" ? "none" : right} onChange={choose}>
                <option value="none">nothing</option>
                {info.models[1] ? <option value="b">B: {info.models[1].name}</option> : null}
                {canEdit ? <option value="edited">A edited ({counted(state.edits.size, movedThing(info))} changed)</option> : null}
              </select>
            </label></p>
          )}
          <Measure />
        </section>
      )}
    </>
  );
}

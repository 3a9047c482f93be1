// SPDX-License-Identifier: Apache-2.0
// Why documents stand where they do: stacked contributions of the first ones, and all figures of the one picked.
import { address, type Doc, type Query, type Why } from "../api";
import { comparison, explained, explains, nameOf, useApp, useLoad } from "../app";
import { legend, rangeOf, stack, type Range, type Segment } from "../bars";
import { short, signed } from "../format";
import { Id, Label, nameOfDoc, Show } from "./basic";

const colours = 7;
const most = 10; // documents

function Bar({ segments, range, names }: { segments: Segment[]; range: Range; names: Map<string, string> }) {
  const scale = 1000 / (range.high - range.low);
  const x = (value: number) => (value - range.low) * scale;
  const words = segments.map((segment) => `${names.get(segment.key) ?? "other features"} ${signed(segment.value, 3)}`).join(", ");
  return (
    <svg class="stack" viewBox="0 0 1000 20" preserveAspectRatio="none" role="img" aria-label={words || "no contribution differs from the mean"}>
      {segments.map((segment) => (
        <rect key={segment.key} class={segment.colour < 0 ? "rest" : `s${segment.colour}`} x={x(Math.min(segment.from, segment.to))} y="2"
          width={Math.max(0.5, Math.abs(segment.to - segment.from) * scale)} height="16">
          <title>{`${names.get(segment.key) ?? "other features"} ${signed(segment.value, 4)}`}</title>
        </rect>
      ))}
      <line class="zero" x1={x(0)} x2={x(0)} y1="0" y2="20" />
    </svg>
  );
}

function Stacks({ why, docs, additive }: { why: Why; docs: Map<number, Doc>; additive: boolean }) {
  const { info, state } = useApp();
  const shownFeatures = legend(why.documents, colours);
  const features = shownFeatures.map((entry) => entry.feature);
  const names = new Map(shownFeatures.map((entry) => [String(entry.feature), entry.name]));
  const stacks = why.documents.map((document) => ({ document, segments: stack(document.parts, additive ? document.rest : 0, features) }));
  const range = rangeOf(stacks.flatMap(({ segments }) => segments.map((segment) => segment.to)));
  const highest = info.data.labels[info.data.labels.length - 1] ?? 0;
  return (
    <>
      <ul class="legend">
        {shownFeatures.map((entry, colour) => (
          <li key={entry.feature}><svg viewBox="0 0 12 12" aria-hidden="true"><rect class={`s${colour}`} width="12" height="12" /></svg><bdi>{entry.name}</bdi></li>
        ))}
        <li><svg viewBox="0 0 12 12" aria-hidden="true"><rect class="rest" width="12" height="12" /></svg>other features</li>
      </ul>
      <table class="stacks">
        <caption class="sr">Contributions of features, above or below their mean over the query</caption>
        <thead><tr><th scope="col" class="n">rank</th><th scope="col">document</th><th scope="col">
          {additive ? "score above or below the mean" : "effects of features"}</th><th scope="col" class="n">score</th></tr></thead>
        <tbody>
          {stacks.map(({ document, segments }) => {
            const doc = docs.get(document.d);
            return (
              <tr key={document.d} class={document.d === state.first || document.d === state.second ? "picked" : ""}>
                <td class="n">{document.rank}</td>
                <th scope="row"><span class="who"><Label value={doc?.label ?? null} most={highest} /> <Id text={doc ? nameOfDoc(doc) : `document ${document.d}`} /></span></th>
                <td class="chart"><Bar segments={segments} range={range} names={names} /></td>
                <td class="n">{short(document.score)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </>
  );
}

function Parts({ document, additive }: { document: Why["documents"][number]; additive: boolean }) {
  const weights = additive && document.parts.some((part) => part.weight !== 0); // trees and curves have none
  return (
    <details>
      <summary>Figures of the document at rank {document.rank}</summary>
      <div class="scroll" role="region" aria-label={`Contributions, rank ${document.rank}`} tabIndex={0}>
        <table>
          <thead><tr><th scope="col">feature</th><th scope="col" class="n">value</th><th scope="col" class="n">scaled</th>
            {weights ? <th scope="col" class="n">weight</th> : null}<th scope="col" class="n">contribution</th>
            <th scope="col" class="n">above mean</th></tr></thead>
          <tbody>
            {document.parts.map((part) => (
              <tr key={part.feature}><th scope="row"><bdi>{part.name}</bdi></th><td class="n">{short(part.value)}</td><td class="n">{short(part.scaled)}</td>
                {weights ? <td class="n">{short(part.weight)}</td> : null}<td class="n">{short(part.contribution)}</td>
                <td class="n">{signed(part.above_mean)}</td></tr>
            ))}
            {additive ? <tr><th scope="row">all others</th><td colSpan={weights ? 4 : 3} /><td class="n">{signed(document.rest)}</td></tr> : null}
          </tbody>
        </table>
      </div>
    </details>
  );
}

export function WhyPart({ query }: { query: Query }) {
  const app = useApp();
  const { state, go } = app;
  const side = explained(app);
  const model = side === "a" ? "a" : app.right;
  const order = query.order[side] ?? [];
  const wanted = order.slice(0, most);
  for (const d of [state.first, state.second]) if (d !== null && d < query.documents && !wanted.includes(d)) wanted.push(d);
  const why = useLoad<Why>(wanted.length === 0 ? null : address("why",
    { q: query.q, model, docs: wanted.join(","), parts: 12, edits: comparison(app)["edits"] }));
  const docs = new Map(query.docs.map((doc) => [doc.d, doc]));
  return (
    <section aria-labelledby="why">
      <h3 id="why">Why: contributions of features</h3>
      {explains(app, "a") && explains(app, "right") ? (
        <p><label>Model <select value={side} onChange={(event) => go({ model: event.currentTarget.value as "a" | "right" }, true)}>
          <option value="a">A</option><option value="right">{nameOf(app, "right")}</option></select></label></p>
      ) : app.right ? <p class="note">Of {nameOf(app, side)}; the other ranker does not explain its scores here.</p> : null}
      <Show from={why}>{(data) => (
        <>
          <Stacks why={data} docs={docs} additive={data.additive} />
          {!data.additive ? <p class="note">No sum over features: what the score loses when the feature is set to its mean; effects do not add up.</p> : null}
          {data.documents.filter((document) => document.d === state.first || document.d === state.second).map((document) => (
            <Parts key={document.d} document={document} additive={data.additive} />
          ))}
        </>
      )}</Show>
    </section>
  );
}

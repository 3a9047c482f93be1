// SPDX-License-Identifier: Apache-2.0
// Two documents: the waterfall of their difference, and what would swap them.
import { address, type Doc, type Pair, type Query } from "../api";
import { comparison, explained, nameOf, useApp, useLoad } from "../app";
import { rangeOf, waterfall, type Range, type Step } from "../bars";
import { short, signed, swapSentence } from "../format";
import { Id, Label, nameOfDoc, Show } from "./basic";

function StepBar({ step, range }: { step: Step; range: Range }) {
  const scale = 1000 / (range.high - range.low);
  const low = (Math.min(step.from, step.to) - range.low) * scale;
  return (
    <svg class="stack" viewBox="0 0 1000 20" preserveAspectRatio="none" aria-hidden="true">
      <line class="guide" x1={(step.from - range.low) * scale} x2={(step.from - range.low) * scale} y1="0" y2="20" />
      <rect class={step.value > 0 ? "for" : "against"} x={low} y="3" width={Math.max(1, Math.abs(step.value) * scale)} height="14" />
      <line class="guide" x1={(step.to - range.low) * scale} x2={(step.to - range.low) * scale} y1="0" y2="20" />
    </svg>
  );
}

function ScoreBar({ score, range }: { score: number; range: Range }) {
  const x = ((score - range.low) / (range.high - range.low)) * 1000;
  return (
    <svg class="stack" viewBox="0 0 1000 20" preserveAspectRatio="none" aria-hidden="true">
      <line class="score" x1={x} x2={x} y1="0" y2="20" />
    </svg>
  );
}

function Name({ doc, d }: { doc: Doc | undefined; d: number }) {
  const { info } = useApp();
  const highest = info.data.labels[info.data.labels.length - 1] ?? 0;
  return <span class="who"><Label value={doc?.label ?? null} most={highest} /> <Id text={doc ? nameOfDoc(doc) : `document ${d}`} /></span>;
}

function Waterfall({ pair, docs }: { pair: Pair; docs: Map<number, Doc> }) {
  const steps = waterfall(pair);
  const range = rangeOf([pair.lower.score, pair.upper.score, ...steps.map((step) => step.to)], false);
  const end = (side: "lower" | "upper") => (
    <tr class="end">
      <th scope="row"><span class="note">{side}, rank {pair[side].rank}</span> <Name doc={docs.get(pair[side].d)} d={pair[side].d} /></th>
      <td class="chart"><ScoreBar score={pair[side].score} range={range} /></td>
      <td class="n">{short(pair[side].score)}</td>
    </tr>
  );
  return (
    <table class="stacks waterfall">
      <caption>From the score of the lower document to that of the upper one</caption>
      <thead><tr><th scope="col">feature</th><th scope="col">score</th><th scope="col" class="n">difference</th></tr></thead>
      <tbody>
        {end("lower")}
        {steps.map((step) => (
          <tr key={step.key}>
            <th scope="row"><bdi>{step.name}</bdi>{step.upper !== null ? <span class="note">{short(step.upper)} against {short(step.lower)}</span> : null}</th>
            <td class="chart"><StepBar step={step} range={range} /></td>
            <td class="n">{signed(step.value)}</td>
          </tr>
        ))}
        {end("upper")}
      </tbody>
    </table>
  );
}

export function PairPart({ query }: { query: Query }) {
  const app = useApp();
  const { state, go } = app;
  const side = explained(app);
  const ready = state.first !== null && state.second !== null;
  const pair = useLoad<Pair>(ready ? address("pair", {
    q: query.q, model: side === "a" ? "a" : app.right, first: state.first, second: state.second, edits: comparison(app)["edits"] }) : null);
  const docs = new Map(query.docs.map((doc) => [doc.d, doc]));
  return (
    <section aria-labelledby="pair">
      <h3 id="pair">Two documents</h3>
      {!ready ? <p class="note">{state.first === null ? "Pick two documents of a ranking (Enter or click) to see what parts them."
        : "One document is picked: pick another to see what parts them."}</p> : (
        <Show from={pair}>{(data) => (
          <>
            <p>In {nameOf(app, side)} the upper document leads by <strong>{short(data.gap)}</strong>.{" "}
              <button type="button" class="small" onClick={() => go({ first: null, second: null }, true)}>Unpick both</button></p>
            {data.additive ? <Waterfall pair={data} docs={docs} /> : <p class="note">Effects of a kernel do not add up to the difference.</p>}
            {data.swaps === null ? null : data.swaps.length > 0 ? (
              <>
                <h4>They would swap if</h4>
                <ul id="swaps">{data.swaps.map((swap) => <li key={`${swap.feature} ${swap.document}`}><bdi>{swapSentence(swap)}</bdi></li>)}</ul>
              </>
            ) : <p class="notice plain">No single feature swaps them{data.why_none !== null ? `: ${data.why_none}` : ""}.</p>}
          </>
        )}</Show>
      )}
    </section>
  );
}

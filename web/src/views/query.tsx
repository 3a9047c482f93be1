// SPDX-License-Identifier: Apache-2.0
// One query: rankings, why, two documents.
import { address, type Doc, type Query } from "../api";
import { comparison, nameOf, useApp, useLoad } from "../app";
import { counted, figure, short, signed } from "../format";
import { useKeys } from "../keys";
import { DocLink, Heading, nameOfDoc, Pager, QueryName, Show, Trouble } from "../parts/basic";
import { PairPart } from "../parts/pair";
import { Rankings } from "../parts/rankings";
import { useWalk, Walk } from "../parts/walk";
import { WhyPart } from "../parts/why";

function Violated({ query }: { query: Query }) {
  const seen = query.violated;
  if (!seen) return null;
  return (
    <details>
      <summary>What the bound saw</summary>
      <p>Training minimizes an upper bound on the loss, and pays for each query by its most violated ranking: the one with the largest
        sum of its loss and of what its score has over the reference. Here loss {short(seen.loss)} and {signed(seen.gain)} of score:
        {" "}<strong>{short(seen.violation)}</strong> is what this query costs. The ranking itself has {figure(seen.measure)}.</p>
    </details>
  );
}

/** The texts of what is picked: rankings show titles only. */
function Texts({ docs }: { docs: Doc[] }) {
  const told = docs.filter((doc) => doc.text !== null || (doc.url ?? "") !== "");
  if (told.length === 0) return null;
  return (
    <section aria-label="Texts of the picked documents">
      {told.map((doc) => (
        <article key={doc.d} class="text"><h4><bdi>{nameOfDoc(doc)}</bdi></h4>{doc.text !== null ? <p><bdi>{doc.text}</bdi></p> : null}<DocLink doc={doc} /></article>
      ))}
    </section>
  );
}

const size = 20; // positions shown at a time

export function QueryView() {
  const app = useApp();
  const { state, go, link } = app;
  const walk = useWalk();
  const query = useLoad<Query>(state.q === null ? null : address("query", {
    q: state.q, offset: state.from, limit: size, judge: app.judge,
    also: [state.first, state.second].filter((d) => d !== null).join(","), ...comparison(app) }));
  const turn = (from: number) => go({ from }, true);
  useKeys({
    "]": () => { if (query.data && state.from + size < (query.data.kept ?? query.data.documents)) turn(state.from + size); },
    "[": () => { if (state.from > 0) turn(Math.max(0, state.from - size)); },
    Escape: () => go({ first: null, second: null }, true),
  });
  return (
    <section>
      <div class="bar">
        <Heading><span class="clamp">Query {query.data ? <QueryName query={query.data} /> : ""}</span></Heading>
        <Walk step={walk.step} />
      </div>
      <Trouble error={walk.error} />
      <Show from={query}>{(data) => (
        <>
          <p>{counted(data.documents, "document")}; A {figure(data.a)}
            {data.right !== null ? `, ${nameOf(app, "right")} ${figure(data.right)}` : ""}, ideal {figure(data.ideal)}.{" "}
            <a href={link({ view: "queries" })}>All queries</a>
            {app.info.judging.on ? <> · <a href={link({ view: "judge", from: 0 })}>Judge this query</a></> : null}</p>
          <h3 class="sr">Rankings</h3>
          {data.kept === undefined || data.kept === data.documents ? null
            : <p class="note">The first {data.kept} positions are on this page.</p>}
          {data.kept !== undefined && data.kept <= size ? null
            : <Pager offset={data.offset} total={data.kept ?? data.documents} what="positions" size={size} go={turn} />}
          <Rankings query={data} />
          {(data.kept ?? data.documents) > size
            ? <Pager offset={data.offset} total={data.kept ?? data.documents} what="positions" size={size} go={turn} /> : null}
          <Texts docs={data.docs.filter((doc) => doc.d === state.first || doc.d === state.second)} />
          <Violated query={data} />
          {app.info.models.every((model) => model.explains === false) ? null : (
            <div class="halves">
              <WhyPart query={data} />
              <PairPart query={data} />
            </div>
          )}
        </>
      )}</Show>
    </section>
  );
}

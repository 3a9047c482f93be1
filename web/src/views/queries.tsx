// SPDX-License-Identifier: Apache-2.0
// The table of queries: sorted by the server, 50 at a time.
import { useEffect, useState } from "preact/hooks";
import { address, type Page, type QueryRow } from "../api";
import { comparison, nameOf, useApp, useLoad } from "../app";
import { counted, figure, nothing, signed } from "../format";
import { useKeys } from "../keys";
import { Heading, pageSize, Pager, QueryName, Show, SortHead } from "../parts/basic";
import type { Sort } from "../state";

/** A bar below a figure: loss to the right of zero. */
function LossBar({ loss }: { loss: number | null }) {
  if (loss === null) return null;
  return (
    <svg class="inbar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
      <rect class="ground" x="0" y="0" width="100" height="4" />
      <rect class="loss" x="0" y="0" width={Math.max(0, Math.min(1, loss)) * 100} height="4" />
    </svg>
  );
}

function Change({ by }: { by: number | null }) {
  if (by === null) return <>{nothing}</>;
  if (by === 0) return <span class="note">same</span>;
  return <span class={by > 0 ? "up" : "down"}><span aria-hidden="true">{by > 0 ? "▲ " : "▼ "}</span>{signed(by)}</span>;
}

function Rows({ page }: { page: Page<QueryRow> }) {
  const app = useApp();
  const { state, go, link, right, info } = app;
  const known = info.data.documents > 0; // a report may have figures alone
  const by = (sort: Sort, name: string, title: string, numeric = true) => (
    <SortHead name={name} title={title} numeric={numeric} active={state.sort === sort} order={state.order}
      go={(order) => go({ sort, order, offset: 0 }, true)} />
  );
  return (
    <div class="scroll" role="region" aria-label="Queries" tabIndex={0}>
      <table class="queries">
        <caption class="sr">Queries, sorted by {state.sort}</caption>
        <thead>
          <tr>
            {by("id", "query", "by id", false)}
            {known ? by("loss", "loss", "what the ideal order would add") : null}
            <th scope="col" class="n room">A</th>
            {right ? <th scope="col" class="n room">{nameOf(app, "right")}</th> : null}
            {right ? by("difference", "difference", "largest change first, of either sign") : null}
            {info.report ? null : by("swaps", "swaps", right ? "pairs that the two order differently, near the top" : "pairs in the wrong order, near the top")}
            {known ? by("documents", "documents", "length of the list") : null}
            {info.judging.on && app.judge !== "" ? by("judged", "judged", "documents that you judged") : null}
          </tr>
        </thead>
        <tbody>
          {page.rows.map((row, place) => (
            <tr key={row.q}>
              <th scope="row">{row.open === false ? <QueryName query={row} />
                : <a href={link({ view: "query", q: row.q, at: page.offset + place, from: 0, first: null, second: null })}>
                  <QueryName query={row} /></a>}</th>
              {known ? <td class="n">{figure(row.loss)}<LossBar loss={row.loss} /></td> : null}
              <td class="n room">{figure(row.a)}</td>
              {right ? <td class="n room">{figure(row.right)}</td> : null}
              {right ? <td class="n"><Change by={row.difference} /></td> : null}
              {info.report ? null : <td class="n">{row.swaps.toLocaleString("en")}</td>}
              {known ? <td class="n">{row.documents.toLocaleString("en")}<span class="note">{row.relevant} relevant</span></td> : null}
              {info.judging.on && app.judge !== "" ? <td class="n">{row.judged}</td> : null}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function QueriesView() {
  const app = useApp();
  const { state, go, announce } = app;
  const known = app.info.data.documents > 0;
  const size = app.info.report ? 15 : pageSize; // a report goes on below
  const [typed, setTyped] = useState(state.filter);
  const [focus, setFocus] = useState(-1);
  const page = useLoad<Page<QueryRow>>(address("queries", {
    sort: state.sort, order: state.order, filter: state.filter, offset: state.offset, limit: size, judge: app.judge, ...comparison(app) }));
  useEffect(() => {
    if (typed === state.filter) return;
    const timer = setTimeout(() => go({ filter: typed, offset: 0 }, true), 200);
    return () => clearTimeout(timer);
  }, [typed]);
  useEffect(() => setTyped(state.filter), [state.filter]);
  const total = page.data?.total;
  useEffect(() => { if (total !== undefined && state.filter !== "") announce(`${counted(total, "query", "queries")} found`); }, [total]);
  useEffect(() => setFocus(-1), [state.offset, state.sort, state.order, state.filter]);
  const to = (step: number) => {
    const links = document.querySelectorAll<HTMLElement>("table.queries tbody a");
    const next = Math.max(0, Math.min(links.length - 1, focus + step));
    links[next]?.focus();
    setFocus(next);
  };
  const turn = (offset: number) => go({ offset }, true);
  useKeys({
    j: () => to(1),
    k: () => to(-1),
    "]": () => { if (page.data && state.offset + size < page.data.total) turn(state.offset + size); },
    "[": () => { if (state.offset > 0) turn(Math.max(0, state.offset - size)); },
  });
  return (
    <section>
      <Heading>Queries</Heading>
      <div class="search" role="search">
        <label>Filter <input type="search" value={typed} placeholder={app.info.report ? "part of an id" : "part of a text, a title or an id; or q:17"}
          onInput={(event) => setTyped(event.currentTarget.value)} /></label>
        <label>Sort by <select value={`${state.sort} ${state.order}`} onChange={(event) => {
          const [sort, order] = event.currentTarget.value.split(" ") as [Sort, "asc" | "desc"];
          go({ sort, order, offset: 0 }, true);
        }}>
          {known ? <option value="loss desc">largest loss</option> : null}
          {known ? <option value="loss asc">smallest loss</option> : null}
          {app.right ? <option value="difference desc">largest difference</option> : null}
          {app.right ? <option value="difference asc">smallest difference</option> : null}
          {app.right ? <option value="gain desc">most gained</option> : null}
          {app.right ? <option value="gain asc">most lost</option> : null}
          {app.info.report ? null : <option value="swaps desc">most swaps</option>}
          {app.info.report ? null : <option value="swaps asc">fewest swaps</option>}
          {known ? <option value="documents desc">most documents</option> : null}
          {known ? <option value="documents asc">fewest documents</option> : null}
          <option value="id asc">id, upwards</option>
          <option value="id desc">id, downwards</option>
          {app.info.judging.on ? <option value="judged desc">most judged</option> : null}
          {app.info.judging.on ? <option value="judged asc">fewest judged</option> : null}
        </select></label>
      </div>
      <Show from={page}>{(data) => (
        <>
          <Pager offset={data.offset} total={data.total} what="queries" size={size} go={turn} />
          {data.rows.length > 0 ? <Rows page={data} /> : <p>No query matches.</p>}
          {data.total > size ? <Pager offset={data.offset} total={data.total} what="queries" size={size} go={turn} /> : null}
        </>
      )}</Show>
    </section>
  );
}

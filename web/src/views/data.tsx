// SPDX-License-Identifier: Apache-2.0
// Checks of the data, and how its features have moved since training.
import { useEffect, useState } from "preact/hooks";
import { address, type DriftRow, type Finding, type Page } from "../api";
import { useApp, useLoad } from "../app";
import { rangeOf } from "../bars";
import { share, short } from "../format";
import { pageSize, Pager, Show, SortHead } from "../parts/basic";
import type { DriftSort } from "../state";

const marks = { good: "✓ fine", note: "• note", warn: "! look" };

function Check({ finding }: { finding: Finding }) {
  const { link } = useApp();
  return (
    <li class={`finding is-${finding.severity}`}>
      <span class="mark">{marks[finding.severity]}</span>
      <div>
        <strong><bdi>{finding.title}</bdi></strong>
        {finding.examples.length > 0 ? <p class="note">{finding.examples.map((example, place) => <span key={place}>{place > 0 ? ", " : ""}<bdi>{example}</bdi></span>)}
          {finding.count > finding.examples.length ? ", …" : ""}</p> : null}
        {finding.queries.length > 0 ? <p class="note">Queries: {finding.queries.map((q, place) => (
          <span key={q}>{place > 0 ? ", " : ""}<a href={link({ view: "query", q, at: null, from: 0, first: null, second: null })}>number {q}</a></span>))}</p> : null}
      </div>
    </li>
  );
}

/** The range of training above that of the data, on one scale. */
function Ranges({ row }: { row: DriftRow }) {
  if (row.train_low === null || row.train_high === null) return null;
  const range = rangeOf([row.train_low, row.train_high, row.data_low, row.data_high], false);
  const x = (value: number) => ((value - range.low) / (range.high - range.low)) * 1000;
  return (
    <svg class="ranges" viewBox="0 0 1000 20" preserveAspectRatio="none" aria-hidden="true">
      <rect class="trained" x={x(row.train_low)} y="2" width={Math.max(4, x(row.train_high) - x(row.train_low))} height="7" />
      <rect class="found" x={x(row.data_low)} y="11" width={Math.max(4, x(row.data_high) - x(row.data_low))} height="7" />
    </svg>
  );
}

function Drift() {
  const { state, go } = useApp();
  const [typed, setTyped] = useState(state.features);
  const drift = useLoad<Page<DriftRow>>(address("drift", { sort: state.drift, order: state.driftOrder, filter: state.features, offset: state.page, limit: pageSize }));
  useEffect(() => {
    if (typed === state.features) return;
    const timer = setTimeout(() => go({ features: typed, page: 0 }, true), 200);
    return () => clearTimeout(timer);
  }, [typed]);
  const by = (sort: DriftSort, name: string, title: string, numeric = true) => (
    <SortHead name={name} title={title} numeric={numeric} active={state.drift === sort} order={state.driftOrder}
      go={(order) => go({ drift: sort, driftOrder: order, page: 0 }, true)} />
  );
  return (
    <section aria-labelledby="drift">
      <h3 id="drift">Drift: features here and in training</h3>
      <div class="search"><label>Filter features <input type="search" value={typed} onInput={(event) => setTyped(event.currentTarget.value)} /></label></div>
      <ul class="legend"><li><svg viewBox="0 0 34 12" aria-hidden="true"><rect class="trained" y="3" width="34" height="6" /></svg>training (above)</li>
        <li><svg viewBox="0 0 34 12" aria-hidden="true"><rect class="found" y="3" width="34" height="6" /></svg>these data (below)</li></ul>
      <Show from={drift}>{(page) => (
        <>
          <div class="scroll" role="region" aria-label="Drift" tabIndex={0}>
            <table class="drift">
              <caption class="sr">Features here and in training</caption>
              <thead><tr>{by("name", "feature", "by name", false)}{by("outside", "outside", "documents outside the range of training")}
                {by("shift", "shift", "of the mean, in ranges of training")}<th scope="col">ranges</th><th scope="col" class="n room">training</th>
                <th scope="col" class="n room">these data</th></tr></thead>
              <tbody>{page.rows.map((row) => (
                <tr key={row.feature}><th scope="row"><bdi>{row.name}</bdi></th>
                  <td class="n">{share(row.outside)}{row.outside !== null && row.outside > 0.01 ? <span class="note">! look</span> : null}</td>
                  <td class="n">{row.shift === null ? "–" : row.shift.toFixed(3)}</td><td class="chart"><Ranges row={row} /></td>
                  <td class="n room">{row.train_low === null ? "unknown" : `${short(row.train_low)} to ${short(row.train_high)}`}</td><td class="n room">{short(row.data_low)} to {short(row.data_high)}</td></tr>
              ))}</tbody>
            </table>
          </div>
          <Pager offset={page.offset} total={page.total} what="features" go={(offset) => go({ page: offset }, true)} />
        </>
      )}</Show>
    </section>
  );
}

export function DataView() {
  const checks = useLoad<{ findings: Finding[] }>(address("checks"));
  return (
    <section>
      <h2 tabIndex={-1}>Data</h2>
      <h3>Checks</h3>
      <Show from={checks}>{(data) => <ul class="findings">{data.findings.map((finding) => <Check key={finding.kind} finding={finding} />)}</ul>}</Show>
      <Drift />
    </section>
  );
}

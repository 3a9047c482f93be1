// SPDX-License-Identifier: Apache-2.0
// Weights of linear models side by side, the largest first.
import { address, type Page, type WeightRow } from "../api";
import { nameOf, useApp, useLoad } from "../app";
import { short } from "../format";
import { Heading, pageSize, Pager, Show } from "../parts/basic";

function WeightBar({ row }: { row: WeightRow | undefined }) {
  if (!row) return null;
  const most = Math.max(Math.abs(row.low), Math.abs(row.high)) || 1;
  const length = Math.abs(row.weight) / most * 500;
  return (
    <svg class="stack" viewBox="0 0 1000 20" preserveAspectRatio="none" aria-hidden="true">
      <rect class={row.weight > 0 ? "for" : "against"} x={row.weight > 0 ? 500 : 500 - length} y="3" width={length} height="14" />
      <line class="zero" x1="500" x2="500" y1="0" y2="20" />
    </svg>
  );
}

export function WeightsView() {
  const app = useApp();
  const { state, go } = app;
  const [first, second] = app.info.models;
  const sides = [...(first?.linear ? ["a" as const] : []), ...(app.right === "b" && second?.linear ? ["right" as const] : [])];
  const key = sides[0] === "right" ? "b" : "a";
  const own = useLoad<Page<WeightRow>>(address("weights", { model: key, filter: state.features, offset: state.page, limit: pageSize }));
  const other = useLoad<Page<WeightRow>>(sides.length > 1 ? address("weights", { model: "b", limit: 1e6 }) : null);
  const byName = new Map((other.data?.rows ?? []).map((row) => [row.name, row]));
  return (
    <section>
      <Heading>Weights</Heading>
      <p class="note">Of scaled features, the largest of {nameOf(app, sides[0] ?? "a")} first. Bars of a model share their scale.</p>
      <div class="search"><label>Filter features <input type="search" value={state.features}
        onInput={(event) => go({ features: event.currentTarget.value, page: 0 }, true)} /></label></div>
      <Show from={own}>{(page) => (
        <>
          <div class="scroll" role="region" aria-label="Weights" tabIndex={0}>
            <table class="weights">
              <caption class="sr">Weights of features</caption>
              <thead><tr><th scope="col">feature</th>
                {sides.map((side) => [<th key={side} scope="col" class="n">{nameOf(app, side)}</th>,
                  <th key={`${side} bar`} scope="col"><span class="sr">bar of {nameOf(app, side)}</span></th>])}</tr></thead>
              <tbody>
                {page.rows.map((row) => (
                  <tr key={row.feature}>
                    <th scope="row"><bdi>{row.name}</bdi></th>
                    {sides.map((side, place) => {
                      const found = place === 0 ? row : byName.get(row.name);
                      return [<td key={side} class="n">{short(found?.weight ?? null)}</td>,
                        <td key={`${side} bar`} class="chart"><WeightBar row={found} /></td>];
                    })}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          <Pager offset={page.offset} total={page.total} what="features" go={(offset) => go({ page: offset }, true)} />
        </>
      )}</Show>
    </section>
  );
}

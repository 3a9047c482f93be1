// SPDX-License-Identifier: Apache-2.0
// From query to query along the table, as it is sorted and filtered.
import { useEffect, useState } from "preact/hooks";
import { address, get, type Page, type QueryRow } from "../api";
import { comparison, useApp } from "../app";
import { useKeys } from "../keys";

/** Shows the first query of the table where none is chosen yet, unless it waits; gives the steps to the next and the one before. */
export function useWalk(waits = false): { step(by: number): void; error: string | null } {
  const app = useApp();
  const { state, go, announce } = app;
  const [error, setError] = useState<string | null>(null);
  const to = (at: number) => {
    if (at < 0) {
      announce("this is the first query of the table");
      return;
    }
    const url = address("queries", { sort: state.sort, order: state.order, filter: state.filter, offset: at, limit: 1,
      judge: app.judge, ...comparison(app) });
    get<Page<QueryRow>>(url, new AbortController().signal).then((page) => {
      const row = page.rows[0];
      if (!row) {
        announce(page.total === 0 ? "no query matches the filter" : "this is the last query of the table");
        return;
      }
      announce(`query ${row.id}`);
      go({ q: row.q, at, from: 0, first: null, second: null }, state.q === null);
    }, (problem: Error) => setError(problem.message));
  };
  useEffect(() => { if (state.q === null && !waits) to(0); }, [state.q]);
  return { step: (by) => to((state.at ?? -1) + by), error };
}

export function Walk({ step }: { step(by: number): void }) {
  const { state } = useApp();
  useKeys({ n: () => step(1), p: () => step(-1) });
  return (
    <span class="walk">
      <button type="button" disabled={(state.at ?? 0) === 0} onClick={() => step(-1)} aria-keyshortcuts="p">‹ Previous query</button>
      <button type="button" onClick={() => step(1)} aria-keyshortcuts="n">Next query ›</button>
    </span>
  );
}

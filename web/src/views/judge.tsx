// SPDX-License-Identifier: Apache-2.0
// Labels given by people: keys, undo, agreement, exports. Ranks, scores and the labels of the data stay out of sight,
// and documents stand in the order of the data, or of --queue, so that judgments are not led.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { address, post, type Agreement, type Doc, type Judged, type Query, type Queue } from "../api";
import { comparison, useApp, useLoad } from "../app";
import { agreementWord, counted, short } from "../format";
import { useKeys } from "../keys";
import { DocLink, DocName, JudgeName, judgingOff, Label, nameOfDoc, pageSize, Pager, QueryName, Show, Trouble } from "../parts/basic";
import { useWalk, Walk } from "../parts/walk";

function AgreementPart({ turn }: { turn: number }) {
  const agreement = useLoad<Agreement>(address("agreement"));
  useEffect(() => { if (turn > 0) agreement.reload(); }, [turn]);
  return (
    <section aria-labelledby="agreement">
      <h3 id="agreement">Agreement</h3>
      <Show from={agreement}>{(data) => (
        <>
          <p class="note">{data.judges.length === 0 ? "Nobody has judged yet." :
            data.judges.map((judge) => `${judge.judge}: ${counted(judge.judgments, "judgment")}`).join("; ")}</p>
          {data.pairs.length > 0 ? (
            <div class="scroll" role="region" aria-label="Agreement of judges" tabIndex={0}>
              <table>
                <thead><tr><th scope="col">judges</th><th scope="col" class="n">both</th><th scope="col" class="n">same</th>
                  <th scope="col" class="n">kappa</th><th scope="col" class="n" title="near misses count less">weighted</th><th scope="col">agreement</th></tr></thead>
                <tbody>{data.pairs.map((pair) => (
                  <tr key={`${pair.first}\n${pair.second}`}><th scope="row"><bdi>{pair.first}</bdi>, <bdi>{pair.second}</bdi></th><td class="n">{pair.both}</td>
                    <td class="n">{pair.same}</td><td class="n">{pair.kappa === null ? "–" : pair.kappa.toFixed(2)}</td>
                    <td class="n">{short(pair.weighted === null ? null : Number(pair.weighted.toFixed(2)))}</td><td>{agreementWord(pair.kappa)}</td></tr>
                ))}</tbody>
              </table>
            </div>
          ) : null}
        </>
      )}</Show>
      <p>Export: <a download href={address("judgments.qrels")}>qrels</a>, <a download href={address("judgments.txt")}>LETOR</a>,
        {" "}<a download href={address("judgments.jsonl")}>JSON lines</a></p>
    </section>
  );
}

type Item = Pick<Doc, "d" | "id" | "label" | "title" | "text" | "url" | "judged"> & { q: number };

interface RowProps {
  doc: Item;
  judged: number | null;
  labels: number[];
  showData: boolean;
  current: boolean;
  set(label: number | null): void;
  onFocus(): void;
}

function Row({ doc, judged, labels, showData, current, set, onFocus }: RowProps) {
  const most = labels[labels.length - 1] ?? 0;
  return (
    <li class={`judged-doc ${current ? "current" : ""}`} data-q={doc.q} data-d={doc.d} tabIndex={current ? 0 : -1} onFocus={onFocus}
      aria-label={`document ${nameOfDoc(doc)}, ${judged === null ? "not judged" : `judged ${judged}`}`}>
      <div class="what">
        <DocName doc={doc} />
        {doc.text !== null ? <p><bdi>{doc.text}</bdi></p> : null}
        <DocLink doc={doc} />
      </div>
      <div class="grades" role="group" aria-label={`label of ${nameOfDoc(doc)}`}>
        {labels.map((label) => (
          <button key={label} type="button" tabIndex={current ? 0 : -1} aria-pressed={judged === label} onClick={() => set(judged === label ? null : label)}>
            {label}</button>
        ))}
        {showData ? <span class="note">data: <Label value={doc.label} most={most} /></span> : null}
      </div>
    </li>
  );
}

interface ListProps {
  docs: Item[];
  start?: number; // the place in the list that is current at first
  above?(place: number): ComponentChildren; // a heading before this place
  changed(): void;
  elsewhere(q: number): void; // an undone label is of this query
}

/** Documents, and keys that label them. */
function JudgeList({ docs, start = 0, above, changed, elsewhere }: ListProps) {
  const { info, announce, judge } = useApp();
  const [labels, setLabels] = useState(new Map<string, number | null>());
  const [current, setCurrent] = useState(start);
  const [showData, setShowData] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const list = useRef<HTMLOListElement>(null);
  const key = (q: number, d: number) => `${q} ${d}`;
  const labelOf = (doc: Item) => (labels.has(key(doc.q, doc.d)) ? labels.get(key(doc.q, doc.d)) ?? null : doc.judged);
  const to = (place: number) => {
    const next = Math.max(0, Math.min(docs.length - 1, place));
    setCurrent(next);
    list.current?.querySelectorAll<HTMLElement>("[data-d]")[next]?.focus();
  };
  const set = (place: number, label: number | null, onwards: boolean) => {
    const doc = docs[place];
    if (!doc) return;
    if (judge === "") {
      announce("give the judge's name first");
      document.getElementById("judge-name")?.focus();
      return;
    }
    post<Judged>("judgments", { q: doc.q, d: doc.d, label, judge }).then((told) => {
      setError(null);
      setLabels((before) => new Map(before).set(key(doc.q, doc.d), label));
      announce(label === null ? `label taken away; ${counted(told.judgments, "judgment")}` : `label ${label}; ${counted(told.judgments, "judgment")}`);
      changed();
    }, (problem: Error) => setError(problem.message));
    if (onwards) to(place + 1);
  };
  const undo = () => {
    post<Judged>("undo", { judge }).then((told) => {
      if (told.q === null || told.d === null) {
        announce("nothing to undo in these data");
        return;
      }
      const { q, d, label } = told;
      announce(`undone: ${label === null ? "no label" : `label ${label}`}; ${counted(told.judgments, "judgment")}`);
      changed();
      setLabels((before) => new Map(before).set(key(q, d), label));
      const place = docs.findIndex((doc) => doc.q === q && doc.d === d);
      if (place >= 0) to(place);
      else elsewhere(q);
    }, (problem: Error) => setError(problem.message));
  };
  const keys = Object.fromEntries(info.judging.labels.filter((label) => Number.isInteger(label) && label >= 0 && label <= 9)
    .map((label) => [String(label), () => set(current, label, true)]));
  useKeys({ ...keys, u: undo, Delete: () => set(current, null, false), Backspace: () => set(current, null, false),
    j: () => to(current + 1), k: () => to(current - 1), ArrowDown: () => to(current + 1), ArrowUp: () => to(current - 1) });
  return (
    <>
      <Trouble error={error} />
      <div class="search">
        <span>{docs.filter((doc) => labelOf(doc) !== null).length} of {counted(docs.length, "document")} judged</span>
        <button type="button" disabled={judge === ""} onClick={undo} aria-keyshortcuts="u">Undo</button>
        <label class="check"><input type="checkbox" checked={showData} onChange={(event) => setShowData(event.currentTarget.checked)} /> show the data's labels</label>
      </div>
      <ol class="to-judge" ref={list}>
        {docs.map((doc, place) => [above?.(place),
          <Row key={key(doc.q, doc.d)} doc={doc} judged={labelOf(doc)} labels={info.judging.labels} showData={showData} current={place === current}
            set={(label) => set(place, label, false)} onFocus={() => setCurrent(place)} />,
        ])}
      </ol>
    </>
  );
}

function JudgeQuery({ query, changed }: { query: Query; changed(): void }) {
  const { state, go, judge } = useApp();
  const docs = [...query.docs].filter((doc) => query.order.a?.includes(doc.d)).sort((a, b) => a.d - b.d).map((doc) => ({ ...doc, q: query.q }));
  return (
    <>
      <JudgeList key={`${query.q} ${query.offset} ${judge}`} docs={docs} changed={changed} elsewhere={(q) => { if (q !== query.q) go({ q, at: null, from: 0 }); }} />
      <Pager offset={query.offset} total={query.documents} what="documents" go={(from) => go({ from }, true)} />
      <p class="note">Documents of ranking A from position {state.from + 1} on, in the order of the data.</p>
    </>
  );
}

/** The documents of --queue: begins where this judge stopped. */
function JudgeQueue({ changed }: { changed(): void }) {
  const { state, go, judge, announce } = useApp();
  const queue = useLoad<Queue>(address("queue", { offset: state.from, limit: pageSize, judge }));
  const [begun, setBegun] = useState<string | null>(null);
  const first = queue.data?.first ?? null;
  useEffect(() => {
    if (queue.data === null || begun === judge) return;
    setBegun(judge);
    if (first !== null && first >= state.from + pageSize) go({ from: first - first % pageSize }, true);
  }, [queue.data, judge]);
  return (
    <Show from={queue}>{(data) => (
      <>
        <p class="note">The list of --queue: {counted(data.total, "document")}, to be judged in this order.</p>
        <JudgeList key={`${data.offset} ${judge}`} docs={data.rows} start={first === null ? 0 : Math.max(0, Math.min(data.rows.length - 1, first - data.offset))}
          above={(place) => (place === 0 || data.rows[place - 1]?.q !== data.rows[place]?.q ? (
            <li class="query-of" key={`query ${place}`}><h3>query <bdi>{data.rows[place]?.query_text ?? data.rows[place]?.query}</bdi></h3></li>) : null)}
          changed={changed} elsewhere={() => announce("undone in another part of the list")} />
        <Pager offset={data.offset} total={data.total} what="documents" go={(from) => go({ from }, true)} />
      </>
    )}</Show>
  );
}

export function JudgeView() {
  const app = useApp();
  const { state, info, judge } = app;
  const walk = useWalk((info.judging.queue ?? 0) > 0);
  const [turn, setTurn] = useState(0);
  const inOrder = (info.judging.queue ?? 0) > 0 && state.q === null;
  const query = useLoad<Query>(state.q === null || !info.judging.on ? null : address("query",
    { q: state.q, offset: state.from, limit: pageSize, judge, ...comparison(app) }), 150);
  if (!info.judging.on) {
    return <section><h2 tabIndex={-1}>Judge</h2><p class="notice plain">{judgingOff}</p></section>;
  }
  return (
    <section>
      <div class="bar">
        <h2 tabIndex={-1}><span class="clamp">Judge {query.data ? <>query <QueryName query={query.data} /></> : ""}</span></h2>
        {inOrder ? null : <Walk step={walk.step} />}
      </div>
      <Trouble error={walk.error} />
      <JudgeName />
      {inOrder ? <JudgeQueue changed={() => setTurn((count) => count + 1)} />
        : <Show from={query}>{(data) => <JudgeQuery query={data} changed={() => setTurn((count) => count + 1)} />}</Show>}
      <AgreementPart turn={turn} />
    </section>
  );
}

// SPDX-License-Identifier: Apache-2.0
// Small parts that several views use.
import type { ComponentChildren } from "preact";
import { useApp, type Loaded } from "../app";
import { counted, nothing } from "../format";

/** A label: a coloured mark with its number in it. */
export function Label({ value, most, name = "label" }: { value: number | null; most: number; name?: string }) {
  if (value === null) return <span class="grade none" title={`no ${name}`}><span class="sr">no {name}</span>{nothing}</span>;
  const shade = most > 0 ? Math.max(0, Math.min(4, Math.round((value / most) * 4))) : 0;
  return <span class={`grade g${shade}`} title={`${name} ${value}`}><span class="sr">{name} </span>{value}</span>;
}

/** The heading of a view: a report has its own above it. */
export function Heading({ children }: { children: ComponentChildren }) {
  return useApp().info.report ? <h3 tabIndex={-1}>{children}</h3> : <h2 tabIndex={-1}>{children}</h2>;
}

/** What an id shows: hostile ones stay text, empty ones are still something to click. */
export function Id({ text }: { text: string }) {
  return <bdi class="id">{text.trim() === "" ? "(empty)" : text}</bdi>;
}

/** A query: what people typed above its id, or its id alone. */
export function QueryName({ query }: { query: { id: string; text?: string | null } }) {
  const text = query.text ?? "";
  if (text.trim() === "" || text === query.id) return <Id text={query.id} />;
  return <><span class="query-text"><bdi class="id">{text}</bdi></span>{" "}<span class="note"><Id text={query.id} /></span></>;
}

/** A link to the document, where its address is one that a browser opens. */
export function DocLink({ doc }: { doc: { url?: string | null } }) {
  const url = doc.url ?? "";
  return /^https?:\/\//i.test(url) ? <a class="url" href={url} target="_blank" rel="noreferrer noopener"><bdi>{url}</bdi></a>
    : url.trim() === "" ? null : <span class="note url"><bdi>{url}</bdi></span>;
}

/** A document's title, or its id where it has none to show. */
export function nameOfDoc(doc: { id: string; title: string | null }): string {
  return doc.title !== null && doc.title.trim() !== "" ? doc.title : doc.id.trim() === "" ? "(empty)" : doc.id;
}

/** A document in a list: its title above its id, or its id alone. */
export function DocName({ doc }: { doc: { id: string; title: string | null } }) {
  const name = nameOfDoc(doc);
  return <><span class="title"><bdi class="id">{name}</bdi></span>{name === doc.id ? null : <Id text={doc.id} />}</>;
}

export const judgingOff = "Judging is off. Start the command again with --judgments FILE: a SQLite file for the judgments, created if missing "
  + "(in Python judgments=).";

export function Trouble({ error }: { error: string | null }) {
  return error === null ? null : <p class="notice" role="alert">{error}</p>;
}

/** The content of an answer, or what became of it. */
export function Show<T>({ from, children }: { from: Loaded<T>; children: (data: T) => ComponentChildren }) {
  if (from.error !== null) return <Trouble error={from.error} />;
  if (from.data === null) return <p class="note" aria-busy="true">Loading…</p>;
  return <div class={from.busy ? "busy" : ""} aria-busy={from.busy}>{children(from.data)}</div>;
}

/** Who judges. Taken over when the field is left or Enter is pressed, so that no half of a name judges. */
export function JudgeName() {
  const { judge, setJudge } = useApp();
  const take = (event: Event) => setJudge((event.currentTarget as HTMLInputElement).value.trim());
  return (
    <p><label>Judge's name <input id="judge-name" type="text" maxLength={64} autocomplete="nickname" value={judge} onChange={take} /></label></p>
  );
}

interface PagerProps {
  offset: number;
  total: number;
  what: string;
  size?: number;
  go(offset: number): void;
}

export const pageSize = 50;

export function Pager({ offset, total, what, size = pageSize, go }: PagerProps) {
  const last = Math.min(total, offset + size);
  const range = total === 0 ? `no ${what}` : total <= size && offset === 0 ? counted(total, what.replace(/s$/, ""), what)
    : `${what} ${(offset + 1).toLocaleString("en")} to ${last.toLocaleString("en")} of ${total.toLocaleString("en")}`;
  return (
    <div class="pager">
      <span>{range}</span>
      {total > size || offset > 0 ? (
        <>
          <button type="button" disabled={offset === 0} onClick={() => go(Math.max(0, offset - size))}>
            ‹ Previous<span class="sr"> page of {what}</span>
          </button>
          <button type="button" disabled={last >= total} onClick={() => go(offset + size)}>
            Next<span class="sr"> page of {what}</span> ›
          </button>
        </>
      ) : null}
    </div>
  );
}

/** Sorting by a heading: the first click sorts downwards, the next turns it round. */
export function SortHead(
  { name, active, order, numeric = true, title, go }:
  { name: string; active: boolean; order: "asc" | "desc"; numeric?: boolean; title?: string; go(order: "asc" | "desc"): void }) {
  const sort = active ? (order === "desc" ? "descending" : "ascending") : undefined;
  const click = () => go(active ? (order === "desc" ? "asc" : "desc") : numeric ? "desc" : "asc");
  return (
    <th scope="col" class={numeric ? "n" : ""} aria-sort={sort}>
      <button type="button" title={title} onClick={click}>{name}</button>
    </th>
  );
}

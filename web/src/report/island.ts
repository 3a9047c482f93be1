// SPDX-License-Identifier: Apache-2.0
// What a report carries with it: rankers on queries, as src/report/html_queries.cpp writes them. Lists are by position:
// queries in the order of `ids`, documents of a query in that of its `docs`.

export interface Kept {
  /** Features that were kept: those that move the shown documents most. */
  features: number[];
  mean: number; // of the scores over all documents of the query
  means: number[]; // of the contributions, by kept feature
  values: (number | null)[][]; // by document, then kept feature; as in the data
  above: number[][]; // contributions above their means
}

export interface Lists {
  docs: [string, number | null, string?][]; // name, label, title
  order: number[][]; // by ranker: the first documents
  ranks: (number | null)[][]; // by ranker, then document; null: not retrieved
  scores: (number | null)[][]; // by ranker, then document; empty: not known
  ideal: number[]; // the first documents of the best order
  idealRanks: number[];
  kept: number; // positions
  why: (Kept | null)[]; // by ranker
}

export interface Ranker {
  name: string;
  values: (number | null)[]; // of the measure, by query
  features: string[]; // names; empty: no weights are known
  weights: number[];
}

export interface Island {
  measure: string;
  cutoff: number | null;
  data: string;
  labels: number[];
  ids: string[];
  texts?: Record<number, string>; // what people typed, by query
  documents: number[];
  relevant: number[];
  ideal: (number | null)[];
  rankers: Ranker[];
  lists: Record<number, Lists>; // by query; others are not on the page
  compared: [number, number | null]; // at first: A, and what it is compared with
}

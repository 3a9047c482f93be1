// SPDX-License-Identifier: Apache-2.0
// Lines between the same document in two rankings.

export interface Place {
  d: number;
  y: number; // of the middle of its row
}

export interface Link {
  d: number;
  from: number;
  to: number;
  way: "up" | "down" | "same"; // in the right ranking, against the left
}

/** A line for every document that stands in both lists; ways by rank, which need not follow from heights. */
export function linksBetween(left: Place[], right: Place[], rank: (d: number) => [number, number] | null): Link[] {
  const heights = new Map(right.map(({ d, y }) => [d, y]));
  return left.flatMap(({ d, y }) => {
    const to = heights.get(d);
    const ranks = rank(d);
    if (to === undefined || ranks === null) return [];
    const way = ranks[1] < ranks[0] ? "up" : ranks[1] > ranks[0] ? "down" : "same";
    return [{ d, from: y, to, way } as Link];
  });
}

/** The path of a line over a gap: level at both ends. */
export function curve(left: number, right: number, from: number, to: number): string {
  const middle = ((left + right) / 2).toFixed(1);
  const [x0, y0, x1, y1] = [left, from, right, to].map((value) => value.toFixed(1));
  return `M${x0} ${y0}C${middle} ${y0} ${middle} ${y1} ${x1} ${y1}`;
}

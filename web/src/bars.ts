// SPDX-License-Identifier: Apache-2.0
// Where bars begin and end: stacks of contributions, waterfalls. Lengths are in the units of the scores.
import type { Pair, Part } from "./api";

export interface Segment {
  key: string; // of the feature; "rest" for the others
  colour: number; // of the legend; -1 without a colour of its own
  from: number;
  to: number;
  value: number;
}

/** The features that get a colour: those with the largest sum of absolute contributions, in that order. */
export function legend(documents: { parts: Part[] }[], most: number): { feature: number; name: string }[] {
  const sums = new Map<number, { feature: number; name: string; sum: number }>();
  for (const document of documents) {
    for (const part of document.parts) {
      const entry = sums.get(part.feature) ?? { feature: part.feature, name: part.name, sum: 0 };
      entry.sum += Math.abs(part.above_mean);
      sums.set(part.feature, entry);
    }
  }
  const sorted = [...sums.values()].filter((entry) => entry.sum > 0).sort((a, b) => b.sum - a.sum || a.feature - b.feature);
  return sorted.slice(0, most).map(({ feature, name }) => ({ feature, name }));
}

/** Positive contributions to the right of zero, negative ones to the left; features of the legend first. */
export function stack(parts: Part[], rest: number, features: number[]): Segment[] {
  let left = 0;
  let right = 0;
  let others = rest;
  const segments: Segment[] = [];
  const add = (key: string, colour: number, value: number) => {
    if (value === 0) return;
    const from = value > 0 ? right : left;
    segments.push({ key, colour, from, to: from + value, value });
    if (value > 0) right += value;
    else left += value;
  };
  for (const [colour, feature] of features.entries()) {
    const part = parts.find((candidate) => candidate.feature === feature);
    if (part) add(String(feature), colour, part.above_mean);
  }
  for (const part of parts) if (!features.includes(part.feature)) others += part.above_mean;
  add("rest", -1, others);
  return segments;
}

export interface Range {
  low: number;
  high: number;
}

/** The range of some numbers and zero; never empty. */
export function rangeOf(values: number[], withZero = true): Range {
  const low = Math.min(...values, ...(withZero ? [0] : []));
  const high = Math.max(...values, ...(withZero ? [0] : []));
  return high > low ? { low, high } : { low: low - 0.5, high: high + 0.5 };
}

export interface Step {
  key: string;
  name: string;
  from: number;
  to: number;
  value: number;
  upper: number | null; // values of the feature
  lower: number | null;
}

/** From the score of the lower document to that of the upper one, feature by feature. */
export function waterfall(pair: Pair): Step[] {
  let at = pair.lower.score;
  const steps: Step[] = [];
  const add = (key: string, name: string, value: number, upper: number | null, lower: number | null) => {
    steps.push({ key, name, from: at, to: at + value, value, upper, lower });
    at += value;
  };
  for (const part of pair.parts) {
    if (part.difference !== 0) add(String(part.feature), part.name, part.difference, part.upper, part.lower);
  }
  if (Math.abs(pair.rest) > 1e-12 * Math.max(1, Math.abs(pair.gap))) add("rest", "all other features", pair.rest, null, null);
  return steps;
}

/** Places of at most `most` out of `count`, evenly spaced, the first and the last among them. */
export function bin(count: number, most: number): number[] {
  if (count <= most) return Array.from({ length: count }, (_, place) => place);
  return Array.from({ length: most }, (_, k) => Math.round((k * (count - 1)) / (most - 1)));
}

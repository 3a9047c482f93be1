// SPDX-License-Identifier: Apache-2.0
// Numbers and findings in words.
import type { Difference, Estimate, Swap } from "./api";

const minus = "\u2212";
export const nothing = "\u2013";

/** A measure: four decimals. */
export function figure(value: number | null): string {
  return value === null ? nothing : value.toFixed(4).replace("-", minus);
}

/** With its sign; zero has none. */
export function signed(value: number | null, digits = 4): string {
  if (value === null) return nothing;
  const text = Math.abs(value).toFixed(digits);
  if (Number(text) === 0) return text;
  return (value > 0 ? "+" : minus) + text;
}

/** A value of a feature, a weight or a score: four significant digits. */
export function short(value: number | null): string {
  if (value === null) return nothing;
  if (value === 0) return "0";
  const size = Math.abs(value);
  const text = size >= 1e6 || size < 1e-4 ? value.toExponential(2) : String(Number(value.toPrecision(4)));
  return text.replace(/-/g, minus);
}

export function interval(estimate: Estimate): string {
  return estimate.low === null || estimate.high === null ? "" : `${figure(estimate.low)} to ${figure(estimate.high)}`;
}

export function share(value: number | null): string {
  if (value === null) return nothing;
  const percent = value * 100;
  return `${percent > 0 && percent < 0.1 ? "< 0.1" : percent.toFixed(percent < 10 ? 1 : 0)} %`;
}

export function probability(p: number | null): string {
  if (p === null) return "no test";
  return p < 0.001 ? "p < 0.001" : `p ${p.toFixed(p < 0.1 ? 3 : 2)}`;
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

/** "+0.0040, p 0.21: may be noise". */
export function verdict(difference: Difference): string {
  if (difference.wins + difference.losses === 0) return "no query changes";
  const told = difference.p !== null && difference.p < 0.05 ? (difference.mean > 0 ? "better" : "worse") : "may be noise";
  return `${signed(difference.mean)}, ${probability(difference.p)}: ${told}`;
}

/** "would swap if bm25 of the lower document were 1.3 higher (12.4 instead of 11.1)". */
export function swapSentence(swap: Swap): string {
  const by = `${short(Math.abs(swap.change))} ${swap.change > 0 ? "higher" : "lower"}`;
  const range = swap.seen ? "" : "; no document of the data has such a value";
  return `${swap.name} of the ${swap.document} document were ${by} (${short(swap.to)} instead of ${short(swap.from)}${range})`;
}

/** How a document moved from one rank to another: "▲3", "▼2", "=". */
export function moved(before: number | null, after: number | null): { mark: string; words: string } {
  if (before === null || after === null) return { mark: "", words: "" };
  const by = before - after;
  if (by === 0) return { mark: "=", words: "same rank" };
  return by > 0 ? { mark: `▲${by}`, words: `${by} higher` } : { mark: `▼${-by}`, words: `${-by} lower` };
}

/** Kappa in words, after Landis and Koch. */
export function agreementWord(kappa: number | null): string {
  if (kappa === null) return "undefined";
  if (kappa <= 0) return "none";
  const words = ["slight", "fair", "moderate", "substantial", "almost perfect"];
  return words[Math.min(4, Math.ceil(kappa / 0.2) - 1)] ?? "none";
}

/** The step of a slider: about a two-hundredth of its range, a power of ten times 1, 2 or 5. */
export function stepOf(low: number, high: number): number {
  const wanted = (high - low) / 200;
  const power = Math.floor(Math.log10(wanted));
  const factor = [1, 2, 5, 10].find((candidate) => candidate * 10 ** power >= wanted * 0.999) ?? 10;
  return Number(`${factor}e${power}`);
}

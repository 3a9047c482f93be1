// SPDX-License-Identifier: Apache-2.0
// Keys of one character. They are silent in text fields, with modifiers, under a dialog, and when they are switched off.
import { useEffect, useRef } from "preact/hooks";
import { remembered } from "./app";

export type Keys = Record<string, (event: KeyboardEvent) => void>;

export const help: { where: string; keys: [string, string][] }[] = [
  { where: "Everywhere", keys: [
    ["?", "this list"],
    ["1 to 6 after g", "go to Queries, Query, What if, Judge, Blind, Data: g 1, g 2, …"],
    ["/", "to the filter"],
    ["Tab, Enter, Space", "from control to control; use it"],
    ["Escape", "closes this list; takes back what is picked"],
  ] },
  { where: "Queries", keys: [
    ["j, k", "next, previous row"],
    ["Enter", "open the query"],
    ["[, ]", "previous, next page"],
  ] },
  { where: "Query", keys: [
    ["↑, ↓, Home, End", "along a ranking"],
    ["←, →", "the same document in the next ranking"],
    ["Enter, Space", "pick a document: one shows why, two are compared"],
    ["n, p", "next, previous query of the table"],
    ["[, ]", "positions before, after"],
  ] },
  { where: "What if", keys: [
    ["←, →", "move a weight or a point (Page up, Page down: by more)"],
    ["r", "all as in the model"],
  ] },
  { where: "Judge", keys: [
    ["0 to 4", "label of the document in focus, then on to the next"],
    ["Delete, Backspace", "take its label away"],
    ["u", "undo"],
    ["↑, ↓ or j, k", "from document to document"],
    ["n, p", "next, previous query of the table"],
  ] },
  { where: "Blind", keys: [
    ["←, →", "the left, the right list is better"],
    ["=", "no difference"],
  ] },
];

export function keysOn(): boolean {
  return remembered("keys") !== "off";
}

function typing(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return target.type !== "checkbox" && target.type !== "radio" && target.type !== "range";
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement || target.isContentEditable;
}

/** Keys that work anywhere on the page while a part is shown; on a page with `data-keys`, inside that element. */
export function useKeys(keys: Keys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return;
      if (!keysOn() || typing(event.target) || document.querySelector("dialog[open]")) return;
      const scope = document.querySelector("[data-keys]");
      if (scope && !(event.target instanceof Node && scope.contains(event.target))) return;
      const action = latest.current[event.key];
      // Sliders keep their arrows.
      if (!action || (event.key.startsWith("Arrow") && event.target instanceof HTMLInputElement)) return;
      event.preventDefault();
      action(event);
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
}

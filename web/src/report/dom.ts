// SPDX-License-Identifier: Apache-2.0
// The two things that static parts of a report are made interactive with.

export function each<T extends Element = Element>(selector: string, action: (element: T) => void, from: ParentNode = document): void {
  Array.from(from.querySelectorAll<T>(selector)).forEach(action);
}

export function make<K extends keyof HTMLElementTagNameMap>(tag: K, name = "", text = ""): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (name !== "") element.className = name;
  if (text !== "") element.textContent = text;
  if (element instanceof HTMLButtonElement) element.type = "button";
  return element;
}

// SPDX-License-Identifier: Apache-2.0
import { useEffect, useRef, useState } from "preact/hooks";
import { remembered } from "../app";
import { help, keysOn } from "../keys";

/** The list of keys, and their switch. */
export function Help({ open, close }: { open: boolean; close(): void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [on, setOn] = useState(keysOn());
  useEffect(() => {
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);
  const turn = (event: Event) => {
    const checked = (event.currentTarget as HTMLInputElement).checked;
    remembered("keys", checked ? "on" : "off");
    setOn(checked);
  };
  return (
    <dialog ref={dialog} aria-labelledby="help-title" onClose={close}>
      <div class="bar">
        <h2 id="help-title">Keys</h2>
        <button type="button" onClick={close}>Close</button>
      </div>
      <label class="check"><input type="checkbox" checked={on} onChange={turn} /> Keys of one character are on</label>
      <div class="all-keys">
        {help.map(({ where, keys }) => (
          <section key={where}>
            <h3>{where}</h3>
            <dl class="keys">
              {keys.map(([key, does]) => <div key={key}><dt><kbd>{key}</kbd></dt><dd>{does}</dd></div>)}
            </dl>
          </section>
        ))}
      </div>
    </dialog>
  );
}

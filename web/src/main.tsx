// SPDX-License-Identifier: Apache-2.0
// The page: head, one view, what is said.
import "./style.css";
import { render } from "preact";
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { address, type Info } from "./api";
import { AppContext, remembered, rightModel, useHashState, useLoad, type App } from "./app";
import { useKeys } from "./keys";
import { Help } from "./parts/help";
import { Trouble } from "./parts/basic";
import { Top, viewNames } from "./parts/top";
import { views, writeHash, type State, type View } from "./state";
import { BlindView } from "./views/blind";
import { DataView } from "./views/data";
import { JudgeView } from "./views/judge";
import { QueriesView } from "./views/queries";
import { QueryView } from "./views/query";
import { WhatIfView } from "./views/whatif";

const shown: Record<View, () => preact.JSX.Element> = {
  queries: QueriesView, query: QueryView, whatif: WhatIfView, judge: JudgeView, blind: BlindView, data: DataView,
};

function Main({ info }: { info: Info }) {
  const [state, go] = useHashState();
  const [said, setSaid] = useState("");
  const [judge, setName] = useState(remembered("judge"));
  const [helping, setHelping] = useState(false);
  const heading = useRef<HTMLElement>(null);
  const goes = useRef(false); // the key g was pressed last
  const setJudge = useCallback((name: string) => { remembered("judge", name); setName(name); }, []);
  const link = useCallback((change: Partial<State>) => writeHash({ ...state, ...change }), [state]);
  const right = rightModel(info, state);
  const app = useMemo<App>(() => ({ info, state, go, link, announce: setSaid, judge, setJudge, right }),
    [info, state, judge, right]);
  useEffect(() => { document.title = `${viewNames[state.view]} \u2013 DORM explore`; }, [state.view]);
  // A new view is read from its heading; the first one is read from the top.
  const before = useRef(state.view);
  useEffect(() => {
    if (before.current !== state.view) heading.current?.querySelector<HTMLElement>("h2")?.focus();
    before.current = state.view;
  }, [state.view]);
  useEffect(() => {
    if (said === "") return;
    const timer = setTimeout(() => setSaid(""), 6000);
    return () => clearTimeout(timer);
  }, [said]);
  useKeys({
    "?": () => setHelping(true),
    "/": () => document.querySelector<HTMLInputElement>("input[type=search]")?.focus(),
    g: () => { goes.current = true; announceLater(setSaid); },
  });
  useEffect(() => {
    // In the capturing phase, so that digits after g are not labels.
    const pressed = (event: KeyboardEvent) => {
      if (!goes.current || event.key === "g") return;
      goes.current = false;
      const view = views[Number(event.key) - 1];
      if (view === undefined || !/^[1-6]$/.test(event.key)) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      go({ view });
    };
    addEventListener("keydown", pressed, true);
    return () => removeEventListener("keydown", pressed, true);
  }, []);
  const View = shown[state.view];
  return (
    <AppContext.Provider value={app}>
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); heading.current?.querySelector<HTMLElement>("h2")?.focus(); }}>
        To the content</a>
      <Top openHelp={() => setHelping(true)} />
      <main ref={heading} id="main"><View key={state.view} /></main>
      <footer>DORM {info.version}; figures by {info.measure}, convention {info.convention}. This page fetches nothing from outside.</footer>
      <div class={said === "" ? "said" : "said shown"} role="status" aria-live="polite">{said}</div>
      <Help open={helping} close={() => setHelping(false)} />
    </AppContext.Provider>
  );
}

function announceLater(say: (text: string) => void): void {
  say(`g: ${views.map((view, place) => `${place + 1} ${viewNames[view]}`).join(", ")}`);
}

function Start() {
  const info = useLoad<Info>(address("info"));
  if (info.error !== null) return <main><h1>DORM explore</h1><Trouble error={info.error} /></main>;
  return info.data === null ? <p>Loading…</p> : <Main info={info.data} />;
}

const root = document.getElementById("app");
if (root) {
  root.textContent = "";
  render(<Start />, root);
}

// SPDX-License-Identifier: Apache-2.0
// Two lists in random order: which is better? The server knows which model made which; the page does not.
import { useState } from "preact/hooks";
import { address, post, type BlindDoc, type BlindResult, type Trial } from "../api";
import { useApp, useLoad } from "../app";
import { counted, probability } from "../format";
import { useKeys } from "../keys";
import { DocName, JudgeName, judgingOff, QueryName, Show, Trouble } from "../parts/basic";

function List({ name, docs }: { name: string; docs: BlindDoc[] }) {
  return (
    <section class="ranking" aria-label={name}>
      <h3>{name}</h3>
      <ol class="blind">{docs.map((doc, place) => (
        <li key={doc.d}><span class="rank">{place + 1}</span><span class="what"><DocName doc={doc} />
          {doc.text !== null ? <span class="excerpt"><bdi>{doc.text}</bdi></span> : null}</span></li>
      ))}</ol>
    </section>
  );
}

function Result() {
  const [asked, setAsked] = useState(false);
  const result = useLoad<BlindResult>(asked ? address("blind/result") : null);
  return (
    <section aria-labelledby="blind-result">
      <h3 id="blind-result">Result</h3>
      {!asked ? <p><button type="button" onClick={() => setAsked(true)}>Show the result so far</button> <span class="note">better after the last trial</span></p> : (
        <Show from={result}>{(data) => (
          <p id="blind-told">{counted(data.trials, "trial")}: A better in {data.a}, B better in {data.b}, no difference in {data.same};
            {" "}{probability(data.p)} (sign test).{" "}<button type="button" class="small" onClick={result.reload}>Ask again</button></p>
        )}</Show>
      )}
    </section>
  );
}

export function BlindView() {
  const { info, judge, announce } = useApp();
  const possible = info.models.length > 1 && info.judging.on;
  const trial = useLoad<Trial>(possible && judge !== "" ? address("blind", { judge }) : null, 150);
  const [error, setError] = useState<string | null>(null);
  const say = (better: "left" | "right" | "same") => {
    const now = trial.data?.trial;
    if (!now || trial.busy) return;
    post<{ done: number }>("blind", { judge, trial: now, better }).then((told) => {
      setError(null);
      announce(`${better === "same" ? "no difference" : `${better} is better`}; ${counted(told.done, "trial")} done`);
      trial.reload();
    }, (problem: Error) => setError(problem.message));
  };
  useKeys({ ArrowLeft: () => say("left"), ArrowRight: () => say("right"), "=": () => say("same") });
  if (!possible) {
    return <section><h2 tabIndex={-1}>Blind A/B</h2>
      <p class="notice plain">{info.models.length < 2 ? "A blind comparison takes two rankers: dorm explore A B --data DATA --judgments FILE." : judgingOff}</p></section>;
  }
  return (
    <section>
      <h2 tabIndex={-1}>Blind A/B: which list is better?</h2>
      <JudgeName />
      <Trouble error={error} />
      {judge === "" ? <p class="note">Give a name to begin.</p> : (
        <Show from={trial}>{(data) => data.trial === null ? <p class="notice good">No query is left to compare; {counted(data.done, "trial")} done. Thank you.</p> : (
          <>
            <p>Query <QueryName query={{ id: data.id ?? "", text: data.text ?? null }} />; {counted(data.done, "trial")} done.</p>
            <div class="choices" role="group" aria-label="Which list is better?">
              <button type="button" onClick={() => say("left")} aria-keyshortcuts="ArrowLeft">← Left is better</button>
              <button type="button" onClick={() => say("same")} aria-keyshortcuts="=">= No difference</button>
              <button type="button" onClick={() => say("right")} aria-keyshortcuts="ArrowRight">Right is better →</button>
            </div>
            <div class="rankings two"><List name="Left" docs={data.left} /><List name="Right" docs={data.right} /></div>
          </>
        )}</Show>
      )}
      <Result />
    </section>
  );
}

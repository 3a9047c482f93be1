// SPDX-License-Identifier: Apache-2.0
// The script of the reports (src/report of DORM): their static parts made interactive, and the parts of `dorm explore`
// where a report carries queries. The page is complete without it.
import "./report.css";
import { render } from "preact";
import { Theme } from "./parts/theme";
import { each } from "./report/dom";
import type { Island } from "./report/island";
import { crossPlots, muteByLegend } from "./report/plots";
import { Queries } from "./report/queries";
import { copyCommands, filterMethods, openForPrint, sortTables } from "./report/tables";

const place = document.getElementById("theme-place");
if (place) render(<Theme />, place);
sortTables();
copyCommands();
muteByLegend();
crossPlots();
filterMethods();
openForPrint();
each<HTMLElement>(".queries-block", (block) => {
  const data = block.querySelector(".data")?.textContent ?? "";
  const shown = block.querySelector<HTMLElement>(".shown");
  if (!shown) return;
  each<HTMLElement>(".plain", (part) => { part.hidden = true; }, block);
  render(<Queries island={JSON.parse(data) as Island} />, shown);
});

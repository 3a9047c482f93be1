// SPDX-License-Identifier: Apache-2.0
#include "report/style.h"

#include <fmt/format.h>

namespace dorm::report {
namespace {

// Text on its background has a contrast of at least 4.5, lines of plots at least 3 (tools/check_report.py).
constexpr std::string_view kLight =
    "--bg:#ffffff;--panel:#f5f7f9;--ink:#1b2127;--soft:#55606b;--edge:#d3dae1;--link:#0b5cad;--heat:0 114 "
    "178;"
    "--warn:#fff4db;--warn-edge:#b26a00;--good:#e7f5ec;--good-edge:#1a7f43;--grid:#e1e6eb;"
    "--c0:#0b6cb0;--c1:#c44e00;--c2:#007a5a;--c3:#a8437f;--c4:#7a6400;--c5:#444c55;--c6:#5b4fc4;--c7:#"
    "a3362b;";
constexpr std::string_view kDark =
    "--bg:#12161b;--panel:#1b2128;--ink:#e6eaee;--soft:#a3adb8;--edge:#39434e;--link:#7db8f2;--heat:86 180 "
    "233;"
    "--warn:#33270f;--warn-edge:#e3a63d;--good:#12301f;--good-edge:#53c07f;--grid:#2a323b;"
    "--c0:#5cb2ee;--c1:#f58f45;--c2:#35c79c;--c3:#e48fc4;--c4:#d8bd3f;--c5:#c3cad2;--c6:#a9a1ff;--c7:#"
    "ff8a7d;";

constexpr std::string_view kRules = R"css(
*{box-sizing:border-box}
html{color-scheme:light dark;-webkit-text-size-adjust:100%}
body{margin:0;background:var(--bg);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
.page{max-width:1180px;margin:0 auto;padding:0 16px 48px}
header{display:flex;flex-wrap:wrap;gap:4px 16px;align-items:flex-start;padding:24px 0 8px}
header div{flex:1 1 260px;min-width:0}
h1{font-size:1.6rem;line-height:1.25;margin:0;overflow-wrap:anywhere}
h2{font-size:1.2rem;margin:40px 0 12px;padding-top:8px;border-top:2px solid var(--edge);overflow-wrap:anywhere}
p{margin:8px 0;max-width:75ch;overflow-wrap:anywhere}
a{color:var(--link)}
.summary,.note,.foot,footer{color:var(--soft)}
.skip{position:absolute;left:-999px}
.skip:focus{left:8px;top:8px;background:var(--bg);padding:8px;z-index:1}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
button{font:inherit;color:inherit;background:none;border:1px solid var(--edge);border-radius:6px;cursor:pointer}
#theme{padding:4px 12px;min-height:36px}
nav ul{list-style:none;display:flex;flex-wrap:wrap;gap:4px 18px;margin:0;padding:8px 0}
nav a{display:inline-block;padding:4px 0}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:12px;margin:16px 0;padding:0}
.tiles div{background:var(--panel);border:1px solid var(--edge);border-radius:8px;padding:10px 14px;min-width:0}
.tiles dt{color:var(--soft);font-size:.85rem;overflow-wrap:anywhere}
.tiles dd{margin:0;font-size:1.35rem;font-weight:600;overflow-wrap:anywhere}
.tiles .note{display:block;font-size:.8rem;font-weight:400}
.facts{display:grid;grid-template-columns:minmax(90px,max-content) 1fr;gap:4px 20px;margin:12px 0}
.facts dt{color:var(--soft)}
.facts dd{margin:0;min-width:0;overflow-wrap:anywhere}
pre{background:var(--panel);border:1px solid var(--edge);border-radius:8px;padding:10px 14px;white-space:pre-wrap;overflow-wrap:anywhere;font:.85rem/1.5 ui-monospace,Menlo,Consolas,monospace}
.notice{border-left:5px solid var(--warn-edge);background:var(--warn);padding:8px 14px;border-radius:0 8px 8px 0;max-width:none}
.notice.good{border-color:var(--good-edge);background:var(--good)}
.scroll{overflow-x:auto;margin:12px 0;max-width:100%}
table{border-collapse:collapse;font-size:.92rem;font-variant-numeric:tabular-nums}
caption{text-align:left;font-weight:600;padding:4px 0 8px}
caption span{position:sticky;left:0;display:inline-block;max-width:calc(100vw - 32px);overflow-wrap:anywhere}
th,td{padding:5px 12px;border-bottom:1px solid var(--edge);text-align:left;vertical-align:baseline;unicode-bidi:isolate}
thead th{border-bottom:2px solid var(--soft);vertical-align:bottom;font-weight:600;white-space:nowrap}
tbody th{font-weight:400}
th.n,td.n{text-align:right;white-space:nowrap}
tbody tr:hover{background:var(--panel)}
.word{overflow-wrap:break-word;max-width:44ch}
.best{font-weight:700}
td .note,th .note{font-size:.82rem;margin-left:.5em;font-weight:400}
.interval{color:var(--soft);font-size:.85em;margin-left:.5em;font-weight:400}
thead button{border:0;padding:2px 0;font-weight:600;text-align:inherit;min-height:28px}
thead button:hover{text-decoration:underline}
thead button::after{content:"\2195";margin-left:.35em;color:var(--soft);font-size:.85em}
[aria-sort=ascending] button::after{content:"\2191";color:var(--ink)}
[aria-sort=descending] button::after{content:"\2193";color:var(--ink)}
.foot{font-size:.88rem;margin:2px 0}
.heat td{text-align:center;vertical-align:middle;border:1px solid var(--bg)}
.heat .chosen{outline:3px solid var(--ink);outline-offset:-3px;font-weight:700}
.heat .chosen .note{display:block;margin:0;color:var(--ink)}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,430px),1fr));gap:16px 28px;align-items:start}
figure{margin:12px 0;min-width:0;max-width:620px}
figcaption{font-weight:600;overflow-wrap:anywhere}
figure>svg{display:block;width:100%;height:auto;margin-top:6px}
svg text{font-size:12px;fill:var(--soft)}
svg .label{fill:var(--ink)}
svg .grid{stroke:var(--grid);stroke-width:1}
svg .axis{stroke:var(--soft);stroke-width:1}
svg .line{fill:none;stroke:var(--c);stroke-width:2;stroke-linejoin:round}
svg .mark{fill:var(--c);stroke:var(--bg);stroke-width:.8}
svg .band{fill:var(--c);opacity:.16}
svg .bar{fill:var(--c)}
svg .whisker{stroke:var(--ink);stroke-width:1.5}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:2px 16px;margin:4px 0;padding:0;font-size:.88rem}
.legend li{display:flex;align-items:center;gap:6px;min-width:0;overflow-wrap:anywhere}
.legend svg{flex:none;width:34px;height:12px}
details{margin:6px 0}
summary{cursor:pointer;padding:3px 0;color:var(--link);overflow-wrap:anywhere}
footer{margin-top:48px;border-top:1px solid var(--edge);padding-top:12px;font-size:.88rem}
@media (max-width:600px){
 svg text{font-size:15px}
 .facts{grid-template-columns:1fr;gap:0}
 .facts dd{margin-bottom:8px}
 th,td{padding:5px 8px}
}
@media print{
 body{font-size:11pt}
 .page{max-width:none;padding:0}
 #theme,nav,.skip,thead button::after{display:none}
 .scroll{overflow:visible}
 figure,tr,.tiles div{break-inside:avoid}
 h2,caption{break-after:avoid}
 .heat td,.tiles div,.notice{print-color-adjust:exact;-webkit-print-color-adjust:exact}
}
)css";

}  // namespace

std::string style_sheet() {
  // Light unless the system or the reader says dark; paper is always light.
  std::string css = fmt::format(
      ":root{{{0}}}\n@media screen and (prefers-color-scheme:dark){{:root:not([data-theme=light]){{{1}}}}}\n"
      "@media "
      "screen{{:root[data-theme=dark]{{{1}color-scheme:dark}}:root[data-theme=light]{{color-scheme:light}}}}",
      kLight, kDark);
  css += kRules;
  for (int k = 0; k < 8; ++k) css += fmt::format(".s{0}{{--c:var(--c{0})}}", k);
  for (int k = 0; k < kShades; ++k)
    css += fmt::format(".h{}{{background:rgb(var(--heat) / {:.3f})}}", k, 0.03 + 0.42 * k / (kShades - 1));
  return css + "\n";
}

}  // namespace dorm::report

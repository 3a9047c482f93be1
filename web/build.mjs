// SPDX-License-Identifier: Apache-2.0
// Builds the page into dist/ (index.html, app.js, app.css), and what reports embed (report.js, report.css). With --check
// nothing is written: fails unless dist/ is what the sources build, which is how the files in the tree are kept true.
import { build } from "esbuild";
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import path from "node:path";

const here = path.dirname(fileURLToPath(import.meta.url));
const dist = path.join(here, "dist");
const common = {
  absWorkingDir: here,
  outdir: "dist",
  bundle: true,
  write: false,
  minify: true,
  charset: "utf8",
  format: "iife",
  target: ["es2022", "chrome109", "firefox115", "safari16"],
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
};
const notice = "/* Apache-2.0; contains Preact (MIT), see THIRD_PARTY_NOTICES.md */";
const page = await build({ ...common, entryPoints: { app: "src/main.tsx" }, banner: { js: notice } });
// A report is HTML and well-formed XML at once: its script stands between marks that only XML sees. It travels alone, and
// has the licence of what it contains with it.
const licence = (await readFile(path.join(here, "node_modules/preact/LICENSE"), "utf8")).trim();
const report = await build({ ...common, entryPoints: { report: "src/report.tsx" }, banner: { js: `//<![CDATA[\n/* Apache-2.0; contains Preact:\n\n${licence}\n*/` },
  footer: { js: "//]]>" } });
const made = [...page.outputFiles, ...report.outputFiles];
const files = new Map(made.map((file) => [path.basename(file.path), Buffer.from(file.contents)]));
const script = files.get("report.js").toString();
for (const end of ["</script", "<!--"]) if (script.includes(end)) throw new Error(`report.js has ${end}, which ends a script in HTML`);
if (script.indexOf("]]>") !== script.lastIndexOf("]]>")) throw new Error("report.js has ]]>, which ends a part in XML");
files.set("index.html", await readFile(path.join(here, "src/index.html")));

if (process.argv.includes("--check")) {
  const stale = [];
  for (const [name, bytes] of files) {
    const stored = await readFile(path.join(dist, name)).catch(() => null);
    if (!stored?.equals(bytes)) stale.push(name);
  }
  const extra = (await readdir(dist)).filter((name) => !files.has(name));
  for (const name of stale) console.error(`web/dist/${name}: not what the sources build: run npm run build in web/`);
  for (const name of extra) console.error(`web/dist/${name}: nothing builds this file`);
  process.exitCode = stale.length + extra.length > 0 ? 1 : 0;
} else {
  await mkdir(dist, { recursive: true });
  for (const [name, bytes] of files) {
    await writeFile(path.join(dist, name), bytes);
    console.log(`dist/${name}  ${(bytes.length / 1024).toFixed(1)} kB`);
  }
}

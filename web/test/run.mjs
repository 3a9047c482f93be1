// SPDX-License-Identifier: Apache-2.0
// Bundles test/*.test.ts and hands them to Node's test runner.
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import path from "node:path";

const here = path.dirname(fileURLToPath(import.meta.url));
const outdir = mkdtempSync(path.join(tmpdir(), "dorm-explore-"));
try {
  const entryPoints = readdirSync(here).filter((name) => name.endsWith(".test.ts")).map((name) => path.join(here, name));
  await build({ entryPoints, outdir, bundle: true, platform: "node", format: "esm", outExtension: { ".js": ".mjs" } });
  const files = readdirSync(outdir).map((name) => path.join(outdir, name));
  process.exitCode = spawnSync(process.execPath, ["--test", ...files], { stdio: "inherit" }).status ?? 1;
} finally {
  rmSync(outdir, { recursive: true, force: true });
}

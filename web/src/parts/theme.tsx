// SPDX-License-Identifier: Apache-2.0
// Light and dark: as the system has it, or as the reader wants it.
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { remembered } from "../app";

export function Theme() {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const [theme, setTheme] = useState(remembered("theme"));
  const [systemDark, setSystemDark] = useState(system.matches);
  useEffect(() => {
    const changed = () => setSystemDark(system.matches);
    system.addEventListener("change", changed);
    return () => system.removeEventListener("change", changed);
  }, []);
  useLayoutEffect(() => {
    if (theme === "dark" || theme === "light") document.documentElement.dataset["theme"] = theme;
  }, [theme]);
  const dark = theme === "" ? systemDark : theme === "dark";
  const turn = () => setTheme(remembered("theme", dark ? "light" : "dark"));
  return <button type="button" id="theme" class="plain" onClick={turn}>{dark ? "Light theme" : "Dark theme"}</button>;
}

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds a target and says what compiling cost: the ten dearest units, and the whole.

    compile_times.py [--check | --record] BUILD TARGET

The whole is processor time of the build, in units of the time the same compiler takes for reference.cpp on the
same machine right after it: the least of several compilations, since neighbours can only make one slower. --check
exits 1 where it grew by more than 15 % over times.json, --record writes that file. Both need a build from
nothing: where objects or the compiler's cache were there already, or another compiler is used, they say so and measure
nothing.
"""

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
BASELINE = HERE / "times.json"
GROWTH = 1.15
SHOWN = 10
REFERENCES = 6  # rounds of compilations of the reference


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def cached(build, name):
    """A value of the build folder's cache, or of the compiler CMake found for it."""
    files = [build / "CMakeCache.txt", *build.glob("CMakeFiles/*/CMakeCXXCompiler.cmake")]
    for path in files:
        if match := re.search(rf'^(?:set\()?{name}(?::\w+=| ")([^")\n]*)', path.read_text(), re.MULTILINE):
            return match.group(1)
    return ""


def compiler(build):
    """Name and major version, and what it is called through: ccache that holds nothing reads units twice."""
    launcher = Path(cached(build, "CMAKE_CXX_COMPILER_LAUNCHER")).name
    version = cached(build, "CMAKE_CXX_COMPILER_VERSION").split(".")[0]
    return f"{cached(build, 'CMAKE_CXX_COMPILER_ID')} {version}{f' through {launcher}' * bool(launcher)}"


def user_seconds(commands):
    """Processor time of the commands, run side by side."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    running = [subprocess.Popen(command) for command in commands]
    if any([process.wait() for process in running]):
        sys.exit(1)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def reference_seconds(build):
    """Of one compilation of the reference, with all processors busy as they were in the build; the least of several."""
    command = [cached(build, "CMAKE_CXX_COMPILER"), "-std=c++20", "-O3", "-c", HERE / "reference.cpp"]
    count = os.cpu_count()
    return min(user_seconds([[*command, "-o", os.devnull]] * count) / count for _ in range(REFERENCES))


def dearest(build):
    """(seconds on the clock, unit) of every object, by the log of ninja."""
    last = {}
    for line in (build / ".ninja_log").read_text().splitlines()[1:]:
        start, end, _, name, _ = line.split("\t")
        if name.endswith(".o") and (build / name).exists():
            last[name] = (int(end) - int(start)) / 1000
    short = re.compile(r"CMakeFiles/(\w+)\.dir/(?:Unity/unity_(\w+)_cxx\.cxx|(.*))\.o$")
    return sorted(((s, short.sub(lambda m: f"{m[1]}: {m[2] or m[3]}", name)) for name, s in last.items()), reverse=True)


def build_once(build, target):
    """Builds the target; its processor seconds, and why they do not measure a build from nothing (or None)."""
    all_units = output("ninja", "-C", build, "-t", "commands", target).count(" -c ")
    units = output("ninja", "-C", build, "-n", target).count("Building CXX object")
    print(f"building {target}: {units} of {all_units} units to compile", flush=True)
    with tempfile.NamedTemporaryFile("r") as log:
        os.environ["CCACHE_STATSLOG"] = log.name
        seconds = user_seconds([["cmake", "--build", build, "--target", target]])
        hits = log.read().count("cache_hit\n")
    if units < all_units:
        return seconds, f"{all_units - units} of {all_units} units were compiled before"
    if hits:
        return seconds, f"{hits} of {all_units} units came from the compiler's cache"
    return seconds, None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("target")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--check", action="store_true")
    what.add_argument("--record", action="store_true")
    options = parser.parse_args()

    seconds, warm = build_once(options.build, options.target)
    units = dearest(options.build)
    print(f"The {min(SHOWN, len(units))} dearest of {len(units)} units, in seconds on the clock:")
    for cost, name in units[:SHOWN]:
        print(f"{cost:8.1f}  {name}")
    if warm:
        print(f"compile time not judged: {warm}")
        return 0
    unit = reference_seconds(options.build)
    now = {"of": f"{options.target} by {compiler(options.build)}", "ratio": round(seconds / unit, 1)}
    print(f"{now['of']}: {seconds:.0f} s of processor time, {now['ratio']} times the reference of {unit:.2f} s")
    if options.record:
        BASELINE.write_text(json.dumps(now) + "\n")
    if options.check and not BASELINE.exists():
        print(f"compile time not judged: no {BASELINE.name} yet (--record writes it)")
    elif options.check:
        baseline = json.loads(BASELINE.read_text())
        if now["of"] != baseline["of"]:
            print(f"compile time not judged: the baseline is of {baseline['of']}")
        elif now["ratio"] > GROWTH * baseline["ratio"]:
            print(f"compile time grew from {baseline['ratio']} to {now['ratio']} times the reference: more than 15 %")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

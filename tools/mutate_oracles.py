#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Breaks the oracles on purpose, one lemma at a time, and reports whether the tests notice.

    mutate_oracles.py [--filter WORD]

Each mutation replaces one piece of text in a copy of the sources, rebuilds the tests of sorting, assignment and
oracles there and runs them. Prints one Markdown row per mutation; exits 1 if any survives.
"""

import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]

# (what is broken, file, text, replacement)
MUTATIONS = [
    (
        "L1: a class in ascending score order",
        "src/ranking/oracle/merge.cpp",
        "head[place] = g[order[r]];\n      document[place] = order[r];",
        "head[place] = g[order[l_ - 1 - r]];\n      document[place] = order[l_ - 1 - r];",
    ),
    (
        "L2: lowest rate doubled",
        "src/ranking/oracle/merge.cpp",
        "head[k] - low * gain_[k]",
        "head[k] - 2 * low * gain_[k]",
    ),
    (
        "L2: lower rates for both sides",
        "src/ranking/oracle/merge.cpp",
        "head[k] - high * gain_[k]",
        "head[k] - low * gain_[k]",
    ),
    (
        "L2: higher rates for both sides",
        "src/ranking/oracle/merge.cpp",
        "head[k] - low * gain_[k]",
        "head[k] - high * gain_[k]",
    ),
    (
        "rates of the next position",
        "src/ranking/oracle/merge.cpp",
        "inside ? t_.lowest_rate[s] : 0",
        "inside ? t_.lowest_rate[s + 1 < t_.cutoff ? s + 1 : s] : 0",
    ),
    (
        "rates: hulls exchanged",
        "src/ranking/oracle/tables.cpp",
        "t.lowest_rate = hull_rates(t, 1.0)",
        "t.lowest_rate = hull_rates(t, -1.0)",
    ),
    (
        "rates: hull never popped",
        "src/ranking/oracle/tables.cpp",
        ">= 0) {\n      hull.pop_back",
        ">= 1e300) {\n      hull.pop_back",
    ),
    (
        "cutoff one short",
        "src/ranking/oracle/tables.cpp",
        "t.cutoff = constant_from(t.a);",
        "t.cutoff = constant_from(t.a) - (constant_from(t.a) > 1);",
    ),
    (
        "tables shared by decay only",
        "src/ranking/oracle/tables.cpp",
        "std::hash<std::string_view>{}(bytes) ^ std::hash<std::string>{}(decay.name());\n",
        "std::hash<std::string>{}(decay.name());\n"
        "  if (auto any = tables_.find(hash); any != tables_.end()) return any->second->tables;\n",
    ),
    (
        "merge keeps the first value of a state",
        "src/ranking/oracle/merge.cpp",
        "if (value > m_.next_value[known]) {",
        "if (value > m_.next_value[known] + 1e9) {",
    ),
    (
        "merge confuses states of equal hash slot",
        "src/ranking/oracle/merge.cpp",
        "m_.next_key[known] != key ||",
        "false &&",
    ),
    (
        "exchange: candidates one too few",
        "src/ranking/oracle/exchange.cpp",
        "gain >= smallest[n - 1]) continue;",
        "gain >= smallest[n > 1 ? n - 2 : 0]) continue;",
    ),
    (
        "exchange: stops collecting too early",
        "src/ranking/oracle/exchange.cpp",
        "smallest[n - 1] <= floor) break;",
        "smallest[0] <= floor) break;",
    ),
    ("exchange: gaps ignored", "src/ranking/oracle/exchange_kernel.h", "up += gap[-1] - gap[0];", "up += 0 * gap[0];"),
    (
        "exchange: gap of the wrong shift",
        "src/ranking/oracle/exchange_kernel.h",
        "down += gap[1] - gap[0];",
        "down += gap[0] - gap[-1];",
    ),
    (
        "exchange: hole closed for nothing",
        "src/ranking/oracle/exchange_kernel.h",
        "up += (here[-1] - here[0]) * g;",
        "up += 0 * (here[-1] - here[0]) * g;",
    ),
    (
        "exchange: hole opened for nothing",
        "src/ranking/oracle/exchange_kernel.h",
        "down += (here[1] - here[0]) * g;",
        "down += 0 * (here[1] - here[0]) * g;",
    ),
    (
        "exchange: no direct moves between top positions",
        "src/ranking/oracle/exchange_kernel.h",
        "(direct > closing ? direct : closing) + leave",
        "closing + leave",
    ),
    (
        "exchange: no moves through the tail behind",
        "src/ranking/oracle/exchange_kernel.h",
        "edge[k][w] = edge[k][w] > opening ? edge[k][w] : opening;",
        "static_cast<void>(opening);",
    ),
    (
        "exchange: paths of one edge only",
        "src/ranking/oracle/exchange_kernel.h",
        "round < boundaries && changed",
        "round < 1 && changed",
    ),
    (
        "exchange: no paths, greedy",
        "src/ranking/oracle/exchange_kernel.h",
        "round < boundaries && changed",
        "round < 0 * boundaries && changed",
    ),
    (
        "exchange: wrong weight back in the tail",
        "src/ranking/oracle/exchange_kernel.h",
        "at.up + at.close_weight * g",
        "at.up + at.open_weight * g",
    ),
    (
        "paths: everyone is happy",
        "src/ranking/oracle/paths.cpp",
        ">= wish_[i] - tolerance_) continue;",
        ">= wish_[i] - 1e300) continue;",
    ),
    (
        "paths: prices not raised",
        "src/ranking/oracle/paths.cpp",
        "price_[done[k]] += reached - settled[k];",
        "price_[done[k]] += 0 * settled[k];",
    ),
    (
        "paths: wishes not lowered",
        "src/ranking/oracle/paths.cpp",
        "wish_[document_at_[done[k]]] -= reached - settled[k];",
        "wish_[document_at_[done[k]]] -= 0 * settled[k];",
    ),
    (
        "paths: no search",
        "src/ranking/oracle/price_blocks.cpp",
        "top = x > top ? x : top;\n  }\n  double lane",
        "top = x > top && p.block > 0 ? x : top;\n  }\n  double lane",
    ),
    (
        "price blocks: bound from the wrong end",
        "src/ranking/oracle/price_blocks.cpp",
        "slope > 0.0 ? first_c : last_c",
        "slope > 0.0 ? last_c : first_c",
    ),
    (
        "relax: nearest of the last lanes only",
        "src/ranking/oracle/relax.cpp",
        "const auto nearer = open < nearest;",
        "const auto nearer = open < nearest + 1e300;",
    ),
    ("first hit: one position early", "src/ranking/oracle/first_hit.cpp", "consider(p + 1, f);", "consider(p, f);"),
    (
        "first hit: stops too early",
        "src/ranking/oracle/first_hit.cpp",
        "f - least > best_value_; ++p",
        "f - a_[p] >= best_value_; ++p",
    ),
    (
        "first hit: wrong shift of the passed",
        "src/ranking/oracle/first_hit.cpp",
        "(c_[p + t] - c_[p + t + 1])",
        "(c_[p + t + 1] - c_[p + t + 2])",
    ),
    (
        "proportional: kappa forgotten",
        "src/ranking/oracle/proportional.cpp",
        "t.proportional ? t.kappa : 0",
        "t.proportional ? 1 : 0",
    ),
    (
        "selection: threshold one too high",
        "src/ranking/oracle/selection.cpp",
        "largest[order[n - 1]]",
        "largest[order[n > 1 ? n - 2 : 0]]",
    ),
    (
        "selection: ties by the last index",
        "src/ranking/oracle/selection.cpp",
        "work.ranking[j] = survivor[order[j]];",
        "work.ranking[j] = survivor[order[n - 1 - j]];",
    ),
    (
        "loss of the wrong sign",
        "src/ranking/oracle/separate.cpp",
        "out.loss = query.ideal - measure;",
        "out.loss = measure - query.ideal;",
    ),
    ("ties: not settled", "src/ranking/oracle/ties.cpp", "if (first + 1 >= l) return;", "if (l > 0) return;"),
    (
        "sort: ties by descending index",
        "src/base/sort.cpp",
        "(x.score == y.score && x.index < y.index)",
        "(x.score == y.score && x.index > y.index)",
    ),
    (
        "sort: equal scores before count as smaller",
        "src/base/sort.cpp",
        "_mm512_set1_pd(g[j]), mine, _CMP_GE_OQ",
        "_mm512_set1_pd(g[j]), mine, _CMP_GT_OQ",
    ),
    (
        "best reference: plateaus not sorted",
        "src/ranking/oracle/reference.cpp",
        "while (last < a.size() && a[last] == a[first]) ++last;",
        "++last;",
    ),
    (
        "best reference: equal gains by index",
        "src/ranking/oracle/reference.cpp",
        "query.b[x] > query.b[y] : by_score(x, y)",
        "query.b[x] > query.b[y] : x < y",
    ),
    (
        "best reference: relevant document always first",
        "src/ranking/oracle/reference.cpp",
        "hit - ranking.begin() < plateau) return;",
        "hit == ranking.begin()) return;",
    ),
    (
        "assignment: duals not updated",
        "src/ranking/assign/assignment.cpp",
        "v[column] -= reached - distance_[column];",
        "v[column] -= 0 * distance_[column];",
    ),
    (
        "assignment: first free column instead of the nearest",
        "src/ranking/assign/assignment.cpp",
        "if (distance_[j] < shortest ||",
        "if (shortest == kInfinity ||",
    ),
]


def run(command, **options):
    return subprocess.run(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, **options
    ).returncode


def killed(copy, build):
    """How the mutant died, or None."""
    targets = ["base_test", "assign_test", "oracle_test"]
    if run(["cmake", "--build", build, "--target", *targets]) != 0:
        return "does not compile"
    for target in targets:
        program = build / "tests" / target.removesuffix("_test") / target
        try:
            if run([program, "--gtest_fail_fast"], timeout=300) != 0:
                return target
        except subprocess.TimeoutExpired:
            return f"{target} (hangs)"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--filter", default="")
    options = parser.parse_args()
    survivors = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "dorm"
        ignore = shutil.ignore_patterns("build*", ".git", "shared")
        shutil.copytree(ROOT, copy, ignore=ignore)
        build = copy / "build"
        if (
            run(
                [
                    "cmake",
                    "-S",
                    copy,
                    "-B",
                    build,
                    "-G",
                    "Ninja",
                    "-DDORM_CLI=OFF",
                    "-DCMAKE_CXX_COMPILER_LAUNCHER=ccache",
                ]
            )
            != 0
        ):
            sys.exit("configuring failed")
        if (reason := killed(copy, build)) is not None:
            sys.exit(f"the unchanged sources fail: {reason}")
        print("| mutation | file | noticed by |\n|---|---|---|", flush=True)
        for what, name, text, replacement in MUTATIONS:
            if options.filter not in what:
                continue
            path = copy / name
            original = path.read_text()
            if text not in original:
                sys.exit(f"{name} no longer contains: {text}")
            path.write_text(original.replace(text, replacement))
            reason = killed(copy, build)
            path.write_text(original)
            survivors += reason is None
            print(f"| {what} | {name} | {reason or '**survived**'} |", flush=True)
    sys.exit(1 if survivors else 0)


if __name__ == "__main__":
    main()

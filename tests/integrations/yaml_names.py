# SPDX-License-Identifier: Apache-2.0
"""Names of features that YAML, JSON or Markdown would read as something else."""

import random

ODD = [
    "yes", "no", "null", "~", "1e3", "0x10", "1:30", "2026-01-01", "- a", "a: b", "# c", "{d}", "[e]", "&f", "*g",
    "!h", "|", ">", "%i", "@j", "`k`", "'l'", 'm"n', "o\\p", "\\u0041", "q\nr", "s\tt", "u\rv", "\x01", "\x7f",
    "\x85", "\x9f", "\u2028", "\u2029", "\ufeff", "\uffff", "\U0001f600", "\xfc", "\u4e2d\u6587", "---", "...", " ",
    " lead", "trail ", "<b>", "a|b", "{{x}}", "${y}", "\xe9", "e\u0301",
]  # fmt: skip


def random_names(count, seed):
    """Distinct names of random characters, those that formats care about often among them."""
    rng = random.Random(seed)
    signs = "\"'\\:#-{}[],&*!|>%@` \n\r\t\x00\x1b\x7f\x80\x85\xa0\u2028\ud7ff\ue000\ufffd\U0001f600\U0010ffff0aZ~"
    names = set()
    while len(names) < count:
        names.add("".join(rng.choice(signs) for _ in range(rng.randint(1, 8))))
    return sorted(names)

"""Words that a user of LightGBM, scikit-learn or ir_measures would not know, and where they must not stand: help,
messages, README, guide pages, public headers and the Python package. The glossary with the field's words is
docs/notation.md; tools/check_rules.py refuses every line that is found here, tools/house.py counts them.
"""

import re

# What must not come back, and the word of the field.
WORDS = [
    (r"cards? of NVIDIA|NVIDIA cards?|\b(on|to|by|of) (a|the) card\b|graphics cards?", "GPU"),
    (r"compute places?", "device"),
    (r"\bcrews?\b", "workers"),
    (r"told apart", "significantly different"),
    (r"\bso many\b", 'a number, or "the given number of"'),
    (r"cheap rankers?", "initial model"),
    (r"\bhealth of (a|the) (model|bound)|\bhealth \d?\.\d", "explained risk"),
    (r"\brivals?\b", "baselines"),
    (r"\bof your own\b", "custom"),
    (r"\bhopeless\b", "pruned"),
    (r"lists? that (is|are) not a sort", "slates"),
    (r"\bwhoever\b", "a noun"),
    (r"\bwhat is known of\b", "a noun"),
    (r"\ba thing of its own\b", "a noun"),
    (r"\bjudg(e|es|ed|ing) (the |a |all |some )?(rankers?|models?|grid|trainings?)\b", "evaluate or validate"),
    (r"\b(documents?|rankings?|figures?|numbers?) stands?\b", "is, are, or the verb of the field"),
]
FORBIDDEN = [(re.compile(pattern, re.IGNORECASE), instead) for pattern, instead in WORDS]
PLACES = ("README.md", "CONTRIBUTING.md", "docs/", "cli/", "include/", "python/dorm/")
# These pages quote the glossary or history, or are generated.
EXCEPT = ("docs/notation.md", "docs/python-api.md", "docs/benchmarks-archive.md")


def found(files):
    """(path, line number, match, the word of the field) for every forbidden word in `files`, path -> text."""
    for path, text in sorted(files.items()):
        if not path.startswith(PLACES) or path.startswith(EXCEPT):
            continue
        for number, line in enumerate(text.split("\n"), 1):
            for pattern, instead in FORBIDDEN:
                if match := pattern.search(line):
                    yield path, number, match.group(), instead

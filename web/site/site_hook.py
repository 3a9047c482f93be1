# SPDX-License-Identifier: Apache-2.0
"""What the documentation site has beyond docs/: a hook of MkDocs (mkdocs.yml).

Adds the pages of the repository's root and the notebooks as tools/notebooks.py executed them, names the version, and
bends what GitHub and MkDocs read differently: lists need an empty line above them, `<w, x>` is not a tag. Comments of
tools are left out.
"""

import os
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Pages of the root, and what they are called on the site.
ROOT_PAGES = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "CODE_OF_CONDUCT.md": "code-of-conduct.md",
}
ITEM = re.compile(r"^([-*+]|\d+[.)]) ")
# A code span, or what opens no tag; code spans of more than one line have no such sign in our pages.
CODE_OR_LESS = re.compile(
    r"(`+)(?!`).*?(?<!`)\1(?!`)|<(?!/?(?:a|b|br|details|div|img|kbd|p|sub|summary|sup)[ >/]|https?:|!--)"
)
FENCE = re.compile(r"^ *(```|~~~)")


def version():
    return re.search(r'^version = "(.*)"$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)[1]


def on_config(config):
    config.site_name = f"DORM {version()}"
    return config


def on_files(files, config):
    from mkdocs.exceptions import PluginError
    from mkdocs.structure.files import File

    for source, page in ROOT_PAGES.items():
        files.append(File.generated(config, page, content=(ROOT / source).read_text()))
    executed = Path(os.environ.get("DORM_NOTEBOOKS", ROOT / "build" / "notebooks"))
    for notebook in sorted((ROOT / "docs" / "notebooks").glob("*.ipynb")):
        if not (executed / f"{notebook.stem}.md").exists():
            raise PluginError(f"{notebook.name} has not been executed: tools/notebooks.py --out {executed} does it")
    for path in sorted(executed.glob("*")):
        files.append(File.generated(config, f"notebooks/{path.name}", abs_src_path=str(path)))
    return files


def on_page_markdown(markdown, page, config, files):
    text = re.sub(r"^<!--.*?-->\n", "", markdown, flags=re.MULTILINE | re.DOTALL)
    return as_github_reads(text)


def as_github_reads(text):
    """The page with an empty line between a paragraph and a list right below it, and `<` that opens no tag escaped."""
    out, fenced, before = [], False, ""
    for line in text.split("\n"):
        if FENCE.match(line):
            fenced = not fenced
        elif not fenced and not line.startswith("    "):
            if ITEM.match(line) and before.strip() and not ITEM.match(before) and before[0] != " ":
                out.append("")
            line = CODE_OR_LESS.sub(lambda match: "&lt;" if match[0] == "<" else match[0], line)
        out.append(line)
        before = line
    return "\n".join(out)

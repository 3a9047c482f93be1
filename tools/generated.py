"""Tables and pictures of pages that scripts write from result files: no figure in them is typed.

    generated.py           rewrite every block from its script
    generated.py --check   exit 1 when a block is not what its script prints (part of make lint)
    generated.py WORD...   only blocks whose script has one of these words in its path

A block of a page starts with a line `<!-- generated: begin, by SCRIPT WORDS -->` and ends with
`<!-- generated: end -->`.
`python SCRIPT --markdown WORDS` prints its content, quickly, from committed files alone.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(
    r"^(<!-- generated: begin, by (\S+)((?: \S+)*) -->\n).*?^(<!-- generated: end -->)", re.DOTALL | re.MULTILINE
)
BEGIN = re.compile(r"^<!-- generated: begin", re.MULTILINE)


def pages():
    listed = subprocess.run(
        ["git", "ls-files", "*.md", "docs/img/*.svg"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [ROOT / line for line in listed.stdout.splitlines()]


def content(script, words):
    command = [sys.executable, ROOT / script, "--markdown", *words]
    return subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def renewed(text, words):
    """The page with every block, or those of some scripts, as its script prints it now."""

    def block(found):
        if words and not any(word in found[2] for word in words):
            return found[0]
        return f"{found[1]}\n{content(found[2], found[3].split())}\n\n{found[4]}"

    return BLOCK.sub(block, text)


def main():
    stale, words = [], [word for word in sys.argv[1:] if word != "--check"]
    for page in pages():
        text = page.read_text()
        if len(BEGIN.findall(text)) != len(BLOCK.findall(text)):
            sys.exit(f"{page.relative_to(ROOT)}: a block without its end")
        new = renewed(text, words)
        if new != text:
            stale.append(page.relative_to(ROOT))
            if "--check" not in sys.argv[1:]:
                page.write_text(new)
    for page in stale:
        print(f"{page}: what is generated differs from its results; run tools/generated.py")
    return int(bool(stale) and "--check" in sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())

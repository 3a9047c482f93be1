"""Fills the paragraphs of C++ comments to the column limit, so that no line ends early and no word stands alone.

    reflow_comments.py FILE...           rewrite the files
    reflow_comments.py --check FILE...   print what would change, exit 1 if anything would

clang-format only breaks comment lines that are too long; it never joins them, which leaves orphans behind every edit.
Kept as they are: lines indented by two or more spaces after the marker (formulas, tables), list items, directives.
A comment behind code that does not fit into one line moves above that code.
"""

import re
import sys
import textwrap
from pathlib import Path

LIMIT = 120
SHORTEST_TAIL = 15  # characters of a paragraph's last line
BLOCK = re.compile(r"^(\s*)(///|//)(?: (.*))?$")
TRAILING = re.compile(r"^(\s*)(\S.*?\S|\S)( +)// (\S.*)$")
KEPT = re.compile(r"^(  |[-*] |\d+\. |$|clang-format|NOLINT|IWYU|SPDX|---|===)")


def fill(words, width):
    """The words in lines of at most `width`, the last of them not shorter than it must be."""
    text = " ".join(words)
    for narrower in range(width, width * 2 // 3, -2):
        lines = textwrap.wrap(text, narrower, break_long_words=False, break_on_hyphens=False)
        if len(lines) == 1 or len(lines[-1]) >= SHORTEST_TAIL:
            return lines
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)


def block(lines, indent, marker):
    """One comment block: its paragraphs filled, everything else kept."""
    out, words = [], []
    prefix = f"{indent}{marker}"

    def flush():
        out.extend(f"{prefix} {line}" for line in fill(words, LIMIT - len(prefix) - 1))
        words.clear()

    for line in lines:
        text = BLOCK.match(line).group(3) or ""
        if KEPT.match(text):
            if words:
                flush()
            out.append(line)
        else:
            words.extend(text.split())
    if words:
        flush()
    return out


def in_string(code):
    return code.count('"') % 2 == 1


def trailing(lines, start):
    """A comment behind code with its continuation lines, as one line or above the code; and how many lines it took."""
    match = TRAILING.match(lines[start])
    if not match or in_string(match.group(2)) or match.group(2).startswith(("//", "#")):
        return None
    indent, code, gap, text = match.groups()
    column = len(indent) + len(code) + len(gap)
    end = start + 1
    while end < len(lines) and re.match(rf"^ {{{column}}}// \S", lines[end]):
        text += " " + lines[end].strip()[3:]
        end += 1
    if end == start + 1:
        return None
    whole = f"{indent}{code}{gap}// {text}"
    if len(whole) <= LIMIT:
        return [whole], end
    return [f"{indent}// {line}" for line in fill(text.split(), LIMIT - len(indent) - 3)] + [indent + code], end


def reflow(text):
    lines, out, i, raw = text.split("\n"), [], 0, False
    while i < len(lines):
        line = lines[i]
        raw = (raw or 'R"' in line) and not re.search(r'\)[a-z]*"', line.split('R"')[-1])
        match = None if raw else BLOCK.match(line)
        if match:
            end = i
            while end < len(lines) and (m := BLOCK.match(lines[end])) and m.group(1, 2) == match.group(1, 2):
                end += 1
            out += block(lines[i:end], *match.group(1, 2))
            i = end
        elif not raw and (joined := trailing(lines, i)):
            out += joined[0]
            i = joined[1]
        else:
            out.append(line)
            i += 1
    return "\n".join(out)


def main(arguments):
    check = "--check" in arguments
    changed = False
    for name in arguments:
        if name.startswith("--"):
            continue
        path = Path(name)
        before = path.read_text()
        after = reflow(before)
        if after != before:
            changed = True
            if check:
                print(f"{name}: comments are not filled to {LIMIT} columns; run make format")
            else:
                path.write_text(after)
    return 1 if check and changed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

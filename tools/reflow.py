"""Fills the paragraphs of C++ comments and of Markdown pages to the column limit.

    reflow.py FILE...           rewrite the files
    reflow.py --check FILE...   print what would change, exit 1 if anything would

No line ends early and no word stands alone; the words themselves do not change. A file is Markdown if its name ends in
.md, else C++.

C++: clang-format only breaks comment lines that are too long; it never joins them, which leaves orphans behind every
edit. Kept as they are: lines indented by two or more spaces after the marker (formulas, tables), list items,
directives. A comment behind code that does not fit into one line moves above that code.

Markdown: paragraphs and list items are filled, with the indent of the item in front of its further lines. Kept as they
are: front matter, headings, tables, code (fenced or indented), quotations, HTML, link definitions, hard line breaks,
and pages that a tool writes.
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


CODE_SPAN = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)")
FENCE = re.compile(r"^ *(```|~~~)")
FRONT_MATTER = re.compile(r"^(---)$")  # as the first line of a page
ITEM = re.compile(r"^( *)([-*+]|\d+[.)])( +)(\S.*)$")
HTML = re.compile(r"^ *<(!--|/?[A-Za-z][A-Za-z0-9-]*([ >/]|$))")
VERBATIM = re.compile(r"^ *(#{1,6} |\||>|\[[^\]]+\]:)|^ *(-{2,}|={2,}|\*{3,}|_{3,})$")
STARTS_A_BLOCK = re.compile(r"^([-+*]|\d+[.)]|#{1,6}|[>|].*|-{2,}|={2,}|`{3}.*|~{3}.*|\[[^\]]+\]:|<[A-Za-z/!].*)$")
WRITTEN_BY_A_TOOL = re.compile(r"^Written by `tools/", re.MULTILINE)


def markdown_words(text):
    """The words of a paragraph: code spans are not broken, and none that would begin a block can begin a line."""
    text = CODE_SPAN.sub(lambda span: span.group().replace(" ", "\0"), text)
    words = []
    for word in text.split():
        if words and STARTS_A_BLOCK.match(word):
            words[-1] += "\0" + word
        else:
            words.append(word)
    return words


class Markdown:
    """One page, line by line: collects the lines of a paragraph, writes it filled when something else begins."""

    def __init__(self):
        self.out = []
        self.lines = []  # of the paragraph at hand
        self.first = self.rest = ""  # what stands before its first and its further lines
        self.open = False  # whether the next line may belong to it
        self.content = 0  # column in which the text of the list item at hand begins; 0 outside of lists
        self.fence = None
        self.html = False  # until the next blank line

    def flush(self):
        if self.lines:
            filled = fill(markdown_words(" ".join(self.lines)), LIMIT - len(self.rest))
            prefixes = [self.first] + [self.rest] * (len(filled) - 1)
            self.out += [(prefix + line).replace("\0", " ") for prefix, line in zip(prefixes, filled)]
            self.lines = []
        self.open = False

    def keep(self, line):
        self.flush()
        self.out.append(line)

    def begin(self, first, rest, text):
        self.flush()
        self.first, self.rest = first, rest
        self.extend(text)

    def extend(self, text):
        self.lines.append(text.strip())
        self.open = True
        if text.endswith("  "):  # a hard line break ends the filled line
            self.flush()
            self.out[-1] += "  "
            self.first, self.open = self.rest, True

    def add(self, line):
        indent = len(line) - len(line.lstrip())
        if self.fence:
            self.keep(line)
            if line.strip() == self.fence:
                self.fence = None
        elif match := FENCE.match(line) or (FRONT_MATTER.match(line) if not self.out else None):
            self.fence = match.group(1)
            self.keep(line)
        elif not line.strip():
            self.html = False
            self.keep(line)
        elif self.html or HTML.match(line):
            self.html = True
            self.keep(line)
        elif match := ITEM.match(line):
            self.content = match.end(3)
            self.begin(line[: self.content], " " * self.content, line[self.content :])
        elif indent >= self.content + 4 or VERBATIM.match(line):
            self.keep(line)
        elif self.open:
            self.extend(line)
        else:
            self.content = self.content if indent >= self.content else 0
            self.begin(" " * indent, " " * indent, line)


def reflow_markdown(text):
    if WRITTEN_BY_A_TOOL.search(text):
        return text
    page = Markdown()
    for line in text.split("\n"):
        page.add(line)
    page.flush()
    return "\n".join(page.out)


def main(arguments):
    check = "--check" in arguments
    changed = False
    for name in arguments:
        if name.startswith("--"):
            continue
        path = Path(name)
        before = path.read_text()
        after = reflow_markdown(before) if path.suffix == ".md" else reflow(before)
        if after != before:
            changed = True
            if check:
                print(f"{name}: text is not filled to {LIMIT} columns; run make format")
            else:
                path.write_text(after)
    return 1 if check and changed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

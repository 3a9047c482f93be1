#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Executes the notebooks of docs/notebooks, and writes them as Markdown pages with what they print and draw.

    notebooks.py --out FOLDER [NOTEBOOK...]     execute; exit 1 with the error where a cell fails
    notebooks.py --strip [NOTEBOOK...]          remove outputs from the notebooks, as they are kept in the repository

Runs in .venv-docs (tools/setup.sh docs), which sees the package that `make python` built. Kernels talk over sockets in
the file system: no network is needed.
"""

import argparse
import base64
import json
import os
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = ROOT / "docs" / "notebooks"
LIMIT_SECONDS = 300  # of one cell


def source(cell):
    return "".join(cell["source"]).rstrip("\n")


def stripped(notebook):
    """The notebook as it is kept: no outputs, no counts, nothing about the machine it ran on."""
    cells = []
    for number, cell in enumerate(notebook["cells"]):
        kept = {"cell_type": cell["cell_type"], "id": f"cell-{number}", "metadata": {}}
        if cell["cell_type"] == "code":
            kept |= {"execution_count": None, "outputs": []}
        cells.append(kept | {"source": source(cell).splitlines(keepends=True)})
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def written(notebook):
    return json.dumps(stripped(notebook), indent=1, ensure_ascii=False) + "\n"


def fenced(language, text):
    return f"```{language}\n{text.rstrip()}\n```"


def shown(output, page, pictures):
    """An output as Markdown; pictures are added to `pictures` by name."""
    if output["output_type"] == "stream":
        return fenced("text", "".join(output["text"]))
    data = output.get("data", {})
    for kind, suffix in (("image/svg+xml", "svg"), ("image/png", "png")):
        if kind in data:
            name = f"{page}-{len(pictures) + 1}.{suffix}"
            content = "".join(data[kind])
            pictures[name] = content.encode() if suffix == "svg" else base64.b64decode(content)
            return f"![drawn by the code above]({name})"
    if "text/html" in data:
        return "<div markdown=0>\n" + "".join(data["text/html"]).strip() + "\n</div>"
    return fenced("text", "".join(data.get("text/plain", "")))


def joined(outputs):
    """The outputs, what was printed in several pieces as one."""
    out = []
    for output in outputs:
        if out and output["output_type"] == out[-1]["output_type"] == "stream":
            out[-1] = {**out[-1], "text": "".join([*out[-1]["text"], *output["text"]])}
        else:
            out.append(output)
    return out


def page_of(notebook, name):
    """(Markdown, pictures by name) of an executed notebook."""
    parts, pictures = [], {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            parts.append(source(cell))
        elif source(cell):
            parts.append(fenced("python", source(cell)))
            parts += [shown(output, name, pictures) for output in joined(cell["outputs"])]
    note = f"*Written by the notebook `docs/notebooks/{name}.ipynb`, executed when this site was built.*"
    return "\n\n".join([*parts[:1], note, *parts[1:]]) + "\n", pictures


def execute(path):
    """The executed notebook; it runs in an empty folder."""
    import nbformat
    from nbclient import NotebookClient
    from traitlets.config import Config

    notebook = nbformat.reads(written(json.loads(path.read_text())), as_version=4)
    with tempfile.TemporaryDirectory(prefix="dorm-notebook-") as folder:
        work = Path(folder, "work")
        work.mkdir()
        config = Config({"KernelManager": {"transport": "ipc", "ip": f"{folder}/kernel"}})
        where = {"metadata": {"path": str(work)}}
        NotebookClient(notebook, timeout=LIMIT_SECONDS, resources=where, config=config).execute()
    return notebook


def build(path, out):
    began = time.monotonic()
    text, pictures = page_of(execute(path), path.stem)
    (out / f"{path.stem}.md").write_text(text)
    for name, content in pictures.items():
        (out / name).write_bytes(content)
    print(f"{path.stem}: {time.monotonic() - began:.1f} s, {len(pictures)} pictures", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--out", type=Path)
    what.add_argument("--strip", action="store_true")
    parser.add_argument("notebooks", nargs="*", type=Path, metavar="NOTEBOOK")
    options = parser.parse_args()
    paths = options.notebooks or sorted(NOTEBOOKS.glob("*.ipynb"))
    if options.strip:
        for path in paths:
            path.write_text(written(json.loads(path.read_text())))
        return 0
    options.out.mkdir(parents=True, exist_ok=True)
    for old in options.out.iterdir():
        old.unlink()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda path: build(path, options.out), paths))
    return 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""Names of a package that are imported when they are first used."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any


def lazy_names(
    package: str, homes: Mapping[str, Sequence[str]], modules: Sequence[str] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of a package.

    ``homes``: a module, relative to the package, and the public names it defines. ``modules``: public submodules. No
    module may have a public name: importing the module would hide the name.
    """
    home = {name: module for module, names in homes.items() for name in names}

    def get(name: str) -> Any:
        if name in home:
            value = getattr(importlib.import_module(home[name], package), name)
        elif name in modules:
            value = importlib.import_module(f".{name}", package)
        else:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *home, *modules})

    return get, names

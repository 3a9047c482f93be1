# SPDX-License-Identifier: Apache-2.0
"""The command as the tests call it. DORM_COMMAND names the binary; default: build/dorm of this checkout."""

import json
import os
import subprocess
from pathlib import Path

DORM = os.path.abspath(os.environ.get("DORM_COMMAND", Path(__file__).resolve().parents[2] / "build" / "dorm"))


def dorm(*arguments, status=0, **kw):
    """Runs the command; `status` is the one it must end with, None: any."""
    done = subprocess.run([DORM, *map(str, arguments)], capture_output=True, text=True, **kw)
    assert status is None or done.returncode == status, f"exit {done.returncode}: {done.stderr or done.stdout}"
    return done


def commands():
    """All commands by name, such as "train" and "clicks gains": what `dorm help --json` says of them."""
    return {command["name"]: command for command in json.loads(dorm("help", "--json").stdout)["commands"]}


def started(*arguments, **kw):
    """Runs while the test goes on."""
    return subprocess.Popen([DORM, *map(str, arguments)], **kw)

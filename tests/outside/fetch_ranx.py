# SPDX-License-Identifier: Apache-2.0
"""`fetch_ranx.py FOLDER`: the sources of ranx, whose archives on PyPI lack its tests; says so where they cannot be
reached.
"""

import io
import sys
import tarfile
import urllib.request
from pathlib import Path

COMMIT = "2cae52f00c2c15136a07d573027744109792604d"  # after 0.3.21
ADDRESS = f"https://codeload.github.com/AmenRa/ranx/tar.gz/{COMMIT}"

try:
    with urllib.request.urlopen(ADDRESS, timeout=60) as answer:
        data = answer.read()
except OSError as error:
    sys.exit(print(f"set-up: the tests of ranx could not be fetched: {error}"))
with tarfile.open(fileobj=io.BytesIO(data)) as archive:
    for member in archive.getmembers():
        parts = Path(member.name).parts[1:]  # without the folder of the commit
        if member.isfile() and parts and parts[0] == "tests":
            member.name = str(Path(*parts))
            archive.extract(member, sys.argv[1], filter="data")

# SPDX-License-Identifier: Apache-2.0
"""`fetch_ranklib.py FILE`: RankLib, as Maven Central has it; says so where that cannot be reached."""

import hashlib
import sys
import urllib.request
from pathlib import Path

ADDRESS = "https://repo1.maven.org/maven2/com/o19s/RankyMcRankFace/0.2.0/RankyMcRankFace-0.2.0.jar"
SHA256 = "03f362154ed87e5bcf439dcd4f1d1133e28405e915699b6380caded9d12f7993"

try:
    with urllib.request.urlopen(ADDRESS, timeout=60) as answer:
        data = answer.read()
except OSError as error:
    sys.exit(print(f"set-up: RankLib could not be fetched: {error}"))
if hashlib.sha256(data).hexdigest() != SHA256:
    sys.exit(f"set-up: {ADDRESS} is not the file that was read")
Path(sys.argv[1]).write_bytes(data)

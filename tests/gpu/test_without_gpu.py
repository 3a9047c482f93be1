# SPDX-License-Identifier: Apache-2.0
"""What the module for NVIDIA GPUs does where there is none: make test-cuda.

DORM_COMMAND names a command that was built with the module; the stand-ins lie beside it, in tests/gpu. The shipped
module meets a machine without a driver, and drivers that a stand-in plays; its objects, linked with a stand-in for the
CUDA runtime, meet GPUs. Only the standard library is needed. GPUs themselves: make test-gpu.
"""

import ctypes
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

DORM = Path(os.environ["DORM_COMMAND"]).resolve()
DRIVER = DORM.parent / "tests" / "gpu" / "driver"
MODULE = DORM.parent / "tests" / "gpu" / "dorm_cuda.so"
MIB = 1 << 20


def dorm(*arguments, **environment):
    """The exit status and what was said, for the variables over those of this process that speak of GPUs."""
    kept = {name: value for name, value in os.environ.items() if not re.match("CUDA_|DORM_CUDA|DORM_STAND_IN", name)}
    return subprocess.run(
        [DORM, *map(str, arguments)], env={**kept, **environment}, capture_output=True, text=True, timeout=120
    )


def cuda_of_build():
    """(major, minor) of the toolkit that the module was built with."""
    cache = (DORM.parent / "CMakeCache.txt").read_text()
    nvcc = re.search(r"^CMAKE_CUDA_COMPILER:\w+=(.*)$", cache, re.MULTILINE)[1]
    said = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=True).stdout
    return tuple(map(int, re.search(r"release (\d+)\.(\d+)", said).groups()))


def driver_is_installed():
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    return True


def first(folder):
    """The environment in which libraries are looked for in this folder first."""
    return {"LD_LIBRARY_PATH": ":".join(filter(None, [str(folder), os.environ.get("LD_LIBRARY_PATH")]))}


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.data = cls.folder / "data.dorm"
        made = dorm("synth", "--queries", 100, "--features", 20, "--seed", 2, "-q", "-o", cls.data)
        assert made.returncode == 0, made.stderr

    def said(self, *options, **environment):
        """What a training says that fails and leaves no model."""
        model = self.folder / "model.json"
        done = dorm("train", self.data, "--model", model, "-q", *options, **environment)
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.assertFalse(model.exists())
        return done.stderr

    def expect(self, message, device="cuda", **environment):
        """A training on the device says this, and no more."""
        self.assertEqual(self.said("--device", device, **environment), f"dorm: {message}\n")


class Drivers(Case):
    """The module as it is shipped, with the CUDA runtime inside."""

    def no_driver(self):
        major, minor = cuda_of_build()
        return (
            "no NVIDIA driver was found on this machine (libcuda.so.1); expected one that supports CUDA "
            f"{major}.{minor}, or the device cpu"
        )

    def test_no_driver(self):
        if driver_is_installed():
            self.skipTest("this machine has a driver; one that cannot be loaded is tried instead")
        self.expect(self.no_driver())

    def test_a_driver_that_cannot_be_loaded(self):
        (self.folder / "libcuda.so.1").write_text("no library")
        self.expect(self.no_driver(), **first(self.folder))

    def test_an_old_driver(self):
        major, minor = cuda_of_build()
        self.expect(
            f"the NVIDIA driver supports CUDA {major - 1}.4, but this dorm was built with CUDA {major}.{minor}; "
            f"expected a newer driver, or a dorm built with CUDA {major - 1}",
            **first(DRIVER),
            DORM_STAND_IN_VERSION=f"{major - 1}040",
        )

    def test_no_card(self):
        shown = {**first(DRIVER), "DORM_STAND_IN_VERSION": f"{cuda_of_build()[0]}090"}
        self.expect("the NVIDIA driver shows no GPU; expected at least one", **shown)
        self.expect(
            'the NVIDIA driver shows no GPU (CUDA_VISIBLE_DEVICES is "7"); expected at least one',
            **shown,
            CUDA_VISIBLE_DEVICES="7",
        )


class Gpus(Case):
    """The objects of the module with a runtime that shows GPUs."""

    def said(self, *options, **environment):
        return super().said(*options, **environment, DORM_CUDA_MODULE=str(MODULE))

    def test_a_gpu_that_is_not_there(self):
        self.expect("cuda:1 is asked for, but there is 1 GPU, cuda:0", device="cuda:1")
        self.expect(
            "cuda:2 is asked for, but there are 2 GPUs, cuda:0 to cuda:1", device="cuda:2", DORM_STAND_IN_CARDS="2"
        )
        self.expect(
            'cuda:5 is asked for, but there are 2 GPUs, cuda:0 to cuda:1 (CUDA_VISIBLE_DEVICES is "3,4")',
            device="cuda:5",
            DORM_STAND_IN_CARDS="2",
            CUDA_VISIBLE_DEVICES="3,4",
        )

    def test_a_gpu_without_code_for_it(self):
        self.expect(
            "Stand-in 0 has compute capability 7.0, for which this dorm has no code; build it with "
            "-DCMAKE_CUDA_ARCHITECTURES=70",
            DORM_STAND_IN_CAPABILITY="70",
        )

    def test_no_memory_for_the_context_of_the_gpu_asked_for(self):
        self.expect(
            "Stand-in 1 has no memory left to begin with: other programs hold its 1000 MiB",
            device="cuda:1",
            DORM_STAND_IN_CARDS="2",
            DORM_STAND_IN_FAIL="context",
        )

    def test_a_gpu_too_small_for_one_part(self):
        small = r"^dorm: Stand-in 0 has {} GB for this, but [\d.e-]+ GB are needed at least, "
        self.assertRegex(self.said("--device", "cuda", "--memory", "1KB"), small.format("1e-06"))
        # 64 MiB and a twentieth of what is free are left to others: of 67 MiB nothing remains.
        self.assertRegex(self.said("--device", "cuda", DORM_STAND_IN_MEGABYTES="67"), small.format("0"))

    def test_memory_that_is_gone_when_it_is_asked_for(self):
        queries = int(re.search(r"^queries +(\d+)$", dorm("info", self.data).stdout, re.MULTILINE)[1])
        self.expect(  # the first thing that a GPU is asked for is where queries begin
            f"the GPU is out of memory: {(queries + 1) * 8} bytes were asked for, {1000 * MIB} of {1000 * MIB} are "
            "free",
            DORM_STAND_IN_FAIL="malloc",
        )

    def test_a_kernel_that_fails(self):
        self.expect("a kernel: said by the stand-in (cudaErrorLaunchFailure)")


if __name__ == "__main__":
    sys.exit(unittest.main())

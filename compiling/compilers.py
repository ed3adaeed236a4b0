"""Which compiler there is, and for which processors it compiles."""

import os
import platform
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

# Numbers may differ in no bit between compilers, processors and the kernels' twins: nothing is
# contracted, nothing reordered. What is left out is what nobody asks: errno, and signals.
_FLAGS = [
    "-std=c11",
    "-O3",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fPIC",
    "-fvisibility=hidden",
    "-Wall",
    "-Wextra",
    "-Wno-unused-function",
]
_SANITIZERS = ["-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
# What processors of the third and fourth level of x86-64 can do; older compilers do not know the
# levels by name.
_V3 = [f"-m{part}" for part in ("avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe")]
_V4 = [*_V3, *(f"-mavx512{part}" for part in ("f", "bw", "cd", "dq", "vl"))]
# The oldest C library that a wheel for Linux runs with, and how pip calls such wheels.
_OLDEST_LIBRARY, _OLDEST_SYSTEM = "2.17", "manylinux2014"


@dataclass(frozen=True)
class Compiler:
    """A command that compiles C; `is_zig` is whether it names processors and systems as zig does.

    `machine` is the processor's family, as `platform.machine()` has it.
    """

    command: tuple[str, ...]
    machine: str
    is_zig: bool
    is_sanitizing: bool = False

    def variants(self) -> dict[str, list[str]]:
        """Return flags by variant; the first runs on every processor of the family."""
        if self.machine != "x86_64" or self.is_sanitizing:
            return {"generic": []}
        if self.is_zig:
            levels = {"generic": "x86_64", "v3": "x86_64_v3", "v4": "x86_64_v4"}
            return {variant: [f"-mcpu={level}"] for variant, level in levels.items()}
        return {"generic": [], "v3": _V3, "v4": _V4}

    def platform(self) -> str | None:
        """Return the tag of wheels that run on other systems, too; None where that is not known."""
        return f"{_OLDEST_SYSTEM}_{self.machine}" if self._names_library() else None

    def compile(self, source: Path, target: Path, flags: list[str]) -> None:
        """Compile a source to an object."""
        debugging = _SANITIZERS if self.is_sanitizing else ["-DNDEBUG"]
        self._run([*_FLAGS, *debugging, *flags, "-c", str(source), "-o", str(target)])

    def link(self, objects: list[Path], target: Path) -> None:
        """Link objects to a library that Python loads."""
        debugging = _SANITIZERS if self.is_sanitizing else ["-Wl,-s"]
        if sys.platform == "darwin":
            debugging = ["-undefined", "dynamic_lookup"]
        self._run(["-shared", *debugging, *map(str, objects), "-lm", "-o", str(target)])

    def _names_library(self) -> bool:
        return self.is_zig and sys.platform == "linux" and platform.libc_ver()[0] == "glibc"

    def _run(self, arguments: list[str]) -> None:
        library = f"{self.machine}-linux-gnu.{_OLDEST_LIBRARY}"
        target = ["-target", library] if self._names_library() else []
        command = [*self.command, *target, *arguments]
        if subprocess.run(command).returncode:
            sys.exit(f"prum's kernels cannot be compiled: {shlex.join(command)}")


def found_compiler() -> Compiler | None:
    """Return the compiler to use: what $CC names, else zig's clang if installed, else the system's.

    `PRUM_MACHINE` names another family of processors, for which zig compiles as well; with
    `PRUM_SANITIZE` the compiler watches addresses and undefined behaviour.
    """
    machine = os.environ.get("PRUM_MACHINE") or platform.machine()
    sanitizing = bool(os.environ.get("PRUM_SANITIZE"))
    if named := os.environ.get("CC"):
        return Compiler(tuple(shlex.split(named)), machine, "zig" in named, sanitizing)
    if find_spec("ziglang"):
        return Compiler((sys.executable, "-m", "ziglang", "cc"), machine, True, sanitizing)
    command = found_cc()
    return Compiler((command,), machine, False, sanitizing) if command else None


def found_cc() -> str | None:
    """Return the system's compiler, None where there is none."""
    return next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)

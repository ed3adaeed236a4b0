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

# Small numbers may differ in no bit between compilers, processors and the kernels' twins: nothing
# is contracted, nothing reordered. What is left out is what nobody asks: errno, and signals.
_FLAGS = [
    "-std=c11", "-O3", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-fPIC",
    "-fvisibility=hidden", "-Wall", "-Wextra", "-Wno-unused-function",
]  # fmt: skip
_SANITIZERS = ["-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
# The oldest C library that a wheel for Linux runs with, as the tag manylinux2014 says.
_OLDEST_LIBRARY = "2.17"


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
            return {
                "generic": ["-mcpu=x86_64"], "v3": ["-mcpu=x86_64_v3"], "v4": ["-mcpu=x86_64_v4"]
            }  # fmt: skip
        return {"generic": [], "v3": ["-march=x86-64-v3"], "v4": ["-march=x86-64-v4"]}

    def compile(self, source: Path, target: Path, flags: list[str]) -> None:
        """Compile a source to an object."""
        debugging = _SANITIZERS if self.is_sanitizing else ["-DNDEBUG"]
        self._run([*_FLAGS, *debugging, *flags, "-c", str(source), "-o", str(target)])

    def link(self, objects: list[Path], target: Path) -> None:
        """Link objects to a library that Python loads."""
        debugging = _SANITIZERS if self.is_sanitizing else ["-Wl,-s"]
        undefined = ["-undefined", "dynamic_lookup"] if sys.platform == "darwin" else []
        self._run(["-shared", *debugging, *undefined, *map(str, objects), "-lm", "-o", str(target)])

    def _run(self, arguments: list[str]) -> None:
        system = []
        if self.is_zig and sys.platform == "linux":
            library = "musl" if platform.libc_ver()[0] != "glibc" else f"gnu.{_OLDEST_LIBRARY}"
            system = ["-target", f"{self.machine}-linux-{library}"]
        subprocess.run([*self.command, *system, *arguments], check=True)


def found_compiler() -> Compiler:
    """Return the compiler to use: what $CC names, else zig's clang where it is installed, else cc.

    `PRUM_MACHINE` names another family of processors, for which zig compiles as well; with
    `PRUM_SANITIZE` the compiler watches addresses and undefined behaviour.

    Raises
    ------
    SystemExit
        where there is none.
    """
    machine = os.environ.get("PRUM_MACHINE") or platform.machine()
    sanitizing = bool(os.environ.get("PRUM_SANITIZE"))
    if named := os.environ.get("CC"):
        return Compiler(tuple(shlex.split(named)), machine, "zig" in named, sanitizing)
    if find_spec("ziglang") and not sanitizing:
        return Compiler((sys.executable, "-m", "ziglang", "cc"), machine, True)
    if command := found_cc():
        return Compiler((command,), machine, False, sanitizing)
    sys.exit("prum's kernels need a C compiler: pip install ziglang, or name one in CC")


def found_cc() -> str | None:
    """Return the system's compiler, None where there is none."""
    return next(filter(None, map(shutil.which, ("clang", "cc", "gcc"))), None)

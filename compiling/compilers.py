"""Which compiler there is, and for which processors it compiles."""

import os
import platform
import shlex
import shutil
import subprocess
import sys
import sysconfig
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
# What zig calls families of processors.
_FAMILIES = {"AMD64": "x86_64", "ARM64": "aarch64", "arm64": "aarch64"}


@dataclass(frozen=True)
class Compiler:
    """A command that compiles C for a family of processors, perhaps as zig names them."""

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
        return f"manylinux2014_{self.machine}" if self._names_target() else None

    def headers(self, folder: Path) -> list[str]:
        """Return flags by which Python's headers are found; what zig would miss goes to a folder.

        Debian keeps `pyconfig.h` in a folder for each family of processors, where zig does not
        look; it is the same for the families that kernels are compiled for.
        """
        headers = Path(sysconfig.get_path("include"))
        if not (headers / "Python.h").is_file():
            sys.exit(
                f"prum's kernels need Python's headers, which are not in {headers}: "
                "install python3-dev (Debian, Ubuntu) or python3-devel (Fedora)"
            )
        multiarch = getattr(sys.implementation, "_multiarch", "")
        original = headers.parent / multiarch / headers.name / "pyconfig.h"
        if self.is_zig and original.is_file():
            copy = folder / f"{self.machine}-linux-gnu" / headers.name / "pyconfig.h"
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(original.read_bytes())
        return [f"-I{headers}", f"-I{folder}"]

    def compile(self, source: Path, target: Path, flags: list[str]) -> None:
        """Compile a source to an object."""
        debugging = _SANITIZERS if self.is_sanitizing else ["-DNDEBUG"]
        self._run([*_FLAGS, *debugging, *flags, "-c", str(source), "-o", str(target)])

    def link(self, objects: list[Path], target: Path) -> None:
        """Link objects to a library that Python loads."""
        flags = _SANITIZERS if self.is_sanitizing else ["-Wl,-s"]
        if sys.platform == "darwin":
            flags = ["-undefined", "dynamic_lookup"]
        self._run(["-shared", *flags, *map(str, objects), "-lm", "-o", str(target)])

    def _names_target(self) -> bool:
        return self.is_zig and sys.platform == "linux" and platform.libc_ver()[0] == "glibc"

    def _run(self, arguments: list[str]) -> None:
        # The oldest Linux that zig compiles for.
        target = ["-target", f"{self.machine}-linux-gnu.2.17"] if self._names_target() else []
        command = [*self.command, *target, *arguments]
        if subprocess.run(command).returncode:
            sys.exit(f"prum's kernels cannot be compiled: {shlex.join(command)}")


def found_compiler() -> Compiler | None:
    """Return the compiler to use: what $CC names, else zig's clang if installed, else the system's.

    `PRUM_MACHINE` (x86_64, aarch64) names another family, for which zig compiles as well; with
    `PRUM_SANITIZE` addresses and undefined behaviour are watched.
    """
    machine = os.environ.get("PRUM_MACHINE") or platform.machine()
    machine = _FAMILIES.get(machine, machine)
    is_sanitizing = bool(os.environ.get("PRUM_SANITIZE"))
    if named := os.environ.get("CC"):
        return Compiler(tuple(shlex.split(named)), machine, "zig" in named, is_sanitizing)
    if find_spec("ziglang"):
        return Compiler((sys.executable, "-m", "ziglang", "cc"), machine, True, is_sanitizing)
    command = found_cc()
    return Compiler((command,), machine, False, is_sanitizing) if command else None


def found_cc() -> str | None:
    """Return the system's compiler, None where there is none."""
    return next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)

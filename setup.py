"""The version, packages and kernels; all else stands in pyproject.toml."""

import hashlib
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from setuptools import Extension, find_packages, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.editable_wheel import editable_wheel

from compiling.compilers import found_compiler
from compiling.door import module_source, parsed
from compiling.version import found_version

FOLDERS = {
    "prum": "api",
    "prum.analytic": "analytic",
    "prum.experiments": "experiments",
    "prum.simulator": "simulator",
}

# Closed forms and samplers share no derivation, so they share no kernel.
ROOMS = ["analytic/precision/kernels", "simulator/sampling/kernels"]
COMPILER = found_compiler()


class build_kernels(build_ext):
    """Compile each extension for every level of processors, with the compiler that there is."""

    def build_extension(self, ext: Extension) -> None:
        """Compile the kernels of a room, and link the module that Python loads."""
        if COMPILER is None:
            sys.exit("prum's kernels need a C compiler: pip install ziglang, or name one in CC")
        room, name = Path(ext.sources[0]).parent, ext.name.rpartition(".")[2]
        variants = COMPILER.variants()
        made = Path(self.build_temp) / room
        made.mkdir(parents=True, exist_ok=True)
        source = made / "module.c"
        header = parsed((room / "kernels.h").read_text("utf-8"))
        includes = [Path(path).name for path in ext.sources]
        source.write_text(module_source(header, name, includes, list(variants)), "utf-8")
        flags = ["-DPy_LIMITED_API=0x030B0000"]
        flags += [f"-I{path}" for path in ("compiling", room, *self.compiler.include_dirs)]
        flags += COMPILER.headers(made)
        work = {
            made / f"{variant}.o": [*flags, *own, f"-DVARIANT={variant}"]
            for variant, own in variants.items()
        }
        work[made / "loader.o"] = [*flags, "-DLOADER"]
        state = _state([source, *ext.sources, *ext.depends], [COMPILER, work])
        kept = made / "state"
        if not kept.exists() or kept.read_text() != state:
            kept.unlink(missing_ok=True)
            with ThreadPoolExecutor() as pool:
                list(pool.map(lambda built: COMPILER.compile(source, built, work[built]), work))
            kept.write_text(state)
        target = Path(self.get_ext_fullpath(ext.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)  # a library in use is never written into
        COMPILER.link(list(work), target)


class link_folders(editable_wheel):
    """Install links to the folders in the place of files, so that a new file counts at once."""

    def finalize_options(self) -> None:
        """Lay the packages out as they are imported, in a folder that Python looks into."""
        links = Path("build/editable")
        shutil.rmtree(links, ignore_errors=True)
        (links / "prum").mkdir(parents=True)
        inner = [Path(folder) for name, folder in FOLDERS.items() if name != "prum"]
        for path in (*Path(FOLDERS["prum"]).iterdir(), *inner):
            (links / "prum" / path.name).symlink_to(path.absolute())
        self.distribution.package_dir = {"": str(links)}
        super().finalize_options()


def packages() -> list[str]:
    """Return the names of all packages."""
    return [
        package
        for name, folder in FOLDERS.items()
        for package in (name, *(f"{name}.{found}" for found in find_packages(folder)))
    ]


def extension(room: str) -> Extension:
    """Return the extension made of a room's C files."""
    headers = [*Path(room).glob("*.h"), *Path("compiling").glob("*.h")]
    return Extension(
        f"prum.{room.replace('/', '.')}",
        sorted(map(str, Path(room).glob("*.c"))),
        depends=sorted(map(str, headers)),
        py_limited_api=True,
    )


def _state(paths: list[Path | str], how: list[object]) -> str:
    """Return what compiled kernels depend on, in brief."""
    digest = hashlib.sha256(repr(how).encode())
    for path in paths:
        digest.update(Path(path).read_bytes())
    return digest.hexdigest()


OPTIONS: dict[str, dict[str, object]] = {"bdist_wheel": {"py_limited_api": "cp311"}}
if COMPILER and (platform := COMPILER.platform()):
    OPTIONS["bdist_wheel"]["plat_name"] = platform
if COMPILER and COMPILER.is_sanitizing:
    OPTIONS["build"] = {"build_base": "build/sanitizing"}

setup(
    version=found_version(Path.cwd()),
    packages=packages(),
    package_dir=FOLDERS,
    ext_modules=[extension(room) for room in ROOMS],
    cmdclass={"build_ext": build_kernels, "editable_wheel": link_folders},
    options=OPTIONS,
)

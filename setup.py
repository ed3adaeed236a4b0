"""The compiled kernels; everything else about the package stands in pyproject.toml."""

from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

from compiling.compilers import found_compiler
from compiling.door import module_source, parsed

# Closed forms and samplers share no derivation, so they share no kernel.
ROOMS = ["analytic/precision/kernels", "simulator/sampling/kernels"]


class build_kernels(build_ext):  # noqa: N801, a command is named in lower case
    """Compile each extension for every level of processors, with the compiler that there is."""

    def build_extension(self, ext):
        """Compile the kernels of a room, and write the module that Python loads."""
        compiler, room = found_compiler(), Path(ext.sources[0]).parent
        made = Path(self.build_temp) / room
        made.mkdir(parents=True, exist_ok=True)
        name, variants = ext.name.rpartition(".")[2], compiler.variants()
        includes = sorted(path.name for path in room.glob("*.c"))
        source = made / "module.c"
        header = parsed((room / "kernels.h").read_text("utf-8"))
        source.write_text(module_source(header, name, includes, list(variants)), "utf-8")
        flags = [f"-I{path}" for path in ("compiling", room, *self.compiler.include_dirs)]
        flags.append("-DPy_LIMITED_API=0x030B0000")
        objects = [made / f"{variant}.o" for variant in variants]
        for variant, built in zip(variants, objects, strict=True):
            compiler.compile(source, built, [*flags, *variants[variant], f"-DVARIANT={variant}"])
        compiler.compile(source, made / "loader.o", [*flags, "-DLOADER"])
        target = Path(self.get_ext_fullpath(ext.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)  # a library in use is never written into
        compiler.link([*objects, made / "loader.o"], target)


def extension(room: str) -> Extension:
    """Return the extension made of a room's C files."""
    shared = [*Path("compiling").glob("*.[h]"), *Path("compiling").glob("*.py")]
    return Extension(
        f"prum.{room.replace('/', '.')}",
        sorted(map(str, Path(room).glob("*.c"))),
        depends=[*map(str, Path(room).glob("*.h")), *map(str, shared)],
        py_limited_api=True,
    )


setup(
    ext_modules=[extension(room) for room in ROOMS],
    cmdclass={"build_ext": build_kernels},
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)

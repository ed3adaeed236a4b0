"""The door between Python and the kernels: a small room is compiled, and called well and badly."""

import contextlib
import importlib.machinery
import importlib.util
import sys
import sysconfig
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from compiling import backend, compilers
from compiling.door import module_source, parsed

HEADER = """
#pragma once
#include "door.h"
enum { ANSWER = 42, NEXT };
typedef struct {
    int64_t n;
    const double *shares OF(n);
    const int32_t *pairs OF(n, 2);
    double rho;
} Entries;
/* The sum; a comment may say anything; even this(). */
double total(int64_t n, const double values[n], double scale);
void cumulate(Memory *memory, int64_t rows, int64_t n, const int64_t values[rows][n],
    int64_t sums[n + 1], MAYBE uint64_t more[rows][n]);
double weigh(const Entries *entries, bool twice);
int64_t hoard(Memory *memory, int64_t size);
"""
KERNELS = """
#include "kernels.h"
double total(int64_t n, const double values[n], double scale) {
    double sum = 0.0;
    for (int64_t k = 0; k < n; k++) { sum += scale * values[k]; }
    return sum;
}
void cumulate(Memory *memory, int64_t rows, int64_t n, const int64_t values[rows][n],
    int64_t sums[n + 1], uint64_t more[rows][n]) {
    int64_t *own = take_zeros(memory, n, sizeof *own);
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t k = 0; k < n; k++) {
            own[k] += values[i][k];
            if (more) { more[i][k] = (uint64_t)values[i][k]; }
        }
    }
    sums[0] = 0;
    for (int64_t k = 0; k < n; k++) { sums[k + 1] = sums[k] + own[k]; }
}
double weigh(const Entries *entries, bool twice) {
    double sum = 0.0;
    for (int64_t k = 0; k < entries->n; k++) {
        sum += entries->shares[k] * entries->pairs[2 * k + 1];
    }
    return sum * entries->rho * (twice ? 2 : 1);
}
int64_t hoard(Memory *memory, int64_t size) {
    take(memory, 10, 8);
    take(memory, size, 8);
    return size;
}
"""


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    folder = tmp_path_factory.mktemp("room")
    compiler = compilers.found_compiler()
    if compiler is None:
        pytest.skip("no C compiler")
    (folder / "kernels.h").write_text(HEADER)
    (folder / "some.c").write_text(KERNELS)
    source = folder / "module.c"
    source.write_text(module_source(parsed(HEADER), "room", ["some.c"], ["generic"]))
    shared = Path(compilers.__file__).parent
    paths = (shared, folder, sysconfig.get_paths()["include"])
    flags = ["-DPy_LIMITED_API=0x030B0000", "-Werror", *(f"-I{path}" for path in paths)]
    built = [folder / "generic.o", folder / "loader.o"]
    compiler.compile(source, built[0], [*flags, "-DVARIANT=generic"])
    compiler.compile(source, built[1], [*flags, "-DLOADER"])
    target = folder / "room.so"
    compiler.link(built, target)
    loader = importlib.machinery.ExtensionFileLoader("room", str(target))
    spec = importlib.util.spec_from_file_location("room", target, loader=loader)
    assert spec is not None
    return importlib.util.module_from_spec(spec)


def test_kernels_are_called(room: ModuleType) -> None:
    assert room.total(np.array([1.0, 2.5]), 2) == 7.0
    values, more = np.arange(6).reshape(2, 3), np.zeros((2, 3), np.uint64)
    sums = np.zeros(4, np.int64)
    assert room.cumulate(values, sums, more) is None
    assert sums.tolist() == [0, 3, 8, 15]
    assert more.tolist() == values.tolist()
    assert (room.ANSWER, room.NEXT, room.VARIANT) == (42, 43, "generic")


def test_an_array_may_be_left_empty(room: ModuleType) -> None:
    sums = np.zeros(4, np.int64)
    room.cumulate(np.arange(6).reshape(2, 3), sums, np.zeros((0, 0), np.uint64))
    assert sums[-1] == 15


def test_a_structure_is_any_object_with_its_names(room: ModuleType) -> None:
    entries = {"shares": np.array([0.5, 0.25]), "pairs": np.array([[0, 1], [0, 2]], np.int32)}
    assert room.weigh(SimpleNamespace(**entries, rho=3.0), True) == 6.0
    with pytest.raises(AttributeError, match="rho"):
        room.weigh(SimpleNamespace(**entries), False)
    with pytest.raises(ValueError, match="axis 0 of pairs must have length n = 1, not 2"):
        room.weigh(SimpleNamespace(**{**entries, "shares": np.ones(1)}, rho=1.0), False)


def _values() -> Any:
    return np.arange(6).reshape(2, 3)


READ_ONLY = np.zeros(4, np.int64)
READ_ONLY.flags.writeable = False


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        (
            "total",
            [np.ones(3, np.float32), 1.0],
            "total: values must have 1 axes and",
        ),
        ("total", [np.ones(3, np.int64), 1.0], "elements 'f8', not 1 and l"),
        ("total", [np.ones((3, 1)), 1.0], "must have 1 axes"),
        ("total", [np.ones(6)[::2], 1.0], "without gaps"),
        ("total", [[1.0], 1.0], "must be an array"),
        ("total", [np.ones(3), "1"], "must be real number, not str"),
        ("total", [np.ones(3)], "total takes 2 arguments, not 1"),
        ("cumulate", [_values(), np.zeros(3, np.int64), _values()[:0]], "elements 'u8'"),
        ("cumulate", [_values(), READ_ONLY, np.zeros((2, 3), np.uint64)], "can be written to"),
        ("cumulate", [_values().T, np.zeros(3, np.int64), np.zeros((2, 3), np.uint64)], "row by"),
        (
            "cumulate",
            [_values(), np.zeros(3, np.int64), np.zeros((2, 3), np.uint64)],
            r"axis 0 of sums must have length n \+ 1 = 4, not 3",
        ),
        (
            "cumulate",
            [_values(), np.zeros(4, np.int64), np.zeros((2, 2), np.uint64)],
            "axis 1 of more must have length n = 3, not 2",
        ),
        ("hoard", [1.5], "hoard: size must be a whole number of 64 bits, not 1.5"),
        ("hoard", [2**63], "must be a whole number of 64 bits"),
    ],
)
def test_arguments_are_checked(
    room: ModuleType, name: str, arguments: list[Any], said: str
) -> None:
    with pytest.raises((TypeError, ValueError), match=said):
        getattr(room, name)(*arguments)


def test_too_much_memory_is_an_error_of_python(room: ModuleType) -> None:
    assert room.hoard(100) == 100
    with pytest.raises(MemoryError):
        room.hoard(2**61)
    with pytest.raises(MemoryError):
        room.hoard(2**62)


def test_the_lock_is_released_and_arrays_are_given_back(room: ModuleType) -> None:
    values = np.ones(3)
    for arguments in ([values, 1.0], [values, "1"]):
        before = sys.getrefcount(values)
        for _ in range(5):
            with contextlib.suppress(TypeError):
                room.total(*arguments)
        assert sys.getrefcount(values) == before


@pytest.mark.parametrize(
    "header", ["double total(double *values);", "int x;", "typedef struct { double *a; } B;"]
)
def test_what_a_header_cannot_say(header: str) -> None:
    with pytest.raises(ValueError, match=r"shape|cannot say"):
        parsed(header)


def test_zig_is_asked_for_where_there_is_no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CC", "PRUM_ZIG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(backend, "found_cc", lambda: "/usr/bin/cc")
    assert backend._compiler() == []
    monkeypatch.setenv("PRUM_ZIG", "1")
    assert backend._compiler() == ["ziglang>=0.13"]
    monkeypatch.delenv("PRUM_ZIG")
    monkeypatch.setattr(backend, "found_cc", lambda: None)
    assert backend._compiler() == ["ziglang>=0.13"]
    monkeypatch.setenv("CC", "tcc")
    assert backend._compiler() == []


def test_what_cannot_be_compiled_is_said_in_a_line(tmp_path: Path) -> None:
    compiler = compilers.found_compiler()
    if compiler is None:
        pytest.skip("no C compiler")
    source = tmp_path / "wrong.c"
    source.write_text("this is no C")
    with pytest.raises(SystemExit, match=r"cannot be compiled: .*wrong\.c"):
        compiler.compile(source, tmp_path / "wrong.o", [])


@pytest.mark.parametrize("name", ["analytic.precision", "simulator.sampling"])
def test_the_room_runs_what_this_processor_can(name: str) -> None:
    """Python's own look at the processor agrees with the one taken when kernels are loaded."""
    kernels = importlib.import_module(f"prum.{name}.kernels")
    flags = set(Path("/proc/cpuinfo").read_text("utf-8").split())
    expected = "generic"
    if {"avx2", "bmi1", "bmi2", "fma", "f16c", "movbe", "abm"} <= flags:
        expected = "v3"
        if {f"avx512{part}" for part in ("f", "bw", "cd", "dq", "vl")} <= flags:
            expected = "v4"
    assert expected == kernels.VARIANT


def test_wheels_of_zig_say_that_they_run_on_other_systems() -> None:
    assert compilers.Compiler(("zig", "cc"), "aarch64", True).platform() == "manylinux2014_aarch64"
    assert compilers.Compiler(("cc",), "x86_64", False).platform() is None

"""How the project is put together: packages, layers, lazy imports, docstrings and examples."""

import ast
import doctest
import importlib
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("analytic", "api", "experiments", "simulator")
SOURCES = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
KERNELS = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("kernels/*.[ch]"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))
# What is loaded where it is used, and not before; and what a command can do without.
HEAVY = ("jinja2", "loky", "matplotlib", "pandas", "pyarrow", "scipy.stats", "simpy")
NOT_USED = (
    *HEAVY,
    "asyncio",
    "importlib.metadata",
    "multiprocessing",
    "pydantic",
    "scipy",
    "tomllib",
)


def _name(path: Path) -> str:
    """Return the dotted name under which a source file is imported."""
    folder, *parts = path.relative_to(ROOT).with_suffix("").parts
    rest = parts[:-1] if parts[-1] == "__init__" else parts
    return ".".join(["prum", *([] if folder == "api" else [folder]), *rest])


MODULES = {_name(path): path for path in SOURCES}


# --- packaging --------------------------------------------------------------------------------


def test_packages_are_found_typed_and_complete() -> None:
    """Packages are found by their `__init__.py`: without it a folder is missing from the wheel."""
    assert [path for path in SOURCES if not (path.parent / "__init__.py").is_file()] == []
    setuptools = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    patterns = setuptools["package-data"]["*"]
    for folder in FOLDERS:
        package = importlib.import_module(_name(ROOT / folder / "__init__.py"))
        assert Path(str(package.__file__)).resolve() == ROOT / folder / "__init__.py"
        assert (ROOT / folder / "py.typed").is_file()
        for path in (ROOT / folder).rglob("*"):
            is_packed = path.suffix not in (".py", ".c", ".h", ".so") and path.is_file()
            if is_packed and "__pycache__" not in path.parts:
                assert any(path.match(pattern) for pattern in patterns), path


def test_one_road_to_install_is_said_everywhere() -> None:
    """In a clone, for no registry has the project yet; `make` and CI go the same way."""
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    text = "\n".join(page.read_text("utf-8") for page in pages)
    said = re.findall(r"^\s*(pip install .*)$", text, re.MULTILINE)
    assert len(said) >= 3
    assert [line for line in said if not line.startswith("pip install '.[")] == []


# --- sources ----------------------------------------------------------------------------------


def flaws(name: str, text: str) -> set[str]:
    """Return what is wrong with a source: what it says first, its length, and its layout."""
    first, *others = text.splitlines()
    wrong = set[str]()
    if name.endswith((".c", ".h")):
        said = first.startswith("/* ")
        if max(map(len, others), default=0) > 100:
            wrong.add("width")
    else:
        said = first.startswith('"""') and len(first) <= 100 and first.rstrip('"').endswith(".")
        if "# fmt" + ": " in text:
            wrong.add("layout")
        if re.search(r"^\s*from \.", text, re.MULTILINE):
            wrong.add("relative import")
    # A room's `kernels.h` is the one list of what it has.
    if not name.startswith("test") and name != "kernels.h" and len(others) >= 500:
        wrong.add("length")
    return wrong if said else {*wrong, "purpose"}


def test_sources_say_what_they_are_for_and_can_be_read() -> None:
    sources = {path: flaws(path.name, path.read_text("utf-8")) for path in (*SOURCES, *KERNELS)}
    tests = {path: flaws("test", path.read_text("utf-8")) for path in TESTS}
    assert {path: wrong for path, wrong in {**sources, **tests}.items() if wrong} == {}
    assert flaws("a.c", "int x;\n" + 101 * " ") == {"purpose", "width"}
    planted = "from .a import b\n# fmt" + ": off\n" + 500 * "\n"
    assert flaws("a.py", planted) == {"purpose", "layout", "relative import", "length"}


def test_rooms_share_no_kernel() -> None:
    """Two extensions: neither side includes what the other is computed with."""
    for side in ("analytic", "simulator"):
        own = {path for path in KERNELS if path.is_relative_to(ROOT / side)}
        included = re.findall(r'#include "(.+)"', "\n".join(path.read_text() for path in own))
        assert own
        assert set(included) <= {"door.h", *(path.name for path in own)}


def _imports(path: Path) -> Iterator[str]:
    """Yield the dotted names a file imports, wherever it does."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_oracle_is_blind() -> None:
    """The oracle knows the model's plain data and nothing that is derived from it."""
    files = (ROOT / "tests" / "oracle").glob("*.py")
    used = {name for path in files for name in _imports(path) if name.startswith("prum")}
    assert used
    assert {name for name in used if not name.startswith("prum.simulator.model.")} == set()


# --- layers -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("contract", "said"),
    [
        (None, r"\b8 kept, 0 broken\."),
        # Negative control: one that forbids what the project does.
        ('source_modules = ["prum.analytic"]\nforbidden_modules = ["prum.simulator.model"]', "1 b"),
    ],
)
def test_import_contracts_are_kept(contract: str | None, said: str, tmp_path: Path) -> None:
    pytest.importorskip("importlinter")
    config = tmp_path / "wrong.toml" if contract else ROOT / "pyproject.toml"
    if contract:
        begin = '[tool.importlinter]\nroot_packages = ["prum"]\n[[tool.importlinter.contracts]]\n'
        config.write_text(f'{begin}name = "wrong"\ntype = "forbidden"\n{contract}\n')
    code = "from importlinter.cli import lint_imports_command as check; check()"
    done = subprocess.run(
        [sys.executable, "-c", code, "--no-cache", "--config", str(config)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, "PYTHONUTF8": "1"},
    )
    assert re.search(said, done.stdout), done.stdout + done.stderr
    assert done.returncode == (contract is not None)


def _layered(imported: Mapping[str, Iterable[str]]) -> None:
    """Raise CycleError where files import each other, one for its types, another when called."""
    TopologicalSorter(imported).prepare()


def test_no_two_files_import_each_other() -> None:
    grimp = pytest.importorskip("grimp")
    graph = grimp.build_graph("prum", cache_dir=None)
    imported = {name: graph.find_modules_directly_imported_by(name) for name in graph.modules}
    assert "prum.experiments.frame.numbers" in imported["prum.experiments.frame.view"]
    _layered(imported)
    imported["prum.experiments.frame.numbers"].add("prum.experiments.frame.view")
    with pytest.raises(CycleError):
        _layered(imported)


# --- lazy imports -----------------------------------------------------------------------------


def _loaded(code: str, names: tuple[str, ...] = HEAVY) -> set[str]:
    """Return which of some modules are loaded after `code` in a fresh interpreter."""
    script = f"{code}\nimport sys\nprint(*(name for name in {names!r} if name in sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=120
    )
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.parametrize(
    "code",
    [
        "import prum",
        "import prum.analytic",
        "import prum.simulator",
        "import prum.experiments",
        "from prum.simulator import Independent, InputError, Links, Task, Walk",
        "from prum.simulator import Simulation, simulate",
        "from prum.analytic import exact, exact_joint, poisson_binomial, prum, walk_reach",
        "import prum.experiments.commands.main",
        "import prum.experiments.studies.approximations",
        "from prum.experiments.commands.main import prum; "
        "prum.main(['study', '--help'], standalone_mode=False)",
    ],
)
def test_imports_are_light(code: str) -> None:
    assert _loaded(code) == set()


@pytest.mark.parametrize(
    ("words", "others"),
    [
        ("--help", ("numpy", "rich")),
        ("evaluate --help", ("numpy", "rich")),
        ("evaluate run --qrels qrels", ()),
    ],
)
def test_commands_load_what_they_use(words: str, others: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "run").write_text("q Q0 a 1 2 run\nq Q0 b 2 1 run\np Q0 a 1 2 run\n")
    (tmp_path / "qrels").write_text("q 0 b 1\nq 0 c 1\np 0 a 1\n")
    code = (
        f"import os; os.chdir({str(tmp_path)!r})\n"
        "from prum.experiments.commands.main import prum\n"
        f"prum.main({words.split()!r}, standalone_mode=False)"
    )
    assert _loaded(code, (*NOT_USED, *others)) == set()


def test_heavy_imports_would_be_seen() -> None:
    """Negative control: a table does load pandas."""
    assert "pandas" in _loaded("from prum.analytic import prum; prum([[0.5]], 1).to_frame()")


# --- examples ---------------------------------------------------------------------------------


# Modules that are nothing without an example.
SHOWN = ("independent", "seen", "walks")


@pytest.mark.parametrize("package", sorted({name.rpartition(".")[0] for name in MODULES}))
def test_examples_of_docstrings(package: str) -> None:
    """Every example runs in its own module's names and prints what it says."""
    for name in MODULES:
        if name.rpartition(".")[0] == package:
            module = importlib.import_module(name)
            finder, runner = doctest.DocTestFinder(), doctest.DocTestRunner(verbose=False)
            report: list[str] = []
            for test in finder.find(module, name):
                runner.run(test, out=report.append)
            assert runner.summarize(verbose=False).failed == 0, "".join(report)
            assert runner.tries or name not in {f"prum.analytic.precision.{x}" for x in SHOWN}


def test_a_wrong_example_would_be_seen() -> None:
    wrong = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "wrong", None, 0)
    assert doctest.DocTestRunner(verbose=False).run(wrong, out=lambda _: None).failed == 1

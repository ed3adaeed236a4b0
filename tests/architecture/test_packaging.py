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
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("analytic", "api", "experiments", "simulator")
# What they are imported as.
PACKAGES = {name: "prum" if name == "api" else f"prum.{name}" for name in FOLDERS}
SOURCES = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
# What kernels are made of, and what they are made to.
OF_KERNELS = (".c", ".h", ".so")
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
    return ".".join([PACKAGES[folder], *(parts[:-1] if parts[-1] == "__init__" else parts)])


def _configuration() -> dict[str, Any]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        setuptools: dict[str, Any] = tomllib.load(file)["tool"]["setuptools"]
    return setuptools


MODULES = {_name(path): path for path in SOURCES}


# --- packaging --------------------------------------------------------------------------------


def test_every_folder_of_sources_is_a_package() -> None:
    """Packages are found by their `__init__.py`: without it a folder is missing from the wheel."""
    for path in SOURCES:
        assert (path.parent / "__init__.py").is_file()


def test_types_are_announced_and_data_is_packed() -> None:
    patterns = _configuration()["package-data"]["*"]
    for folder in FOLDERS:
        assert (ROOT / folder / "py.typed").is_file()
        for path in (ROOT / folder).rglob("*"):
            packed = path.suffix not in (".py", *OF_KERNELS) and "__pycache__" not in path.parts
            if path.is_file() and packed:
                assert any(path.match(pattern) for pattern in patterns), path


def test_folders_are_imported_by_their_public_names() -> None:
    for folder, name in PACKAGES.items():
        package = importlib.import_module(name)
        assert package.__name__ == name
        assert Path(str(package.__file__)).resolve() == ROOT / folder / "__init__.py"


def test_one_road_to_install_is_said_everywhere() -> None:
    """In a clone, for no registry has the project yet; `make` and CI go the same way."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    said = [
        line
        for page in pages
        for line in re.findall(r"^\s*pip install .*$", page.read_text("utf-8"), re.MULTILINE)
    ]
    assert len(said) >= 3
    assert [line for line in said if not line.startswith("pip install '.[")] == []


# --- sources ----------------------------------------------------------------------------------


def says_what_it_is_for(text: str) -> bool:
    """Return whether a source begins with one line that is the first of its docstring."""
    first = text.split("\n")[0]
    return first.startswith('"""') and len(first) <= 100 and first.rstrip('"').endswith(".")


def test_first_line_says_what_a_file_is_for() -> None:
    assert not says_what_it_is_for("import this\n")
    sources = (*SOURCES, *TESTS)
    silent = [path for path in sources if not says_what_it_is_for(path.read_text(encoding="utf-8"))]
    assert silent == []


def test_files_are_of_readable_length() -> None:
    lengths = {path: len(path.read_text("utf-8").splitlines()) for path in (*SOURCES, *KERNELS)}
    # A room's `kernels.h` is the one list of what it has.
    assert {path for path, n in lengths.items() if n > 500 and path.name != "kernels.h"} == set()


def test_no_line_escapes_the_formatter() -> None:
    escape = "# fmt" + ": "
    assert [path for path in (*SOURCES, *TESTS) if escape in path.read_text("utf-8")] == []


def test_kernels_say_first_what_they_are_for_and_fit_the_page() -> None:
    for path in KERNELS:
        lines = path.read_text(encoding="utf-8").splitlines()
        assert lines[0].startswith("/* ")
        assert max(map(len, lines)) <= 100, path


def test_rooms_share_no_kernel() -> None:
    """Two extensions: neither side includes, or calls, what the other is computed with."""
    rooms = {"analytic": "precision", "simulator": "sampling"}
    for side, other in (("analytic", "simulator"), ("simulator", "analytic")):
        of_other = f"{other}.{rooms[other]}.kernels"
        own = {path.name for path in KERNELS if path.is_relative_to(ROOT / side)}
        for path in SOURCES:
            if path.is_relative_to(ROOT / side):
                assert of_other not in path.read_text(encoding="utf-8"), path
        for path in KERNELS:
            if path.is_relative_to(ROOT / side):
                included = re.findall(r'#include "(.+)"', path.read_text(encoding="utf-8"))
                assert set(included) <= {*own, "door.h"}, path


def _imports(path: Path) -> Iterator[str]:
    """Yield the dotted names a file imports, wherever it does."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"relative import in {path}"
            for alias in node.names:
                yield f"{node.module}.{alias.name}"


def test_no_bare_imports() -> None:
    """`import simulator` would load the package a second time, under another name."""
    bare = re.compile(rf"^ *(?:from|import) (?:{'|'.join(FOLDERS)})\b", re.MULTILINE)
    assert bare.search("if late:\n    from simulator.model import Task\n")
    assert not bare.search("from prum.simulator import model\n")
    sources = (*SOURCES, *TESTS)
    assert [path for path in sources if bare.search(path.read_text(encoding="utf-8"))] == []


def _derived(name: str) -> set[str]:
    return {name for path in (ROOT / name).rglob("*.py") for name in _imports(path)}


def test_two_sides_share_no_derivation() -> None:
    """Closed forms use nothing of the simulator but the model; samplers nothing of them."""
    allowed = "prum.simulator.model"
    of_simulator = {name for name in _derived("analytic") if name.startswith("prum.simulator")}
    assert {name for name in of_simulator if not f"{name}.".startswith(f"{allowed}.")} == set()
    assert of_simulator != set()
    for side in ("simulator", "analytic"):
        assert {name for name in _derived(side) if name.startswith("prum.experiments")} == set()
    assert {name for name in _derived("simulator") if name.startswith("prum.analytic")} == set()


def test_oracle_is_blind() -> None:
    """The oracle knows the model's plain data and nothing that is derived from it."""
    used = {
        name
        for path in (ROOT / "tests" / "oracle").glob("*.py")
        for name in _imports(path)
        if name.startswith("prum")
    }
    assert used != set()
    assert {name for name in used if not name.startswith("prum.simulator.model.")} == set()


# --- layers -----------------------------------------------------------------------------------


def _lint_imports(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    pytest.importorskip("importlinter")
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as c; c()"]
    return subprocess.run(
        [*command, "--no-cache", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, "PYTHONUTF8": "1"},
    )


def test_import_contracts_are_kept() -> None:
    done = _lint_imports(ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " 0 broken." in done.stdout


def test_import_contracts_can_break(tmp_path: Path) -> None:
    """Negative control: a contract that forbids what the project does."""
    (tmp_path / "contracts.toml").write_text(
        '[tool.importlinter]\nroot_packages = ["prum"]\n'
        '[[tool.importlinter.contracts]]\nname = "wrong"\ntype = "forbidden"\n'
        'source_modules = ["prum.analytic"]\nforbidden_modules = ["prum.simulator.model"]\n'
    )
    done = _lint_imports(tmp_path, "--config", "contracts.toml")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "0 kept, 1 broken." in done.stdout


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


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings(name: str) -> None:
    """Every example runs in its own module's names and prints what it says."""
    module = importlib.import_module(name)
    finder, runner = doctest.DocTestFinder(), doctest.DocTestRunner(verbose=False)
    report: list[str] = []
    for test in finder.find(module, name):
        runner.run(test, out=report.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(report)


def test_there_are_examples() -> None:
    finder = doctest.DocTestFinder()
    counts = {
        name: sum(len(test.examples) for test in finder.find(importlib.import_module(name), name))
        for name in MODULES
    }
    assert sum(counts.values()) >= 60
    for name in ("independent", "seen", "walks"):
        assert counts[f"prum.analytic.precision.{name}"] > 0
    wrong = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "wrong", None, 0)
    assert doctest.DocTestRunner(verbose=False).run(wrong, out=lambda _: None).failed == 1

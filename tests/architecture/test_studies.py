"""A study is written as another package would write it: it imports public names."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.reference import ROOT, STUBS, names_of, room_of

STUDIES = ROOT / "experiments" / "studies"
FOLDERS = [
    path
    for path in sorted(STUDIES.iterdir())
    if (path / "__init__.py").is_file() and path.name != "kit"
]
# What studies stand on, all of it public to them.
GROUND = (
    "prum.experiments.frame.",
    "prum.experiments.statistics.",
    "prum.experiments.studies.kit.",
    "prum.simulator.model.arrays.",
)
# Modules of which a study may import what has no public name yet. This list only gets shorter.
EXCEPTIONS: dict[str, set[str]] = {
    "estimators": {
        "prum.experiments.generate.specification",
    },
    "judges": {
        "prum.experiments.judges.labels",
        "prum.experiments.judges.ranks",
        "prum.simulator.generation.dials",
        "prum.simulator.generation.judging",
        "prum.simulator.sampling.measured.judged_sets",
    },
    "paper": {
        "prum.simulator.collections.examples",
        "prum.simulator.model.assessments",
        "prum.simulator.sampling.measured.effort",
    },
    "people": {
        "prum.simulator.sampling.kernels",
    },
    "realism": {"prum.experiments.generate.files"},
}


def imports(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the module and name of each import of prum in a study, but for its own."""
    own = f"prum.experiments.studies.{folder.name}"
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            module = str(node.module) if isinstance(node, ast.ImportFrom) else ""
            if module.startswith("prum") and not f"{module}.".startswith(f"{own}."):
                yield from ((module, alias.name) for alias in node.names)  # type: ignore[attr-defined]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_study_imports_public_names(folder: Path) -> None:
    public = {room_of(stub): names_of(stub) for stub in STUBS}
    private = {
        module
        for module, name in imports(folder)
        if not f"{module}.".startswith(GROUND) and name not in public.get(module, {})
    }
    excepted = EXCEPTIONS.get(folder.name, set())
    assert private <= excepted, "import it from its room, or do without"
    assert excepted <= private, "take it off the list"

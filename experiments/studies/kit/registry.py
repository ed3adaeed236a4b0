"""The studies there are: those of prum, and those that other packages add by entry point."""

import ast
import importlib.util
from collections.abc import Iterator, Mapping
from contextlib import suppress
from importlib.metadata import EntryPoint, entry_points
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from prum.experiments.frame.study import Study, StudyResult

# Of entry points, and where those of prum are found by their folders.
GROUP, ROOM = "prum.studies", "prum.experiments.studies"


class Studies(Mapping[str, "Study"]):
    """Name -> study; a study's code is loaded when it is asked for."""

    def __init__(self, points: Mapping[str, EntryPoint]) -> None:
        self._points = points

    def __getitem__(self, name: str) -> "Study":
        """Return a study.

        Raise KeyError if there is none of that name, and InputError if its package cannot be
        loaded, or holds no study of that name.
        """
        from prum.experiments.frame.study import Study
        from prum.simulator.model.errors import InputError

        point = self._points[name]
        remedy = f"repair or uninstall {point.dist.name if point.dist else 'its package'}"
        try:
            loaded = point.load()
        except Exception as error:
            # Another's package may fail in any way; the other studies work all the same.
            reason = f"{type(error).__name__}: {error}"
            raise InputError(f"study {name}", reason, "load", remedy=remedy) from error
        if not isinstance(loaded, Study) or loaded.name != name:
            rule = f"be a Study called {name}"
            raise InputError(f"study {name}", point.value, rule, remedy=remedy)
        return loaded

    def summary(self, name: str) -> str:
        """Return the first line of the docstring of a study's module, which is not run for it."""
        # Whatever is wrong with a module is said when its study is asked for.
        with suppress(Exception):
            spec = importlib.util.find_spec(self._points[name].module)
            if spec is not None and spec.origin is not None:
                with open(spec.origin, "rb") as source:
                    text = ast.get_docstring(ast.parse(source.read())) or ""
                return text.split("\n")[0]
        return ""

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._points

    def __iter__(self) -> Iterator[str]:
        return iter(self._points)

    def __len__(self) -> int:
        return len(self._points)


def studies() -> Studies:
    """Return the studies there are, by name in alphabetical order."""
    names = {module.name for module in iter_modules(importlib.import_module(ROOM).__path__)}
    built_in = [EntryPoint(x, f"{ROOM}.{x}:{x.upper()}", GROUP) for x in names - {"kit"}]
    points: dict[str, EntryPoint] = {}
    for point in sorted([*built_in, *entry_points(group=GROUP)], key=lambda point: point.name):
        other = points.setdefault(point.name, point)
        if other.value != point.value:
            from prum.simulator.model.errors import InputError

            owners, remedy = f"{other.value} and {point.value}", "uninstall one of the two packages"
            raise InputError(f"study {point.name}", owners, "be one study", remedy=remedy)
    return Studies(points)


def study(name: str, /, **options: Any) -> "StudyResult":
    """Run a study; options that are not given are as `prum study NAME --help` shows them.

    Raises
    ------
    InputError
        for an unknown study or option, and a value that breaks a rule.

    >>> study("approximations", draws=2, tasks=2).rows[0].ideals
    2
    """
    available = studies()
    if name not in available:
        from prum.simulator.model.errors import InputError, did_you_mean

        rule = f"be one of {', '.join(available)}"
        raise InputError("study", name, rule, remedy=did_you_mean(name, available))
    chosen = available[name]
    return chosen.run(chosen.design(**options))

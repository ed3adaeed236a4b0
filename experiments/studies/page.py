"""The page of a study: one HTML document that needs nothing else, the same bytes each time."""

from collections.abc import Iterable
from importlib import import_module
from typing import Any

from prum.experiments.report.page import check_installed, environment, style
from prum.experiments.studies.study import Study


def page(study: Study) -> str:
    """Return the page; styles and tables are those of the cross-check's page.

    Raises
    ------
    InputError
        if jinja2 or matplotlib is not installed.
    """
    check_installed()
    template = environment("prum.experiments.studies").get_template("page.html")
    # Each study's package is called as the study is.
    package = study.name.replace("-", "_")
    told = import_module(f"prum.experiments.studies.{package}.page").contents(study)
    options = [(name, _listed(value)) for name, value in study.options.items()]
    return template.render(
        {
            **told,
            "style": style(),
            "command": study.command,
            "version": study.version,
            "options": options,
        }
    )


def _listed(value: Any) -> str:
    """Return an option's value for people."""
    if isinstance(value, Iterable) and not isinstance(value, str):
        return ", ".join(_listed(one) for one in value)
    if isinstance(value, str):
        return value
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"

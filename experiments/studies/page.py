"""The page of a study: one HTML document that needs nothing else, the same bytes each time."""

from importlib import import_module

from prum.experiments.report.html import check_installed, rendered
from prum.experiments.studies.study import WrittenStudy


def page(study: WrittenStudy) -> str:
    """Return the page; styles and tables are those of the cross-check's page.

    Raises
    ------
    InputError
        if jinja2 or matplotlib is not installed.
    """
    check_installed()
    # Each study's package is called as the study is.
    package = study.name.replace("-", "_")
    told = import_module(f"prum.experiments.studies.{package}.page").contents(study)
    drawing = told.pop("drawing")
    figure = {"drawing": drawing, "caption": told.get("caption"), "label": told.get("label")}
    return rendered(
        **told,
        figures=[] if drawing is None else [figure],
        command=study.command,
        version=study.version,
        options=study.options,
    )

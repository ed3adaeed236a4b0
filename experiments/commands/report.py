"""`prum report`: one page over a sweep or a folder of results."""

import click

from prum.experiments.commands.options import file_option, input_file


@click.command()
@click.argument("results", type=input_file, metavar="STORE|FOLDER")
@click.option("-o", "--output", metavar="FILE", help="Write a page.")
@click.option("--title", metavar="TEXT", help="Of the page.")
@file_option("latex", "the tables for LaTeX")
def report(results: str, output: str | None, title: str | None, latex_file: str | None) -> None:
    """Sum up what a sweep or a folder of results says of PRUM, on one page.

    STORE is what prum sweep made, or crosscheck and study hypotheses by --store. FOLDER holds what
    other commands wrote by --json, and sweeps' stores, in folders too; or one such file.
    Files are told by their content; those that are not understood are named and left out.

    The page says how far PRUM can be trusted, with curves, errors over dials, rankings of systems,
    verdicts, sentences for a methods section, and what to cite.

    Exit status 0, or 2 for bad input.
    """
    from pathlib import Path

    from prum.experiments.commands.terminal_view import print_view
    from prum.experiments.report.material import result_files
    from prum.experiments.report.verb import check_page
    from prum.experiments.report.verb import report as reported
    from prum.experiments.views.files import check_outputs, deliver

    check_outputs((output, latex_file), result_files(Path(results)))
    if output is not None:
        check_page()
    outputs = [path for path in (output, latex_file) if path is not None]
    made = reported(results, title=title, without=outputs)
    deliver([(output, made.to_html), (latex_file, made.to_latex)], lambda: print_view(made.view()))

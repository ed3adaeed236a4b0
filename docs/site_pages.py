"""Pages that are made when the site is: of rooms, with every public name, and of commands.

They lie in docs/reference/rooms and docs/reference/commands, and are not kept. Links from other
pages to files beside the documents lead to copies of these files.
"""

import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from docutils import nodes

from prum.experiments.commands.main import prum
from tests.architecture.reference import about, homes, leaves, page, rooms

DOCS = Path(__file__).parent
ROOMS, COMMANDS = DOCS / "reference" / "rooms", DOCS / "reference" / "commands"
# Wide enough that no paragraph of a help text is broken into lines.
_UNBROKEN = 100_000
_ARRAY = re.compile(
    r"~?numpy\.ndarray\[tuple\[~?typing\.Any, \.\.\.\], ~?numpy\.dtype\[~?([\w.]+)\]\]"
)


def setup(app: Any) -> dict[str, bool]:
    """Make pages before Sphinx looks for them, and join names to their pages."""
    app.connect("builder-inited", lambda _: write())
    app.connect("source-read", _linked_names)
    app.connect("autodoc-process-docstring", _plain_numpydoc, priority=100)
    app.connect("autodoc-process-signature", _short_types)
    app.connect("autodoc-skip-member", _is_bare_field)
    app.connect("missing-reference", _named_object)
    app.connect("build-finished", _explorer)
    # After furo's own, which draws the contents at the side.
    app.connect("html-page-context", _mended, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def write() -> None:
    """Write the pages that changed, and remove those of what is no more."""
    for folder, pages in ((ROOMS, dict(_rooms())), (COMMANDS, dict(_commands()))):
        folder.mkdir(exist_ok=True)
        for path in folder.iterdir():
            if path.name not in pages:
                path.unlink()
        for name, text in pages.items():
            path = folder / name
            if not path.is_file() or path.read_text("utf-8") != text:
                path.write_text(text, "utf-8")


# --- names ------------------------------------------------------------------------------------


def _rooms() -> Iterator[tuple[str, str]]:
    for name, names in rooms().items():
        yield f"{name}.rst", _room(name, names)


def _room(name: str, names: list[tuple[str, str]]) -> str:
    room = importlib.import_module(name)
    parts = [_title(name), inspect.getdoc(room) or "", f".. py:module:: {name}"]
    for member, module in names:
        value = getattr(room, member)
        parts.append(_title(member, "-"))
        if inspect.isclass(value):
            parts.append(f".. autoclass:: {name}::{member}\n   :members:")
        elif inspect.isfunction(value):
            parts.append(f".. autofunction:: {name}::{member}")
        else:
            said = escaped(about(value, member, f"{name}.{module}"))
            parts.append(f".. py:data:: {member}\n   :module: {name}\n\n   {said}")
    return "\n\n".join(parts) + "\n"


def _linked_names(app: Any, docname: str, source: list[str]) -> None:  # noqa: ARG001
    """Say on the page of public names what each is, and lead to all that is said of it."""
    if docname != "reference/names":
        return
    known = homes()

    def linked(found: re.Match[str]) -> str:
        name = found[1]
        home = known.get(name)
        return found[0] if home is None else f"[`{name}`](#{home}.{name})"

    lines = []
    for line in page(described=True).splitlines():
        if line.startswith("- `"):
            lines.append(re.sub(r"`(\w+)`", linked, line, count=1))
        else:
            lines.append(line)
    pages = [f"{room} <rooms/{room}>" for room in rooms()]
    contents = ["", "```{toctree}", ":hidden:", "", *pages, "```", ""]
    source[0] = "\n".join([*lines, *contents])


def _plain_numpydoc(
    app: Any,  # noqa: ARG001
    what: str,  # noqa: ARG001
    name: str,  # noqa: ARG001
    value: Any,  # noqa: ARG001
    options: Any,  # noqa: ARG001
    lines: list[str],
) -> None:
    """Say what docstrings leave out: that errors and an example are no part of a section above.

    |x| is a size, and not what Sphinx takes it for.
    """
    made, in_example, in_errors = list[str](), False, False
    for line in lines:
        in_errors = in_errors and bool(line.strip())
        if raised := re.match(r"Raises? (InputError)\b,? ?(.*)", line):
            made += ["", "Raises", "------", raised[1]]
            line, in_errors = raised[2], True
        line = f"    {line}" if in_errors else line
        if line.startswith(">>>") and not in_example and "Examples" not in made:
            made += ["", "Examples", "--------"]
        in_example = line.lstrip().startswith(">>>") or (in_example and bool(line.strip()))
        if not in_example:
            line = re.sub(r"(``.*?``)|\|", lambda found: found[1] or r"\|", line)
        made.append(line)
    lines[:] = made


def _short_types(
    app: Any,  # noqa: ARG001
    what: str,  # noqa: ARG001
    name: str,  # noqa: ARG001
    value: Any,  # noqa: ARG001
    options: Any,  # noqa: ARG001
    arguments: str | None,
    returned: str | None,
) -> tuple[str | None, str | None]:
    """Write the types of arrays as numpy.typing does."""

    def short(text: str | None) -> str | None:
        return None if text is None else _ARRAY.sub(r"NDArray[\1]", text)

    return short(arguments), short(returned)


def _is_bare_field(app: Any, what: str, name: str, value: Any, skip: bool, options: Any) -> bool:  # noqa: ARG001
    """Return whether a member has nothing to say: the field of a named tuple."""
    return skip or (inspect.getdoc(value) or "").startswith("Alias for field number")


def _named_object(app: Any, env: Any, node: nodes.Element, content: nodes.Node) -> Any:
    """Find what a docstring names without its room."""
    if node.get("refdomain") != "py" or node["reftarget"] not in (known := homes()):
        return None
    target = f"{known[node['reftarget']]}.{node['reftarget']}"
    python = env.domains["py"]
    return python.resolve_xref(env, node["refdoc"], app.builder, "obj", target, node, content)


def _mended(app: Any, page: str, template: str, context: dict[str, Any], tree: Any) -> None:  # noqa: ARG001
    """Mend what people who hear pages would stumble over.

    Captions of contents are called headings, but have no level; a signature of several lines is
    called a list of definitions, but has no terms.
    """
    for part in {"furo_navigation_tree", "body"} & set(context):
        text = context[part].replace('class="caption" role="heading"', 'class="caption"')
        context[part] = re.sub(r"<dt class=\"sig.*?</dt>", _as_text, text, flags=re.DOTALL)


def _as_text(signature: re.Match[str]) -> str:
    text = re.sub(r"</?dl>", "", signature[0])
    return text.replace("<dd>", '<span class="parameter">').replace("</dd>", "</span>")


# --- the explorer -----------------------------------------------------------------------------


def _explorer(app: Any, error: Exception | None) -> None:
    """Put the explorer of the Web example beside the front page, which shows it."""
    if error is not None or app.builder.format != "html":
        return
    from prum.experiments.explore import explore

    (Path(app.outdir) / "explorer.html").write_text(explore().to_html(), "utf-8")


# --- commands ---------------------------------------------------------------------------------


def _commands() -> Iterator[tuple[str, str]]:
    top = click.Context(prum, info_name="prum")
    for context in leaves(top):
        yield f"{context.command_path.replace(' ', '-')}.rst", _command(context)


def _command(context: click.Context) -> str:
    command, path = context.command, context.command_path
    usage = f"{path} {' '.join(command.collect_usage_pieces(context))}"
    parts = [_title(path), f".. program:: {path}", _literal([usage])]
    parts += _help_text(context)
    parts.append(_title("Options", "-"))
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None:
            names, said = record
            parts.append(f".. option:: {names}\n\n   {escaped(' '.join(said.split()))}")
    return "\n\n".join(parts) + "\n"


def _help_text(context: click.Context) -> Iterator[str]:
    """Yield the paragraphs of a help text, and its lists as they stand."""
    formatter = click.HelpFormatter(width=_UNBROKEN)
    context.command.format_help_text(context, formatter)
    for block in re.split(r"\n\s*\n", formatter.getvalue()):
        lines = [line.removeprefix("  ") for line in block.splitlines() if line.strip()]
        if len(lines) > 1:
            yield _literal(lines)
        elif lines:
            yield escaped(lines[0].strip())


def _literal(lines: list[str]) -> str:
    return "\n".join([".. code-block:: text", "", *(f"   {line}" for line in lines)])


def _title(text: str, line: str = "=") -> str:
    return f"{escaped(text)}\n{line * (2 * len(text))}"


def escaped(text: str) -> str:
    """Return text in which nothing is markup."""
    return re.sub(r"([\\*`_|<>:])", r"\\\1", text)

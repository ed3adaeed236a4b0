"""Run the code blocks of a page one after the other, as a reader would; prints what each printed.

    python pages_that_run.py < blocks.json

Blocks are pairs of language and code, as JSON; so is what they printed. Blocks of Python share one
interpreter and its names, and blocks of sh hand on the folder they end in. A block that fails ends
it all, with what went wrong and status 1.
"""

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import traceback


def of_python(code: str, names: dict[str, object]) -> str:
    """Return what a block prints that is run by this interpreter."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "<block>", "exec"), names)
    return printed.getvalue()


def of_sh(code: str) -> str:
    """Return what a block prints that is run by bash; go where it goes."""
    with tempfile.NamedTemporaryFile("r") as place:
        ending = f"trap 'pwd > \"{place.name}\"' EXIT\n"
        done = subprocess.run(
            ["bash", "-euc", ending + code],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise SystemExit(f"{code}\nended with {done.returncode}:\n{done.stdout}{done.stderr}")
        os.chdir(place.read().strip())
    return done.stdout


def main() -> None:
    """Run the blocks."""
    names: dict[str, object] = {"__name__": "__main__"}
    told = []
    for language, code in json.load(sys.stdin):
        try:
            told.append(of_python(code, names) if language == "python" else of_sh(code))
        except Exception:
            raise SystemExit(f"{code}\n{traceback.format_exc()}") from None
    json.dump(told, sys.stdout)


if __name__ == "__main__":
    main()

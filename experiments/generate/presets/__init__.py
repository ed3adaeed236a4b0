"""Specifications of benchmarks that are known by name: small, walked, chunks, pooled, judged."""

from typing import Any, Literal, get_args

Preset = Literal["small", "walked", "chunks", "pooled", "judged"]
PRESETS: tuple[Preset, ...] = get_args(Preset)


def preset_text(name: str) -> str:
    """Return a preset as TOML, with comments that say what it is for.

    Raise InputError for a name that is none of `PRESETS`.
    """
    if name not in PRESETS:
        from prum.simulator.model.errors import InputError, did_you_mean

        rule = f"be one of {', '.join(PRESETS)}"
        raise InputError("preset", name, rule, remedy=did_you_mean(name, PRESETS))
    from importlib.resources import files

    return files(__package__).joinpath(f"{name}.toml").read_text("utf-8")


def preset(name: str) -> dict[str, Any]:
    """Return a preset as `generate_dataset` takes it, to change and to make.

    >>> dials = preset("walked")
    >>> dials["topics"]["number"] = 5
    >>> dials["browsing"], dials["topics"]
    ({'kind': 'walk'}, {'number': 5, 'relevant': [4, 6], 'places': [1, 2], 'candidates': 80})
    """
    import tomllib

    return tomllib.loads(preset_text(name))

"""Files made of CITATION.cff, for archives and catalogues. `python -m tests.architecture.citation`.

`problems` says what the citation lacks, or says otherwise than pyproject.toml and CHANGELOG.md do.
"""

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
ZENODO, CODEMETA = ROOT / ".zenodo.json", ROOT / "codemeta.json"


def citation() -> dict[str, Any]:
    """Return what CITATION.cff says."""
    said: dict[str, Any] = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    return said


def project() -> dict[str, Any]:
    """Return what pyproject.toml says of the project."""
    said: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return said


def next_version() -> str:
    """Return the version that CHANGELOG.md begins with, released or not."""
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    (first, *_) = re.findall(r"^## .*?(\d+\.\d+\.\d+)", changelog, re.MULTILINE)
    return str(first)


def problems(cited: dict[str, Any]) -> Iterator[str]:
    """Yield what of a citation is missing, or said otherwise elsewhere."""
    own = project()
    expected = {
        "cff-version": "1.2.0",
        "type": "software",
        "title": own["name"],
        "version": next_version(),
        "license": own["license"],
        "authors": own["authors"],
        "keywords": own["keywords"],
    }
    for key, value in expected.items():
        if cited.get(key) != value:
            yield f"{key} is {cited.get(key)!r}, must be {value!r}"
    for key in ("message", "abstract"):
        if not cited.get(key):
            yield f"{key} is missing"
    for work in cited.get("references", ()):
        for key in ("type", "title", "authors", "year", "notes"):
            if not work.get(key):
                yield f"{key} of {work.get('title')!r} is missing"


def zenodo(cited: dict[str, Any]) -> str:
    """Return what Zenodo reads when a release is archived there."""
    return _json(
        {
            "upload_type": "software",
            "access_right": "open",
            "title": f"{cited['title']}: {project()['description']}",
            "description": cited["abstract"],
            "version": cited["version"],
            "license": cited["license"],
            "creators": [{"name": author["name"]} for author in cited["authors"]],
            "keywords": cited["keywords"],
            "related_identifiers": [
                {"identifier": work["doi"], "scheme": "doi", "relation": "cites"}
                for work in cited["references"]
                if "doi" in work
            ],
        }
    )


def codemeta(cited: dict[str, Any]) -> str:
    """Return the description of the software in CodeMeta's terms."""
    own = project()
    return _json(
        {
            "@context": "https://doi.org/10.5063/schema/codemeta-2.0",
            "@type": "SoftwareSourceCode",
            "name": cited["title"],
            "description": cited["abstract"],
            "version": cited["version"],
            "license": f"https://spdx.org/licenses/{cited['license']}",
            "author": [
                {"@type": "Organization", "name": author["name"]} for author in cited["authors"]
            ],
            "keywords": cited["keywords"],
            "programmingLanguage": ["Python", "C"],
            "runtimePlatform": f"Python {own['requires-python']}",
            "operatingSystem": "Linux",
            "softwareRequirements": own["dependencies"],
            "referencePublication": [
                {
                    "@type": "ScholarlyArticle",
                    "name": work["title"],
                    **({"@id": f"https://doi.org/{work['doi']}"} if "doi" in work else {}),
                }
                for work in cited["references"]
            ],
        }
    )


def _json(content: dict[str, Any]) -> str:
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    ZENODO.write_text(zenodo(citation()), "utf-8")
    CODEMETA.write_text(codemeta(citation()), "utf-8")

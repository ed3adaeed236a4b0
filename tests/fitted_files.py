"""Files of fitted navigation for tests of what takes them, without the work of fitting."""

import json
from pathlib import Path
from typing import Any

from prum.simulator.collections.fitted_files import FORMAT, checksum, navigation_content
from prum.simulator.model import Navigation


def write_navigation(path: Path, navigation: Navigation, **more: Any) -> Path:
    """Write a file of which only the navigation can be read, as all but intervals need."""
    content = {"format": FORMAT, "prum": "0.1.0", "fitted": "walk"}
    content = {**content, "navigation": navigation_content(navigation), **more}
    plain = json.loads(json.dumps(content))
    path.write_text(json.dumps({**plain, "checksum": checksum(plain)}))
    return path

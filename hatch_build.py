"""Put the networks, the lessons and the page for those who teach into the wheel.

hatchling's own `force-include` would do, but it also copies them into an *editable* installation,
where the copies grow stale beside the folders that one edits.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

CARRIED = ("datasets", "notebooks", "docs/instructors.md")


class DataFolders(BuildHookInterface):  # type: ignore[type-arg]
    """Map folders and files of the repository to their like inside the package."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add them, unless the build is an editable one."""
        if version == "editable":
            return
        for name in CARRIED:
            source = Path(self.root, name)
            if not source.exists():
                raise FileNotFoundError(f"{source} is missing; a wheel of mbedu has to carry {CARRIED}")
            build_data["force_include"][str(source)] = f"mbedu/{name}"

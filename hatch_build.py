"""Put the networks and the lessons into the wheel.

hatchling's own `force-include` would do, but it also copies them into an *editable* installation,
where the copies grow stale beside the folders that one edits.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FOLDERS = ("datasets", "notebooks")


class DataFolders(BuildHookInterface):  # type: ignore[type-arg]
    """Map the data folders of the repository to folders inside the package."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the folders, unless the build is an editable one."""
        if version == "editable":
            return
        for folder in FOLDERS:
            source = Path(self.root, folder)
            if not source.is_dir():
                raise FileNotFoundError(f"{source} is missing; a wheel of mbedu has to carry {FOLDERS}")
            build_data["force_include"][str(source)] = f"mbedu/{folder}"

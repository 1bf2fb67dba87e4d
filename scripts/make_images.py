"""Make the pictures of the README: films of real runs, photographed in headless Chromium.

    python scripts/make_images.py [folder]

Needs Chromium on the PATH (or its path in MBEDU_CHROMIUM) and the extra `test`.
"""

from __future__ import annotations

import io
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import mbedu as mb

FOLDER = Path(__file__).parents[1] / "docs" / "images"
COLOURS = 256  # a drawing with few colours: a palette makes the file a third of the size


def shrinking(trace: mb.Trace) -> int:
    """Return a step in the middle of the shrinking phase: the question after which the second one leaves."""
    leaving = [n for n, step in enumerate(trace) if getattr(step, "removed", ()) and step.phase == "shrink"]
    return leaving[1] - 1


def photograph(page: Any, player: Any, *, step: int) -> bytes:
    """Open the player in the page, go to a step, and return the picture of it as PNG."""
    from PIL import Image

    with tempfile.TemporaryDirectory() as folder:
        page.goto(player.save(Path(folder) / "player.html").as_uri())
        page.locator(".say").first.wait_for()
        page.locator("input[type=range]").fill(str(step))
        page.locator("input[type=range]").blur()
        page.wait_for_timeout(500)  # colours fade in
        taken = page.locator("section.player").screenshot()
    small = Image.open(io.BytesIO(taken)).convert("RGB").quantize(COLOURS)
    out = io.BytesIO()
    small.save(out, format="PNG", optimize=True)
    return out.getvalue()


def main(folder: Path) -> None:
    """Write all pictures into the folder."""
    from playwright.sync_api import sync_playwright

    names = ("chromium", "chromium-browser", "google-chrome")
    chromium = os.environ.get("MBEDU_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if chromium is None:
        sys.exit(f"no browser: none of {', '.join(names)} is on PATH and MBEDU_CHROMIUM is not set")
    run = mb.run("gs_m", mb.DSeparation(mb.load_network("asia")), target="dysp", m=2, record=True)
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        context = browser.new_context(viewport={"width": 1150, "height": 900}, device_scale_factor=1.5)
        picture = photograph(context.new_page(), run.trace.play(), step=shrinking(run.trace))
        (folder / "player.png").write_bytes(picture)
        browser.close()
    print(f"{folder / 'player.png'}: {len(picture) / 1000:.0f} KB")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)

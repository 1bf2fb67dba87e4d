"""The lessons, each executed once for all tests that look at it, whichever process comes first."""

import json
import os
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).resolve().parents[1] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
BUDGET = 120  # seconds a notebook, on a busy machine


def read(path):
    return nbformat.read(path, as_version=4)


def execute(path, ipython_folder, *, hashes="random"):
    """Run a notebook in a kernel of its own and return it with its outputs."""
    environment = dict(os.environ, PYTHONHASHSEED=hashes, IPYTHONDIR=str(ipython_folder))
    environment["PYTHONPATH"] = os.pathsep.join(
        filter(None, [str(FOLDER.parent), environment.get("PYTHONPATH")])
    )
    environment.pop("MPLBACKEND", None)  # the tests draw to nowhere; a notebook draws into its cells
    notebook = read(path)
    client = NotebookClient(
        notebook, timeout=BUDGET, kernel_name="python3", resources={"metadata": {"path": str(FOLDER)}}
    )
    client.execute(env=environment)
    return notebook


def shared_folder(tmp_path_factory):
    """Return a folder that all workers of this test run see."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "lessons"
    folder.mkdir(exist_ok=True)
    return folder


def executed(path, tmp_path_factory):
    """Return the notebook with its outputs and how long it took; only the first who asks executes it."""
    folder = shared_folder(tmp_path_factory)
    claim, done = folder / f"{path.stem}.claim", folder / f"{path.stem}.json"
    try:
        claim.open("x").close()
    except FileExistsError:
        return _awaited(done)
    found = {"seconds": None, "notebook": None, "error": "it was interrupted"}
    start = time.perf_counter()
    try:
        notebook = execute(path, folder / f"{path.stem}-ipython")
        found = {"seconds": time.perf_counter() - start, "notebook": nbformat.writes(notebook), "error": ""}
    except Exception as error:
        found["error"] = f"{type(error).__name__}: {error}"
        raise
    finally:
        part = done.with_suffix(".part")
        part.write_text(json.dumps(found), encoding="utf-8")
        part.rename(done)  # whoever waits sees all of it or nothing
    return notebook, found["seconds"]


def _awaited(done):
    for _ in range(10 * BUDGET * 2):
        if done.exists():
            found = json.loads(done.read_text(encoding="utf-8"))
            assert not found["error"], found["error"]
            return nbformat.reads(found["notebook"], as_version=4), found["seconds"]
        time.sleep(0.1)
    raise AssertionError(f"{done.stem}: another process began to execute it and did not finish")


def seconds_of_all(tmp_path_factory):
    """Return how long each notebook took, once all have been executed, to the first who asks; else None."""
    folder = shared_folder(tmp_path_factory)
    found = {
        f.stem: json.loads(f.read_text(encoding="utf-8"))["seconds"] for f in sorted(folder.glob("*.json"))
    }
    if len(found) < len(NOTEBOOKS) or None in found.values():
        return None
    try:
        (folder / "told").open("x").close()
    except FileExistsError:
        return None
    return found

"""The static site: every lesson executed, as one page that needs neither a kernel nor a network."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mbedu.errors import MbeduError

__all__ = ["Page", "execute", "export", "lessons", "render"]

LIMIT = 2_000_000  # bytes a page: a lesson is mailed around and opened on old machines
WIDGET = r'<script type="application/vnd\.jupyter\.widget-view\+json">.*?</script>'
STYLE = """
:root { --ink: #1a1a1a; --paper: #fff; --line: #ddd; --soft: #f6f7f8; --link: #0056a3; font-size: 17px; }
body { margin: 0; color: var(--ink); background: var(--paper); line-height: 1.55;
  font-family: system-ui, "DejaVu Sans", "Segoe UI", Roboto, sans-serif; }
main { max-width: 62rem; margin: 0 auto; padding: 1rem 1.25rem 5rem; }
nav { display: flex; gap: 1rem; flex-wrap: wrap; align-items: baseline; padding: .6rem 1.25rem;
  border-bottom: 1px solid var(--line); background: var(--soft); }
nav .end { margin-left: auto; } a { color: var(--link); }
h1 { font-size: 2rem; line-height: 1.2; } h2 { margin-top: 2.2rem; }
pre, code { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: .92em; }
div.highlight pre { background: var(--soft); border: 1px solid var(--line);
  border-radius: 6px; padding: .6rem .8rem; overflow-x: auto; margin: .6rem 0; }
.prompt, .anchor-link { display: none; }
.output_subarea, .text_cell { overflow-x: auto; } .output_subarea { margin: .4rem 0 1rem; }
.output_subarea pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0 0 .4rem; }
.projector .output_png img, .projector .mbedu-exercise svg { zoom: 1.45; }
table { border-collapse: collapse; }
td, th { border: 1px solid var(--line); padding: .25rem .6rem; text-align: left; }
img, svg { max-width: 100%; height: auto; }
.cards { list-style: none; padding: 0; } .cards li { border-bottom: 1px solid var(--line); padding: .8rem 0; }
.cards a { font-weight: 600; font-size: 1.1rem; } .cards p { margin: .2rem 0 0; }
@media print { nav { display: none; } main { max-width: none; } }
"""
# Larger type for the room: the choice is kept in the address, so that it also works from a file.
PROJECTOR = """
(function () {
  var on = location.hash === '#projector', button = document.getElementById('projector');
  function set() {
    document.documentElement.style.fontSize = on ? '25px' : '';
    document.documentElement.classList.toggle('projector', on);
    button.setAttribute('aria-pressed', on);
  }
  button.addEventListener('click', function () { on = !on; set(); });
  set();
})();
"""


@dataclass(frozen=True)
class Page:
    """A lesson on the site."""

    file: str
    title: str
    summary: str
    size: int


def lessons(folder: str | Path) -> list[Path]:
    """Return the notebooks of a folder in order; an empty or missing folder is refused."""
    folder = Path(folder)
    found = sorted(folder.glob("*.ipynb")) if folder.is_dir() else []
    if not found:
        raise MbeduError(
            f"{str(folder)!r} has no notebooks; pass the folder that holds the lessons (*.ipynb)"
        )
    return found


def execute(path: Path, *, seconds: int = 300) -> Any:
    """Run a notebook from top to bottom and return it with its outputs; a failing cell is an error."""
    nbformat, nbclient = _needs("nbformat"), _needs("nbclient")
    book = nbformat.read(path, as_version=4)
    client = nbclient.NotebookClient(
        book, timeout=seconds, kernel_name="python3", resources={"metadata": {"path": str(path.parent)}}
    )
    try:
        client.execute()
    except nbclient.exceptions.CellExecutionError as error:
        raise MbeduError(f"{path.name} stopped: {_last_line(str(error))}") from error
    return book


def export(
    notebooks: str | Path, site: str | Path, *, seconds: int = 300, progress: bool | None = None
) -> list[Page]:
    """Execute every notebook and write the site: an index, and one self-contained page a lesson.

    Where docs/instructors.md lies beside the folder of the lessons it becomes a page too.

    Parameters
    ----------
    notebooks : path
        The folder of the lessons.
    site : path
        Where the pages go; it is created. Pages of the same name are replaced, nothing is deleted.
    seconds : int
        How long one cell may take.
    progress : bool
        Show a bar; by default in a terminal.

    Returns
    -------
    list of Page
        What was written, in order.
    """
    from tqdm.auto import tqdm

    found, site = lessons(notebooks), Path(site)
    site.mkdir(parents=True, exist_ok=True)
    pages = []
    for path in tqdm(found, desc="lessons", disable=None if progress is None else not progress):
        page, text = render(execute(path, seconds=seconds), path, found)
        (site / page.file).write_text(text, encoding="utf-8")
        pages.append(page)
    teaching = Path(notebooks).parent / "docs" / "instructors.md"
    if teaching.is_file():
        text = _teaching(teaching.read_text(encoding="utf-8"), {path.stem for path in found})
        (site / "instructors.html").write_text(text, encoding="utf-8")
    (site / "index.html").write_text(_index(pages, teaching=teaching.is_file()), encoding="utf-8")
    return pages


def render(book: Any, path: Path, course: Sequence[Path]) -> tuple[Page, str]:
    """Return the page of an executed notebook: what the index says of it, and its text.

    Parameters
    ----------
    book : notebook
        What `execute` returned.
    path : path
        Where it came from; it names the page.
    course : sequence of path
        All lessons in order, for the links to the one before and the one after.
    """
    title, summary = _heading(book)
    text = _page(title, _body(book), _links(course, course.index(path)))
    size = len(text.encode())
    if size > LIMIT:
        raise MbeduError(
            f"the page of {path.name} has {size / 1e6:.1f} MB; a lesson stays under "
            f"{LIMIT / 1e6:.0f} MB: show shorter films or fewer figures"
        )
    return Page(f"{path.stem}.html", title, summary, size), text


def _needs(module: str) -> Any:
    from importlib import import_module

    try:
        return import_module(module)
    except ImportError:
        raise MbeduError(f"{module} is not installed; install it with: pip install 'mbedu[lab]'") from None


def _body(book: Any) -> str:
    exporter = _needs("nbconvert").HTMLExporter(template_name="basic", embed_images=True)
    body, _ = exporter.from_notebook_node(_joined(book))
    # a live notebook renders widgets; on paper their text stands alone
    return re.sub(WIDGET, "", str(body), flags=re.DOTALL)


def _joined(book: Any) -> Any:
    """Return the notebook as it is read: what a cell printed in one block, and words for its figures."""
    book = deepcopy(book)
    for cell in book.cells:
        outputs: list[Any] = []
        for output in cell.get("outputs", ()):
            before = outputs[-1] if outputs else {}
            if output.output_type == "stream" and before.get("name") == output.name:
                before["text"] += output.text
            else:
                outputs.append(output)
            if "image/png" in output.get("data", {}):  # for whoever cannot see it: what draws it
                said = " ".join(cell.source.strip().splitlines()[-1].rstrip(";").split())
                output.metadata["image/png"] = {"alt": f"The figure drawn by {said}"}
        if cell.cell_type == "code":
            cell.outputs = outputs
    return book


def _page(title: str, body: str, links: str) -> str:
    formatter = _needs("pygments.formatters").HtmlFormatter(style="friendly")
    colours = formatter.get_style_defs(".highlight")
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<style>{STYLE}{colours}</style></head>\n<body><nav>{links}"
        '<button id="projector" type="button" aria-pressed="false">larger type</button></nav>\n'
        f"<main>{body}</main>\n<script>{PROJECTOR}</script></body></html>\n"
    )


def _links(found: Sequence[Path], i: int) -> str:
    parts = ['<a href="index.html">all lessons</a>']
    if i:
        parts.append(f'<a href="{html.escape(found[i - 1].stem)}.html">← previous</a>')
    if i + 1 < len(found):
        parts.append(f'<a href="{html.escape(found[i + 1].stem)}.html">next →</a>')
    return " ".join(parts) + '<span class="end"></span>'


def _teaching(text: str, lessons: set[str]) -> str:
    """Return the page for those who teach; links to notebooks lead to their pages, other files have none."""

    def link(found: re.Match[str]) -> str:
        words, stem = found[1], Path(found[2]).stem
        target = f"{stem}.html" if stem in lessons else "index.html" if stem == "notebooks" else ""
        return f"[{words}]({target})" if target else words

    nbformat = _needs("nbformat")
    linked = re.sub(r"\[([^\]]*)\]\((\.\./[^)]*)\)", link, text)
    body = _body(nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(linked)]))
    # nbconvert keeps capitals in the names of headings; links within a Markdown page have none
    body = re.sub(r'(<h\d id="|href="#)([^"]*)', lambda found: found[1] + found[2].lower(), body)
    return _page("For those who teach", body, '<a href="index.html">all lessons</a><span class="end"></span>')


def _index(pages: Sequence[Page], *, teaching: bool) -> str:
    items = "".join(
        f'<li><a href="{html.escape(p.file)}">{html.escape(p.title)}</a><p>{html.escape(p.summary)}</p></li>'
        for p in pages
    )
    body = (
        "<h1>Markov boundary discovery</h1><p>Every page works without a network and without a kernel: "
        "the films step, the quizzes score. To run the code: <code>make lab</code>.</p>"
        f'<ol class="cards">{items}</ol>'
        + ('<p><a href="instructors.html">For those who teach</a></p>' if teaching else "")
    )
    return _page("Markov boundary discovery", body, "<span>mbedu</span>" + '<span class="end"></span>')


def _heading(book: Any) -> tuple[str, str]:
    """Return a notebook's title and the first list or sentence of what it promises."""
    text = next((c.source for c in book.cells if c.cell_type == "markdown"), "")
    title = next((line.lstrip("# ") for line in text.splitlines() if line.startswith("# ")), "A lesson")
    # an item goes on in the lines that are indented below it
    listed = re.findall(r"^[-*] (.+(?:\n[ \t]+\S.*)*)", text, flags=re.MULTILINE)
    promises = [" ".join(item.split()).rstrip(";. ") for item in listed]
    return title, re.sub(r"[*`]", "", "; ".join(promises))


def _last_line(text: str) -> str:
    lines = [line for line in re.sub(r"\x1b\[[0-9;]*m", "", text).splitlines() if line.strip()]
    return lines[-1] if lines else "a cell failed"

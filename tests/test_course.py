"""The class around the lessons: the site stands alone, and assignments grade right and wrong answers."""

import html
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from browsing import Visit, opened_browser
from lessons import FOLDER, NOTEBOOKS, executed

from mbedu.course.assignments import CHECK, assignment, write_assignments
from mbedu.course.site import export, lessons, render
from mbedu.errors import MbeduError
from mbedu.viz.quiz import check_quiz

WRONG = {  # an answer that is wrong, and what its message says
    "predict_grow": ("my_answer = {'A'}", "some variable still depends on T given that"),
    "write_grow": (
        "def grow(ask, T):\n    return {v for v in ask.others(T) if not ask(T, v)}",
        "On A → C, B → C with target A your function ends with {C}, but B still depends on A given that.",
    ),
}
each = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The first lesson exported, with the page for those who teach."""
    home, target = tmp_path_factory.mktemp("course"), tmp_path_factory.mktemp("site")
    (home / "notebooks").mkdir()
    shutil.copy(NOTEBOOKS[0], home / "notebooks")
    shutil.copytree(FOLDER.parent / "docs", home / "docs")
    return target, export(home / "notebooks", target, progress=False)


@pytest.fixture(scope="module")
def browser(chromium):
    with opened_browser(chromium) as opened:
        yield opened


@pytest.fixture
def offline(browser):
    """A page in a browser without a network, in which every request beyond the disk fails besides."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, offline=True)
    context.route(re.compile("^(?!file:|data:|blob:)"), lambda route: route.abort())
    yield Visit(context)
    context.close()


def stands_alone(text):
    """Say whether a page loads nothing: no script, style, picture or font from elsewhere."""
    loads = re.findall(r"""<(?:script|img|iframe|source|video)[^>]*\ssrc=["']?(?!data:)[^\s"'>]+""", text)
    return not loads and not re.search(r"<link|@import|url\((?!['\"]?data:|#)", text)


def test_the_index_leads_everywhere(site):
    """The site has an index, a page a lesson, and one for those who teach; no link within it is dead."""
    folder, pages = site
    assert [p.file for p in pages] == ["00_start_here.html"]
    assert sorted(p.name for p in folder.iterdir()) == [
        "00_start_here.html", "index.html", "instructors.html"
    ]  # fmt: skip
    for file in folder.iterdir():
        text = file.read_text(encoding="utf-8")
        assert stands_alone(text)
        ids = set(re.findall(r'\bid="([^"]*)"', text))
        for link in re.findall(r'href="([^"]*)"', text):
            assert (link[1:] in ids) if link.startswith("#") else (folder / link).exists(), (file.name, link)
    index = (folder / "index.html").read_text(encoding="utf-8")
    assert all(name in index for name in ("00_start_here.html", "instructors.html"))
    assert "solution()" not in index


def test_without_its_page_the_site_has_no_link_for_teachers(tmp_path):
    """Notebooks that are not the course export too; their index promises nothing that is not there."""
    book = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_markdown_cell("# Mine\n\n- to *try*\n  and see;\n- `x`.\n\nNo more.")]
    )
    (tmp_path / "mine").mkdir()
    nbformat.write(book, tmp_path / "mine" / "one.ipynb")
    (page,) = export(tmp_path / "mine", tmp_path / "site", progress=False)
    assert (page.title, page.summary) == ("Mine", "to try and see; x")
    assert "instructors" not in (tmp_path / "site" / "index.html").read_text(encoding="utf-8")


def rendered(path, tmp_path_factory):
    """Return the page of a lesson as the export writes it; the lesson is executed once a test run."""
    notebook, _ = executed(path, tmp_path_factory)
    return render(notebook, path, NOTEBOOKS)


def printing(path, tmp_path_factory):
    """Return the cells that print something; on the page each has one block of text."""
    notebook, _ = executed(path, tmp_path_factory)
    return [c for c in notebook.cells if any(o.output_type == "stream" for o in c.get("outputs", ()))]


@each
def test_every_page_stands_alone(path, tmp_path_factory):
    """A page loads nothing from anywhere, is below 2 MB, and shows neither an error nor a warning."""
    page, text = rendered(path, tmp_path_factory)
    assert stands_alone(text)
    assert page.size == len(text.encode()) < 2_000_000
    assert page.title
    assert page.summary
    body = text.partition("<main>")[2]
    assert all(" alt=" in image for image in re.findall(r"<img[^>]*>", body))
    assert body.count('<div class="output_subarea output_stream') == len(printing(path, tmp_path_factory))
    for bad in ("Traceback (most recent call last)", "Warning:", "widget-view"):
        assert bad not in body


@pytest.mark.browser
@each
def test_every_page_works_with_the_network_off(path, tmp_path, tmp_path_factory, offline):
    """In a real browser, offline: films step both ways by keyboard, quizzes score, nothing goes wrong."""
    one, text = rendered(path, tmp_path_factory)
    (tmp_path / one.file).write_text(text, encoding="utf-8")
    page = offline.page
    page.goto((tmp_path / one.file).as_uri())
    hosts = page.locator(".mbedu-player")
    kinds = [host.get_attribute("data-kind") for host in hosts.all()]
    assert "quiz" in kinds
    assert set(kinds) - {"quiz"}
    for host, kind in zip(hosts.all(), kinds, strict=True):
        {"quiz": answers, "grid": slides}.get(kind, steps)(host)
    assert page.locator(".mbedu-player").count() == len(kinds)
    page.get_by_role("button", name="larger type").click()
    assert page.evaluate("getComputedStyle(document.documentElement).fontSize") == "25px"
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert (offline.wrong, offline.said, offline.abroad()) == ([], [], [])


def steps(host):
    """Step a film forward and back by keyboard."""
    frame, where = host.locator("section.player"), host.locator(".where").first
    frame.focus()
    texts = []
    for key in ("Home", "ArrowRight", "ArrowLeft", "End"):
        frame.press(key)
        texts.append(where.text_content())
    start, second, back, end = texts
    assert start == back
    assert start not in (second, end)


def slides(host):
    """Move both sliders of a grid of settings by keyboard: another cell of the table is shown each time."""
    here = host.locator("td.here")
    for slider in host.locator("input[type=range]").all():
        cells = set()
        for key in ("Home", "End"):
            slider.press(key)
            assert here.count() == 1
            cells.add(here.evaluate("td => [td.parentNode.rowIndex, td.cellIndex].join()"))
        assert len(cells) == 2


def answers(host):
    """Answer a quiz to its end: the first question with the mouse, the others at once."""
    host.locator("button.option").first.click()
    assert re.match("Right|Not so", host.locator(".reply").text_content())
    host.locator("button.continue").click()
    host.evaluate(
        """host => { const find = (name) => host.shadowRoot.querySelector("button." + name);
            while (find("option")) { find("option").click(); find("continue").click(); } }"""
    )
    said = re.fullmatch(
        r"You answered (\d+) of (\d+) questions right\.", host.locator(".asking").text_content()
    )
    result = check_quiz(host.locator("code.sealed").text_content())
    assert (result.right, result.total) == (int(said[1]), int(said[2]))


def test_a_failing_notebook_is_named(tmp_path):
    """A lesson that does not run stops the export with its name and the error."""
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1 / 0")])
    nbformat.write(book, tmp_path / "broken.ipynb")
    with pytest.raises(MbeduError, match=r"broken\.ipynb stopped: ZeroDivisionError"):
        export(tmp_path, tmp_path / "site", progress=False)
    with pytest.raises(MbeduError, match="has no notebooks"):
        export(tmp_path / "nowhere", tmp_path / "site")


def test_every_lesson_with_exercises_is_an_assignment(tmp_path):
    """Each exercise of a lesson becomes a cell for the answer and a cell that grades it."""
    written = write_assignments(FOLDER, tmp_path)
    assert len(written) >= 2
    for path in written:
        book = nbformat.read(path, as_version=4)
        nbformat.validate(book)
        lesson = nbformat.read(FOLDER / path.name, as_version=4)
        posed = [m["name"] for c in lesson.cells if c.cell_type == "code" for m in CHECK.finditer(c.source)]
        about = [c.metadata["nbgrader"] for c in book.cells]
        assert [a["grade_id"] for a in about if a["grade"]] == [f"test-{name}" for name in posed]
        assert [a["grade_id"] for a in about if a["solution"]] == [f"answer-{name}" for name in posed]
        assert len({a["grade_id"] for a in about}) == len(about)


def test_every_solution_cell_passes_its_own_tests():
    """Run as they stand, the solution and the test cells of every lesson raise nothing."""
    for path in lessons(FOLDER):
        for cell in assignment(path).cells:
            about = cell.metadata["nbgrader"]
            if about["solution"]:
                space = {"__name__": "assignment"}
                exec(cell.source, space)
            elif about["grade"]:
                exec(cell.source, space)


@pytest.mark.skipif(
    shutil.which("nbgrader", path=str(Path(sys.executable).parent)) is None, reason="no nbgrader"
)
def test_nbgrader_gives_a_right_answer_full_marks_and_a_wrong_one_none(tmp_path):
    """nbgrader itself: hand out, collect, autograde, give feedback; marks are all or none, messages help."""
    (source,) = [p for p in write_assignments(FOLDER, tmp_path) if p.stem.startswith("03")]
    book = nbformat.read(source, as_version=4)
    keep = ("text-00", "text-01", *(f"{part}-{name}" for name in WRONG for part in ("answer", "test")))
    book.cells = [c for c in book.cells if c.metadata["nbgrader"]["grade_id"] in keep]
    nbformat.write(book, source)
    stem = source.stem
    nbgrader = [str(Path(sys.executable).parent / "nbgrader")]

    def call(*arguments):
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])  # it calls alembic
        done = subprocess.run(
            [*nbgrader, *arguments],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PATH": path},
        )
        assert done.returncode == 0, done.stderr[-2000:]

    (tmp_path / "nbgrader_config.py").write_text("c = get_config()\nc.CourseDirectory.course_id = 'mb'\n")
    call("generate_assignment", stem)
    released = nbformat.read(tmp_path / "release" / stem / source.name, as_version=4)
    assert "BEGIN SOLUTION" not in json.dumps(released)
    assert "require()" not in json.dumps(released)
    solved = {c.metadata["nbgrader"]["grade_id"]: c.source for c in book.cells}
    wrong = {f"answer-{name}": text for name, (text, _) in WRONG.items()}
    for student, answers in {"right": solved, "wrong": wrong, "empty": {}}.items():
        handed = nbformat.read(tmp_path / "release" / stem / source.name, as_version=4)
        for cell in handed.cells:
            about = cell.metadata["nbgrader"]
            if about["solution"]:
                cell.source = answers.get(about["grade_id"], cell.source)
        folder = tmp_path / "submitted" / student / stem
        folder.mkdir(parents=True)
        nbformat.write(handed, folder / source.name)
    call("autograde", stem)
    call("generate_feedback", stem)
    call("export", "--to", "marks.csv")
    rows = [line.split(",") for line in (tmp_path / "marks.csv").read_text().splitlines()]
    marks = {row[rows[0].index("student_id")]: float(row[rows[0].index("score")]) for row in rows[1:]}
    full = float(rows[1][rows[0].index("max_score")])
    assert marks == {"right": full, "wrong": 0.0, "empty": 0.0}
    assert full > 0
    pages = {s: (tmp_path / "feedback" / s / stem / f"{stem}.html").read_text() for s in marks}
    for name, (_, message) in WRONG.items():
        assert message in html.unescape(pages["wrong"]), name
        assert message not in html.unescape(pages["right"])
    assert pages["empty"].count("Not answered yet: ") >= len(WRONG)
    assert "is not defined" not in pages["empty"]

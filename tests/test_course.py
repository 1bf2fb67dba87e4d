"""The class around the lessons: the site stands alone, and assignments grade right and wrong answers."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from mbedu.course.assignments import CHECK, assignment, write_assignments
from mbedu.course.site import export, lessons
from mbedu.errors import MbeduError
from mbedu.exercises import exercise

NOTEBOOKS = Path(__file__).parent.parent / "notebooks"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The first lesson and one with exercises, exported."""
    folder = tmp_path_factory.mktemp("lessons")
    for path in lessons(NOTEBOOKS)[:2]:
        shutil.copy(path, folder)
    target = tmp_path_factory.mktemp("site")
    return target, export(folder, target, progress=False)


def test_every_page_stands_alone(site):
    """A page loads nothing from anywhere: no link to a host, no script or style from elsewhere."""
    folder, pages = site
    assert [p.file for p in pages] == ["00_start_here.html", "01_independence.html"]
    for page in [*pages]:
        text = (folder / page.file).read_text(encoding="utf-8")
        assert re.search(r"<script[^>]*src=.(?!data:)", text) is None
        assert "<link" not in text
        assert "@import" not in text
        assert page.size < 2_000_000
    assert all(p.file in (folder / "index.html").read_text(encoding="utf-8") for p in pages)


@pytest.mark.browser
def test_the_site_works_with_the_network_off(site, chromium):
    """In a real browser, offline: no page error, no request, every player steps, the quiz takes an answer."""
    from playwright.sync_api import sync_playwright

    folder, pages = site
    with sync_playwright() as p:
        browser = p.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        context = browser.new_context(offline=True)
        page = context.new_page()
        errors, requests = [], []
        page.on("pageerror", lambda e: errors.append(str(e)))
        page.on("request", lambda r: requests.append(r.url))
        for one in ["index.html", *(p.file for p in pages)]:
            page.goto((folder / one).as_uri())
            page.wait_for_timeout(400)
            for button in page.get_by_role("button", name="Next").all():
                button.click()
        assert not errors
        assert [r for r in requests if not r.startswith(("file:", "data:"))] == []
        page.goto((folder / "00_start_here.html").as_uri())
        page.get_by_role("button", name="dependent", exact=True).first.click()
        assert page.get_by_text("right so far").count() >= 1
        page.get_by_role("button", name="larger type").click()
        assert page.evaluate("getComputedStyle(document.documentElement).fontSize") == "25px"
        browser.close()


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
    written = write_assignments(NOTEBOOKS, tmp_path)
    assert len(written) >= 2
    for path in written:
        book = nbformat.read(path, as_version=4)
        nbformat.validate(book)
        lesson = nbformat.read(NOTEBOOKS / path.name, as_version=4)
        posed = [m["name"] for c in lesson.cells if c.cell_type == "code" for m in CHECK.finditer(c.source)]
        about = [c.metadata["nbgrader"] for c in book.cells]
        assert [a["grade_id"] for a in about if a["grade"]] == [f"test-{name}" for name in posed]
        assert [a["grade_id"] for a in about if a["solution"]] == [f"answer-{name}" for name in posed]
        assert len({a["grade_id"] for a in about}) == len(about)


def test_every_solution_cell_passes_its_own_tests():
    """Run as they stand, the solution and the test cells of every lesson raise nothing."""
    for path in lessons(NOTEBOOKS):
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
    """nbgrader itself: hand out, collect a right and a wrong answer, autograde, and look at the marks."""
    (source,) = [p for p in write_assignments(NOTEBOOKS, tmp_path) if p.stem.startswith("01")]
    book = nbformat.read(source, as_version=4)
    name = next(c.metadata["nbgrader"]["grade_id"] for c in book.cells if c.metadata["nbgrader"]["grade"])
    name = name.removeprefix("test-")
    keep = ("text-00", f"answer-{name}", f"test-{name}")
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
    answers = {"right": exercise(name).solution().source, "wrong": "my_answer = None"}
    for student, text in answers.items():
        handed = nbformat.read(tmp_path / "release" / stem / source.name, as_version=4)
        for cell in handed.cells:
            if cell.metadata["nbgrader"]["solution"]:
                cell.source = (
                    text
                    if student == "wrong"
                    else next(c.source for c in book.cells if c.metadata["nbgrader"]["solution"])
                )
        folder = tmp_path / "submitted" / student / stem
        folder.mkdir(parents=True)
        nbformat.write(handed, folder / source.name)
    call("autograde", stem)
    call("export", "--to", "marks.csv")
    rows = [line.split(",") for line in (tmp_path / "marks.csv").read_text().splitlines()]
    marks = {row[rows[0].index("student_id")]: float(row[rows[0].index("score")]) for row in rows[1:]}
    full = float(rows[1][rows[0].index("max_score")])
    assert marks == {"right": full, "wrong": 0.0}
    assert full > 0
    graded = (tmp_path / "autograded" / "wrong" / stem / source.name).read_text()
    assert "NotYet" in graded  # the message that helps

"""The lessons: clean in git, in the shape of a lesson, executed from top to bottom, deterministic."""

import ast
import importlib
import re
import sys

import nbformat
import pytest
from lessons import BUDGET, FOLDER, NOTEBOOKS, execute, executed, read, seconds_of_all

from mbedu.exercises import exercise
from mbedu.registry import all_algorithms

LESSONS = [path for path in NOTEBOOKS if not path.name.startswith("00")]
TWICE = "04_rgs"  # draws more random sets than any other

each = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
each_lesson = pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)


def code_of(notebook):
    """Return the code cells as one module; a `;` at the end of a line only silences a plot."""
    return ast.parse("\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code"))


def calls(tree, name):
    """Yield the calls of a function or method of this name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called == name:
                yield node


def shown(notebook):
    """Return what each cell shows; how the kernel cut its text into pieces does not matter."""
    found = []
    for cell in notebook.cells:
        said, rich = {}, []
        for output in cell.get("outputs", ()):
            if output.output_type == "stream":
                said[output.name] = said.get(output.name, "") + output.text
            else:
                rich.append(dict(output.data))
        found.append((said, rich))
    return found


def players(notebook):
    """Return the kinds of the players on the page: `quiz`, and `play` and others for films."""
    pages = [data.get("text/html", "") for _, rich in shown(notebook) for data in rich]
    return [kind for page in pages for kind in re.findall(r'class="mbedu-player[^>]*data-kind="(\w+)"', page)]


def test_the_course_is_there():
    """The notebooks are numbered from 00 without a gap."""
    assert [path.name[:2] for path in NOTEBOOKS] == [f"{n:02d}" for n in range(len(NOTEBOOKS))]


@each
def test_no_outputs_in_git(path):
    """A notebook holds no output, no execution count, no widget state; it is valid, its ids are unique."""
    notebook = read(path)
    nbformat.validate(notebook)
    assert set(notebook.metadata) <= {"kernelspec", "language_info"}
    assert set(notebook.metadata.language_info) == {"name"}
    assert len({cell.id for cell in notebook.cells}) == len(notebook.cells)
    for cell in notebook.cells:
        assert set(cell.metadata) <= {"tags"}, cell.id
        assert not cell.get("outputs"), cell.id
        assert cell.get("execution_count") is None, cell.id


@each
def test_imports_public_names_only(path):
    """From mbedu a notebook imports only what a module lists as its own, and nothing that needs a network."""
    for node in ast.walk(code_of(read(path))):
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
            assert all(name == "mbedu" for name in modules if name.startswith("mbedu")), modules
        elif isinstance(node, ast.ImportFrom):
            modules = [node.module or ""]
            if modules[0].split(".")[0] == "mbedu":
                listed = importlib.import_module(modules[0]).__all__
                assert {alias.name for alias in node.names} <= set(listed), ast.unparse(node)
        else:
            continue
        assert not {name.split(".")[0] for name in modules} & {"urllib", "requests", "http", "socket"}


@each_lesson
def test_has_the_shape_of_a_lesson(path):
    """A lesson begins with what you will be able to do, cites places in papers, and ends with exercises."""
    notebook = read(path)
    text = " ".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    places = re.findall(
        r"(?:[Ss]ections?|Definition|Theorem|Lemma|Corollary|Algorithm|Eqs?\.|Table) \(?[\dIVX]", text
    )
    assert len(places) >= 2
    assert "Afterwards you can" in notebook.cells[0].source
    assert "exercise(" in notebook.cells[-1].source


@each_lesson
def test_exercises_belong_to_the_lesson(path):
    """Every exercise that a lesson poses is its own, is checked there, and is not answered yet."""
    tree = code_of(read(path))
    posed = {call.args[0].value for call in calls(tree, "exercise")}
    assert posed
    assert {exercise(name).lesson for name in posed} == {path.name[:2]}
    checked = {call.func.value.args[0].value for call in calls(tree, "check")}
    assert checked == posed


def test_every_algorithm_has_its_lesson():
    """Every registered algorithm names a lesson, and that lesson runs it."""
    for algorithm in all_algorithms():
        tree = code_of(read(FOLDER / f"{algorithm.notebook}.ipynb"))
        named = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
        assert algorithm.key in named, (algorithm.key, algorithm.notebook)


@each
def test_executes_within_its_budget(path, tmp_path_factory, capfd):
    """A notebook runs within two minutes without an error or a warning, and shows a film and a quiz."""
    notebook, seconds = executed(path, tmp_path_factory)
    if times := seconds_of_all(tmp_path_factory):
        slowest = max(times, key=times.get)
        with capfd.disabled():
            print(
                f"\n{len(times)} notebooks in {sum(times.values()):.0f} s; "
                f"the slowest is {slowest} with {times[slowest]:.0f} s",
                file=sys.stderr,
            )
    warned = [said["stderr"] for said, _ in shown(notebook) if "Warning" in said.get("stderr", "")]
    assert not warned
    kinds = players(notebook)
    assert "quiz" in kinds
    assert set(kinds) - {"quiz"}
    assert seconds < BUDGET


def test_the_same_in_every_process(tmp_path):
    """Executed twice, in processes that hash differently, a notebook shows the same, byte for byte."""
    path = FOLDER / f"{TWICE}.ipynb"
    one, two = (execute(path, tmp_path, hashes=hashes) for hashes in ("1", "2"))
    assert shown(one) == shown(two)

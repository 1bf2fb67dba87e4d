"""Assignments for nbgrader, made from the same lessons: nothing is written twice.

Wherever a lesson says `exercise("name").check(answer)`, the assignment has a cell for the answer, begun as in
the lesson, with the solution between BEGIN and END SOLUTION (nbgrader takes it out for the students), and a
cell that grades it: visibly with the feedback, and in HIDDEN TESTS with `.require()`, which raises unless it
is right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mbedu.course.site import _needs, lessons
from mbedu.errors import MbeduError
from mbedu.exercises import exercise

__all__ = ["assignment", "write_assignments"]

CHECK = re.compile(r"""exercise\((['"])(?P<name>\w+)\1\)\.check\((?P<answer>\w+)\)""")
POINTS = {"easy": 1, "medium": 2, "hard": 3}


def assignment(path: Path) -> Any:
    """Return the nbgrader source version of a lesson: its text, and a graded pair of cells an exercise."""
    nbformat = _needs("nbformat")
    book = nbformat.read(path, as_version=4)
    cells: list[Any] = []
    for number, cell in enumerate(book.cells):
        found = CHECK.search(cell.source) if cell.cell_type == "code" else None
        if found is None:
            cell.metadata["nbgrader"] = _about(f"text-{number:02d}", locked=True)
            cells.append(cell)
        else:
            cells += _graded(found["name"], found["answer"], cell.source[: found.start()], nbformat)
    book.cells = cells
    return book


def _graded(name: str, answer: str, begun: str, nbformat: Any) -> Iterator[Any]:
    """Yield the cell for the answer and the one that grades it; `begun` is what the lesson starts it with."""
    ex = exercise(name)
    solved = ex.solution()
    source = solved.source.rstrip()
    last = re.findall(r"^(?:def (\w+)|(\w+) *=)", source, flags=re.MULTILINE)[-1]
    named = last[0] or last[1]
    if named != answer:
        source += f"\n{answer} = {named}"
    told = f"{ex.start.rstrip()}\n\n" if ex.start and f"def {answer}" not in ex.start else ""
    # nbgrader puts a line that raises where the solution was; the beginning above it has run by then, so
    # that a cell handed in as it was is told what to do, and not that a name is missing
    solution = nbformat.v4.new_code_cell(
        f"{told}{begun.rstrip()}\n\n### BEGIN SOLUTION\n{source}\n### END SOLUTION", id=f"answer-{name}"
    )
    solution.metadata["nbgrader"] = _about(f"answer-{name}", solution=True)
    test = nbformat.v4.new_code_cell(
        "from mbedu.exercises import exercise\n\n"
        f'print(exercise("{name}").check({answer}).message)\n'
        f'### BEGIN HIDDEN TESTS\nexercise("{name}").check({answer}).require()\n### END HIDDEN TESTS',
        id=f"test-{name}",
    )
    test.metadata["nbgrader"] = _about(f"test-{name}", grade=True, points=POINTS[ex.level])
    yield from (solution, test)


def _about(
    key: str, *, solution: bool = False, grade: bool = False, locked: bool = False, points: int | None = None
) -> dict[str, Any]:
    about: dict[str, Any] = {
        "grade": grade,
        "grade_id": key,
        "locked": locked or grade,
        "schema_version": 3,
        "solution": solution,
        "task": False,
    }
    return about if points is None else about | {"points": points}


def write_assignments(notebooks: str | Path, folder: str | Path) -> list[Path]:
    """Write `folder`/source/NAME/NAME.ipynb for every lesson that has exercises; return the files."""
    nbformat = _needs("nbformat")
    written = []
    for path in lessons(notebooks):
        book = assignment(path)
        if not any(cell.metadata.get("nbgrader", {}).get("grade") for cell in book.cells):
            continue
        target = Path(folder) / "source" / path.stem / path.name
        target.parent.mkdir(parents=True, exist_ok=True)
        nbformat.validate(book)
        nbformat.write(book, target)
        written.append(target)
    if not written:
        raise MbeduError(f"no notebook in {str(notebooks)!r} has an exercise: exercise('name').check(answer)")
    return written

"""An exercise: a task, a check, three hints and a solution; and the shelf on which they all stand."""

from __future__ import annotations

import ast
import html
import textwrap
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any, Literal, TypeAlias

from mbedu.errors import MbeduError, unknown
from mbedu.exercises.feedback import Feedback, Hint, Refused, Solution, wrong
from mbedu.exercises.prose import to_html, to_markdown
from mbedu.exercises.reading import shown
from mbedu.exercises.unanswered import is_unanswered, not_answered
from mbedu.oracles import DSeparation

__all__ = ["Exercise", "Exercises", "Level", "exercise", "exercises", "posed"]

Level: TypeAlias = Literal["easy", "medium", "hard"]
LESSONS = tuple(f"{n:02d}" for n in range(1, 13))
MODULES = (*(f"lesson{lesson}" for lesson in LESSONS), "lesson03_functions")
Check: TypeAlias = Callable[[Any], Feedback]


@dataclass(frozen=True)
class Exercise:
    """One exercise. A notebook shows its task; `check` looks at an answer.

    Attributes
    ----------
    name, title, lesson, level
        What it is called, the lesson ("01" to "12") it belongs to, and "easy", "medium" or "hard".
    task : str
        What to do, in Markdown.
    start : str
        Source to begin with, where there is some.
    judge, target
        What the task is about, to play with; None and "" where it is about nothing in particular.

    Examples
    --------
    >>> ex = exercise("open_the_path")
    >>> bool(ex.check({"M"})), bool(ex.check({"M", "K"}))
    (False, True)
    >>> print(ex.hint(1))
    Hint 1 of 3: ...
    """

    name: str
    title: str
    lesson: str
    level: Level
    task: str
    hints: tuple[str, str, str]
    source: str = field(repr=False)
    why: str = field(repr=False)
    function: Check = field(repr=False)
    start: str = field(default="", repr=False)
    material: Callable[[], Any] | None = field(default=None, repr=False)
    target: str = ""

    @property
    def judge(self) -> Any:
        """The judge that the task is about, or None."""
        return None if self.material is None else self.material()

    def check(self, answer: Any) -> Feedback:
        """Look at an answer, whatever it is, and say whether it is right.

        A function runs in a process of its own with limits on time, memory, questions and output.
        """
        if not is_unanswered(answer):
            return self._looked_at(answer)
        # what a refusal says after the value is how an answer is written
        way = "" if callable(answer) else self._looked_at(answer).message.partition("; ")[2]
        return Feedback(self.name, False, not_answered(answer, way), answered=False)

    def _looked_at(self, answer: Any) -> Feedback:
        try:
            found = self.function(answer)
        except Refused as refusal:
            found = wrong(str(refusal))
        except Exception as error:  # noqa: BLE001 - an answer may do anything when it is looked at
            found = wrong(
                f"The answer could not be looked at: {type(error).__name__}: {shown(str(error))} "
                f"(it was {shown(answer)})."
            )
        return replace(found, exercise=self.name)

    def hint(self, number: int = 1) -> Hint:
        """Return one of the three hints; the third says almost everything."""
        if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= len(self.hints):
            raise MbeduError(f"hint({number!r}): there are hints 1, 2 and 3; begin with hint(1)")
        return Hint(number, len(self.hints), self.hints[number - 1])

    def solution(self) -> Solution:
        """Return one right answer, as source and as an object. Try the hints first."""
        namespace: dict[str, Any] = {"__name__": "mbedu_solution"}
        exec(compile(self.source, f"<solution of {self.name}>", "exec"), namespace)  # noqa: S102 - our own text
        return Solution(self.source, namespace[last_name(self.source)], self.why)

    # ------------------------------------------------------------------ display
    @property
    def heading(self) -> str:
        """The title with lesson and level."""
        return f"{self.title} (lesson {self.lesson}, {self.level})"

    def __str__(self) -> str:
        parts = [f"{self.heading}\n{'─' * len(self.heading)}", self.task]
        parts += [textwrap.indent(self.start, "    ")] if self.start else []
        parts += [f"check({self.name!r}, answer) · hint({self.name!r}, 1) · solution({self.name!r})"]
        return "\n\n".join(parts)

    def __repr__(self) -> str:
        return str(self)

    def _repr_markdown_(self) -> str:
        start = f"\n\n```python\n{self.start}\n```" if self.start else ""
        return f"**{to_markdown(self.heading)}**\n\n{to_markdown(self.task)}{start}"

    def _repr_html_(self) -> str:
        start = f"<pre><code>{html.escape(self.start)}</code></pre>" if self.start else ""
        return (
            f'<div class="mbedu-exercise"><p><strong>{html.escape(self.heading)}</strong></p>'
            f"{to_html(self.task)}{self._picture()}{start}</div>"
        )

    def _picture(self) -> str:
        judge = self.judge
        return drawing(judge, self.target, self.title) if isinstance(judge, DSeparation) else ""


def drawing(judge: DSeparation, target: str, title: str) -> str:
    """Return the graph as SVG, without the letters that would tell who is parent, child or spouse."""
    from mbedu.viz.film import picture
    from mbedu.viz.frames import Mark
    from mbedu.viz.scene import Scene, add_network

    shown_ = picture(judge.variables, list(judge.edges), target or judge.variables[0])
    shown_["nodes"] = [[*node[:5], ""] for node in shown_["nodes"]]
    scene = Scene(shown_["w"], shown_["h"], title=f"The graph of the exercise: {title}")
    add_network(scene, shown_, [Mark("target" if v == target else "open") for v in judge.variables])
    return scene.svg()


def last_name(source: str) -> str:
    """Return the name that the last statement of `source` defines."""
    last = ast.parse(source).body[-1]
    if isinstance(last, ast.FunctionDef):
        return last.name
    if isinstance(last, ast.Assign) and isinstance(last.targets[0], ast.Name):
        return last.targets[0].id
    raise MbeduError(f"a solution ends with an assignment or a function, not with {ast.unparse(last)!r}")


class Exercises(tuple[Exercise, ...]):
    """Several exercises; shown as a list of names."""

    __slots__ = ()

    def __str__(self) -> str:
        width = max((len(ex.name) for ex in self), default=0)
        return "\n".join(f"{ex.lesson}  {ex.name:<{width}}  {ex.level:<6}  {ex.title}" for ex in self)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{ex.lesson}</td><td><code>{html.escape(ex.name)}</code></td>"
            f"<td>{ex.level}</td><td>{html.escape(ex.title)}</td></tr>"
            for ex in self
        )
        head = "<tr><th>lesson</th><th>name</th><th>level</th><th>what</th></tr>"
        return f"<table>{head}{rows}</table>"


# ---------------------------------------------------------------------- the shelf
_SHELF: dict[str, Exercise] = {}


def posed(
    name: str,
    *,
    title: str,
    level: Level,
    task: str,
    hints: tuple[str, str, str],
    solution: str,
    why: str = "",
    start: str = "",
    judge: Callable[[], Any] | None = None,
    target: str = "",
) -> Callable[[Check], Check]:
    """Make a check an exercise; the lesson is told by the module that it stands in."""

    def put(function: Check) -> Check:
        lesson = function.__module__.rpartition("lesson")[2][:2]
        _SHELF[name] = Exercise(
            name=name,
            title=title,
            lesson=lesson,
            level=level,
            task=textwrap.dedent(task).strip(),
            hints=hints,
            source=textwrap.dedent(solution).strip(),
            why=why,
            function=function,
            start=textwrap.dedent(start).strip(),
            material=judge,
            target=target,
        )
        return function

    return put


def _shelf() -> dict[str, Exercise]:
    for module in MODULES:
        import_module(f"mbedu.exercises.{module}")
    return {ex.name: ex for lesson in LESSONS for ex in _SHELF.values() if ex.lesson == lesson}


def exercise(name: str) -> Exercise:
    """Return the exercise of this name.

    Examples
    --------
    >>> exercise("open_the_pat")
    Traceback (most recent call last):
        ...
    mbedu.errors.UnknownName: unknown exercise 'open_the_pat'; did you mean 'open_the_path'...
    """
    shelf = _shelf()
    if not isinstance(name, str) or name not in shelf:
        raise unknown("exercise", name, shelf, hint="exercises() lists them with their lessons")
    return shelf[name]


def exercises(lesson: str | int | None = None) -> Exercises:
    """Return all exercises in the order of the course, or those of one lesson.

    Examples
    --------
    >>> len(exercises()) >= 25, {ex.lesson for ex in exercises("03")}
    (True, {'03'})
    """
    found: Iterable[Exercise] = _shelf().values()
    if lesson is not None:
        wanted = f"{lesson:02d}" if isinstance(lesson, int) else str(lesson)
        if wanted not in LESSONS:
            raise unknown("lesson", lesson, LESSONS)
        found = [ex for ex in found if ex.lesson == wanted]
    return Exercises(found)

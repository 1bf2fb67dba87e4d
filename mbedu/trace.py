"""A trace: every step of a run, in order, as one value that can be stored, read back and shown."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mbedu.errors import TraceError
from mbedu.judge import Judge
from mbedu.steps import Asked, Changed, Entered, Returned, Step, step_from_plain, step_to_plain

if TYPE_CHECKING:
    import pandas as pd

    from mbedu.viz.player import Player
    from mbedu.viz.storyboard import Storyboard

__all__ = ["SCHEMA", "Pseudocode", "Trace", "plain"]

SCHEMA = 1
"""The version of the JSON form; it goes up when an older reader could no longer understand it."""


@dataclass(frozen=True, slots=True)
class Pseudocode:
    """The pseudo-code of a procedure and where it is printed."""

    title: str
    text: str
    paper: str = ""
    place: str = ""


@dataclass(frozen=True)
class Trace:
    """All steps of one run, with what a reader needs to follow them.

    Attributes
    ----------
    algorithm, title, target, params
        What ran, and for which target.
    variables : tuple of str
        The universe, in its order.
    steps : tuple of Step
        The events, in order.
    pseudocode : dict
        For each procedure that was entered, its pseudo-code.
    judge : dict
        What answered, as plain values (`kind`, and the `edges` of a known graph).
    answer : tuple of str
        The returned set, in variable order.
    stopped : str
        Why the run ended early; empty when it ran to its end.
    live_judge : Judge or None
        The judge itself, while it is at hand; it is neither stored nor compared.
    """

    algorithm: str
    title: str
    target: str
    variables: tuple[str, ...]
    steps: tuple[Step, ...]
    params: Mapping[str, Any] = field(default_factory=dict)
    pseudocode: Mapping[str, Pseudocode] = field(default_factory=dict)
    judge: Mapping[str, Any] = field(default_factory=dict)
    answer: tuple[str, ...] = ()
    stopped: str = ""
    live_judge: Judge | None = field(default=None, compare=False, repr=False)

    def __len__(self) -> int:
        return len(self.steps)

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __getitem__(self, n: int) -> Step:
        return self.steps[self._index(n)]

    def _index(self, n: int) -> int:
        size = len(self.steps)
        if not -size <= n < size:
            raise TraceError(f"step {n} does not exist; this trace has steps 0 to {size - 1}")
        return n % size

    @property
    def questions(self) -> tuple[Asked, ...]:
        """The questions alone, in the order in which they were asked."""
        return tuple(step for step in self.steps if isinstance(step, Asked))

    def state(self, n: int = -1) -> dict[str, frozenset[str]]:
        """Return the named sets after step `n`, those of procedures still running.

        A set of an inner procedure is called `procedure.name`; the algorithm's own sets go by
        their plain name. After the last step the algorithm's own sets are still there.
        """
        alive: dict[int, tuple[str, dict[str, frozenset[str]]]] = {}
        for step in self.steps[: self._index(n) + 1]:
            if isinstance(step, Entered) and step.what == "procedure":
                alive[step.scope] = ("" if step.depth <= 1 else step.procedure + ".", {})
            elif isinstance(step, Returned) and step.depth > 1:
                alive.pop(step.scope, None)
            elif isinstance(step, Changed):
                _, sets = alive.setdefault(step.scope, ("", {}))
                before = sets.get(step.name, frozenset())
                sets[step.name] = before.union(step.added).difference(step.removed)
        return {prefix + name: members for prefix, sets in alive.values() for name, members in sets.items()}

    # --- other forms -----------------------------------------------------------------------------

    def to_json(self, *, indent: int | None = None) -> str:
        """Return the whole trace as JSON text; the same trace always gives the same bytes."""
        values = {
            "schema": SCHEMA,
            "algorithm": self.algorithm,
            "title": self.title,
            "target": self.target,
            "variables": list(self.variables),
            "params": dict(self.params),
            "pseudocode": {
                key: {"title": code.title, "text": code.text, "paper": code.paper, "place": code.place}
                for key, code in self.pseudocode.items()
            },
            "judge": dict(self.judge),
            "answer": list(self.answer),
            "stopped": self.stopped,
            "steps": [step_to_plain(step) for step in self.steps],
        }
        separators = (",", ":") if indent is None else None
        return json.dumps(values, ensure_ascii=False, allow_nan=False, indent=indent, separators=separators)

    @classmethod
    def from_json(cls, text: str) -> Trace:
        """Read a trace that `to_json` wrote."""
        try:
            values = json.loads(text)
        except json.JSONDecodeError as error:
            raise TraceError(f"this is not JSON ({error}); pass the text that Trace.to_json gave") from None
        schema = values.get("schema") if isinstance(values, dict) else None
        if schema != SCHEMA:
            raise TraceError(
                f"trace schema {schema!r} cannot be read; this version of mbedu reads schema {SCHEMA}"
            )
        return cls(
            algorithm=values["algorithm"],
            title=values["title"],
            target=values["target"],
            variables=tuple(values["variables"]),
            params=values["params"],
            pseudocode={key: Pseudocode(**code) for key, code in values["pseudocode"].items()},
            judge=values["judge"],
            answer=tuple(values["answer"]),
            stopped=values["stopped"],
            steps=tuple(step_from_plain(step) for step in values["steps"]),
        )

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with a row a step: where, what, the question and its evidence, the sentence."""
        import pandas as pd

        rows = []
        for n, step in enumerate(self.steps):
            row: dict[str, Any] = {
                "step": n,
                "kind": step.kind,
                "procedure": step.procedure,
                "phase": step.phase,
                "line": step.line,
                "depth": step.depth,
            }
            if isinstance(step, Asked):
                query, verdict = step.query, step.verdict
                row |= {
                    "x": tuple(sorted(query.x)),
                    "y": tuple(sorted(query.y)),
                    "given": tuple(sorted(query.given)),
                    "independent": verdict.independent,
                    "p_value": verdict.p_value,
                    "statistic": verdict.statistic,
                    "df": verdict.df,
                    "strength": verdict.strength,
                    "reliable": verdict.reliable,
                }
            row["text"] = step.text
            rows.append(row)
        columns = (
            "step kind procedure phase line depth x y given independent p_value statistic df strength "
            "reliable text"
        )
        frame = pd.DataFrame(rows, columns=columns.split())
        return frame.astype({"line": "Int64", "independent": "boolean", "reliable": "boolean"})

    def transcript(self, *, width: int = 4) -> str:
        """Return one numbered sentence a step, indented by procedure, with the pseudo-code line.

        The first line says what ran; the last says what came out.
        """
        params = "".join(f", {key} = {value}" for key, value in self.params.items())
        kind = self.judge.get("kind", "a judge")
        lines = [f"{self.title or self.algorithm} for {self.target}{params}; asked of {kind}."]
        for n, step in enumerate(self.steps):
            mark = f"[{step.line}]" if step.line is not None else ""
            indent = "  " * max(0, step.depth - 1)
            lines.append(f"{n:>{width}}  {mark:>5}  {indent}{step.text}")
        questions = self.questions
        largest = max((len(q.query.given) for q in questions), default=0)
        end = f"Stopped early: {self.stopped}. " if self.stopped else ""
        cost = f"{len(questions)} questions, largest conditioning set {largest}"
        scores = sum(step.kind == "scored" for step in self.steps)
        if scores:
            cost = f"{scores} scores" + (f" and {cost}" if questions else "")
        lines.append(f"{end}Answer: {{{', '.join(self.answer)}}} after {cost}.")
        return "\n".join(lines)

    # --- pictures (mbedu.viz draws them; it is fetched only when one is wanted) ----------------------

    def play(self, **options: Any) -> Player:
        """Return the player: every step as a film, in a notebook or a page; see `mbedu.viz.player.play`."""
        from mbedu.viz.player import play

        return play(self, **options)

    def quiz(self, **options: Any) -> Player:
        """Return the player that asks before it shows; see `mbedu.viz.quiz.quiz`."""
        from mbedu.viz.quiz import quiz

        return quiz(self, **options)

    def storyboard(self, **options: Any) -> Storyboard:
        """Return the key moments as one picture, for slides; see `mbedu.viz.storyboard.storyboard`."""
        from mbedu.viz.storyboard import storyboard

        return storyboard(self, **options)

    def save(self, path: str | Path, **options: Any) -> Path:
        """Write the player as a page that stands alone; the options are those of `play`."""
        from mbedu.viz.player import save

        return save(self, path, **options)

    def _repr_html_(self) -> str | None:
        return self.play().html if self.steps else None

    def __repr__(self) -> str:
        name = self.title or self.algorithm
        return f"<Trace of {name} for {self.target}: {len(self)} steps, {len(self.questions)} questions>"


def plain(value: Any) -> Any:
    """Turn a parameter into JSON values, so that a stored trace reads back equal; the rest by its repr."""
    if isinstance(value, bool | int | str) or value is None:
        return value
    if isinstance(value, float):
        return value if abs(value) < float("inf") else str(value)
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, set | frozenset):
        return sorted(map(str, value))
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return getattr(value, "__name__", None) or repr(value)

"""Predict, then see: the player stops before a verdict or a choice and asks what will happen.

The page scores by itself and ends with a short code such as `MBQ-3F8A01C2-9-12-2KF-0Q3M1ZP7`: the
run, the number of right answers, the number of questions, which ones were right, and a checksum.
`check_quiz` reads it. The checksum catches typing errors and idle tampering; it is no
cryptography: the answers and the rule are in the page, so a determined student can forge a code.
Use it for self-tests and participation, not for grades that matter.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from mbedu.errors import TraceError
from mbedu.query import sentence_set
from mbedu.steps import Asked, Changed, Chose
from mbedu.trace import Trace
from mbedu.viz.film import Graph, film
from mbedu.viz.page import embed
from mbedu.viz.player import Player, fitting

__all__ = ["QuizResult", "check_quiz", "questions", "quiz", "seal"]

OPTIONS = 5
DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def quiz(
    trace: Trace, *, most: int | None = 20, student: str = "", scale: float = 1.0, graph: Graph = None
) -> Player:
    """Return a player that asks before it shows.

    Parameters
    ----------
    trace : Trace
        What happened.
    most : int or None
        At most this many questions, spread evenly over the run; None asks them all.
    student : str
        A name that is sealed into the code, so that a copied code does not check.
    scale, graph
        As in `play`.
    """
    if most is not None and most < 1:
        raise TraceError(f"most={most!r}: a quiz has at least one question; None asks them all")
    chosen = spread(list(questions(trace)), most)
    if not chosen:
        raise TraceError("this trace has neither a question nor a choice to predict")
    made = film(trace, graph=graph)
    made["quiz"] = {"digest": digest(trace), "student": student, "questions": chosen}
    words = (
        f"A quiz about {made['title']} with {len(chosen)} questions. It needs a browser with scripts "
        "(trust this notebook, or open the exported page)."
    )
    return Player(
        embed(fitting(made, words, kind="quiz"), words, kind="quiz", scale=scale), words, made["title"]
    )


def questions(trace: Trace) -> Iterator[dict[str, Any]]:
    """Yield every question that the trace can be asked: its step, the words, the options, the right one.

    Where only one thing could happen there is nothing to predict, and no question.
    """
    return (question for question in _moments(trace) if len(question["options"]) > 1)


def _moments(trace: Trace) -> Iterator[dict[str, Any]]:
    last: tuple[str, ...] = ()
    for n, step in enumerate(trace.steps):
        if isinstance(step, Asked):
            yield {
                "step": n,
                "ask": _independent(step),
                "options": ["independent", "dependent"],
                "right": 0 if step.verdict.independent else 1,
            }
        elif isinstance(step, Chose):
            yield _which(trace, n, "Which one is chosen?", step.item, _rivals(trace, n, step))
            last = step.item
        elif isinstance(step, Changed) and (step.added or step.removed) and n:
            moved = step.added or step.removed
            if moved != last:  # what was just chosen is no longer a question
                word = "enters" if step.added else "leaves"
                yield _which(trace, n, f"Which {word} {step.name}?", moved, _others(trace, n, step))
            last = ()


def _independent(step: Asked) -> str:
    q = step.query
    given = f" given {sentence_set(q.given)}" if q.given else ""
    return f"Are {sentence_set(q.x)} and {sentence_set(q.y)} independent{given}?"


def _rivals(trace: Trace, n: int, step: Chose) -> list[tuple[str, ...]]:
    """Return what else could have been chosen: the candidates of the questions just before."""
    order = trace.variables.index
    found: dict[tuple[str, ...], None] = dict.fromkeys(step.ties)
    for before in reversed(trace.steps[:n]):
        if not isinstance(before, Asked):
            break
        found[tuple(sorted(before.query.y, key=order))] = None
    return [item for item in found if item != step.item and item not in step.ties]


def _others(trace: Trace, n: int, step: Changed) -> list[tuple[str, ...]]:
    """Return what could have moved instead: the other members, or those not yet in."""
    before = trace.state(n - 1)
    inside = next(
        (members for name, members in before.items() if name.split(".")[-1] == step.name), frozenset()
    )
    if step.removed:
        return [(v,) for v in trace.variables if v in inside and v not in step.removed]
    return [(v,) for v in trace.variables if v not in inside and v not in step.added and v != trace.target]


def _which(
    trace: Trace, n: int, ask: str, right: Sequence[str], rivals: Sequence[Sequence[str]]
) -> dict[str, Any]:
    """Build a question with a few options; where the right one stands follows from the step alone."""
    stride = max(1, len(rivals) // (OPTIONS - 1))
    texts = [", ".join(item) for item in rivals[::stride][: OPTIONS - 1]]
    place = int(hashlib.sha256(f"{digest(trace)}:{n}".encode()).hexdigest(), 16) % (len(texts) + 1)
    texts.insert(place, ", ".join(right))
    return {"step": n, "ask": ask, "options": texts, "right": place}


def spread(items: list[dict[str, Any]], most: int | None) -> list[dict[str, Any]]:
    """Keep at most `most` of the questions, evenly spread, the first and the last among them."""
    if most is None or len(items) <= most:
        return items
    if most == 1:
        return items[:1]
    return [items[round(i * (len(items) - 1) / (most - 1))] for i in range(most)]


# --- the code ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class QuizResult:
    """What a code says: the run, the score, and which questions were answered right."""

    digest: str
    right: int
    total: int
    answers: tuple[bool, ...]

    def __str__(self) -> str:
        return f"{self.right} of {self.total} right"


def digest(trace: Trace) -> str:
    """Return eight letters that stand for the trace."""
    return hashlib.sha256(trace.to_json().encode()).hexdigest()[:8].upper()


def seal(run: str, answers: Sequence[bool], student: str = "") -> str:
    """Return the code for these answers; the page computes the same.

    Examples
    --------
    >>> seal("3F8A01C2", [True, False, True])
    'MBQ-3F8A01C2-2-3-D-...'
    """
    bits = "".join("1" if a else "0" for a in answers)
    head = f"MBQ-{run}-{sum(answers)}-{len(answers)}-{_base36(int('1' + bits, 2))}"
    return f"{head}-{_mark(f'{head}|{student}')}"


def check_quiz(code: str, trace: Trace | None = None, *, student: str = "") -> QuizResult:
    """Read a code that a quiz gave, and refuse one that does not fit.

    The checksum finds slips and idle tampering. It does not stop someone who reads the page's source.

    Parameters
    ----------
    code : str
        What the page showed at the end.
    trace : Trace, optional
        The run that the quiz was about; a code of another run is then refused.
    student : str
        The name that the quiz was made for, if any.

    Examples
    --------
    >>> check_quiz(seal("3F8A01C2", [True, False, True]))
    QuizResult(digest='3F8A01C2', right=2, total=3, answers=(True, False, True))
    """
    parts = code.strip().upper().split("-")
    if len(parts) != 6 or parts[0] != "MBQ":
        raise TraceError(f"{code!r} is not the code of a quiz; it looks like MBQ-3F8A01C2-9-12-2KF-0Q3M1ZP7")
    try:
        bits = f"{int(parts[4], 36):b}"[1:]
    except ValueError:
        bits = ""
    answers = tuple(bit == "1" for bit in bits)
    if seal(parts[1], answers, student) != "-".join(parts):
        whose = f" for student {student!r}" if student else " (made for a named student? pass student=…)"
        raise TraceError(f"the code {code!r} does not check{whose}; it was mistyped or changed")
    if trace is not None and parts[1] != digest(trace):
        raise TraceError(f"the code {code!r} belongs to another run than {trace!r} ({digest(trace)})")
    return QuizResult(parts[1], sum(answers), len(answers), answers)


def _base36(value: int) -> str:
    digits = ""
    while value:
        value, rest = divmod(value, 36)
        digits = DIGITS[rest] + digits
    return digits or "0"


def _mark(text: str) -> str:
    """Return a checksum that JavaScript computes alike: FNV-1a of 64 bits, stirred, 40 bits kept."""
    mask = (1 << 64) - 1
    h = 0xCBF29CE484222325
    for byte in text.encode():
        h = ((h ^ byte) * 0x100000001B3) & mask
    for _ in range(3):
        h = ((h ^ (h >> 29)) * 0xBF58476D1CE4E5B9) & mask
    return _base36(h >> 24).rjust(8, "0")

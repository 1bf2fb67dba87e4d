"""Read an answer: accept what was meant, refuse the rest with the value, the rule and the way out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from difflib import get_close_matches
from fractions import Fraction
from numbers import Integral, Rational, Real
from typing import Any

from mbedu.errors import MbeduError
from mbedu.exercises.feedback import Refused
from mbedu.oracles import DSeparation, ExactJoint
from mbedu.varset import VarSet

__all__ = [
    "braces", "read_bools", "read_dag", "read_exact", "read_joint", "read_number", "read_order", "read_set",
    "read_sets", "read_weights", "read_whole", "shown",
]  # fmt: skip

MOST = 1_000  # members of a collection that are looked at
LARGEST = 10**12  # beyond this a number is no answer here


def shown(value: Any, *, most: int = 80) -> str:
    """Return the repr of anything, shortened; what its own repr does cannot hurt.

    Examples
    --------
    >>> shown("A"), len(shown("A" * 1000))
    ("'A'", 80)
    """
    if isinstance(value, int) and abs(value) > LARGEST:
        return f"a number of {value.bit_length()} bits"  # Python refuses to write very long ones
    if isinstance(value, str | bytes | list | tuple | set | frozenset | dict) and len(value) > MOST:
        return f"a {type(value).__name__} of {len(value):,} items"
    try:
        text = repr(value)
    except Exception as error:  # noqa: BLE001 - an answer's __repr__ may do anything
        return f"a {type(value).__name__} whose repr fails with {type(error).__name__}"
    return text if len(text) <= most else text[: most - 1] + "…"


def braces(members: Iterable[str], order: Sequence[str] = ()) -> str:
    """Write a set in the order of the variables: {A, B}.

    Examples
    --------
    >>> braces({"B", "A"}), braces([], "AB")
    ('{A, B}', '{}')
    """
    place = {v: i for i, v in enumerate(order)}
    return "{" + ", ".join(sorted(members, key=lambda v: (place.get(v, len(place)), v))) + "}"


def cut(error: BaseException, *, most: int = 240) -> str:
    """Return the message of an error, shortened."""
    text = str(error).rstrip(".")
    return text if len(text) <= most else text[: most - 1] + "…"


def kind_of(value: Any) -> str:
    """Return the value with its type, unless it is None or a function, which say it themselves."""
    if value is None or callable(value):
        return shown(value)
    return f"{shown(value)} ({type(value).__name__})"


def read_set(
    answer: Any, variables: Sequence[str], *, without: Sequence[str] = (), what: str = "the answer"
) -> frozenset[str]:
    """Return a set of variables; a single name stands for the set of it.

    Examples
    --------
    >>> sorted(read_set(["A", "B"], "ABC"))
    ['A', 'B']
    >>> read_set(None, "ABC")
    Traceback (most recent call last):
        ...
    mbedu.exercises.feedback.Refused: None is no set of variables; write the answer as {'A', 'B', 'C'}, or ...
    """
    if isinstance(answer, str):
        answer = [answer]
    if not isinstance(answer, set | frozenset | list | tuple | VarSet):
        free = [v for v in variables if v not in without]
        example = ", ".join(map(repr, dict.fromkeys((*free[:2], free[-1]))))
        raise Refused(
            f"{kind_of(answer)} is no set of variables; write {what} as {{{example}}}, or set() for the "
            "empty set."
        )
    if len(answer) > MOST:
        raise Refused(f"{shown(answer)} is more than there are variables ({len(variables)}).")
    members = list(answer)
    for member in members:
        if not isinstance(member, str) or member not in variables:
            raise Refused(
                f"{shown(member)} is not a variable here; the variables are {_names(variables, member)}."
            )
        if member in without:
            raise Refused(f"{member} cannot be in {what}: it is one of the variables in question.")
    return frozenset(members)


def _names(variables: Sequence[str], near: object) -> str:
    close = get_close_matches(near, variables, n=1) if isinstance(near, str) else []
    return ", ".join(variables) + (f" (did you mean {close[0]}?)" if close else "")


def read_sets(
    answer: Any, variables: Sequence[str], *, without: Sequence[str] = ()
) -> frozenset[frozenset[str]]:
    """Return a collection of sets of variables."""
    example = f"[{{{variables[-1]!r}}}, {{{variables[-2]!r}, {variables[-1]!r}}}]"
    if not isinstance(answer, set | frozenset | list | tuple):
        raise Refused(f"{kind_of(answer)} is no list of sets; write it as {example}.")
    if len(answer) > MOST:
        raise Refused(f"{shown(answer)} is more than there are sets.")
    for item in answer:
        if isinstance(item, str):
            raise Refused(
                f"{shown(item)} is a name where a set belongs; write a list of sets, as in {example}."
            )
    return frozenset(read_set(item, variables, without=without, what="each set") for item in answer)


def read_bools(answer: Any, count: int) -> tuple[bool, ...]:
    """Return a list of yes or no, one for each question."""
    example = "[" + ", ".join(["True", "False", "True", "False", "True"][:count]) + "]"
    if not isinstance(answer, list | tuple):
        raise Refused(
            f"{kind_of(answer)} is no list; answer the {count} questions in order, as in {example}."
        )
    if len(answer) != count:
        raise Refused(
            f"{shown(answer)} has {len(answer)} answers to {count} questions; write it as {example}."
        )
    for item in answer:
        if not isinstance(item, bool) and type(item).__name__ not in ("bool", "bool_"):
            raise Refused(f"{kind_of(item)} is neither True nor False; write the answer as {example}.")
    return tuple(bool(item) for item in answer)


def read_whole(answer: Any, *, least: int, largest: int, what: str = "the answer") -> int:
    """Return a whole number within bounds.

    Examples
    --------
    >>> read_whole("3", least=1, largest=9)
    Traceback (most recent call last):
        ...
    mbedu.exercises.feedback.Refused: '3' (str) is no whole number; the answer is a whole number from 1 ...
    """
    if isinstance(answer, bool) or not isinstance(answer, Integral):
        raise Refused(
            f"{kind_of(answer)} is no whole number; {what} is a whole number from {least:,} to {largest:,}."
        )
    value = int(answer)
    if not least <= value <= largest:
        raise Refused(
            f"{shown(value)} is out of range; {what} is a whole number from {least:,} to {largest:,}."
        )
    return value


def read_number(answer: Any, *, least: float, largest: float, what: str = "the answer") -> float:
    """Return a real number within bounds, as a float."""
    if isinstance(answer, bool) or not isinstance(answer, Real | Decimal):
        raise Refused(f"{kind_of(answer)} is no number; {what} is a number from {least:g} to {largest:g}.")
    if not least <= float(answer) <= largest:  # also refuses NaN
        raise Refused(f"{shown(answer)} is out of range; {what} is a number from {least:g} to {largest:g}.")
    return float(answer)


def read_exact(answer: Any, *, what: str = "the answer") -> Fraction:
    """Return an exact number: a whole one, a Fraction, a text such as "3/4", or a float that is exact."""
    number = isinstance(answer, Rational | Decimal | float) and not isinstance(answer, bool)
    text = isinstance(answer, str) and len(answer) <= 40
    try:
        return Fraction(answer if number or text else "no number")
    except (ValueError, OverflowError, ZeroDivisionError):
        raise Refused(
            f"{kind_of(answer)} is no exact number; write {what} as Fraction(3, 4) or '3/4'."
        ) from None


def read_order(answer: Any, variables: Sequence[str]) -> tuple[str, ...]:
    """Return an order of all variables."""
    if not isinstance(answer, list | tuple):
        raise Refused(
            f"{kind_of(answer)} is no order; write a list with each of {', '.join(variables)} once."
        )
    if sorted(read_set(list(answer), variables, what="the order")) != sorted(variables) or len(answer) != len(
        variables
    ):
        raise Refused(f"{shown(answer)} does not name each of {', '.join(variables)} exactly once.")
    return tuple(answer)


def read_dag(answer: Any, variables: Sequence[str]) -> DSeparation:
    """Return the oracle of a graph over exactly these variables: pairs (parent, child), or a graph object."""
    example = f"[({variables[0]!r}, {variables[1]!r})]"
    edges, graph = getattr(answer, "edges", answer), hasattr(answer, "edges")
    if not (graph and callable(edges)) and not isinstance(edges, list | tuple | set | frozenset):
        raise Refused(f"{kind_of(answer)} is no graph; write its arrows as pairs (parent, child): {example}.")
    if not callable(edges) and len(edges) > MOST:
        raise Refused(f"{shown(edges)} is more than a graph over {len(variables)} variables has.")
    try:
        return DSeparation(answer if graph else edges, variables=variables)
    except (MbeduError, TypeError) as error:
        raise Refused(f"{shown(answer)} is no graph over {', '.join(variables)}: {cut(error)}.") from None


def read_joint(answer: Any, variables: Sequence[str], *, most: int = 256) -> ExactJoint:
    """Return the exact joint of a table {(value, …): weight} over these variables, or of an ExactJoint."""
    values = ", ".join("0" * len(variables))
    rule = f"write a dict {{({values}): weight, …}} with a value for each of {', '.join(variables)}"
    if isinstance(answer, ExactJoint):
        if set(answer.variables) != set(variables):
            raise Refused(
                f"its variables are {', '.join(answer.variables)}; they have to be {', '.join(variables)}."
            )
        if answer.support > most:
            raise Refused(f"it has {answer.support:,} cells; {most} are enough.")
        return answer
    if not isinstance(answer, Mapping):
        raise Refused(f"{kind_of(answer)} is no table of weights; {rule}.")
    if len(answer) > most:
        raise Refused(f"a table of {len(answer):,} cells is larger than it has to be; {most} are enough.")
    try:
        return ExactJoint(dict(answer), variables=variables)
    except (MbeduError, TypeError) as error:
        raise Refused(
            f"{shown(dict(answer))} is no distribution over {', '.join(variables)}: {cut(error)}."
        ) from None


def read_weights(answer: Any, variables: Sequence[str]) -> dict[str, float]:
    """Return beliefs: for some variables a weight from -1 to 1."""
    if not isinstance(answer, Mapping):
        raise Refused(f"{kind_of(answer)} is no prior; write a dict such as {{{variables[0]!r}: 1}}.")
    read_set(list(answer)[:MOST], variables, what="the prior")
    return {v: read_number(w, least=-1, largest=1, what=f"the weight of {v}") for v, w in answer.items()}

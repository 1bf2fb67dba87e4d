"""Every error that mbedu raises on purpose.

Each message shows the offending value, the rule that it breaks and the way out. All of them are
`ValueError`s, so that code which knows nothing of mbedu can still catch them.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = [
    "AlgorithmError",
    "DataError",
    "JudgeError",
    "MbeduError",
    "QueryError",
    "TraceError",
    "UnknownName",
    "unknown",
]


class MbeduError(ValueError):
    """The base of all errors that mbedu raises on purpose."""


class QueryError(MbeduError):
    """A question that cannot be asked: overlapping or empty sets, or names that are not strings."""


class UnknownName(MbeduError, KeyError):
    """A variable, network, algorithm or judge that does not exist here; close matches are suggested."""

    def __str__(self) -> str:  # KeyError would print the message in quotes
        return str(self.args[0]) if self.args else ""


class JudgeError(MbeduError):
    """A judge that cannot be built from what it was given."""


class DataError(MbeduError):
    """Data that a statistical test cannot use as it is."""


class AlgorithmError(MbeduError):
    """A parameter, a target or an answer that an algorithm cannot have."""


class TraceError(MbeduError):
    """A trace that cannot be read, or a step that it does not have."""


def unknown(kind: str, name: object, known: Iterable[str], *, hint: str = "") -> UnknownName:
    """Build the error for a name that is not among `known`, with suggestions.

    Examples
    --------
    >>> print(unknown("network", "asai", ["asia", "alarm"]))
    unknown network 'asai'; did you mean 'asia'? Known: 'asia', 'alarm'
    """
    known = list(known)
    close = difflib.get_close_matches(str(name), known, n=3, cutoff=0.5)
    words = f"unknown {kind} {name!r}"
    if close:
        words += "; did you mean " + " or ".join(map(repr, close)) + "?"
    shown = ", ".join(map(repr, known[:40])) + (", …" if len(known) > 40 else "")
    words += f"{'' if close else ';'} Known: {shown or 'none'}"
    return UnknownName(words + (f". {hint}" if hint else ""))

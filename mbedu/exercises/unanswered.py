"""Tell a place that was left empty from an answer: `my_answer = ...`, None, or a function of dots alone."""

from __future__ import annotations

import ast
import inspect
import textwrap
from typing import Any

__all__ = ["is_unanswered", "not_answered"]


def is_unanswered(answer: Any) -> bool:
    """Say whether nothing has been written yet.

    A function counts as empty if `...` or `pass` still stands in it and it does not use its first argument.

    Examples
    --------
    >>> is_unanswered(...), is_unanswered(None), is_unanswered(set())
    (True, True, False)
    """
    return answer is None or answer is ... or (inspect.isfunction(answer) and _is_skeleton(answer))


def _is_skeleton(function: Any) -> bool:
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):  # typed where no source is kept, or in the midst of a line
        return False
    found = tree.body[0]
    if not isinstance(found, ast.FunctionDef) or not found.args.args:
        return False
    first = found.args.args[0].arg
    used = any(isinstance(node, ast.Name) and node.id == first for node in ast.walk(found))
    return not used and any(map(_is_dots, found.body))


def _is_dots(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Pass) or ast.unparse(statement) in ("...", "return ...")


def not_answered(answer: Any, way: str) -> str:
    """Return what to do, with the way in which an answer is written.

    Examples
    --------
    >>> not_answered(..., "write it as [{'A'}].")
    "Not answered yet: put your answer where the dots are and run the cell again; write it as [{'A'}]."
    """
    if inspect.isfunction(answer):
        return "Not answered yet: write your lines where the dots are and run the cell again."
    place = "where the dots are" if answer is ... else "in the place of None"
    return f"Not answered yet: put your answer {place} and run the cell again" + (f"; {way}" if way else ".")

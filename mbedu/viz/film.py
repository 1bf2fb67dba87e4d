"""A trace turned into what the page draws: plain, compact values, the same for the same trace."""

from __future__ import annotations

import inspect
import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from mbedu.errors import MbeduError
from mbedu.query import Query
from mbedu.steps import Asked, Changed, Chose, Entered, Step, format_p
from mbedu.trace import Trace
from mbedu.viz.frames import ACTS, STANDINGS, frames, relations
from mbedu.viz.layout import label, layout
from mbedu.viz.tags import moved_tags

__all__ = ["Graph", "edges_of", "explanations", "film", "picture"]

Graph = Any
"""Anything that has edges: a network, a networkx graph, a d-separation oracle, a list of pairs."""

MOST_DRAWN = 110
MOST_WHYS = 400
FEW_WHYS = 6
MOST_SHOWN = 6
SHOWN = {"most": MOST_SHOWN, "largest": 160}


def edges_of(graph: Graph) -> list[tuple[str, str]]:
    """Return the edges of a network, a graph, an oracle or a list of pairs; none of None.

    Examples
    --------
    >>> edges_of([("A", "T")]), edges_of(None)
    ([('A', 'T')], [])
    """
    if graph is None:
        return []
    graph = getattr(graph, "dag", graph)
    found: Any = getattr(graph, "edges", graph)
    return [(str(a), str(b)) for a, b, *_ in (found() if callable(found) else found)]


def film(trace: Trace, *, graph: Graph = None, why: bool = True) -> dict[str, Any]:
    """Return everything that the page needs to show the trace, as JSON values.

    Parameters
    ----------
    trace : Trace
        What happened.
    graph : optional
        The network to draw when the judge knows none, for example beside a test on data.
    why : bool
        Ask the judge to explain each verdict (as far as `MOST_WHYS` different questions).
    """
    edges = edges_of(graph) or edges_of(trace.judge.get("edges"))
    number = {v: i for i, v in enumerate(trace.variables)}
    told = explanations(trace) if why else {}
    place = {query: i for i, query in enumerate(told)}
    states: dict[tuple[int, int, str], int] = {(0, 0, ""): 0}
    steps, before = [], [0] * len(number)
    last_sets: object = None
    for step, frame in zip(trace.steps, frames(trace), strict=True):
        plain = _step(step, number)
        marks = [_state(mark, states) for mark in frame.marks.values()]
        plain["m"] = [v for i, s in enumerate(marks) if s != before[i] for v in (i, s)]
        before = marks
        if frame.sets != last_sets:
            plain["sets"] = [[name, [number[v] for v in inside]] for name, inside in frame.sets]
            last_sets = frame.sets
        if len(frame.crumbs) > 1:
            plain["in"] = list(frame.crumbs)
        if isinstance(step, Asked) and step.query in place:
            plain["why"] = place[step.query]
        steps.append(plain)
    return {
        "title": _title(trace),
        "names": list(trace.variables),
        "target": number[trace.target],
        "judge": str(trace.judge.get("kind", "a judge")),
        "codes": {key: _code(code.title, code.text, code.place) for key, code in trace.pseudocode.items()},
        "picture": picture(trace.variables, edges, trace.target, near=_touched(trace)),
        "standings": list(STANDINGS),
        "acts": list(ACTS),
        "states": [list(s) for s in states],
        "steps": steps,
        "whys": list(told.values()),
        "stopped": trace.stopped,
        "answer": [number[v] for v in trace.answer],
    }


def _title(trace: Trace) -> str:
    params = "".join(f", {key} = {value}" for key, value in trace.params.items())
    return f"{trace.title or trace.algorithm} for {trace.target}{params}"


def _state(mark: Any, states: dict[tuple[int, int, str], int]) -> int:
    key = (STANDINGS.index(mark.standing), ACTS.index(mark.act), mark.sets)
    return states.setdefault(key, len(states))


def _code(title: str, text: str, place: str) -> dict[str, Any]:
    lines = []
    for row in text.strip("\n").splitlines():
        bare = row.strip()
        head = bare.split(maxsplit=1)[0].rstrip(":.") if bare else ""
        lines.append([int(head) if head.isdigit() else None, _narrow(row)])
    return {"title": title, "place": place, "lines": lines}


def _narrow(row: str) -> str:
    """Pull remarks that were aligned far to the right nearer: the pane is narrow."""
    head = re.match(r"\s*\d*[:.]?\s*", row)
    cut = head.end() if head else 0
    return row[:cut] + re.sub(r" {3,}", "  ", row[cut:])


def _step(step: Step, number: Mapping[str, int]) -> dict[str, Any]:
    place = {"l": step.line, "p": step.procedure or None, "f": step.phase or None}
    plain: dict[str, Any] = {"k": step.kind, "t": step.text}
    plain |= {key: value for key, value in place.items() if value is not None}
    if isinstance(step, Asked):
        plain |= _asked(step, number)
    elif isinstance(step, Changed):
        plain |= {
            "name": step.name,
            "add": _numbers(step.added, number),
            "rem": _numbers(step.removed, number),
        }
    elif isinstance(step, Chose):
        plain |= {"item": _numbers(step.item, number)}
    elif isinstance(step, Entered):
        plain |= {"what": step.what, "name": step.name}
    return plain


def _numbers(names: Iterable[str], number: Mapping[str, int]) -> list[int]:
    return sorted(number[v] for v in names)


def _asked(step: Asked, number: Mapping[str, int]) -> dict[str, Any]:
    q, v = step.query, step.verdict
    plain: dict[str, Any] = {side: _numbers(getattr(q, side), number) for side in ("x", "y")}
    plain |= {"z": _numbers(q.given, number), "i": int(v.independent)}
    facts = []
    if v.p_value is not None:
        plain["pv"] = format_p(v.p_value, v.log_p)
        facts.append(f"p = {plain['pv']}")
    if v.statistic is not None:
        facts.append(f"statistic {v.statistic:.4g}")
    if v.df is not None:
        facts.append(f"df {v.df:g}")
    if v.strength is not None:
        facts.append(f"strength {v.strength:.4g}")
    if v.n is not None:
        facts.append(f"n {v.n}")
    if not v.reliable:
        plain["bad"] = 1
        facts.append("not reliable")
    elif v.p_value is not None:
        facts.append("reliable")
    return plain | {"e": facts}


# --- the picture -----------------------------------------------------------------------------------


def _touched(trace: Trace) -> list[str]:
    """Return what the picture of a very large network must not leave out, most needed first."""
    kept = dict.fromkeys((trace.target, *trace.answer))
    for step in trace.steps:
        if isinstance(step, Changed) and len(step.added) <= 4:
            kept |= dict.fromkeys(step.added)
    for step in trace.steps:
        if isinstance(step, Asked):
            kept |= dict.fromkeys(sorted(step.query.variables))
    return list(kept)


def picture(
    variables: Iterable[str], edges: list[tuple[str, str]], target: str, *, near: Iterable[str] = ()
) -> dict[str, Any]:
    """Return the geometry of the network; of a very large one only what the run touches first."""
    names = list(variables)
    number = {v: i for i, v in enumerate(names)}
    drawn = names
    if len(names) > MOST_DRAWN:
        kept = list(dict.fromkeys(near))[:MOST_DRAWN]
        chosen = set(kept or names[:MOST_DRAWN])
        drawn = [v for v in names if v in chosen]
    arcs = [(a, b) for a, b in edges if a in number and b in number]
    letters = relations(arcs, target)
    at = layout(drawn, arcs, centre=target, tags=letters)
    most = 16 if len(drawn) <= 24 else 12
    shown: dict[str, Any] = {
        "w": at.width,
        "h": at.height,
        "nodes": [
            [number[v], *at.at[v], round(at.widths[v], 1), label(v, most), letters.get(v, "")] for v in drawn
        ],
        "edges": [
            [number[a], number[b], *[c for point in route[1:-1] for c in point]]
            for (a, b), route in at.routes.items()
        ],
        "left_out": len(names) - len(drawn),
    }
    if arcs:
        shown["tags"] = moved_tags(shown)
    return shown


# --- why ---------------------------------------------------------------------------------------------


def explanations(trace: Trace, *, most: int = MOST_WHYS) -> dict[Query, dict[str, Any]]:
    """Return the judge's own explanation for each question of the trace, as far as it can give one."""
    explain = _explainer(trace)
    if explain is None:
        return {}
    asked = {step.query: step.verdict.independent for step in trace.questions}
    if len(trace.variables) > MOST_DRAWN:
        # to list blocked paths of a very large network takes a third of a second each
        slow = set([query for query, independent in asked.items() if independent][FEW_WHYS:])
        asked = {query: answer for query, answer in asked.items() if query not in slow}
    told = {}
    for query in list(asked)[:most]:
        try:
            told[query] = _slim(json.loads(json.dumps(explain(query), default=str)))
        except MbeduError:  # this judge cannot explain this one; the player says so
            continue
    return told


def _slim(value: Any) -> Any:
    """Keep what a reader can take in: six digits of a number, a handful of tables and paths."""
    if isinstance(value, float):
        return float(f"{value:.6g}") if math.isfinite(value) else str(value)
    if isinstance(value, dict):
        long = {
            key: value[key][:MOST_SHOWN] for key in ("tables", "blocks") if isinstance(value.get(key), list)
        }
        kept = {key: item for key, item in value.items() if key not in ("query", "weight", "verdict")}
        return {key: _slim(item) for key, item in (kept | long).items()}
    return [_slim(item) for item in value] if isinstance(value, list) else value


def _explainer(trace: Trace) -> Callable[[Query], dict[str, Any]] | None:
    judge: Any = trace.live_judge
    judge = getattr(judge, "inner", judge)
    if judge is None and trace.judge.get("kind") == "DSeparation":
        # a stored trace has no judge any more, but a graph is all that d-separation needs
        from mbedu.oracles.dseparation import DSeparation

        judge = DSeparation(edges_of(trace.judge["edges"]), variables=trace.variables)
    explain = getattr(judge, "explain", None)
    if not callable(explain):
        return None
    # do not let it work out more paths or cells than are shown
    known = inspect.signature(explain).parameters
    return partial(explain, **{key: most for key, most in SHOWN.items() if key in known})

"""How the answer depends on the sample size and on alpha: runs made beforehand, two sliders.

In a page the runs are stored, so it works offline; `live` recomputes in the notebook with ipywidgets.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mbedu.errors import DataError
from mbedu.judge import Judge
from mbedu.running import Run, Runnable, run
from mbedu.viz.film import edges_of, picture
from mbedu.viz.page import embed
from mbedu.viz.player import Player
from mbedu.viz.plots import boundary_scene

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Sensitivity", "sensitivity"]

LOOKS = (
    ("open", "", ""),
    ("target", "", ""),
    ("in", "", "✓"),
    ("removed", "", "miss"),
    ("open", "leaves", "extra"),
)
HINT = (
    "✓ found and right; − missed (dashed, struck out); extra (purple, pointed ends): found, but not in "
    "the boundary."
)
MakeJudge = Callable[[Any, float], Judge]


def _g2(data: Any, alpha: float) -> Judge:
    from mbedu.citests.discrete import G2

    return G2(data, alpha)


@dataclass(frozen=True)
class Sensitivity:
    """The same algorithm on samples of several sizes, at several levels alpha.

    A notebook shows it with two sliders; `frame` is the same as a table; `live()` recomputes.
    """

    algorithm: Runnable
    network: Any
    target: str
    ns: tuple[int, ...]
    alphas: tuple[float, ...]
    seed: int
    judge: MakeJudge
    params: dict[str, Any]

    def run(self, n: int, alpha: float) -> Run:
        """Run once, on the first `n` rows of the one sample, at the level `alpha`."""
        return run(self.algorithm, self.judge(self._rows(n), alpha), target=self.target, **self.params)

    def _rows(self, n: int) -> Any:
        # one long sample, cut off: a larger n then adds rows, and no other luck
        return self._sample.iloc[:n] if n <= max(self.ns) else self.network.sample(n, seed=self.seed)

    @cached_property
    def _sample(self) -> Any:
        return self.network.sample(max(self.ns), seed=self.seed)

    @cached_property
    def runs(self) -> dict[tuple[int, float], Run]:
        """Every run, by n and alpha."""
        return {(n, alpha): self.run(n, alpha) for n in self.ns for alpha in self.alphas}

    @cached_property
    def truth(self) -> frozenset[str]:
        """The boundary in the network."""
        return frozenset(self.network.boundary(self.target))

    @property
    def frame(self) -> pd.DataFrame:
        """A row a run: n, alpha, what was found, right, missed, extra, F1 and the number of questions."""
        import pandas as pd

        rows = []
        for (n, alpha), one in self.runs.items():
            right, missed, extra = self._split(one.boundary)
            f1 = _f1(len(right), len(missed), len(extra))
            rows.append(
                {"n": n, "alpha": alpha, "found": tuple(sorted(one.boundary)), "right": len(right),
                 "missed": len(missed), "extra": len(extra), "f1": f1, "n_asked": one.n_asked}
            )  # fmt: skip
        return pd.DataFrame(rows)

    def _split(self, found: frozenset[str]) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
        return found & self.truth, self.truth - found, found - self.truth

    def say(self, n: int, alpha: float, one: Run) -> str:
        """Say in one sentence what a run found."""
        right, missed, extra = map(sorted, self._split(one.boundary))
        parts = [f"right {{{', '.join(right)}}}"]
        parts += [f"missed {{{', '.join(missed)}}}"] if missed else []
        parts += [f"extra {{{', '.join(extra)}}}"] if extra else []
        return f"With n = {n} and alpha = {alpha:g}: {'; '.join(parts)}."

    # --- faces -----------------------------------------------------------------------------------

    def play(self, *, scale: float = 1.0) -> Player:
        """Return the page with two sliders over the stored runs."""
        names = list(self.network.variables)
        cells = [[self._cell(n, alpha, names) for alpha in self.alphas] for n in self.ns]
        title = f"{self._name()} for {self.target}: sample size and alpha"
        film = {
            "title": title,
            "names": names,
            "axes": [
                {"name": "n", "values": [str(n) for n in self.ns]},
                {"name": "alpha", "values": [f"{a:g}" for a in self.alphas]},
            ],
            "start": [0, min(range(len(self.alphas)), key=lambda i: abs(self.alphas[i] - 0.05))],
            "cells": cells,
            "looks": [list(look) for look in LOOKS],
            "picture": picture(
                names, edges_of(self.network), self.target, near=[self.target, *sorted(self.truth)]
            ),
            "hint": HINT,
            "caption": "F1 of every setting",
            "steps": [],
        }
        words = "\n".join(cell["t"] for row in cells for cell in row)
        return Player(embed(film, words, kind="grid", scale=scale), words, title)

    def _cell(self, n: int, alpha: float, names: Sequence[str]) -> dict[str, Any]:
        one = self.runs[n, alpha]
        right, missed, extra = self._split(one.boundary)
        look = [
            1 if v == self.target else 2 if v in right else 3 if v in missed else 4 if v in extra else 0
            for v in names
        ]
        f1 = _f1(len(right), len(missed), len(extra))
        facts = f"F1 {f1:.2f}; {one.n_asked} questions, largest conditioning set {one.largest_given}"
        return {"look": look, "t": self.say(n, alpha, one), "facts": facts, "short": f"{f1:.2f}"}

    def _name(self) -> str:
        found = self.algorithm if isinstance(self.algorithm, str) else getattr(self.algorithm, "__name__", "")
        return found or getattr(self.algorithm, "key", "algorithm")

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        player = self.play()
        return {"text/html": player.html, "text/plain": player.words}

    def save(self, path: str | Path) -> Path:
        """Write the page with the sliders; it works offline."""
        return self.play().save(path)

    def live(self) -> Any:
        """Return ipywidgets that recompute for any n and alpha (in a running notebook only)."""
        import ipywidgets as widgets

        n = widgets.IntSlider(
            value=self.ns[0], min=min(self.ns), max=max(self.ns), description="n", continuous_update=False
        )
        alpha = widgets.FloatLogSlider(
            value=0.05, base=10, min=-6, max=-0.31, step=0.1, description="alpha", continuous_update=False
        )
        shown, said = widgets.HTML(), widgets.HTML()

        def update(_change: Any = None) -> None:
            one = self.run(n.value, alpha.value)
            scene = boundary_scene(self.network, self.target, found=one.boundary)
            shown.value = scene.svg()
            said.value = f"<p>{html.escape(self.say(n.value, round(alpha.value, 6), one))}</p>"

        n.observe(update, "value")
        alpha.observe(update, "value")
        update()
        return widgets.VBox([widgets.HBox([n, alpha]), said, shown])


def sensitivity(
    algorithm: Runnable,
    network: Any,
    target: str,
    *,
    ns: Iterable[int] = (50, 100, 200, 500, 1000, 2000, 5000),
    alphas: Iterable[float] = (0.001, 0.01, 0.05, 0.1, 0.2),
    seed: int = 0,
    judge: MakeJudge = _g2,
    **params: Any,
) -> Sensitivity:
    """Run an algorithm on samples of a network for every n and alpha, to be looked at with two sliders.

    Parameters
    ----------
    algorithm : str or callable
        A registered key or a function.
    network : Network
        Where the data come from, and the truth.
    target : str
        Whose boundary.
    ns, alphas
        The sample sizes and the levels. All samples are the beginnings of one, drawn with `seed`.
    judge : callable
        `judge(data, alpha)`; G² by default.
    **params
        The algorithm's own parameters.

    Examples
    --------
    >>> import mbedu as mb
    >>> shown = sensitivity("gs", mb.load_network("cancer"), "Cancer", ns=[200, 2000], alphas=[0.05])
    >>> list(shown.frame["n"])
    [200, 2000]
    """
    sizes, levels = tuple(sorted(set(ns))), tuple(sorted(set(alphas)))
    if not sizes or not levels or sizes[0] < 1:
        raise DataError(f"ns={sizes!r}, alphas={levels!r}: give at least one n ≥ 1 and one alpha")
    return Sensitivity(algorithm, network, target, sizes, levels, seed, judge, params)


def _f1(right: int, missed: int, extra: int) -> float:
    return 1.0 if not right + missed + extra else 2 * right / (2 * right + missed + extra)

"""Independent blocks side by side: exact at any size, because no question ever crosses two blocks.

If the blocks B₁, B₂, … are independent of each other, X ⊥ Y | Z holds exactly when X∩B ⊥ Y∩B | Z∩B holds in
every block B that has a part of both X and Y, and the conditional mutual information is the sum over the
blocks. So near-parity with 96 distractors is one block of a few bits and 96 blocks of one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from mbedu.errors import JudgeError, unknown
from mbedu.judge import Batched, Found, Judge, Verdict, check_known
from mbedu.oracles._graph import check_variables
from mbedu.query import Query, Vars, names

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Product"]

Parts = dict[int, frozenset[str]]


class Product(Batched):
    """The oracle of independent blocks of variables.

    Parameters
    ----------
    *blocks : judge
        Exact judges over disjoint variables; at least one.
    variables : iterable of str, optional
        All variables, in the order that breaks ties; by default block after block.

    Notes
    -----
    `strength` is the sum over the blocks, and `ranks` is True when all blocks rank. The blocks are
    taken to be oracles: a p-value of a block is not combined, so none is given.

    Examples
    --------
    >>> from mbedu.oracles import ExactJoint
    >>> xor = ExactJoint({(a, b, a ^ b): 1 for a in (0, 1) for b in (0, 1)}, variables="A B T".split())
    >>> noise = [ExactJoint({(0,): 1, (1,): 2}, variables=[f"D{i}"]) for i in range(96)]
    >>> world = Product(xor, *noise)
    >>> world.judge(Query("T", {"A", "B", "D7"})).independent, world.judge(Query("T", "A", "D7")).independent
    (False, True)
    """

    def __init__(self, *blocks: Judge, variables: Iterable[str] | None = None) -> None:
        if not blocks:
            raise JudgeError("a Product of no blocks; pass at least one judge")
        self.blocks = blocks
        self._block: dict[str, int] = {}
        for i, block in enumerate(blocks):
            if not isinstance(block, Judge):
                raise JudgeError(
                    f"block {i} is {block!r}, which is not a judge; pass oracles such as ExactJoint"
                )
            for v in block.variables:
                if v in self._block:
                    raise JudgeError(
                        f"variable {v!r} is in block {self._block[v]} and in block {i}; "
                        "blocks are independent only if they share no variable: rename one"
                    )
                self._block[v] = i
        order = check_variables(self._block if variables is None else variables)
        for v in (*order, *self._block):
            if v not in self._block or v not in order:
                raise unknown(
                    "variable",
                    v,
                    order if v in self._block else self._block,
                    hint=("`variables` must name the variables of the blocks, all of them and no others"),
                )
        self.variables = order
        self.ranks = all(block.ranks for block in blocks)
        self._none = Verdict(True, strength=0.0 if self.ranks else None)

    def _parts(self, variables: frozenset[str]) -> Parts:
        """Split a set of variables into its blocks."""
        block = self._block
        if len(variables) == 1:
            (v,) = variables
            return {block[v]: variables}
        parts: dict[int, list[str]] = {}
        for v in sorted(variables):
            parts.setdefault(block[v], []).append(v)
        return {i: frozenset(part) for i, part in parts.items()}

    def judge(self, query: Query) -> Verdict:
        """Answer one query."""
        try:
            x, y, given = self._parts(query.x), self._parts(query.y), self._parts(query.given)
        except KeyError:
            check_known(self.variables, query)
            raise
        return self._combine(x, y, given)

    def _combine(self, x: Parts, y: Parts, given: Parts) -> Verdict:
        shared = sorted(x.keys() & y.keys())
        if not shared:
            return self._none
        nothing: frozenset[str] = frozenset()
        found = [self.blocks[i].judge(Query.trusted(x[i], y[i], given.get(i, nothing))) for i in shared]
        return self._joined(found)

    def _joined(self, found: Sequence[Verdict]) -> Verdict:
        known = [v.strength for v in found if v.strength is not None]
        return Verdict(
            all(v.independent for v in found),
            strength=math.fsum(known) if self.ranks and len(known) == len(found) else None,
            reliable=all(v.reliable for v in found),
            reason="; ".join(dict.fromkeys(v.reason for v in found if v.reason)),
        )

    def _each(self, x: Vars, ys: Sequence[Vars], given: Vars) -> Iterator[Verdict]:
        """Answer the candidates in turn, splitting x and given once and asking no block twice the same."""
        x_names, given_names = names(x), names(given)
        block = self._block
        known, taken = block.keys(), x_names | given_names
        if not len(ys):
            return
        if not x_names or not x_names.isdisjoint(given_names) or not taken <= known:
            yield self.judge(Query(x_names, next(iter(ys)), given_names))  # raises, with the reason
        x_parts, given_parts = self._parts(x_names), self._parts(given_names)
        touched = frozenset(v for i in sorted(x_parts) for v in self.blocks[i].variables)
        answers: dict[frozenset[str], Verdict] = {}
        for y in ys:
            y_names = names(y)
            if not y_names or not y_names <= known or not y_names.isdisjoint(taken):
                yield self.judge(Query(x_names, y_names, given_names))  # raises, with the reason
            inside = y_names & touched
            if not inside:
                yield self._none
                continue
            if inside not in answers:
                answers[inside] = self._combine(x_parts, self._parts(inside), given_parts)
            yield answers[inside]

    def judge_many(self, x: Vars, ys: Sequence[Vars], given: Vars) -> list[Verdict]:
        """Answer x ⊥ y | given for each y; only what lies in the blocks of x is ever asked."""
        return list(self._each(x, ys, given))

    def first_dependent(self, x: Vars, ys: Sequence[Vars], given: Vars) -> Found | None:
        """Return the first candidate that depends on x, or None."""
        for i, verdict in enumerate(self._each(x, ys, given)):
            if not verdict.independent:
                return Found(i, verdict)
        return None

    def sample(self, n: int, *, seed: int) -> pd.DataFrame:
        """Draw `n` rows, each block from its own stream; every block must have a `sample` of its own."""
        import numpy as np
        import pandas as pd

        frames = []
        seeds = np.random.SeedSequence(seed).generate_state(len(self.blocks), dtype=np.uint64)
        for i, (block, own) in enumerate(zip(self.blocks, seeds.tolist(), strict=True)):
            draw = getattr(block, "sample", None)
            if draw is None:
                raise JudgeError(
                    f"block {i} ({type(block).__name__}) cannot draw samples; "
                    "a Product samples only if all its blocks do, as ExactJoint and ExactGaussian can"
                )
            frames.append(draw(n, seed=own))
        joined: pd.DataFrame = pd.concat(frames, axis=1)[list(self.variables)]
        return joined

    def describe(self) -> dict[str, Any]:
        """Say what this judge is: its kind, variables and the descriptions of its blocks."""
        return {
            "kind": "Product",
            "variables": list(self.variables),
            "blocks": [block.describe() for block in self.blocks],
        }

    def explain(self, query: Query) -> dict[str, Any]:
        """Say why: which blocks hold a part of both sides, and what each of them says.

        Returns
        -------
        dict
            Plain JSON values: `query`, `independent`, `text` and `blocks`, a list of `variables` and
            `explanation` (the block's own).
        """
        verdict = self.judge(query)
        x, y, given = self._parts(query.x), self._parts(query.y), self._parts(query.given)
        told, answers = [], []
        for i in sorted(x.keys() & y.keys()):
            part = Query(x[i], y[i], given.get(i, frozenset()))
            own = getattr(self.blocks[i], "explain", None)
            answers.append(self.blocks[i].judge(part).independent)
            plain = {"query": str(part), "independent": answers[-1]}
            told.append(
                {
                    "variables": list(self.blocks[i].variables),
                    "explanation": own(part) if own is not None else plain,
                }
            )
        word = "Independent" if verdict.independent else "Dependent"
        if not told:
            text = "Independent: the two sides lie in different blocks, which are independent of each other."
        else:
            broken = sum(not answer for answer in answers)
            text = f"{word}: {len(told)} block(s) hold a part of both sides; in {broken} of them they depend."
        return {"query": str(query), "independent": verdict.independent, "text": text, "blocks": told}

    def __repr__(self) -> str:
        return f"<Product: {len(self.blocks)} blocks, {len(self.variables)} variables>"

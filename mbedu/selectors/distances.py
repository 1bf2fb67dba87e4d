"""How far rows lie apart, feature by feature: what the RELIEF family weighs features by."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mbedu.errors import DataError
from mbedu.selectors.source import Floats, Ints, Rows

__all__ = ["Differences"]

MANY = 6000  # rows; every one is compared with every other
UNIT = 1 << 20  # numbers are compared in steps of this fineness, so that equal distances are equal exactly


class Differences:
    """diff(a, b) of each feature: 0 or 1 for labels, the distance on [0, 1] for numbers.

    Labels go through matrix products of their indicator columns, numbers one column at a time.
    """

    def __init__(self, rows: Rows, features: Sequence[str], who: str) -> None:
        if len(rows) > MANY:
            raise DataError(
                f"{who} compares every row with every other, and {len(rows)} rows are more than {MANY}; "
                "take a sample"
            )
        self.features = tuple(features)
        self.n = len(rows)
        self.labels = [v for v in features if v not in rows.numbers]
        self.numeric = [v for v in features if v in rows.numbers]
        self._steps = {v: np.rint(rows.numbers[v] * UNIT).astype(np.int64) for v in self.numeric}
        coded = [np.unique(rows.codes[v], return_inverse=True)[1].reshape(-1) for v in self.labels]
        blocks = [np.eye(int(codes.max()) + 1)[codes] for codes in coded]
        self._hot: Floats = np.hstack([np.zeros((self.n, 0)), *blocks])
        self._owner = np.repeat(np.arange(len(blocks)), [block.shape[1] for block in blocks])

    def _gap(self, v: str, power: int) -> Ints:
        steps = self._steps[v]
        gap: Ints = np.abs(steps[:, None] - steps[None, :])
        return gap if power == 1 else gap * gap

    def distances(self, power: int) -> Ints:
        """Return Σ diff^power over all features, rows × rows, in whole numbers of UNIT^power."""
        unlike = len(self.labels) - np.rint(self._hot @ self._hot.T).astype(np.int64)
        out = unlike * np.int64(UNIT**power)
        for v in self.numeric:
            out += self._gap(v, power)
        return out

    def weighted_distances(self, weights: dict[str, float]) -> Floats:
        """Return Σ w·diff over all features, rows × rows."""
        own = np.array([weights[v] for v in self.labels])
        shared = (self._hot * own[self._owner]) @ self._hot.T if self.labels else np.zeros((self.n, self.n))
        out: Floats = np.maximum(own.sum() - shared, 0.0)
        for v in self.numeric:
            out += weights[v] * (self._gap(v, 1) / UNIT)
        return out

    def sums(self, pairs: Floats, power: int) -> dict[str, float]:
        """Return for each feature Σ over rows i, j of pairs[i, j] · diff(i, j)^power."""
        agree = ((pairs @ self._hot) * self._hot).sum(axis=0)
        inside = np.bincount(self._owner, weights=agree, minlength=len(self.labels))
        everything = float(pairs.sum())
        out = {v: everything - float(inside[i]) for i, v in enumerate(self.labels)}
        for v in self.numeric:
            out[v] = float((pairs * self._gap(v, power)).sum()) / UNIT**power
        return {v: out[v] for v in self.features}

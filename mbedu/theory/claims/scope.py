"""How far the ledger looks: the quick domains and the full ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mbedu.theory.claims.worlds import Worlds, dags, random_tables, shapes, small_tables

__all__ = ["Scope"]


@dataclass(frozen=True)
class Scope:
    """How far to look: the quick domains or the full ones, and the seed of what is drawn at random."""

    full: bool = False
    seed: int = 0

    @property
    def joints(self) -> Worlds:
        """Every small distribution, smallest first, one a pattern of independencies, and random ones."""
        small = self.small + small_tables(4, 1)
        drawn = random_tables(4, self.many, self.seed)
        exhaustive = 3**4 - 1 + (5 if self.full else 3) ** 8 - 1 + 2**16 - 1
        return small.joined(
            drawn,
            f"all {exhaustive:,} tables over 2 to 4 binary variables with weights 0 to "
            f"{4 if self.full else 2} (0 and 1 "
            f"with four) and {self.many:,} random joints over 4, half with functions: "
            f"{len(small) + len(drawn):,} "
            "patterns of independence",
        )

    @property
    def many(self) -> int:
        """How many random joints."""
        return 20_000 if self.full else 2_000

    @property
    def drawn(self) -> Worlds:
        """Random joints, all of them: for claims that depend on more than the pattern of independencies."""
        return random_tables(4, self.many, self.seed, distinct=False)

    @property
    def small(self) -> Worlds:
        """The distributions of two and three variables."""
        largest = 4 if self.full else 2
        text = (
            f"all {3**4 - 1 + (largest + 1) ** 8 - 1:,} tables over 2 and 3 binary variables with weights "
            f"0 to {largest}: "
            f"{len(small_tables(2, 2)) + len(small_tables(3, largest)):,} patterns of independence"
        )
        return small_tables(2, 2).joined(small_tables(3, largest), text)

    @property
    def graphs(self) -> Worlds:
        """Every labelled DAG with two to four nodes, so every variable order too; five in full."""
        return _sizes(dags, 5 if self.full else 4)

    @property
    def shapes(self) -> Worlds:
        """Every DAG with two to four nodes up to renaming; five in full. For claims that know no order."""
        return _sizes(shapes, 5 if self.full else 4)

    @property
    def few_graphs(self) -> Worlds:
        """Every labelled DAG with two to four nodes, and in full a part of those with five."""
        return _sizes(dags, 4) + dags(5, every=20) if self.full else _sizes(dags, 4)


def _sizes(make: Callable[[int], Worlds], largest: int) -> Worlds:
    """Return the graphs with 2 … `largest` nodes, and words with their number."""
    all_of_them = [make(n) for n in range(2, largest + 1)]
    count = sum(len(worlds) // n for n, worlds in enumerate(all_of_them, 2))
    how = " up to renaming" if make is shapes else ""
    joined = Worlds([w for worlds in all_of_them for w in worlds], "")
    return joined.joined(Worlds((), ""), f"all {count:,} DAGs with 2 to {largest} nodes{how} × targets")

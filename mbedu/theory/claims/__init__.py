"""The ledger of published claims: every theorem, lemma and correctness claim of the five papers, checked.

Nothing in the table is typed in but the statement in our words and where it is printed. Verdicts,
witnesses and domains are computed by running the checkers: `claims()`. One file a paper.

A verdict is one of three. *Holds on everything tried* is no proof, but the domain says how much was
tried; where it is exhaustive, the claim is proved for worlds of that size. *Fails* comes with the smallest
witness found. *Holds under an extra hypothesis* fails as printed, shows the witness against the print, and
holds when the hypothesis is added.
"""

from __future__ import annotations

from collections.abc import Sequence

from mbedu.theory.claims.ledger import (
    FAILS,
    HOLDS,
    REPAIRED,
    Claim,
    Entry,
    Finding,
    Ledger,
    Witness,
    run_ledger,
)
from mbedu.theory.claims.ledger import registered as registered

__all__ = ["FAILS", "HOLDS", "REPAIRED", "Claim", "Entry", "Finding", "Ledger", "Witness", "claims"]


def claims(
    full: bool = False,
    papers: str | Sequence[str] | None = None,
    *,
    progress: bool | None = None,
    seed: int = 0,
) -> Ledger:
    """Check what the papers claim and return the ledger.

    Parameters
    ----------
    full : bool
        Look further: more weights, more random joints, all DAGs with five nodes. Takes long; the quick check
        takes less than a minute.
    papers : str or sequence of str, optional
        Keys of papers, such as "margaritis2009"; by default all five.
    progress : bool, optional
        Show a progress bar; by default when the check is full.
    seed : int
        For what is drawn at random.

    Examples
    --------
    >>> ledger = claims(papers="liu2015")
    >>> ledger["liu2015/theorem-2"].verdict
    'holds on everything tried'
    """
    chosen = [papers] if isinstance(papers, str) else papers
    return run_ledger(full=full, papers=chosen, progress=full if progress is None else progress, seed=seed)

"""The ledger: what the papers claim, where it was checked, and what came of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, Any, overload

from mbedu.errors import unknown
from mbedu.theory._facts import Check
from mbedu.theory.claims.scope import Scope
from mbedu.theory.claims.worlds import World, Worlds

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "FAILS", "HOLDS", "REPAIRED", "Claim", "Entry", "Finding", "Ledger", "Scope", "Witness", "claim", "found",
    "over", "shown",
]  # fmt: skip

MODULES = (
    "margaritis2009", "margaritis2009_algorithms", "pocock2012", "pocock2012_iamb", "demorais2008",
    "demorais2008_proof", "hassan2021", "liu2015", "liu2015_dependency", "liu2015_sets",
)  # fmt: skip
HOLDS, FAILS, REPAIRED = "holds on everything tried", "fails", "holds under an extra hypothesis"


@dataclass(frozen=True)
class Witness:
    """What breaks a claim (or shows what a claim says exists): in words, and as objects to check again.

    Attributes
    ----------
    text : str
        The case in words.
    world : World or None
        The distribution or graph.
    values : mapping
        The sets and numbers that matter, by the paper's symbols.
    """

    text: str
    world: World | None = None
    values: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Finding:
    """What a checker found: the domain in words, how many instances, and a witness or an example."""

    domain: str
    tried: int
    witness: Witness | None = None
    example: Witness | None = None

    @property
    def holds(self) -> bool:
        """Whether nothing speaks against it."""
        return self.witness is None


Checker = Callable[[Scope], Finding]


@dataclass(frozen=True)
class Claim:
    """A published statement with the code that checks it.

    Attributes
    ----------
    key : str
        `paper/name`.
    place : str
        Where it is printed.
    statement : str
        What it says, in our words.
    check : callable
        Takes a `Scope`, returns a `Finding` about the statement as it is printed.
    hypothesis : str
        What has to be added where the printed form fails.
    repaired : callable or None
        The checker with that hypothesis added.
    """

    key: str
    place: str
    statement: str
    check: Checker
    hypothesis: str = ""
    repaired: Checker | None = None

    @property
    def paper(self) -> str:
        """The key of the paper."""
        return self.key.partition("/")[0]


@dataclass(frozen=True)
class Entry:
    """One line of the ledger: a claim and what came of checking it."""

    claim: Claim
    finding: Finding
    repaired: Finding | None
    seconds: float = field(compare=False, default=0.0)

    @property
    def key(self) -> str:
        """The key of the claim."""
        return self.claim.key

    @property
    def verdict(self) -> str:
        """`holds on everything tried`, `fails`, or `holds under an extra hypothesis`."""
        if self.finding.holds:
            return HOLDS
        return REPAIRED if self.repaired is not None and self.repaired.holds else FAILS

    @property
    def hypothesis(self) -> str:
        """The extra hypothesis, where one is needed and suffices."""
        return self.claim.hypothesis if self.verdict == REPAIRED else ""

    @property
    def witness(self) -> Witness | None:
        """The smallest case found against the statement as printed."""
        return self.finding.witness

    @property
    def shown_witness(self) -> str:
        """The witness in words; of a claim that something exists, the example."""
        if self.finding.witness is not None:
            return self.finding.witness.text
        return f"e.g. {self.finding.example.text}" if self.finding.example is not None else ""

    @property
    def domain(self) -> str:
        """What it was checked on, in words."""
        said = f"{self.finding.domain}: "
        said += (
            _instances(self.finding) if self.finding.holds else f"stopped at instance {self.finding.tried:,}"
        )
        if self.verdict == REPAIRED and self.repaired is not None:
            said += f". With the hypothesis: {self.repaired.domain}: {_instances(self.repaired)}"
        return said

    def __str__(self) -> str:
        lines = [f"{self.key} ({self.claim.place}): {self.verdict}", f"  {self.claim.statement}"]
        lines += [f"  if {self.hypothesis}"] if self.hypothesis else []
        lines += [f"  {self.shown_witness}"] if self.shown_witness else []
        return "\n".join([*lines, f"  checked on {self.domain}"])


def _instances(finding: Finding) -> str:
    return f"{finding.tried:,} instance{'s' * (finding.tried != 1)}"


LEGEND = """\
This page is written by `mbedu claims --markdown`: statements are in our words, everything else is computed.
A distribution is given by its variables and their rows: "T, A, B with the rows 000, 111 equally likely" is a
variable T with two copies A and B. Witnesses are the smallest found; where a search is exhaustive
("all …"), it went from small to large. "Stopped at instance n" means that the n-th one breaks the claim. What
holds on everything tried is proved only for what was tried. Patterns: of all tables with the same
independencies only the smallest was looked at, where the claim is about nothing else."""
COLUMNS = ("claim", "place", "statement", "verdict", "hypothesis", "witness", "domain")


class Ledger(Sequence[Entry]):
    """All entries, in the order of the papers; look one up by its key.

    `to_frame()`, `to_markdown()` and the display in a notebook show the same table.
    """

    def __init__(self, entries: Iterable[Entry], *, full: bool = False, seed: int = 0) -> None:
        self.entries, self.full, self.seed = tuple(entries), full, seed

    @overload
    def __getitem__(self, key: int | str) -> Entry: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[Entry]: ...
    def __getitem__(self, key: int | str | slice) -> Entry | Sequence[Entry]:
        if not isinstance(key, str):
            return self.entries[key]
        for entry in self.entries:
            if entry.key == key:
                return entry
        raise unknown("claim", key, [e.key for e in self.entries])

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def rows(self) -> list[dict[str, str]]:
        """Return the table as plain values, one dict a line."""
        return [
            {
                "claim": e.key,
                "place": e.claim.place,
                "statement": e.claim.statement,
                "verdict": e.verdict,
                "hypothesis": e.hypothesis,
                "witness": e.shown_witness,
                "domain": e.domain,
            }
            for e in self.entries
        ]

    def to_frame(self) -> pd.DataFrame:
        """Return the table as a DataFrame with one row a claim."""
        import pandas as pd

        return pd.DataFrame(self.rows(), columns=list(COLUMNS)).set_index("claim")

    def counts(self) -> dict[str, int]:
        """Return how many claims have each verdict."""
        return {v: sum(e.verdict == v for e in self.entries) for v in (HOLDS, REPAIRED, FAILS)}

    def to_markdown(self) -> str:
        """Return the ledger as a Markdown page: a summary, then a table a paper."""
        from mbedu.registry import papers

        lines = ["# The ledger of published claims", "", _summary(self), "", LEGEND, ""]
        for paper in dict.fromkeys(e.claim.paper for e in self.entries):
            lines += [f"## {paper}", "", papers.get(paper, ""), ""]
            lines += ["| claim | statement | verdict | witness | checked on |", "|---|---|---|---|---|"]
            for row in (r for r in self.rows() if r["claim"].startswith(f"{paper}/")):
                verdict = f"**{row['verdict']}**" if row["verdict"] != HOLDS else row["verdict"]
                verdict += f": {row['hypothesis']}" if row["hypothesis"] else ""
                name = f"`{row['claim'].partition('/')[2]}`<br>{row['place']}"
                cells = (name, row["statement"], verdict, row["witness"], row["domain"])
                lines.append("| " + " | ".join(_cell(c) for c in cells) + " |")
            lines.append("")
        return "\n".join(lines).rstrip()

    def __str__(self) -> str:
        return "\n".join(map(str, self.entries))

    def __repr__(self) -> str:
        return f"<Ledger: {_summary(self)}>"

    def _repr_html_(self) -> str:
        heads = "".join(f"<th style='text-align:left'>{c}</th>" for c in COLUMNS)
        body = ""
        for row in self.rows():
            cells = "".join(f"<td style='text-align:left'>{escape(row[c])}</td>" for c in COLUMNS)
            colour = {HOLDS: "#2e7d32", REPAIRED: "#b26a00", FAILS: "#b00020"}[row["verdict"]]
            body += f"<tr style='border-left:4px solid {colour}'>{cells}</tr>"
        head = f"<thead><tr>{heads}</tr></thead>"
        return f"<p>{escape(_summary(self))}</p><table>{head}<tbody>{body}</tbody></table>"


def _summary(ledger: Ledger) -> str:
    counts = "; ".join(f"{verdict}: {count}" for verdict, count in ledger.counts().items())
    extent = "full" if ledger.full else "quick"
    return f"{len(ledger)} claims. {counts}. ({extent.capitalize()} check, seed {ledger.seed})"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


# ---------------------------------------------------------------------- how checkers are written
_CLAIMS: dict[str, Claim] = {}


def claim(
    key: str, place: str, statement: str, *, hypothesis: str = "", repaired: Checker | None = None
) -> Callable[[Checker], Checker]:
    """Enter the checker below into the ledger; see `Claim` for what the words mean."""

    def enter(check: Checker) -> Checker:
        _CLAIMS[key] = Claim(key, place, statement, check, hypothesis, repaired)
        return check

    return enter


def registered() -> dict[str, Claim]:
    """Return every claim, paper by paper, in the order of the papers' text."""
    for module in MODULES:  # one file a paper, in this order
        import_module(f"mbedu.theory.claims.{module}")
    order = list(MODULES)
    return dict(sorted(_CLAIMS.items(), key=lambda item: order.index(item[1].paper)))


def over(worlds: Worlds, check: Callable[[World], Check | Iterable[Check]], domain: str = "") -> Finding:
    """Check every world, smallest first, and return the first failure as the witness.

    `check` returns a `Check`, or several; their `tried` are added up.
    """
    tried = 0
    for world in worlds:
        result = check(world)
        for one in [result] if isinstance(result, Check) else result:
            tried += one.tried
            if not one.holds:
                return Finding(domain or worlds.text, tried, shown(world, one.witness, **one.sets))
    return Finding(domain or worlds.text, tried)


def found(worlds: Worlds, search: Callable[[World], Witness | None], domain: str = "") -> Finding:
    """Look for an example in every world: the claim is that there is one."""
    tried = 0
    for world in worlds:
        tried += 1
        if (example := search(world)) is not None:
            return Finding(domain or worlds.text, tried, example=example)
    against = Witness("no example was found", None)
    return Finding(domain or worlds.text, tried, witness=against)


def shown(world: World, text: str, **values: Any) -> Witness:
    """Return a witness that names its world first."""
    target = (
        f", target {world.target}" if world.edges is not None or world.target != world.variables[0] else ""
    )
    return Witness(f"{world}{target}: {text}", world, values)


def run_ledger(*, full: bool, papers: Sequence[str] | None, progress: bool | None, seed: int) -> Ledger:
    """Run the checkers of some papers, or of all of them."""
    from tqdm.auto import tqdm

    everything = registered()
    known = list(dict.fromkeys(c.paper for c in everything.values()))
    for paper in papers or ():
        if paper not in known:
            raise unknown("paper", paper, known)
    chosen = [c for c in everything.values() if papers is None or c.paper in papers]
    scope, entries = Scope(full, seed), []
    with tqdm(chosen, desc="claims", unit=" claims", disable=not progress, leave=False) as bar:
        for one in bar:
            start = time.perf_counter()
            finding = one.check(scope)
            again = one.repaired(scope) if not finding.holds and one.repaired is not None else None
            entries.append(Entry(one, finding, again, time.perf_counter() - start))
    return Ledger(entries, full=full, seed=seed)

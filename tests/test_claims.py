"""The ledger: complete, reproducible, and every witness confirmed by code that shares nothing with it."""

import re
from itertools import combinations
from pathlib import Path

import pytest
from claims_recheck import EXAMPLES, RECHECK, Facts, parts, true_boundary

from mbedu.errors import MbeduError
from mbedu.query import Query
from mbedu.theory.claims import FAILS, HOLDS, REPAIRED, claims
from mbedu.theory.claims.ledger import registered
from mbedu.theory.claims.worlds import dags, independencies, random_tables, shapes, small_tables, tables
from mbedu.verify.dags import all_dags

PAGE = Path(__file__).parents[1] / "docs" / "claims.md"

# What the papers number, by the names that they print; no text of theirs.
NUMBERED = {
    "margaritis2009": "Definition 1, Definition 3, Theorem 1, Observation 1, Observation 2, Lemma 2, "
    "Corollary 3, Lemma 4, Theorem 5, Algorithm 2",
    "pocock2012": "Theorem 1, Theorem 2, Theorem 3, Equation 7, Equation 9, Equation 18, Algorithm 1, "
    "Figure 1",
    "demorais2008": "Theorem 1, Theorem 2, Theorem 3, Theorem 4, Theorem 5, Algorithm 2, Algorithm 3",
    "hassan2021": "Definition 2, Definition 3, Definition 4, Equation 4, Sketch of Proof of Correctness",
    "liu2015": "Definition 1, Definition 6, Definition 7, Theorem 1, Theorem 2, Theorem 3, Theorem 4, "
    "Theorem 5, Theorem 6, Corollary 1, Equation 1, Algorithm 3, Figure 2",
}
WITHOUT_CLAIM = {  # numbered, but they only give names to things
    "margaritis2009": "Definition 2",
    "demorais2008": "Definition 1",
    "hassan2021": "Definition 1",
    "liu2015": "Definition 2, Definition 3, Definition 4, Definition 5, Definition 8",
}


@pytest.fixture(scope="module")
def ledger():
    return claims()


def test_three_verdicts(ledger):
    """Each claim has one of the three verdicts, and all three occur."""
    assert {e.verdict for e in ledger} == {HOLDS, FAILS, REPAIRED}
    assert sum(ledger.counts().values()) == len(ledger) == len(registered())
    assert all(e.finding.tried > 0 and e.finding.domain for e in ledger)


def test_keys_are_unique_and_named_by_paper(ledger):
    """A key is paper/name, and no two claims share one."""
    keys = [e.key for e in ledger]
    assert len(set(keys)) == len(keys)
    assert list(dict.fromkeys(e.claim.paper for e in ledger)) == list(NUMBERED)
    assert all(re.fullmatch(r"[a-z]+\d{4}/[a-z0-9-]+", key) for key in keys)


def test_a_failing_claim_has_a_witness_that_is_confirmed(ledger):
    """Whatever fails as printed carries a witness, and an independent check confirms each of them."""
    against = {e.key: e for e in ledger if e.verdict != HOLDS}
    assert set(RECHECK) == set(against)
    for key, entry in against.items():
        assert entry.witness is not None, key
        assert entry.witness.text, key
        assert RECHECK[key](entry.witness), key


def test_a_repaired_claim_names_its_hypothesis_and_was_tried(ledger):
    """An extra hypothesis is named, was checked on something, and is not shown where it is not needed."""
    for entry in ledger:
        assert bool(entry.hypothesis) is (entry.verdict == REPAIRED), entry.key
        if entry.verdict == REPAIRED:
            assert entry.repaired.tried > 0, entry.key
            assert entry.repaired.witness is None, entry.key


def test_examples_of_what_is_said_to_exist(ledger):
    """Where the claim is that something exists, the example is one."""
    for key, check in EXAMPLES.items():
        assert check(ledger[key].finding.example), key
    for key in ("demorais2008/mmmb-hiton-unsound", "demorais2008/proof-fake-neighbours"):
        assert ledger[key].finding.example.world.edges, key
    unsound = ledger["demorais2008/mmmb-hiton-unsound"].finding.example
    assert unsound.values["answer"] != true_boundary(Facts(unsound.world))
    fake = ledger["demorais2008/proof-fake-neighbours"].finding.example
    graph, X = Facts(fake.world).graph, fake.values["X"]
    assert all(not graph.has_edge(X, f) and not graph.has_edge(f, X) for f in fake.values["fake"])
    strong = ledger["liu2015/a1-incomplete"].finding.example
    assert Facts(strong.world).strong(strong.values["f"])
    assert strong.values["f"] not in Facts(strong.world).A1()
    needs_weak_union = ledger["margaritis2009/theorem-5-weak-union"].finding.example.values
    relation, S, T = needs_weak_union["relation"], needs_weak_union["S_S"], needs_weak_union["T"]
    assert bool(T & S) is ((T, S - T) in relation.holds)


@pytest.mark.parametrize(
    ("key", "rows"),
    [
        ("margaritis2009/lemma-2", ["000", "011", "101", "110"]),
        ("pocock2012/x-star", ["000", "111"]),
        ("pocock2012/theorem-3-correct", ["000", "011", "101", "110"]),
    ],
)
def test_the_smallest_witnesses_are_the_known_ones(ledger, key, rows):
    """Two coins and their parity; a variable and two copies: no smaller table does."""
    table = ledger[key].witness.world.table
    assert ["".join(map(str, cell)) for cell in sorted(table)] == rows


def test_verdicts_do_not_depend_on_the_seed(ledger):
    """Other random joints, Gaussians, parities and samples, the same verdicts."""
    again = claims(seed=1)
    assert [(e.key, e.verdict) for e in again] == [(e.key, e.verdict) for e in ledger]


def test_every_numbered_statement_has_an_entry(ledger):
    """Each theorem, lemma, corollary, observation and definition that states something is in the ledger."""
    for paper, listed in NUMBERED.items():
        places = " ; ".join(e.claim.place for e in ledger if e.claim.paper == paper)
        places = re.sub(r"Eqs?\. \((\d+)\)", r"Equation \1", places).replace("(", "").replace(")", "")
        for name in re.split(r",\s*", listed):
            kind, _, number = name.partition(" ")
            plural = re.search(rf"{kind}s (\d+) (and|to) (\d+)", places)
            inside = plural and number.isdigit() and int(plural[1]) <= int(number) <= int(plural[3])
            assert re.search(rf"\b{re.escape(name)}\b", places) or inside, (paper, name)


def test_the_lists_of_numbered_statements_do_not_overlap():
    """A definition either states something or only gives a name."""
    for paper, listed in WITHOUT_CLAIM.items():
        assert not set(re.split(r",\s*", listed)) & set(re.split(r",\s*", NUMBERED[paper]))


def test_the_page_is_up_to_date(ledger):
    """docs/claims.md has the same claims and verdicts; `mbedu claims --markdown` writes it anew."""
    page = PAGE.read_text(encoding="utf-8")
    paper, found = "", []
    for line in page.splitlines():
        if line.startswith("## "):
            paper = line[3:]
        elif line.startswith("| `"):
            cells = re.split(r"(?<!\\)\|", line)
            name = re.match(r" `([^`]+)`", cells[1])[1]
            verdict = re.match(rf" \**({HOLDS}|{REPAIRED}|{FAILS})", cells[3])[1]
            found.append((f"{paper}/{name}", verdict))
    assert found == [(e.key, e.verdict) for e in ledger]


def test_the_table_in_all_its_forms(ledger):
    """Frame, HTML, Markdown and text show every claim; markup in a cell is escaped."""
    frame = ledger.to_frame()
    assert list(frame.index) == [e.key for e in ledger]
    assert list(frame.columns) == ["place", "statement", "verdict", "hypothesis", "witness", "domain"]
    html, text = ledger._repr_html_(), str(ledger)
    assert html.count("<tr") == len(ledger) + 1
    assert "<script" not in html
    assert all(e.key in html and e.key in text for e in ledger)
    rows = [line for line in ledger.to_markdown().splitlines() if line.startswith("| `")]
    assert len(rows) == len(ledger)
    assert all(len(re.findall(r"(?<!\\)\|", row)) == 6 for row in rows)
    assert "claims" in repr(ledger)


def test_papers_can_be_chosen():
    """One paper or several; an unknown one is refused with the known ones."""
    assert {e.claim.paper for e in claims(papers="hassan2021")} == {"hassan2021"}
    with pytest.raises(MbeduError, match=r"unknown paper 'liu2016'.*liu2015"):
        claims(papers=["liu2016"])
    with pytest.raises(MbeduError, match="unknown claim"):
        claims(papers="hassan2021")["hassan2021/nothing"]


# ---------------------------------------------------------------------- the worlds
def test_patterns_are_right_and_representatives_smallest():
    """The independencies of the worlds are those that other code finds, and no pattern is missing."""
    for world in (*small_tables(3, 2), *random_tables(4, 50, 0)[:20]):
        facts = Facts(world)
        for a, b in combinations(world.variables, 2):
            for Z in parts(set(world.variables) - {a, b}):
                assert world.judge.judge(Query(a, b, Z)).independent == facts.independent(a, b, Z)
    weights = tables(3, 1)
    patterns = {tuple(row) for row in independencies(weights).tolist()}
    assert len(small_tables(3, 1, symmetric=False)) == len(patterns)
    assert len(small_tables(3, 1)) < len(patterns)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_graphs_are_those_of_verify(n):
    """The graphs of the ledger are as many as those that verify enumerates, labelled and up to renaming."""
    assert len(dags(n)) == n * len(all_dags(n))
    assert len({w.edges for w in dags(n)}) == len(all_dags(n))
    assert len(shapes(n)) == n * len(all_dags(n, up_to="isomorphism"))


@pytest.mark.slow
def test_the_full_ledger_has_the_same_verdicts(ledger):
    """All DAGs with five nodes, ten times the joints: nothing changes."""
    assert [(e.key, e.verdict) for e in claims(full=True)] == [(e.key, e.verdict) for e in ledger]

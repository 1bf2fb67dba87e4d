"""The axioms: the examiner against a naive second implementation, the classic witnesses, and the words."""

from fractions import Fraction
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import dags, equations, exact_judges, weight_tables

from mbedu.errors import UnknownName
from mbedu.judge import Batched, Verdict
from mbedu.networks import load_network
from mbedu.oracles import DSeparation, ExactGaussian, ExactJoint, Statements
from mbedu.problems import copies, parity
from mbedu.query import Query
from mbedu.theory import axioms as ax
from mbedu.theory.axioms import AXIOMS, check_axioms


class Arbitrary(Batched):
    """A judge that obeys nothing: each ordered statement has its own answer, drawn from a seed."""

    def __init__(self, n, seed, share=2):
        self.variables, self.seed, self.share = tuple("TABCDEF"[:n]), seed, share

    def judge(self, query):
        key = "/".join(",".join(sorted(s)) for s in (query.x, query.y, query.given))
        return Verdict(sum(map(ord, key + str(self.seed))) * 2654435761 % 97 % self.share > 0)


def naive(axiom, judge):
    """All instances by giving every variable a role: how many, with true premises, sizes of witnesses."""

    def holds(x, y, z):
        return judge.judge(Query(x, y, z)).independent

    roles = axiom.parts + ("Z" if axiom.rest else "")
    seen, applied, broken = set(), 0, []
    for given_roles in product((*roles, "-"), repeat=len(judge.variables)):
        sets = {
            r: frozenset(v for v, g in zip(judge.variables, given_roles, strict=True) if g == r)
            for r in roles
        }
        if not all(sets[r] for r in axiom.parts) or any(len(sets[r]) != 1 for r in axiom.single):
            continue
        for a, b in axiom.swaps:  # the same instance twice
            order = judge.variables.index
            if min(map(order, sets[a])) > min(map(order, sets[b])):
                break
        else:
            seen.add(tuple(sets.values()))
            rule = axiom.rule(*sets.values())
            if all(holds(*s) for s in rule.premises):
                applied += 1
                found = [holds(*s) for s in rule.conclusions]
                if not (any(found) if rule.any_of else all(found)):
                    broken.append(len(frozenset().union(*sets.values())))
    return len(seen), applied, broken


@pytest.mark.parametrize("axiom", AXIOMS, ids=lambda a: a.name)
@given(n=st.integers(3, 4), seed=st.integers(0, 10_000), share=st.integers(2, 12))
def test_examiner_agrees_with_naive_enumeration(axiom, n, seed, share):
    """The examiner finds a witness exactly when plain enumeration does, and one with the fewest variables."""
    judge = Arbitrary(n, seed, share)
    result = check_axioms(judge, axioms=[axiom.name])[axiom.name]
    total, applied, broken = naive(axiom, judge)
    assert result.total == total
    assert result.holds == (not broken)
    if broken:
        assert len(frozenset().union(*result.witness.values())) == min(broken)
        assert result.exhaustive
    else:
        assert (result.tried, result.applied) == (total, applied)


@given(exact_judges())
def test_universal_axioms_hold_in_every_exact_judge(judge):
    """Symmetry, Decomposition, Weak Union and Contraction hold in every graph and every distribution."""
    report = check_axioms(judge, axioms=["Symmetry", "Decomposition", "Weak Union", "Contraction"])
    assert report, str(report)
    assert not report.failing


@given(dags(smallest=3, largest=5))
def test_graphs_obey_all_axioms(graph):
    """d-separation obeys all eight axioms."""
    assert check_axioms(DSeparation(graph[1], variables=graph[0])).failing == ()


@given(equations(largest=5))
def test_regular_gaussians_obey_the_first_seven(world):
    """A regular Gaussian obeys Intersection, Composition and Weak Transitivity."""
    variables, _, lines, noise = world
    noise = {v: n or 1 for v, n in noise.items()}
    report = check_axioms(ExactGaussian.from_equations(lines, noise=noise, variables=variables))
    assert set(report.failing) <= {"Chordality"}


@given(weight_tables(smallest=3, largest=4, weights=st.integers(1, 3)))
def test_positive_distributions_obey_intersection(table):
    """Where every cell has weight, Intersection holds."""
    assert check_axioms(ExactJoint(table[1], variables=table[0]), axioms="Intersection")["Intersection"]


def test_intersection_fails_for_copies_in_textbook_words():
    """Copies break Intersection, and the witness is said as a textbook would."""
    report = check_axioms(copies(2).judge)
    assert report["intersection"].text == (
        "Intersection fails: T ⊥ A1 | A2 and T ⊥ A2 | A1, but T and {A1, A2} are dependent."
    )
    assert report.failing == ("Intersection",)
    assert report  # a perfectly good distribution


def test_composition_fails_for_parity():
    """Parity of three breaks Composition, of four with a larger witness; Intersection holds with noise."""
    assert check_axioms(parity(3).judge)["Composition"].text == (
        "Composition fails: X1 ⊥ X2 and X1 ⊥ X3, but X1 and {X2, X3} are dependent."
    )
    witness = check_axioms(parity(4).judge)["Composition"].witness
    assert len(frozenset().union(*witness.values())) == 4
    assert check_axioms(parity(4, noise=Fraction(1, 10)).judge).failing == ("Composition",)


def test_weak_transitivity_and_chordality_have_witnesses():
    """A middle of two independent bits breaks Weak Transitivity; an undirected 4-cycle breaks Chordality."""
    # V says one bit to X and the other to Y
    table = {(v >> 1, v & 1, v): 1 for v in range(4)}
    report = check_axioms(ExactJoint(table, variables=["X", "Y", "V"]))
    assert report["Weak Transitivity"].text == (
        "Weak Transitivity fails: X ⊥ Y and X ⊥ Y | V, but X and V are dependent and V and Y are dependent."
    )
    cycle = {}
    for a, c, b, d in product((0, 1), repeat=4):
        pairs = [(a, c), (c, b), (b, d), (d, a)]
        cycle[a, b, c, d] = 2 ** sum(p == q for p, q in pairs)
    report = check_axioms(ExactJoint(cycle, variables=list("ABCD")))
    assert report["Chordality"].text == (
        "Chordality fails: A ⊥ B | C, D and C ⊥ D | A, B, but "
        "A and B are dependent given C and A and B are dependent given D."
    )


def test_statements_judge_fails_where_it_was_not_closed():
    """A list of statements that is not closed breaks the universal axioms, and the report is false."""
    open_list = Statements("TAB", [Query("T", {"A", "B"})])
    report = check_axioms(open_list)
    assert not report
    assert report["Decomposition"].text == (
        "Decomposition fails: T ⊥ {A, B}, but T and A are dependent and T and B are dependent."
    )
    assert report["Weak Union"].text == "Weak Union fails: T ⊥ {A, B}, but T and A are dependent given B."
    closed = Statements("TAB", [Query("T", {"A", "B"})], close=["decomposition", "weak_union", "contraction"])
    assert check_axioms(closed)


def test_asymmetric_judge_is_caught():
    """A judge that answers another way when the sides are swapped breaks Symmetry."""

    class Asymmetric(Batched):
        variables = ("T", "A")

        def judge(self, query):
            return Verdict(query.x == {"T"})

    assert check_axioms(Asymmetric())["Symmetry"].text == "Symmetry fails: T ⊥ A, but A and T are dependent."


def test_large_judges_are_sampled_and_said_so():
    """Where there are too many instances the text says how many were looked at; the seed fixes them."""
    child = DSeparation(load_network("child"))
    few = {"limit": 5_000, "samples": 200, "axioms": ["Contraction", "Intersection"]}
    report = check_axioms(child, **few)
    assert not report["Contraction"].exhaustive
    assert "sampled" in report["Contraction"].text
    assert report["Contraction"].tried < report["Contraction"].total
    assert str(check_axioms(child, **few)) == str(report)


def test_sampled_witness_does_not_claim_to_be_smallest():
    """A witness out of a sample is marked: a smaller one may exist."""
    judge = parity(3, distractors=7).judge
    result = check_axioms(judge, axioms="Composition", limit=0, samples=3000)["Composition"]
    assert not result.holds
    assert not result.smallest
    assert "a smaller one may exist" in result.text
    exact = check_axioms(judge, axioms="Composition")["Composition"]
    assert exact.smallest
    assert exact.witness == {"X": {"X1"}, "Y": {"X2"}, "W": {"X3"}, "Z": frozenset()}


def test_instances_are_counted_right():
    """The number of instances is that of all ways to give every variable one role or none."""
    contraction = AXIOMS[3]
    for n in range(8):
        expected = 5**n - 3 * 4**n + 3 * 3**n - 2**n
        assert sum(contraction.instances(size, n) for size in range(n + 1)) == expected
    assert sum(AXIOMS[-1].instances(s, 6) for s in range(7)) == 6 * len(list(combinations(range(6), 4)))


def test_report_names_the_algorithms_and_escapes_names():
    """The table says whose guarantees rest on an axiom, and a variable's name cannot break the page."""
    judge = ExactJoint({(t, t, t): 1 for t in (0, 1)}, variables=["<b>T</b>", "A&B", '"'])
    report = check_axioms(judge)
    html = report._repr_html_()
    assert "<b>" not in html
    assert "&lt;b&gt;T&lt;/b&gt;" in html
    assert "GS(m)" in report["Contraction"].algorithms()
    assert "GS(m)" not in report["Intersection"].algorithms()
    assert len(report) == 8


def test_unknown_axiom_gets_suggestions():
    """A misspelt axiom is refused, with the ones that exist."""
    with pytest.raises(UnknownName, match="did you mean 'Composition'"):
        check_axioms(copies(2).judge, axioms=["Compositon"])
    with pytest.raises(UnknownName, match="unknown axiom 'Modularity'"):
        check_axioms(copies(2).judge)["Modularity"]


@pytest.mark.parametrize("axiom", AXIOMS, ids=lambda a: a.name)
def test_rule_and_docstring_agree_on_their_letters(axiom):
    """Each rule is a named function whose docstring is the rule."""
    assert getattr(ax, axiom.rule.__name__) is axiom.rule
    assert "implies" in axiom.statement or "imply" in axiom.statement
    assert axiom.name.lower().replace(" ", "_") == axiom.rule.__name__

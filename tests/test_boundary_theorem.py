"""The Markov Boundary Theorem and its appendix: on distributions, and on all small abstract relations."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import exact_judges

from mbedu.errors import AlgorithmError, JudgeError
from mbedu.oracles import DSeparation, ExactJoint, Statements
from mbedu.problems import copies, parity, xor_copies
from mbedu.query import Query
from mbedu.running import run
from mbedu.theory import (
    boundaries,
    boundary_is_unique,
    check_boundary_theorem,
    closed_relations,
    corollary_3,
    count_closed,
    grown_sets,
    is_boundary,
    is_m_boundary,
    lemma_2,
    lemma_4,
    m_boundary_is_unique,
    observation_1,
    observation_2,
    shrunk_sets,
    theorem_1,
    theorem_5,
)

D, W, C, I, O = "Decomposition", "Weak Union", "Contraction", "Intersection", "Composition"  # noqa: E741


def relations(*axioms):
    """Every relation of a target and one, two or three others that is closed under the axioms."""
    return [r for others in (1, 2, 3) for r in closed_relations(axioms, others=others)]


def failures(check, *axioms):
    """The first relation closed under the axioms on which the check fails, or None, and how many do."""
    broken = [r for r in relations(*axioms) if not check(r)]
    return len(broken), (broken[0] if broken else None)


# ------------------------------------------------------------------------------- one S at a time
@given(exact_judges(), st.data())
def test_equation_2_characterises_boundaries(judge, data):
    """Eq. (2) holds for S exactly when S is a boundary; ⟹ alone when it is a blanket."""
    target = data.draw(st.sampled_from(judge.variables))
    others = [v for v in judge.variables if v != target]
    S = data.draw(st.sets(st.sampled_from(others)))
    result = check_boundary_theorem(judge, target, S)
    assert result.holds == is_boundary(judge, target, S)
    assert len(result.p1) + len(result.p2) == 2 ** len(others)
    assert all(not T & result.S for T in result.p1)
    assert all(T & result.S for T in result.p2)
    for T in result.forward:
        assert not judge.judge(Query(target, T, result.S)).independent
    for T in result.backward:
        assert judge.judge(Query(target, T, result.S - T)).independent
    m = data.draw(st.integers(1, len(others)))
    assert check_boundary_theorem(judge, target, S, m=m).holds == is_m_boundary(judge, target, S, m=m)


@given(exact_judges(), st.data())
def test_theorem_1_and_the_appendix_hold_in_every_exact_judge(judge, data):
    """Theorem 1 and the appendix (Lemma 2 repaired) hold wherever the universal axioms do."""
    target = data.draw(st.sampled_from(judge.variables))
    m = data.draw(st.integers(1, 3))
    checks = [
        theorem_1(judge, target), lemma_2(judge, target, reading="inside"),
        lemma_2(judge, target, reading="sharp"),
        corollary_3(judge, target), lemma_4(judge, target), lemma_4(judge, target, part="minimality"),
        theorem_5(judge, target, m=m), observation_1(judge, target, m=m), observation_2(judge, target, m=m),
    ]  # fmt: skip
    assert all(checks), [str(c) for c in checks if not c]


def test_drawing_shows_the_partition():
    """The drawing lists P1 and P2, marks what violates Eq. (2), and ends with one sentence."""
    judge = copies(2).judge
    right = check_boundary_theorem(judge, "T", {"A1"})
    assert right.holds
    assert str(right).endswith("Eq. (2) holds for all 4 sets: S = {A1} is a Markov boundary of T.")
    wrong = check_boundary_theorem(judge, "T", {"A1", "A2"})
    assert (wrong.holds_forward, wrong.holds_backward) == (True, False)
    assert wrong.backward == (frozenset({"A1"}), frozenset({"A2"}))
    assert "⊥ {A1} ✗" in str(wrong)
    empty = check_boundary_theorem(judge, "T", ())
    assert (empty.holds_forward, empty.holds_backward) == (False, True)
    assert empty.violating == (frozenset({"A1"}), frozenset({"A2"}), frozenset({"A1", "A2"}))
    many = check_boundary_theorem(parity(3, distractors=5).judge, "X1", {"X2", "X3"})
    assert "… and 20 more" in many.draw(most=12)


def test_drawing_escapes_names_in_html():
    """Names of variables cannot break the page."""
    judge = ExactJoint({(t, t): 1 for t in (0, 1)}, variables=["T", "<i>"])
    assert "<i>" not in check_boundary_theorem(judge, "T", {"<i>"})._repr_html_()


def test_theorem_holds_for_each_of_several_boundaries():
    """Where the boundary is not unique, Eq. (2) holds for each boundary and for nothing else."""
    problem = xor_copies(2)
    assert len(problem.boundaries) == 4
    assert theorem_1(problem.judge, "T")
    for S in problem.boundaries:
        assert check_boundary_theorem(problem.judge, "T", S)
    assert not check_boundary_theorem(problem.judge, "T", {"A1", "A2", "B1"})


# ------------------------------------------------------------------- all small abstract relations
def test_closed_relations_are_all_of_them():
    """The number closed under the axioms equals that of closing every list of statements, for two others."""
    statements = [
        Query("T", "A"), Query("T", "B"), Query("T", {"A", "B"}), Query("T", "A", "B"), Query("T", "B", "A"),
    ]  # fmt: skip
    for axioms in ([D], [W], [C], [D, C], [D, W, C], [D, W, C, I], [D, W, C, O]):
        names = [a.lower().replace(" ", "_") for a in axioms]
        closures = set()
        for code in range(32):
            listed = [s for i, s in enumerate(statements) if code >> i & 1]
            judge = Statements("TAB", listed, close=names)
            closures.add(tuple(judge.judge(s).independent for s in statements))
        assert len(closures) == count_closed(axioms, others=2)
    assert count_closed([D, C], others=3) == 1361
    assert count_closed([D, W, C], others=3) == 418


def test_boundary_theorem_needs_decomposition_and_contraction_and_nothing_else():
    """Theorem 1 as stated: true in all relations closed under the two axioms; false without either."""

    def check(r):
        return theorem_1(r, "T")

    assert failures(check, D, C) == (0, None)
    assert len(relations(D, C)) == 1376
    assert str(failures(check, D, W)[1]) == "T among A, B: T ⊥ B; T ⊥ A | B"
    assert str(failures(check, W, C)[1]) == "T among A, B: T ⊥ {A, B}; T ⊥ B | A; T ⊥ A | B"


@given(st.data())
def test_boundary_theorem_on_random_closures_over_five_variables(data):
    """Theorem 1 and Lemma 2 (sharp) hold in closures under Decomposition and Contraction alone."""
    side = st.lists(st.sampled_from("xyz-"), min_size=5, max_size=5).filter(lambda r: {"x", "y"} <= set(r))
    listed = []
    for roles in data.draw(st.lists(side, min_size=1, max_size=6)):
        x, y, z = ([v for v, r in zip("TABCD", roles, strict=True) if r == s] for s in "xyz")
        listed.append(Query(x, y, z))
    judge = Statements("TABCD", listed, close=["decomposition", "contraction"])
    for target in judge.variables:
        assert theorem_1(judge, target)
        assert lemma_2(judge, target, reading="sharp")
        assert theorem_5(judge, target, m=1)


def test_lemma_2_as_printed_is_false_and_what_repairs_it():
    """Lemma 2 as printed fails for parity; with all Y but the first in S, Contraction alone proves it."""
    printed = lemma_2(parity(3).judge, "X1")
    assert not printed
    assert printed.witness == (
        "with S = ∅ and Y = (X2, X3): X1 ⊥ X2 and X1 ⊥ X3, but X1 and {X2, X3} are dependent."
    )
    assert failures(lambda r: lemma_2(r, "T"), D, W, C)[0] == 173
    assert failures(lambda r: lemma_2(r, "T"), D, W, C, O) == (0, None)  # Composition would save the print
    for reading in ("inside", "sharp"):
        assert failures(lambda r, how=reading: lemma_2(r, "T", reading=how), D, C) == (0, None)
        assert failures(lambda r, how=reading: lemma_2(r, "T", reading=how), D, W)[0] > 0


def test_contraction_alone_proves_lemma_2_repaired_and_corollary_3():
    """With two others, in all relations closed under Contraction and nothing else."""
    for r in closed_relations([C], others=2):
        assert lemma_2(r, "T", reading="sharp")
        assert corollary_3(r, "T")
        assert lemma_4(r, "T")


def test_lemma_4_needs_what_it_says():
    """Eq. (3) needs Contraction; minimality Decomposition and Weak Union; "a subset" must be a proper one."""
    assert failures(lambda r: lemma_4(r, "T"), D, W, C) == (0, None)
    assert failures(lambda r: lemma_4(r, "T"), D, W)[0] > 0
    assert failures(lambda r: lemma_4(r, "T", part="minimality"), D, W) == (0, None)
    assert failures(lambda r: lemma_4(r, "T", part="minimality"), D, C)[0] == 459
    literal = lemma_4(DSeparation([("A", "T")]), "T", part="minimality", reading="printed")
    assert not literal
    assert "for the subset" in literal.witness


def test_theorem_5_needs_weak_union_only_for_margins_above_one():
    """GS(m) is m-correct under all three axioms; without Weak Union GS(1) still is, and GS(2) is not."""
    for m in (1, 2, 3):
        assert failures(lambda r, m=m: theorem_5(r, "T", m=m), D, W, C) == (0, None)
    assert failures(lambda r: theorem_5(r, "T", m=1), D, C) == (0, None)
    count, smallest = failures(lambda r: theorem_5(r, "T", m=2), D, C)
    assert count == 103
    assert str(smallest) == "T among A, B, C: T ⊥ A | C; T ⊥ B | C; T ⊥ {A, B} | C"
    assert failures(lambda r: theorem_5(r, "T", m=1), D, W)[0] > 0
    assert failures(lambda r: theorem_5(r, "T", m=1), W, C)[0] > 0


def test_uniqueness():
    """Weak Union and Intersection make the boundary unique; the m-boundary needs Composition as well."""
    assert failures(lambda r: boundary_is_unique(r, "T"), W, I) == (0, None)
    assert (
        str(failures(lambda r: boundary_is_unique(r, "T"), D, W, C)[1])
        == "T among A, B: T ⊥ B | A; T ⊥ A | B"
    )
    assert failures(lambda r: m_boundary_is_unique(r, "T", m=1), D, W, C, I, O) == (0, None)
    assert (
        str(failures(lambda r: m_boundary_is_unique(r, "T", m=1), D, W, C, I)[1])
        == "T among A, B: T ⊥ A; T ⊥ B"
    )
    assert m_boundary_is_unique(parity(3).judge, "X1", m=1).witness == (
        "∅ and {X2, X3} are both 1-boundaries of X1."
    )


def test_relation_refuses_what_it_does_not_know():
    """A one-sided relation knows the target's statements only, and closes under rules about them only."""
    (relation, *_) = closed_relations([D], others=2)
    with pytest.raises(JudgeError, match="only knows statements T ⊥ Y"):
        relation.judge(Query("A", "B"))
    with pytest.raises(JudgeError, match="Symmetry is not about the target's side"):
        count_closed(["Symmetry"])
    with pytest.raises(ValueError, match="limit=3"):
        count_closed([D], others=4)
    with pytest.raises(AlgorithmError, match="reading='repaired'"):
        lemma_2(relation, "T", reading="repaired")


# ----------------------------------------------------------------------------- the abstract GS(m)
@given(exact_judges(), st.data())
def test_every_run_of_gs_m_is_one_of_the_abstract_ones(judge, data):
    """What GS(m) returns, in either order, is among the sets that some order of Algorithm 1 reaches."""
    target = data.draw(st.sampled_from(judge.variables))
    m = data.draw(st.integers(1, 3))
    reachable = {S for top in grown_sets(judge, target, m=m) for S in shrunk_sets(judge, target, top)}
    for order in ("plain", "strength"):
        assert run("gs_m", judge, target=target, m=m, order=order).boundary in reachable


def test_parity_is_found_exactly_when_k_is_at_most_m_plus_1():
    """margaritis2009, section 5: GS(m) recovers k-bit parity if and only if k ≤ m + 1, in every order."""
    for k in (2, 3, 4, 5):
        problem = parity(k, distractors=1)
        for m in (1, 2, 3, 4):
            tops = grown_sets(problem.judge, "X1", m=m)
            ends = {S for top in tops for S in shrunk_sets(problem.judge, "X1", top)}
            assert (ends == set(problem.boundaries)) == (k <= m + 1)
            assert boundaries(problem.judge, "X1") == problem.boundaries

"""Exercises: solutions pass, typical wrong answers fail and are told why, nothing brings a check down."""

import importlib.util
import json
import re
import time
from fractions import Fraction
from itertools import chain, combinations, permutations, product
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from exercise_answers import FUNCTIONS, RIGHT, WRONG, gs_in_order
from hypothesis import given
from hypothesis import strategies as st

import mbedu as mb
from mbedu.errors import MbeduError, UnknownName
from mbedu.exercises import NotYet, check, exercise, exercises, hint, solution
from mbedu.exercises.feedback import Feedback
from mbedu.exercises.prose import to_html
from mbedu.exercises.reading import braces

ROOT = Path(__file__).parents[1]
NAMES = [ex.name for ex in exercises()]


def script(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def subsets(items):
    return map(frozenset, chain.from_iterable(combinations(items, k) for k in range(len(items) + 1)))


# ---------------------------------------------------------------------- the shelf
def test_there_are_exercises_for_every_lesson():
    """At least 25 exercises, some for each lesson, of all three levels, and wrong answers known for each."""
    assert len(NAMES) >= 25
    assert {ex.lesson for ex in exercises()} == {f"{n:02d}" for n in range(1, 13)}
    assert {ex.level for ex in exercises()} == {"easy", "medium", "hard"}
    assert sorted(WRONG) == sorted(NAMES)
    assert [ex.lesson for ex in exercises()] == sorted(ex.lesson for ex in exercises())


def test_unknown_names_get_suggestions():
    """An unknown exercise, lesson or hint is refused with the way out."""
    with pytest.raises(UnknownName, match="did you mean 'open_the_path'"):
        exercise("open_path")
    with pytest.raises(UnknownName, match="unknown lesson"):
        exercises("13")
    for bad in (0, 4, True, "1"):
        with pytest.raises(MbeduError, match="hints 1, 2 and 3"):
            exercise("open_the_path").hint(bad)
    with pytest.raises(UnknownName):
        check(None, 1)
    assert exercises(3) == exercises("03")


@pytest.mark.parametrize("name", NAMES)
def test_the_task_shows_itself_without_the_solution(name):
    """Task, HTML and Markdown are there, and none of them has the solution or a hint in it."""
    ex = exercise(name)
    shown = [str(ex), repr(ex), ex._repr_html_(), ex._repr_markdown_()]
    for text in shown:
        assert ex.title in text
        assert not any(h in text for h in ex.hints)
        assert ex.source not in text
        assert ex.why not in text
    assert not re.search(r">(pa|ch|sp)<", ex._repr_html_())  # the picture must not tell the boundary
    assert len({h for h in ex.hints if h}) == 3
    assert ex.why


# ---------------------------------------------------------------------- right and wrong
@pytest.mark.parametrize("name", NAMES)
def test_the_solution_passes_its_own_check(name):
    """The stored solution is right, says so, and its check takes less than five seconds."""
    found = solution(name)
    start = time.perf_counter()
    feedback = check(name, found.answer)
    assert feedback, feedback.message
    assert time.perf_counter() - start < 5
    assert feedback.require() is feedback
    assert feedback.message in feedback._repr_html_() or "&" in feedback._repr_html_()
    assert found.source in str(found)
    assert feedback.exercise == name


@pytest.mark.parametrize("name", RIGHT)
def test_other_right_answers_pass_too(name):
    """Where several answers are right, all of them pass, in whatever form they are written."""
    for answer in RIGHT[name]:
        feedback = check(name, answer)
        assert feedback, feedback.message


@pytest.mark.parametrize("name", NAMES)
def test_typical_wrong_answers_are_told_why(name):
    """A wrong answer is falsy, raises for graders, and its one sentence does not give the solution away."""
    assert len(WRONG[name]) >= 2
    answer = solution(name).answer
    given_away = {repr(answer)}
    if isinstance(answer, set | frozenset):
        given_away.add(braces(answer))
    messages = set()
    for wrong in WRONG[name]:
        feedback = check(name, wrong)
        assert not feedback
        assert feedback.message.endswith((".", "?"))
        assert "\n" not in feedback.message
        assert len(feedback.message) > 20
        assert "could not be looked at" not in feedback.message
        assert name in FUNCTIONS or not any(
            re.search(rf"(?<![\w.,]){re.escape(s)}(?![\w.,]*\w)", feedback.message) for s in given_away
        ), feedback.message
        with pytest.raises(NotYet, match=re.escape(feedback.message[:30])):
            feedback.require()
        messages.add(feedback.message)
    assert len(messages) >= 2  # the message depends on the mistake


def test_a_wrong_function_comes_with_a_film():
    """The smallest counterexample is shown beside the reference, in HTML and as a transcript."""
    feedback = check("write_grow", WRONG["write_grow"][0])
    found = feedback.counterexample
    assert found.certified
    assert str(found.case.name) == "A → C, B → C"
    assert found.trace.questions
    assert found.reference.questions
    html = feedback._repr_html_()
    assert "mbedu-player" in html
    assert feedback.message.split(" your")[0].replace("→", "→") in html
    assert "GS" in str(feedback.play())


@pytest.mark.parametrize("name", ["write_iamb", "write_inter_iamb"])
def test_a_wasteful_function_is_shown_what_it_wastes(name):
    """An algorithm with right answers but larger conditions than the one asked for fails, with a film."""
    feedback = check(name, WRONG[name][0])
    assert "The answers are right, but" in feedback.message
    assert feedback.counterexample is None
    assert "mbedu-player" in feedback._repr_html_()


@pytest.mark.parametrize("name", ["predict_gs", "mmmb_wrong", "pull_in", "enough_rows", "most_questions"])
def test_right_answers_may_come_with_a_film(name):
    """Where the answer makes something run, the run can be watched."""
    assert "mbedu-player" in check(name, solution(name).answer)._repr_html_()


# ---------------------------------------------------------------------- answers that are no answers
class Evil:
    def __repr__(self):
        raise RuntimeError("no repr")

    def __iter__(self):
        raise RuntimeError("no iter")

    def __len__(self):
        raise RuntimeError("no len")

    __hash__ = None


class EvilSet(set):
    def __iter__(self):
        raise OSError("not you")


def junk():
    return [
        None, 3.7, -1, 10**40, 10**5000, float("nan"), float("inf"), 1j, True, "", "gs", "A" * 10**6, b"A",
        object(), Evil(), EvilSet({"A"}), [], (), set(), {}, [None], [[]], [set()], {1: 2}, {None: None},
        {(0, 0, 0): 0.5}, {(0, 0, 0): -1}, {("a", "b", "c"): float("nan")}, [("A", "A")], [("T", "Z")],
        [("T",)], ["T", "A"], ({"A"}, 3), ({"A"}, "T"),
        (1, 2, 3), range(10**9), (x for x in "AB"), np.array([1, 2]),
        np.float64("nan"), mb, type, mb.get_algorithm("gs"), nx.Graph([("T", "A")]),
        mb.DSeparation([("U", "V")]), {"X2": "1"}, {"X2": float("nan")}, {"T": 1}, ["A"] * 2000,
        Fraction(1, 3), "1/0", "١", [True, False, 1, 0],
    ]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_junk_is_refused_with_a_sentence(name):
    """Whatever is not an answer at all gets a falsy feedback, no exception."""
    for answer in junk():
        feedback = check(name, answer)
        assert isinstance(feedback, Feedback)
        assert isinstance(feedback.message, str)
        assert feedback.message
        assert len(feedback.message) < 600
        assert isinstance(feedback._repr_html_(), str)
        assert not feedback, (answer, feedback.message)


def test_values_and_rules_are_shown():
    """A plain value of the wrong type is answered with the value, the rule and the way out."""
    assert "3 (int) is no set of variables; write the answer as {'M', " in check("open_the_path", 3).message
    assert "the variables are X, M" in check("open_the_path", {"m"}).message
    assert "'T' (str) is no list of sets" in check("every_boundary", "T").message
    assert "cycle" in check("mmmb_wrong", [("T", "A"), ("A", "T")]).message
    assert "float" in check("break_composition", {(0, 0, 0): 0.5}).message
    assert "library's own" in check("write_grow", mb.get_algorithm("gs")).message
    assert "cannot be called as grow(ask, T)" in check("write_grow", lambda: 1).message
    assert "from 1 to 9" in check("smallest_margin", 99).message


# ---------------------------------------------------------------------- no answer yet
def posed_cells():
    """Yield the exercise, and the name and source of each answer cell, as they stand in the lessons."""
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            found = re.search(r"exercise\(\"(\w+)\"\)\.check\((\w+)\)", "".join(cell["source"]))
            if found:
                yield found[1], found[2], "".join(cell["source"]).partition(found[0])[0]


@pytest.mark.parametrize(("name", "answer", "source"), [pytest.param(*c, id=c[0]) for c in posed_cells()])
def test_a_cell_left_as_it_is_says_not_answered_yet(name, answer, source, tmp_path):
    """A cell run untouched says so and what to do, shows no film, is falsy and raises for graders."""
    if exercise(name).start and "..." not in source:  # there is something to repair: a wrong answer
        pytest.skip("its cell holds a broken function, not an empty one")
    file = tmp_path / "cell.py"
    file.write_text(source, encoding="utf-8")
    space = {"mb": mb}
    exec(compile(source, str(file), "exec"), space)
    feedback = check(name, space[answer])
    assert feedback.message.startswith("Not answered yet: ")
    assert "run the cell again" in feedback.message
    assert not feedback
    assert "player" not in feedback._repr_html_()
    with pytest.raises(NotYet, match="Not answered yet"):
        feedback.require()


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_told_how_an_answer_is_written(name):
    """`...` and None are no answers; the message says how one is written, and does not give it away."""
    for nothing in (..., None):
        feedback = check(name, nothing)
        assert feedback.message.startswith("Not answered yet: ")
        assert feedback.message.endswith(".")
        assert "; " in feedback.message
        assert "llipsis" not in feedback.message
        assert not feedback.answered
        assert str(feedback).startswith("○")
    if example := re.search(r"write [\w ]+ as (\{[^}]*\})", feedback.message):
        assert not check(name, eval(example[1]))
        assert "cannot be in" not in check(name, eval(example[1])).message


def test_an_empty_function_is_no_answer_and_a_wrong_one_is_one():
    """Dots or pass without a question are nothing yet; whoever has asked something gets a counterexample."""

    def dots(ask, T):
        S = set()
        ...  # noqa: PIE790 - as the cell of a lesson has it
        return S

    def passes(ask, T):
        """Write me."""
        pass  # noqa: PIE790

    def begun(ask, T):
        S = {v for v in ask.others(T) if not ask(T, v)}
        ...  # noqa: PIE790
        return S

    assert "Not answered yet: write your lines" in check("repair_gs", dots).message
    assert "Not answered yet: write your lines" in check("repair_gs", passes).message
    assert check("repair_gs", begun).counterexample is not None
    assert "returned None" in check("repair_gs", silent).message


# ---------------------------------------------------------------------- functions that misbehave
def forever(ask, T):
    while True:
        pass


def asks_forever(ask, T):
    while True:
        ask(T, ask.others(T)[0])


def raises(ask, T):
    raise ZeroDivisionError("by me")


def floods(ask, T):
    while True:
        print("again " * 1000)


def leaves(ask, T):
    raise SystemExit(3)


def crashes(ask, T):
    import os

    os.abort()


def meddles(ask, T):
    ask.variables = ("T",)
    return set()


def silent(ask, T):
    return None


def names_the_target(ask, T):
    return {T}


def swallows(ask, T):
    while True:
        try:
            while True:
                pass
        except BaseException:  # noqa: BLE001 - that is what it is here for
            pass


def hungry(ask, T):
    return ["x" * 10**9 for _ in range(100)]


def peeks(ask, T):
    return getattr(ask.source, "inner", ask.source).boundary(T)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (forever, "did not finish within 1 seconds"),
        (asks_forever, "asked 2,000 questions"),
        (raises, "raised ZeroDivisionError: by me"),
        (floods, "printed more than"),
        (leaves, "called exit"),
        (crashes, "ended its whole process"),
        (meddles, "changed what it was given"),
        (silent, "returned None"),
        (names_the_target, "returned the target"),
        (hungry, "memory|MB"),
        (peeks, "never asked a question"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_misbehaving_functions_are_survived(function, words, capfd):
    """A function that loops, raises, floods, exits, crashes, meddles or peeks becomes one sentence."""
    start = time.perf_counter()
    feedback = check("repair_gs", function)
    assert not feedback
    assert re.search(words, feedback.message), feedback.message
    assert time.perf_counter() - start < 8
    assert isinstance(feedback._repr_html_(), str)
    assert not capfd.readouterr().out


@pytest.mark.slow
def test_a_function_that_cannot_be_stopped_is_ended():
    """Even a function that swallows every exception only costs some seconds."""
    assert "process was ended" in check("repair_gs", swallows).message


def test_yes_no_functions_have_to_say_yes_or_no():
    """is_blanket must return a bool; anything else is shown."""
    assert "neither True nor False" in check("write_is_blanket", lambda ask, T, S: "yes").message
    assert "neither True nor False" in check("write_is_blanket", lambda ask, T, S: None).message


def test_a_function_may_use_the_package_and_its_surroundings():
    """A function typed into a notebook may use `mb`, other functions and variables around it."""
    namespace = {"mb": mb, "helper": gs_in_order}
    source = "limit = 9\ndef mine(ask, T):\n    assert mb.subsets and limit\n    return helper(ask, T)"
    exec(source, namespace)
    feedback = check("repair_gs", namespace["mine"])
    assert feedback, feedback.message


def test_a_function_that_cannot_travel_is_refused():
    """A function that holds a lock cannot be sent to a process; the feedback says so."""
    import threading

    lock = threading.Lock()

    def mine(ask, T):
        return {v for v in ask.others(T) if lock.locked()}

    assert "cannot be sent to a process of its own" in check("repair_gs", mine).message


# ---------------------------------------------------------------------- checks against other truths
def graph_of(name):
    judge = exercise(name).judge
    graph = nx.DiGraph(judge.edges)
    graph.add_nodes_from(judge.variables)
    return graph


@pytest.mark.parametrize(("name", "open_"), [("open_the_path", True), ("close_all_paths", False)])
def test_paths_agree_with_networkx(name, open_):
    """For every conditioning set the check says what networkx says."""
    graph = graph_of(name)
    for Z in subsets(sorted(set(graph) - {"X", "Y"})):
        assert bool(check(name, Z)) is (nx.is_d_separator(graph, {"X"}, {"Y"}, set(Z)) is not open_)


def test_fewest_closers_agree_with_networkx():
    """Right are exactly the separators of the least size."""
    graph = graph_of("fewest_closers")
    sets = list(subsets(sorted(set(graph) - {"X", "Y"})))
    separating = [Z for Z in sets if nx.is_d_separator(graph, {"X"}, {"Y"}, set(Z))]
    least = min(map(len, separating))
    assert {Z for Z in sets if check("fewest_closers", Z)} == {Z for Z in separating if len(Z) == least}


def test_blankets_agree_with_networkx():
    """Blanket and boundary in the graph of lesson 02 are those of networkx, for all 1,024 sets."""
    graph = graph_of("boundary_by_eye")
    others = sorted(set(graph) - {"T"})
    for S in subsets(others):
        rest = set(others) - S
        blanket = not rest or nx.is_d_separator(graph, {"T"}, rest, set(S))
        by_eye = bool(check("boundary_by_eye", S))
        assert by_eye is (blanket and len(S) == 6)
        assert bool(check("blanket_not_boundary", S)) is (blanket and len(S) > 6 and bool(rest))


weights = st.lists(st.integers(0, 2), min_size=8, max_size=8).filter(any)


def independent(table, x, ys, zs=()):
    """X ⊥ Y | Z from the definition: for all values p(x,y,z)·p(z) = p(x,z)·p(y,z)."""

    def mass(keep, cell):
        return sum(w for c, w in table.items() if all(c[i] == cell[i] for i in keep))

    x, ys, zs = [x], list(ys), list(zs)
    return all(
        mass(x + ys + zs, cell) * mass(zs, cell) == mass(x + zs, cell) * mass(ys + zs, cell)
        for cell in product((0, 1), repeat=3)
    )


@given(weights)
def test_axioms_agree_with_the_definition(row):
    """Composition and Intersection fail in the check exactly where they fail by definition."""
    table = dict(zip(product((0, 1), repeat=3), row, strict=True))
    broken = {"break_composition": False, "break_intersection": False}
    for x, y, w in permutations(range(3)):
        together = independent(table, x, (y, w))
        if independent(table, x, (y,)) and independent(table, x, (w,)) and not together:
            broken["break_composition"] = True
        if independent(table, x, (y,), (w,)) and independent(table, x, (w,), (y,)) and not together:
            broken["break_intersection"] = True
    for name, fails in broken.items():
        assert bool(check(name, table)) is fails


@given(weights)
def test_two_boundaries_agree_with_the_definition(row):
    """A distribution over three variables has two boundaries exactly if {A} and {B} are minimal blankets."""
    table = dict(zip(product((0, 1), repeat=3), row, strict=True))
    two = (
        not independent(table, 0, (1, 2))
        and independent(table, 0, (2,), (1,))
        and independent(table, 0, (1,), (2,))
    )
    assert bool(check("two_boundaries", table)) is two


def test_dependency_agrees_with_the_definition():
    """D(X) of CorrAL is the mass of the cells of X on which Y is determined, counted anew here."""
    from mbedu.exercises.lesson09 import dependency

    judge = exercise("corral_dependency").judge
    table = judge.table()
    features = [v for v in judge.variables if v != "Y"]
    for X in subsets(features):
        columns = [judge.variables.index(v) for v in sorted(X)]
        labels = {}
        for cell in table:
            labels.setdefault(tuple(cell[i] for i in columns), set()).add(cell[-1])
        sure = sum(p for cell, p in table.items() if len(labels[tuple(cell[i] for i in columns)]) == 1)
        assert dependency(X) == (sure if X else 0)


def test_how_long_a_belief_lasts():
    """From one row on the belief works, up to the stored answer and for no larger number that is tried."""
    last = solution("belief_fades").answer
    assert check("belief_fades", last)
    right = [
        n for n in (*range(1, last, 97), *range(last - 3, last + 4), 10 * last) if check("belief_fades", n)
    ]
    assert right == [last]
    for n in range(1, last, 97):
        assert "one row more" in check("belief_fades", n).message


def test_every_conditioning_pair_of_the_spouse():
    """Right are exactly the pairs (Z, Y) with the three printed properties, by networkx."""
    graph = graph_of("spouse_witness")
    others = sorted(set(graph) - {"T", "S"})
    for Z in subsets(others):
        for Y in others:
            good = (
                nx.is_d_separator(graph, {"T"}, {"S"}, set(Z))
                and (graph.has_edge("T", Y) or graph.has_edge(Y, "T"))
                and Y not in Z
                and not nx.is_d_separator(graph, {"T"}, {"S"}, set(Z) | {Y})
            )
            assert bool(check("spouse_witness", (Z, Y))) is good


@pytest.mark.parametrize("name", ["mmmb_wrong", "ppfs_misses", "ppfs_lucky", "catch_hasty"])
def test_graph_exercises_have_right_and_wrong_answers(name):
    """Over all graphs with four nodes some are right and some wrong, and relabelling is no matter."""
    from mbedu.exercises.most_questions import renamed

    dags = [renamed(dag) for dag in mb.all_dags(4)[::7]]
    verdicts = [bool(exercise(name).function(judge)) for judge in dags]
    assert any(verdicts)
    assert not all(verdicts)


# ---------------------------------------------------------------------- the optimum, and the solutions page
def stored():
    return json.loads((ROOT / "mbedu" / "exercises" / "most_questions.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("n", [2, 3, 4])
def test_the_most_questions_by_enumeration(n):
    """The stored optimum is what trying every graph gives."""
    assert script("most_questions").measure(n) == stored()[str(n)]


@pytest.mark.slow
def test_the_most_questions_with_five_nodes():
    """The optimum that the exercise compares with is what trying all 29,281 graphs gives."""
    assert script("most_questions").measure(5) == stored()["5"]


def test_the_fewest_questions_by_enumeration():
    """Right are exactly the orders that cost as little as the cheapest of all 120."""
    from mbedu.exercises.lesson03 import order_graph

    def cost(order):
        judge = mb.DSeparation(order_graph().edges, variables=["T", *order])
        return len(mb.run("gs", judge, "T", order="plain", record=True).trace.questions)

    orders = list(permutations("ABCDS"))
    best = min(map(cost, orders))
    for order in orders[::7]:
        assert bool(check("fewest_questions", list(order))) is (cost(order) == best)


def test_the_solutions_page_is_up_to_date():
    """solutions/solutions.md is what scripts/write_solutions.py writes now."""
    page = (ROOT / "solutions" / "solutions.md").read_text(encoding="utf-8")
    assert page == script("write_solutions").document(), "run: python scripts/write_solutions.py"


def test_tasks_are_escaped():
    """Nothing in a task can become a tag."""
    assert to_html("<script>x</script> & `a<b`") == (
        "<p>&lt;script&gt;x&lt;/script&gt; &amp; <code>a&lt;b</code></p>"
    )
    assert to_html("*two*, `*p`") == "<p><em>two</em>, <code>*p</code></p>"
    feedback = check("open_the_path", {"<img src=x>"})
    assert "<img" not in feedback._repr_html_()


def test_hints_and_catalogue_show_themselves():
    """Hints come one at a time; the catalogue has every name, in text and in HTML."""
    assert str(hint("write_grow", 2)).startswith("Hint 2 of 3: ")
    assert "<p>" in hint("write_grow", 2)._repr_html_()
    assert all(name in str(exercises()) and name in exercises()._repr_html_() for name in NAMES)
    assert "<pre>" in solution("write_grow")._repr_html_()

"""Typical wrong answers to every exercise: what a learner would try first. None of them may pass."""

from collections.abc import Callable
from typing import Any

import networkx as nx

import mbedu as mb


# ---------------------------------------------------------------------- functions that are nearly right
def one_look(ask, T):
    return {v for v in ask.others(T) if not ask(T, v)}


def one_pass(ask, T):
    S = set()
    for v in ask.others(T):
        if not ask(T, v, S):
            S.add(v)
    return S


def grow_only(ask, T):
    S = set()
    while v := ask.first_dependent(T, ask.others(T, S), S):
        S.add(v)
    return S


def everything(ask, T):
    return set(ask.others(T))


def gs_in_order(ask, T):
    S = grow_only(ask, T)
    while v := ask.first_redundant(T, S):
        S.remove(v)
    return S


def iamb(ask, T):
    S = set()
    while v := ask.strongest(T, ask.others(T, S), S):
        S.add(v)
    while v := ask.weakest(T, S):
        S.remove(v)
    return S


def blanket_pairwise_of_nothing(ask, T, S):
    return all(ask(T, v) for v in ask.others(T, S))


def blanket_without_rest(ask, T, S):
    return ask(T, ask.others(T, S), S)


def shrink_at_once(ask, T, S):
    return {v for v in S if not ask(T, v, S - {v})}


def shrink_by_itself(ask, T, S):
    return {v for v in S if not ask(T, v)}


def gs_ignores_m(ask, T, m):
    return gs_in_order(ask, T)


def gs_m_one_by_one(ask, T, m):
    S = set()
    while Y := next((Y for Y in mb.subsets(ask.others(T, S), m) if any(not ask(T, v, S) for v in Y)), None):
        S |= Y
    while v := ask.first_redundant(T, S):
        S.remove(v)
    return S


def gs_m_without_shrinking(ask, T, m):
    S = set()
    while Y := ask.first_dependent(T, mb.subsets(ask.others(T, S), m), S):
        S |= Y
    return S


def pc_without_empty_set(ask, T, MB):
    return {X for X in MB if not any(ask(T, X, Z) for Z in mb.subsets(MB - {X}, len(MB), 1))}


def pc_by_itself(ask, T, MB):
    return {X for X in MB if not ask(T, X)}


def pc_is_all(ask, T, MB):
    return MB


def shrink_backwards(ask, T, S):
    while v := next((v for v in sorted(S, reverse=True) if ask(T, v, S - {v})), None):
        S.discard(v)
    return S


WRONG: dict[str, list[Any]] = {
    "is_it_separated": [[True, True, False, True], [False, False, False, False], [True, False]],
    "d_connected": [{"B", "C"}, {"B", "C", "D", "E", "G"}],
    "open_the_path": [{"M"}, {"M", "N", "K"}, set()],
    "close_all_paths": [{"A"}, {"A", "B", "C"}, {"A", "B", "E"}],
    "fewest_closers": [{"A", "B", "E"}, {"D"}],
    "break_intersection": [
        {(x, y, w): 1 for x in (0, 1) for y in (0, 1) for w in (0, 1)},
        {(y ^ w, y, w): 1 for y in (0, 1) for w in (0, 1)},
    ],
    "break_composition": [{(0, 0, 0): 1, (1, 1, 1): 1}, {(0, 0): 1, (1, 1): 1}],
    "boundary_by_eye": [{"P", "Q", "C", "E"}, {"P", "Q", "C", "E", "S", "R", "D"}],
    "blanket_not_boundary": [{"P", "Q", "C", "E", "S", "R"}, set("PQGCSERDHI"), {"P", "Q"}],
    "every_boundary": [[{"A", "B"}], [{"A", "A2", "B"}], [{"A"}], []],
    "two_boundaries": [
        {(t, a, b): 1 + (t == a) for t in (0, 1) for a in (0, 1) for b in (0, 1)},
        {(a ^ b, a, b): 1 for a in (0, 1) for b in (0, 1)},
    ],
    "violating_sets": [[{"A"}, {"S"}], [{"A"}, {"S"}, {"A", "S"}, {"C"}], {"A"}],
    "write_is_blanket": [blanket_pairwise_of_nothing, blanket_without_rest],
    "predict_grow": [{"B", "C", "S"}, {"A"}, set()],
    "predict_gs": [{"A", "B"}, set(), {"A", "B", "C"}],
    "smallest_margin": [3, 1, 5],
    "write_grow": [one_look, one_pass, everything],
    "write_shrink": [shrink_at_once, shrink_by_itself],
    "write_gs_m": [gs_ignores_m, gs_m_one_by_one, gs_m_without_shrinking],
    "fewest_questions": [["A", "B", "C", "D", "S"], ["S", "C", "B", "A", "D"], ["B", "C"]],
    "most_questions": [
        [("T", "A"), ("T", "B"), ("T", "C"), ("T", "D")],
        [],
        [("A", "T"), ("T", "A")],
    ],
    "count_subsets": [166_750, 156_849, 100],
    "lucky_seed": [(0, 4), (4, 4), 4],
    "stop_in_time": [5, 10_000],
    "first_pick": ["A0", {"A0", "A1"}, "I"],
    "write_iamb": [gs_in_order, one_look],
    "write_inter_iamb": [iamb, one_pass],
    "break_iamb": [
        {(t, a, b, c): 1 + (t == a) for t in (0, 1) for a in (0, 1) for b in (0, 1) for c in (0, 1)},
        {(a ^ b, a, b, 0): 1 for a in (0, 1) for b in (0, 1)},
    ],
    "pull_in": [{"X5": 1}, {"X2": 1, "X5": 1}, {"X2": -1}, {}],
    "push_out": [{"X1": -1}, {"X5": -1}, {"X2": 1}],
    "harmless_belief": [{"X1": 1}, {}, {"X4": -1}],
    "belief_fades": [500, 2_000, 0],
    "spouse_witness": [(set(), "C"), ({"A"}, "B"), ({"A"}, "D"), ({"A", "C"}, "C")],
    "write_mb_to_pc": [pc_without_empty_set, pc_is_all, pc_by_itself],
    "mmmb_wrong": [[("T", "A"), ("A", "B"), ("B", "C")], [("T", "A"), ("B", "A")]],
    "ppfs_misses": [[("T", "A"), ("A", "B")], [("T", "A"), ("B", "A"), ("C", "T"), ("C", "B")]],
    "ppfs_lucky": [[("T", "A"), ("B", "A")], [("T", "A")]],
    "corral_dependency": ["3/4", 0.5, 2],
    "blind_dependency": [{"A0", "A1"}, {"I"}, set()],
    "corral_a1": [{"A0", "A1", "B0", "B1", "R"}, {"A0", "A1"}],
    "relevance_classes": [
        {"A": "strong", "A2": "weak redundant", "B": "strong", "E": "weak redundant", "I": "irrelevant"},
        {"A": "weak redundant", "A2": "weak redundant", "B": "strong", "E": "irrelevant", "I": "irrelevant"},
        {"A": "strong"},
    ],
    "enough_rows": [50, 200, 30_000],
    "enough_for_a_test": [60, 1000, 600],
    "level_for_many": [0.05, 1e-30, 2],
    "false_alarms": [0.05, 5, 2000],
    "repair_gs": [one_pass, grow_only],
    "catch_hasty": [[("T", "A"), ("B", "A")], [], [("A", "T"), ("T", "B"), ("B", "C")]],
    "repair_hasty": [one_look, grow_only],
    "lemma_2": [({"X2", "X3"}, ["X2", "X3"]), ({"X3"}, ["X2"]), (set(), [])],
    "two_m_boundaries": [[{"X2"}, {"X3"}], [set()], [{"X2", "X3"}]],
}

RIGHT: dict[str, list[Any]] = {  # other right answers, of other kinds
    "open_the_path": [{"P", "Q"}, ["M", "Q"], ("K", "P", "M")],
    "close_all_paths": [["B", "A"]],
    "fewest_closers": [{"D", "F"}],
    "break_intersection": [
        mb.ExactJoint({(0, 0, 0): 3, (1, 0, 0): 1, (1, 1, 1): 1}, variables=["X", "Y", "W"])
    ],
    "break_composition": [{("on" if y != w else "off", y, w): 5 for y in "ht" for w in "ht"}],
    "two_boundaries": [{(0, 0, 0): 1, (1, 1, 1): 1}],
    "blanket_not_boundary": [set("PQCSERDH")],
    "write_shrink": [shrink_backwards],
    "most_questions": [mb.DSeparation([("T", "D"), ("B", "D"), ("C", "D")], variables=list("TABCD"))],
    "first_pick": [{"R"}, ["R"]],
    "pull_in": [{"X2": 0.9}],
    "harmless_belief": [{"X3": 1}, {"X3": 1, "X4": 1}],
    "mmmb_wrong": [nx.DiGraph([("T", "B"), ("B", "A"), ("C", "B"), ("C", "A")])],
    "ppfs_misses": [[("T", "C"), ("A", "C"), ("B", "C")]],
    "corral_dependency": ["5/8", 0.625],
    "blind_dependency": [{"A0"}, "B1", {"A0", "R"}],
    "enough_rows": [16_000],
    "level_for_many": [1e-8],
    "false_alarms": [100.0],
    "write_grow": [grow_only],
    "repair_gs": [gs_in_order],
    "repair_hasty": [gs_in_order],
    "write_inter_iamb": [],
}


FUNCTIONS: frozenset[str] = frozenset(
    name for name, answers in WRONG.items() if isinstance(answers[0], Callable)
)

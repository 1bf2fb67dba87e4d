"""Every witness of the ledger once more, with nothing of mbedu's theory: tables of Fractions and networkx.

`RECHECK[key](witness)` says whether the witness really breaks the claim of that key.
"""

import math
from fractions import Fraction
from itertools import combinations, product

import networkx as nx

from mbedu.query import Query


# ---------------------------------------------------------------------- probability from scratch
def parts(items, largest=None):
    items = sorted(items)
    sizes = range((len(items) if largest is None else min(largest, len(items))) + 1)
    return [frozenset(c) for k in sizes for c in combinations(items, k)]


class Facts:
    """The independencies of a world, from its table or its edges."""

    def __init__(self, world=None, *, table=None, variables=()):
        self.edges = None if world is None else world.edges
        self.variables = tuple(variables or world.variables)
        self.table = table if table is not None else (world.table if world is not None else None)
        self.target = world.target if world is not None else self.variables[0]
        self.others = frozenset(self.variables) - {self.target}
        if self.table is None:
            self.graph = nx.DiGraph(list(self.edges))
            self.graph.add_nodes_from(self.variables)

    def weight(self, names):
        """The marginal weights of some variables, by their values."""
        places = [self.variables.index(v) for v in sorted(names)]
        sums = {}
        for cell, w in self.table.items():
            key = tuple(cell[i] for i in places)
            sums[key] = sums.get(key, 0) + Fraction(w)
        return sums

    def independent(self, X, Y, Z=()):
        X, Y, Z = (frozenset([s]) if isinstance(s, str) else frozenset(s) for s in (X, Y, Z))
        if not X or not Y:
            return True
        if self.table is None:
            return nx.is_d_separator(self.graph, set(X), set(Y), set(Z))
        order = sorted(X | Y | Z)
        joint, xz, yz, z = self.weight(order), self.weight(X | Z), self.weight(Y | Z), self.weight(Z)

        def at(sums, names, values):
            return sums.get(tuple(values[v] for v in sorted(names)), 0)

        states = [sorted({cell[self.variables.index(v)] for cell in self.table}) for v in order]
        for cell in product(*states):
            values = dict(zip(order, cell, strict=True))
            left = at(joint, order, values) * at(z, Z, values)
            if left != at(xz, X | Z, values) * at(yz, Y | Z, values):
                return False
        return True

    def blanket(self, S):
        return self.independent(self.target, self.others - S, S)

    def boundaries(self):
        blankets = [S for S in parts(self.others) if self.blanket(S)]
        return [S for S in blankets if not any(B < S for B in blankets)]

    def m_boundary(self, S, m):
        return all(self.independent(self.target, T, S - T) == (not T & S) for T in parts(self.others, m))

    def entropy(self, names):
        total = sum(self.table.values())
        return -sum(w / total * math.log(w / total) for w in self.weight(names).values() if w)

    def information(self, x, given=()):
        x, given, y = frozenset(x), frozenset(given), {self.target}
        return (
            self.entropy(x | given)
            + self.entropy(y | given)
            - self.entropy(given)
            - self.entropy(x | given | y)
        )

    # liu2015: the label is the target
    def D(self, X):
        if not X:
            return Fraction(0)
        pure = {}
        for key, w in self.weight(frozenset(X) | {self.target}).items():
            place = sorted(frozenset(X) | {self.target}).index(self.target)
            pure.setdefault(key[:place] + key[place + 1 :], []).append(w)
        return sum((w[0] for w in pure.values() if len(w) == 1), Fraction(0)) / sum(self.table.values())

    def A1(self):
        return {a for a in self.others if self.D(self.others) > self.D(self.others - {a})}

    def B2(self):
        F = self.others
        return {b for b in F - self.A1() if all(self.D(F - {m}) > self.D(F - {m, b}) for m in F - {b})}

    def strong(self, f):
        return not self.independent(self.target, f, self.others - {f})

    def irrelevant(self, f):
        return all(self.independent(self.target, f, S) for S in parts(self.others - {f}))

    def blanket_of(self, f, inside, *, strict):
        for M in parts(inside):
            if (not strict or inside > M) and self.independent(f, (inside - M) | {self.target}, M):
                return M
        return None

    def p_star(self, *, strict):
        weak = [
            f
            for f in self.others
            if not self.strong(f)
            and not self.irrelevant(f)
            and self.blanket_of(f, self.others - {f}, strict=strict) is None
        ]
        return {f for f in self.others if self.strong(f)} | set(weak)


def spouses(facts):
    children = set(facts.graph.successors(facts.target))
    return {p for c in children for p in facts.graph.predecessors(c)} - {facts.target}


def true_boundary(facts):
    near = set(facts.graph.successors(facts.target)) | set(facts.graph.predecessors(facts.target))
    return near | spouses(facts)


def grows_to(facts, S_G, m):
    """Whether growing can end with S_G in some order."""
    reached, waiting = {frozenset()}, [frozenset()]
    while waiting:
        S = waiting.pop()
        for Y in parts(S_G - S, m):
            if Y and S | Y not in reached and not facts.independent(facts.target, Y, S):
                reached.add(S | Y)
                waiting.append(S | Y)
    ends = all(facts.independent(facts.target, Y, S_G) for Y in parts(facts.others - S_G, m))
    return S_G in reached and ends


def pc_superset(judge, T):
    """Algorithm 2 of demorais2008, loop by loop."""
    ask = lambda x, z=(): judge.judge(Query(T, x, z)).independent  # noqa: E731
    PCS = [v for v in judge.variables if v != T and not ask(v)]
    for X in list(PCS):
        if any(ask(X, {Y}) for Y in PCS if Y != X):
            PCS.remove(X)
    return set(PCS)


# ---------------------------------------------------------------------- margaritis2009
def _definition_1(w):
    doubled = {(*cell, cell[0]): n for cell, n in w.world.table.items()}
    facts = Facts(table=doubled, variables=(*w.world.variables, "again"))
    return facts.independent("T", set(w.world.others), {"again"})


def _intersection(w):
    f, (X, Y, W, Z) = Facts(w.world), (w.values[k] for k in "XYWZ")
    return f.independent(X, Y, Z | W) and f.independent(X, W, Z | Y) and not f.independent(X, Y | W, Z)


def _several(w):
    return len(Facts(w.world).boundaries()) > 1


def _definition_3(w):
    facts = Facts(w.world)
    return sum(facts.m_boundary(S, w.values["m"]) for S in parts(facts.others)) > 1


def _lemma_2(w):
    f, S, Y = Facts(w.world), set(w.values["S"]), w.values["Y"]
    premises = all(f.independent("T", y, S - set(Y[: i + 1])) for i, y in enumerate(Y))
    return premises and not f.independent("T", set(Y), S - set(Y))


def _lemma_4(w):
    f, v = Facts(w.world), w.values
    return v["subset"] <= v["S_S"] and f.independent("T", v["T"] | (v["S_G"] - v["subset"]), v["subset"])


def _near_parity(w):
    joint = w.values["problem"].judge
    facts = Facts(table=joint.table(), variables=joint.variables)
    return not facts.independent("X1", w.values["x"], w.values["given"])


def _upper_bound(w):
    f, v = Facts(w.world), w.values
    return grows_to(f, v["S_G"], v["m"]) and f.m_boundary(v["B"], v["m"]) and not v["B"] <= v["S_G"]


def _rgs(w):
    f, v = Facts(w.world), w.values
    return v["gs_m"] != v["rgs"] and f.m_boundary(v["gs_m"], v["m"]) and f.m_boundary(v["rgs"], v["m"])


def _never_ends(w):
    f, (only,) = Facts(w.world), w.values["S"]
    return not f.independent("T", only)  # so it is tested, stays, and is tested again


def _quadratic(w):
    edges = [("F0", "P0"), ("P0", "T"), ("F1", "P1"), ("P1", "T")]
    graph, S = nx.DiGraph(edges), {"P0", "P1", "F0", "F1"}
    stay = all(not nx.is_d_separator(graph, {"T"}, {p}, S - {p}) for p in ("P0", "P1"))
    leave = all(nx.is_d_separator(graph, {"T"}, {f}, S - {f}) for f in ("F0", "F1"))
    return stay and leave and w.values["counts"] == {2 * r + 1: r * r + 2 * r for r in (2, 4, 8, 16)}


def _quadratic_growth(w):
    graph = nx.DiGraph([("T", "C1"), ("H1", "C1"), ("H1", "C2"), ("H2", "C2"), ("H2", "C3")])
    opens = [
        [c for c in ("C1", "C2", "C3") if c not in S and not nx.is_d_separator(graph, {"T"}, {c}, S)]
        for S in (set(), {"C1"}, {"C1", "C2"})
    ]
    return opens == [["C1"], ["C2"], ["C3"]] and w.values["counts"] == {
        n + 1: n * (n + 1) // 2 for n in (4, 8, 16, 32)
    }


# ---------------------------------------------------------------------- pocock2012
def _theorem_2(w):
    f, v = Facts(w.world), w.values

    def J(theta):
        return f.information(f.others - theta, theta) - sum(v["weights"][x] for x in theta) / v["n"]

    after = {x: J(v["theta"] - {x}) for x in v["theta"]}
    printed = {x: f.information({x}, v["theta"] - {x}) - v["weights"][x] / v["n"] for x in v["theta"]}
    best_printed = printed[v["chosen"]] <= min(printed.values()) + 1e-9
    return best_printed and after[v["chosen"]] > min(after.values()) + 1e-9


def _no_boundary(w):
    return w.values["answer"] not in Facts(w.world).boundaries()


def _redundant_member(w):
    f, S = Facts(w.world), w.values["answer"]
    return any(f.independent(f.target, x, S - {x}) for x in S)


def _removed_against_the_rule(w):
    f, v = Facts(w.world), w.values
    (x,) = v["before"] - v["after"]
    return v["after"] < v["before"] and f.information({x}, v["after"]) + v["t"] > 0


def _bound(w):
    v = w.values
    return v["alpha_d"] <= v["t"] * v["n"] and v["alpha_d"] * v["w"] / v["n"] > v["t"]


def _not_in(w):
    return not {"X2", "X5"} & w.values["alone"]


# ---------------------------------------------------------------------- demorais2008
def _lost_in_phase_1(w):
    v = w.values
    judge, T = v["judge"], "T"
    accepted = judge.judge(Query(T, "Y", "X")).independent and not judge.judge(Query(T, "Y")).independent
    return (
        accepted
        and "Y" not in pc_superset(judge, T)
        and v["lost"] == v["orders"]
        and v["with_y"] == 0 < v["accepted"]
    )


def _spouse_not_in_sps(w):
    f = Facts(w.world)
    missing = spouses(f) - w.values["SPS"]
    near = set(f.graph.successors(f.target)) | set(f.graph.predecessors(f.target))
    return bool(missing) and missing <= near  # line 4 never looks at a neighbour


def _wrong_on_a_graph(w):
    wrong = w.values["answer"] != true_boundary(Facts(w.world))
    return wrong and ("and" not in w.values or len(w.values["and"].variables) == 5)


# ---------------------------------------------------------------------- hassan2021
def _markov_but_several(w):
    f = Facts(w.world)
    graph = nx.DiGraph(list(w.values["edges"]))
    graph.add_nodes_from(f.variables)
    entailed = [
        (a, b, Z)
        for a, b in combinations(f.variables, 2)
        for Z in parts(set(f.variables) - {a, b})
        if nx.is_d_separator(graph, {a}, {b}, set(Z))
    ]
    return all(f.independent(*s) for s in entailed) and len(f.boundaries()) > 1


def _unseen_rows(w):
    f, X = Facts(w.world), w.values["X"]
    rest = f.others - {X}
    seen = set(f.weight(rest | {X}))
    product_ = len(f.weight({X})) * len(f.weight(rest))
    return f.independent(f.target, X, rest) and len(seen) < product_


def _silent_spouse(w):
    f, lost = Facts(w.world), w.values["lost"]
    return bool(lost) and lost <= spouses(f) and all(f.independent(f.target, x) for x in lost)


def _same_values(w):
    v = w.values
    return v["test"] != v["shuffled"] and sorted(v["test"]) == sorted(v["shuffled"])


def _importance(w):
    f, v = Facts(w.world), w.values
    unique = (
        f.boundaries() == [v["boundary"]] and v["member"] in v["boundary"] and v["false"] not in v["boundary"]
    )
    return unique and f.information({v["false"]}) > f.information({v["member"]}) + 1e-9


# ---------------------------------------------------------------------- liu2015
def _undefined(w):
    f, v = Facts(w.world), w.values
    possible = any(cell[0] == v["x"] and cell[1] == v["y"] for cell in f.table)
    return possible and not any(cell[1] == v["y"] and cell[2] == v["z"] for cell in f.table)


def _p_star_no_blanket(w):
    f = Facts(w.world)
    return f.p_star(strict=True) == w.values["P*"] and not f.blanket(w.values["P*"])


def _p_star_too_large(w):
    f = Facts(w.world)
    return f.p_star(strict=True) == w.values["P*"] and any(f.blanket(S) for S in parts(w.values["P*"])[:-1])


def _corollary_1(w):
    f, F, x = Facts(w.world), w.values["F"], w.values["f"]
    return f.D(F) > f.D(F - {x}) and f.independent("T", x, F - {x})


def _theorem_4(w):
    f, x = Facts(w.world), w.values["f"]
    return x in f.A1() and not f.strong(x)


def _theorem_5(strict):
    def check(w):
        f, b = Facts(w.world), w.values["b"]
        return b in f.B2() and f.blanket_of(b, f.others - {b}, strict=strict) is not None

    return check


def _b2_irrelevant(w):
    f, b = Facts(w.world), w.values["b"]
    return b in f.B2() and f.irrelevant(b)


def _not_inside(strict):
    def check(w):
        f = Facts(w.world)
        return f.A1() == w.values["A1"] and not (f.A1() | f.B2()) <= f.p_star(strict=strict)

    return check


def _constant(w):
    f = Facts(w.world)
    return len({cell[0] for cell in f.table}) == 1 and bool(f.A1())


def _theorem_6(w):
    f, v = Facts(w.world), w.values
    rises = f.D(v["P"] | {v["f"]}) > f.D(v["P"])
    return rises and f.independent(v["f"], (v["P"] - v["M"]) | {"T"}, v["M"])


def _order(w):
    f, v = Facts(w.world), w.values
    P, ranking = f.p_star(strict=True), v["ranking"]
    return v["late"] in P and v["early"] not in P and ranking.index(v["early"]) < ranking.index(v["late"])


EXAMPLES = {
    "margaritis2009/intersection-not-universal": _intersection,
    "margaritis2009/several-boundaries": _several,
}
RECHECK = {
    "margaritis2009/definition-1": _definition_1,
    "margaritis2009/definition-3": _definition_3,
    "margaritis2009/lemma-2": _lemma_2,
    "margaritis2009/lemma-4-minimality": _lemma_4,
    "margaritis2009/near-parity-biased": _near_parity,
    "margaritis2009/growing-upper-bound": _upper_bound,
    "margaritis2009/rgs-equivalent": _rgs,
    "margaritis2009/rgs-terminates": _never_ends,
    "margaritis2009/shrink-linear": _quadratic,
    "margaritis2009/complexity": _quadratic_growth,
    "pocock2012/x-star": _several,
    "pocock2012/theorem-2": _theorem_2,
    "pocock2012/iamb-while": _no_boundary,
    "pocock2012/iamb-threshold-0": _redundant_member,
    "pocock2012/theorem-3-correct": _no_boundary,
    "pocock2012/theorem-3-maximisation": _removed_against_the_rule,
    "pocock2012/prior-bound": _bound,
    "pocock2012/toy-downweight": _not_in,
    "demorais2008/or-example": _lost_in_phase_1,
    "demorais2008/filter-example": _lost_in_phase_1,
    "demorais2008/sps-superset": _spouse_not_in_sps,
    "demorais2008/mmmb-and": _wrong_on_a_graph,
    "hassan2021/definition-2": _markov_but_several,
    "hassan2021/equation-4": _unseen_rows,
    "hassan2021/growth-spouses": _silent_spouse,
    "hassan2021/growth-superset": _silent_spouse,
    "hassan2021/domain-shift": _same_values,
    "hassan2021/shrink-importance": _importance,
    "hassan2021/ppfs-correct": _wrong_on_a_graph,
    "liu2015/definition-1": _undefined,
    "liu2015/p-star-sufficient": _p_star_no_blanket,
    "liu2015/p-star-minimal": _p_star_too_large,
    "liu2015/corollary-1": _corollary_1,
    "liu2015/theorem-4": _theorem_4,
    "liu2015/theorem-5": _theorem_5(strict=True),
    "liu2015/theorem-5-no-footnote": _theorem_5(strict=False),
    "liu2015/b2-relevant": _b2_irrelevant,
    "liu2015/a1-b2-in-p-star": _not_inside(strict=True),
    "liu2015/a1-b2-in-p-star-no-footnote": _not_inside(strict=False),
    "liu2015/constant-label": _constant,
    "liu2015/theorem-6-whole": _theorem_6,
    "liu2015/algorithm-3-order": _order,
}

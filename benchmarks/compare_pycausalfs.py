"""Compare `iamb`, `inter_iamb` and `gs` on data with pyCausalFS, and explain every difference.

pyCausalFS is no dependency: give the path of its wheel, or of the folder that holds the package.

    python benchmarks/compare_pycausalfs.py pyCausalFS-0.23-py3-none-any.whl --network asia --rows 500

Both sides use the same test: G² with the full degrees of freedom and no rule about small samples. Its
p-values are compared first. Then, for each data set and target, the answers. A difference is traced
to its cause by mending one thing in pyCausalFS at a time:

level     its test ranks candidates by G² only where p ≤ 0.01, whatever level the algorithm was given:
          the level is not handed on, and above 0.01 every candidate ranks 0. IAMB then takes the
          first of them instead of the most dependent, and inter_IAMB looks only at the first and
          stops, although others are dependent. Mended: hand the level on.
removal   it removes in the order of entry (IAMB: in one pass), we remove the least dependent first
          (IAMB) or in variable order (GS). On finite data the order matters. Mended: our algorithm
          with its order of removal, below.
unexplained   none of these.

For each set the script says whether the test itself contradicts it: a member that is independent
given the others (redundant), or an outsider that is dependent given the set (missing).
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections import Counter

import numpy as np

import mbedu as mb
from mbedu.citests import G2
from mbedu.query import Query

PAIRS = (
    ("iamb", "IAMB", "IAMB", {}),
    ("inter_iamb", "inter_IAMB", "inter_IAMB", {}),
    ("gs", "GSMB", "GSMB", {"order": "plain"}),
)


CAUSES = ("agree", "level", "removal", "unexplained")


class Theirs:
    """pyCausalFS's algorithms on one data set; its test is remembered, because it is slow, not changed."""

    def __init__(self, codes, alpha):
        self.codes, self.alpha = codes, alpha
        self.test = importlib.import_module("pyCausalFS.CBD.MBs.common.g2test").g2_test_dis
        self.known = {}

    def evidence(self, target, var, given, level):
        key = (target, var, frozenset(given))
        if key not in self.known:
            # a level of 1 never hides the statistic; what the package makes of it comes below
            self.known[key] = self.test(self.codes, target, var, sorted(given), 1.0)
        p, statistic = self.known[key]
        return p, 0 if p > level else abs(statistic)

    def run(self, module, name, target, *, mended):
        found = importlib.import_module(f"pyCausalFS.CBD.MBs.{module}")
        level = self.alpha if mended else 0.01  # the default of its cond_indep_test, which no caller sets

        def test(_data, target, var, cond_set, _is_discrete):
            return self.evidence(target, var, cond_set, level)

        original, found.cond_indep_test = found.cond_indep_test, test
        try:
            chosen, _ = getattr(found, name)(self.codes, target, self.alpha)
        finally:
            found.cond_indep_test = original
        return frozenset(chosen)


def iamb_by_entry(ask, T):
    """IAMB whose backward phase is one pass in the order of entry."""
    entered = []
    while X := ask.strongest(T, ask.others(T, entered), entered):
        entered.append(X)
    for X in tuple(entered):
        if ask(T, X, set(entered) - {X}):
            entered.remove(X)
    return set(entered)


def gs_by_entry(ask, T):
    """GS whose shrinking phase goes by the order of entry."""
    entered = []
    while Y := ask.first_dependent(T, ask.others(T, entered), entered):
        entered.append(Y)
    while (Y := next((Y for Y in entered if ask(T, Y, set(entered) - {Y})), None)) is not None:
        entered.remove(Y)
    return set(entered)


BY_ENTRY = {"iamb": iamb_by_entry, "gs": gs_by_entry}


def cause_of(ours, mine, theirs, mended, *, judge, target):
    """Name what explains that `theirs` is not `mine`."""
    if theirs == mine:
        return "agree"
    if mended == mine:
        return "level"
    if ours in BY_ENTRY and mb.run(BY_ENTRY[ours], judge, target).boundary == mended:
        return "removal"
    return "unexplained"


def contradictions(judge, target, members):
    """Say what the test holds against a set: redundant members, missing outsiders."""
    words = []
    for v in judge.variables:
        if v == target:
            continue
        independent = judge.judge(Query(target, v, members - {v})).independent
        if independent and v in members:
            words.append(f"{v} redundant")
        if not independent and v not in members:
            words.append(f"{v} missing")
    return ", ".join(words) or "none"


def compare(net, rows, seed, alpha, tally):
    data = net.sample(rows, seed=seed)
    names = list(data.columns)
    # only the states that occur: an absent one is a level to one side and none to the other
    codes = np.column_stack([np.unique(data[name], return_inverse=True)[1] for name in names])
    judge = G2(codes, alpha, df="full", unreliable="trust", names=names)
    theirs = Theirs(codes, alpha)
    check_test(judge, theirs, names)
    for i, target in enumerate(names):
        for ours, module, name, params in PAIRS:
            mine = mb.run(ours, judge, target, **params).boundary
            answers = [
                frozenset(names[v] for v in theirs.run(module, name, i, mended=mended))
                for mended in (False, True)
            ]
            cause = cause_of(ours, mine, *answers, judge=judge, target=target)
            if cause != "agree":
                print(f"{ours:10} {net.name} n={rows} seed={seed} {target}: {cause}")
                for whose, members in (("ours", mine), ("theirs", answers[0])):
                    held = contradictions(judge, target, members)
                    print(f"    {whose:6} {sorted(members)}; held against it: {held}")
            tally[ours, cause] += 1


def check_test(judge, theirs, names):
    """Make sure that the two tests are the same test before their users are compared."""
    random = np.random.default_rng(0)
    for _ in range(50):
        x, y, *given = random.permutation(len(names))[: random.integers(2, 5)].tolist()
        p, statistic = theirs.evidence(x, y, given, 1.0)
        verdict = judge.judge(Query(names[x], names[y], [names[z] for z in given]))
        if not (
            np.isclose(p, verdict.p_value, rtol=1e-6) and np.isclose(statistic, verdict.statistic, atol=1e-6)
        ):
            sys.exit(f"the tests differ: {names[x]}, {names[y]} | {given}: {p, statistic} and {verdict}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("package", help="the wheel of pyCausalFS, or the folder that holds the package")
    parser.add_argument("--network", default="asia")
    parser.add_argument("--rows", type=int, default=500)
    parser.add_argument("--alpha", type=float, default=0.05)
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args()
    sys.path.insert(0, options.package)
    net, tally = mb.load_network(options.network), Counter()
    for seed in range(options.seeds):
        compare(net, options.rows, seed, options.alpha, tally)
    print(f"\n{options.network}, {options.rows} rows, alpha {options.alpha}, {options.seeds} data sets:")
    for ours, *_ in PAIRS:
        counted = {cause: tally[ours, cause] for cause in CAUSES}
        print(f"  {ours:10} " + "  ".join(f"{cause} {count}" for cause, count in counted.items()))


if __name__ == "__main__":
    main()

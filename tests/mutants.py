"""Right algorithms, broken on purpose: what `verify` has to notice, and what it cannot.

A mutant is a textual replacement in the source of a registered algorithm or of one of its procedures. The
text has to occur exactly once, so that no mutant can silently become the original. The
changed sources are compiled to fresh functions that call each other and not the registered ones.

`python tests/mutants.py` prints the table of all mutants and what killed them.
"""

import ast
import importlib
import inspect
from dataclasses import dataclass, field
from functools import cache

import mbedu as mb
from mbedu.ask import Ask
from mbedu.verify.worker import Limits

LIMITS = Limits(seconds=2.0, questions=4_000)
FAMILIES = {  # the files that make up an algorithm; each is compiled anew, in this order
    "gs": ["gs"],
    "gs_m": ["gs_m"],
    "rgs": ["rgs"],
    "iamb": ["iamb"],
    "inter_iamb": ["inter_iamb"],
    "fast_iamb": ["fast_iamb"],
    "kiamb": ["kiamb"],
    "pcmb": ["separations", "get_pcd", "get_pc", "pcmb"],
    "mbor": ["inter_iamb", "mb_to_pc", "pc_superset", "sp_superset", "mbor"],
    "mmmb_corrected": ["separations", "mmpc", "mmmb_corrected"],
    "hiton_mb_corrected": ["separations", "hiton_pc", "hiton_mb_corrected"],
    "tie_star": ["tie_star"],
}
PARAMS = {
    "gs_m": {"m": 3},
    "rgs": {"m": 3},
    "kiamb": {"K": 0.8},
    "tie_star": {"base": "gs_m", "base_params": {"m": 3}},
}


@dataclass(frozen=True)
class Mutant:
    """One way to break an algorithm: in `file` the text `old` becomes `new`."""

    algorithm: str
    what: str
    old: str = field(repr=False)
    new: str = field(repr=False)
    file: str = ""
    survives: str = ""
    """Why `verify` on four nodes and the named problems cannot see it; empty if it can."""

    @property
    def name(self):
        return f"{self.algorithm}: {self.what}"

    def function(self):
        return compiled(self.algorithm, self.file or self.algorithm, self.old, self.new)


def compiled(algorithm, file="", old="", new=""):
    """Compile an algorithm and its procedures anew, with a replacement in one of the files."""
    spaces, fresh = {}, {}
    for name in FAMILIES[algorithm]:
        source = inspect.getsource(importlib.import_module(f"mbedu.algorithms.{name}"))
        if name == file:
            assert source.count(old) == 1, f"{file}: {source.count(old)} times {old!r}"
            source = source.replace(old, new)
        tree = ast.parse(source)
        own = [node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
        for node in tree.body:
            if isinstance(node, ast.FunctionDef):
                node.decorator_list = []  # a mutant is not registered
        space = spaces[name] = {"__name__": f"mutant_{algorithm}_{name}"}
        exec(compile(tree, f"<mutant of {name}>", "exec"), space)
        fresh |= {key: space[key] for key in own}
        if name in space:
            space[name].title = name
    for space in spaces.values():
        space.update({key: value for key, value in fresh.items() if key in space})
        for table in [v for v in space.values() if isinstance(v, dict)]:
            table.update({key: fresh[key] for key in table if key in fresh})
    function = spaces[algorithm][algorithm]
    if algorithm == "tie_star":
        return function
    params = PARAMS.get(algorithm, {})

    def mutant(ask, target):
        return function(ask, target, **params)

    return mutant


GROW = "while Y := pick(T, ask.others(T, S), S):  # [2-3]\n            S |= Y  # [4]"
SHRINK = "while Y := ask.first_redundant(T, S, keep=whitelist):  # [5-6]"
FORWARD = "while X := ask.strongest(Y, ask.others(Y, CMB), CMB, by=by):  # [2-4]"
BACKWARD = "while X := ask.weakest(Y, CMB, keep=whitelist, by=by):  # [6-8]"
SPOUSE = "                    MB |= X  # [6]"
DATA = "equivalent with exact answers; shows on data only: "
SAME = "equivalent: "
FIVE = "shows with five nodes, not with four: "

MUTANTS = [
    # --- Grow-Shrink
    Mutant("gs", "forgets to shrink", SHRINK, "while False:"),
    Mutant("gs", "grows by one variable only", GROW, GROW.replace("while", "if")),
    Mutant("gs", "grows in one pass, without the restart", GROW,
           "for Y in ask.others(T):\n            if not ask(T, Y, S):\n                S |= Y"),
    Mutant("gs", "grows given nothing", GROW, GROW.replace(", S):", ", ()):")),
    Mutant("gs", "takes the independent for the dependent while growing", GROW,
           "while Y := next((v for v in ask.others(T, S) if ask(T, v, S)), None):\n            S |= Y"),
    Mutant("gs", "shrinks by one variable only", SHRINK, SHRINK.replace("while", "if")),
    Mutant("gs", "shrinks against the empty set", SHRINK,
           "while Y := next((v for v in S if ask(T, v)), None):"),
    Mutant("gs", "conditions on the node that it tests", SHRINK,
           "while Y := next((v for v in S if ask(T, v, S)), None):"),
    Mutant("gs", "shrinks the dependent", SHRINK,
           "while Y := next((v for v in S if not ask(T, v, S - {v})), None):"),
    Mutant("gs", "shrinks in one pass, without the restart", f"{SHRINK}\n            S -= Y",
           "for Y in tuple(S):\n            if ask(T, Y, S - {Y}):\n                S -= Y",
           survives=DATA + "what was needed given more is needed given less (Contraction and Weak Union)"),
    # --- GS(m)
    Mutant("gs_m", "the margin is one too small", "range(1, m + 1)", "range(1, m)"),
    Mutant("gs_m", "tries single variables only", "subsets(candidates, size, size)",
           "subsets(candidates, 1, 1)"),
    Mutant("gs_m", "tries sets of the full margin only", "range(1, m + 1)", "range(m, m + 1)"),
    Mutant("gs_m", "lets in one member of the set that was found", "S |= Y  # [5-6]", "S |= min(Y)",
           survives=SAME + "growing still ends only when no set depends on T, all that the proof needs"),
    Mutant("gs_m", "tries large sets first", "range(1, m + 1)", "range(m, 0, -1)",
           survives=SAME + "the order of growing is open (Theorem 5)"),
    # --- RGS
    Mutant("rgs", "grows by one set only", "changed = True  # [8-9]", "changed = False"),
    Mutant("rgs", "grows given nothing", "ask.strongest(T, drawn, S, by=by)",
           "ask.strongest(T, drawn, (), by=by)"),
    Mutant("rgs", "draws single variables only", "everything = subsets(candidates, m)",
           "everything = subsets(candidates, 1)"),
    Mutant("rgs", "forgets to shrink", "while X := ask.first_redundant(T, S, keep=whitelist):",
           "while False:"),
    # --- the IAMB family
    Mutant("iamb", "forgets the backward phase", BACKWARD, "while False:"),
    Mutant("iamb", "removes one variable only", BACKWARD, BACKWARD.replace("while", "if")),
    Mutant("iamb", "stops at two members", FORWARD,
           FORWARD.replace("while X", "while len(CMB) < 2 and (X").replace(":  #", "):  #")),
    Mutant("iamb", "ranks given nothing", FORWARD, FORWARD.replace(", CMB, by", ", (), by")),
    Mutant("iamb", "looks at the first candidate only", FORWARD,
           FORWARD.replace("ask.others(Y, CMB)", "ask.others(Y, CMB)[:1]")),
    Mutant("inter_iamb", "removes one variable a round", "while X := ask.weakest(", "if X := ask.weakest("),
    Mutant("inter_iamb", "forgets the backward phase",
           "while X := ask.weakest(T, MB, keep=whitelist, by=by):", "while False:"),
    Mutant("inter_iamb", "never lets a variable in again", "ask.others(T, MB), MB, by=by)",
           "ask.others(T, MB, *seen), MB, by=by)"),
    Mutant("fast_iamb", "does not look again after shrinking", "S = dependent(ask, T, B, by)  # [10]",
           "S = []"),
    Mutant("fast_iamb", "removes the dependent", "if ask(T, A, B - {A}):", "if not ask(T, A, B - {A}):"),
    Mutant("fast_iamb", "shrinks by looking at one member only",
           "for A in ask.ordered(B - names(whitelist)):", "for A in ask.ordered(B - names(whitelist))[:1]:"),
    Mutant("kiamb", "takes the independent for the dependent", "if not verdicts[X].independent]",
           "if verdicts[X].independent]"),
    Mutant("kiamb", "adds one variable only", "MB |= Y  # [6]", "MB |= Y\n            break"),
    Mutant("kiamb", "removes nothing", "if ask(T, X, MB - {X}):", "if False:"),
    # --- PCMB
    Mutant("pcmb", "stops after the first spouse of a child", SPOUSE, f"{SPOUSE}\n                    break"),
    Mutant("pcmb", "forgets the symmetry of neighbours", "if T in PCD_X:", "if T in PCD_X or True:",
           file="get_pc"),
    Mutant("pcmb", "conditions on one variable at most", "cap = len(base) if self.largest is None else",
           "cap = min(1, len(base)) if self.largest is None else", file="separations"),
    Mutant("pcmb", "tries a spouse without its child", "if not ask(T, X, Z | {Y}):", "if not ask(T, X, Z):"),
    Mutant("pcmb", "takes every neighbour of a neighbour for a spouse", "if not ask(T, X, Z | {Y}):",
           "if True:"),
    Mutant("pcmb", "keeps what was separated", "PCD -= [X for X in PCD if X in Sep]  # [12]", "pass",
           file="get_pcd"),
    # --- MBOR
    Mutant("mbor", "forgets the OR condition", "if T in neighbours(X):  # [7]", "if False:",
           survives=DATA + "the target's own side finds all its neighbours (Theorem 4)"),
    Mutant("mbor", "leaves the spouses out of the superset", "PCS | SPS)  # [3]", "PCS)"),
    Mutant("mbor", "stops after the first spouse of a child", "SP |= Y  # [16-19]",
           "SP |= Y\n                        break"),
    Mutant("mbor", "looks for no empty separating set", "len(rest) if largest_z is None else largest_z, 0)",
           "len(rest) if largest_z is None else largest_z, 1)"),
    Mutant("mbor", "takes spouses for neighbours", "subsets(rest, len(rest), 0)) is not None:",
           "subsets(rest, 0, 1)) is not None:", file="mb_to_pc",
           survives=FIVE + "a spouse is in the boundary anyway; only the spouses that it brings are wrong"),
    Mutant("mbor", "separates by proper subsets only", "subsets(rest, len(rest), 0)",
           "subsets(rest, len(rest) - 1, 0)", file="mb_to_pc",
           survives=SAME + "no separating set of a spouse holds the common child"),
    Mutant("mbor", "filters with the empty set only", "for i, X in enumerate(candidates):",
           "for i, X in enumerate(()):", file="pc_superset"),
    Mutant("mbor", "forgets what separated a spouse", "Ys, separator | {X})", "Ys, {X})",
           file="sp_superset",
           survives=SAME + "given the child alone a spouse is dependent too; SPS may only grow"),
    Mutant("mbor", "filters spouses without their child", "pairs = ({X, Z} for Z", "pairs = ({Z} for Z",
           file="sp_superset"),
    # --- MMMB and HITON-MB, corrected
    Mutant("mmmb_corrected", "forgets the symmetry of neighbours", "if T not in members_X:", "if False:",
           file="separations"),
    Mutant("mmmb_corrected", "tries a spouse with every neighbour",
           'tried = [Y] if through == "child" else', "tried =",
           survives=FIVE + "a variable separated by one neighbour, which a second neighbour connects again"),
    Mutant("mmmb_corrected", "forgets the backward phase", "for X in tuple(CPC):  # [6]", "for X in ():",
           file="mmpc"),
    Mutant("mmmb_corrected", "stops after the first spouse of a child", SPOUSE,
           f"{SPOUSE}\n                    break"),
    Mutant("hiton_mb_corrected", "forgets the symmetry of neighbours", "if T not in members_X:",
           "if False:", file="separations"),
    Mutant("hiton_mb_corrected", "tries only the newest for removal", "for V in tuple(PC):  # [4]",
           "for V in (X,):", file="hiton_pc"),
    Mutant("hiton_mb_corrected", "takes every neighbour of a neighbour for a spouse",
           "if not all(ask(T, X, Z | {W}) for W in tried):", "if True:"),
    # --- TIE*
    Mutant("tie_star", "stops after the first boundary", "while (most is None or len(found) < most) and",
           "while False and"),
    Mutant("tie_star", "does not look whether it found a blanket", "if shields(ask, T, M):  # [5]",
           "if True:"),
    Mutant("tie_star", "hides one variable at a time", "subsets(union, len(union))", "subsets(union, 1)"),
]  # fmt: skip


@cache
def problems(algorithm):
    """The small named problems on which the unbroken algorithm is right, in both orders."""
    small = [p for p in mb.named_problems() if len(p.variables) <= 10]
    if algorithm == "tie_star":
        return small
    params = PARAMS.get(algorithm, {})
    return [p for p in small if mb.verify(algorithm, [p], orders="both", **params)]


def killed_by(mutant):
    """Return what `verify` finds against a mutant (the smallest graphs first), or an empty text."""
    function = mutant.function()
    if mutant.algorithm == "tie_star":
        return lost_boundaries(function)
    for n in (3, 4):
        report = mb.verify(function, mb.all_dags(n), limits=LIMITS)
        if not report:
            return f"{n} nodes: {report.counterexample}"
    report = mb.verify(function, problems(mutant.algorithm), orders="both", limits=LIMITS)
    return "" if report else f"named problem: {report.counterexample}"


def lost_boundaries(function):
    """TIE* returns several sets, so it is held to all boundaries at once; `verify` looks at one answer."""
    for problem in problems("tie_star"):
        judge, target = problem.judge, problem.target
        ask = Ask(judge, max_asked=20_000)
        try:
            found = set(function(ask, target, **PARAMS["tie_star"]))
        except Exception as error:  # noqa: BLE001 - whatever it raises has killed it
            return f"{problem.name}: {type(error).__name__}"
        if found != set(problem.boundaries):
            return f"{problem.name}: {len(found)} of {len(problem.boundaries)} boundaries"
    return ""


if __name__ == "__main__":
    for mutant in MUTANTS:
        killer = killed_by(mutant)
        print(f"{mutant.name:75s} {killer or 'SURVIVES: ' + mutant.survives}", flush=True)

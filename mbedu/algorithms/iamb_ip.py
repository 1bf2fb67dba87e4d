"""IAMB-IP: IAMB with informative priors, one for sparsity and one for what an expert believes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from mbedu.algorithms.parts import initial
from mbedu.ask import Ask
from mbedu.errors import unknown
from mbedu.judge import Verdict, better, raised
from mbedu.query import Vars, names
from mbedu.registry import algorithm, require, whole
from mbedu.varset import VarSet

TOLERANCE = (
    1e-12  # nats; at the bound the prior lifts a variable to t itself: rounding must not carry it over
)
UNITS = {"nats": 1.0, "bits": math.log(2)}


@algorithm(
    "iamb_ip",
    title="IAMB-IP",
    paper="pocock2012",
    place="section 4, Eq. (24); the numbered lines are those of Algorithm 1 with the priors put in",
    assumes=("Decomposition", "Weak Union", "Contraction", "Composition", "a prior that is not too wrong"),
    returns="the Markov boundary, as far as the evidence and the prior together say",
    notebook="06_priors",
    verified="no prior: right on all DAGs with 3 and 4 nodes, every target; a flat prior asks what IAMB asks",
    pseudocode="""
     1  CMB ← ∅;  αs ← t·N;  αd ← min(αd, αs)
     2  while CMB has changed do                          /* phase 1, forward */
     3      find X ∈ Ω ∖ CMB that maximises I(X; Y | CMB) + αd·w(X)/N
     4      if I(X; Y | CMB) + (αd·w(X) − αs)/N > 0 then
     5          add X to CMB
     6  while CMB has changed do                          /* phase 2, backward */
     7      find X ∈ CMB that minimises I(X; Y | CMB ∖ X) + αd·w(X)/N
     8      if I(X; Y | CMB ∖ X) + (αd·w(X) − αs)/N ≤ 0 then
     9          remove X from CMB
    10  return CMB""",
)
def iamb_ip(
    ask: Ask,
    Y: str,
    *,
    t: float = 0.02,
    weights: Mapping[str, float] | None = None,
    alpha_d: float | None = None,
    bound: bool = True,
    n: int | None = None,
    unit: str = "nats",
    backward: str = "objective",
    start: Vars = (),
    whitelist: Vars = (),
) -> VarSet:
    """Return the boundary of `Y` that evidence and prior together support.

    A variable is in when I + αd·w/N > t: the prior lowers the threshold for what is believed to be
    in the boundary (w > 0) and raises it for what is believed not to be (w < 0). With no weights
    this is `iamb` under a judge that calls I > t dependent, question by question.

    Parameters
    ----------
    ask, Y
        The door to a judge whose verdicts carry a strength (mutual information), and the target.
        The judge's own decision is not used. A verdict without strength counts as no evidence when
        independent and as boundless evidence when dependent.
    t : float
        The sparsity prior, as the threshold of IAMB: αs = t·N.
    weights : mapping of variable to float
        The knowledge prior; 1 believes a variable in, −1 believes it out, 0 (or absent) says nothing.
    alpha_d : float, optional
        How much the knowledge prior counts. By default log 99, which with w = ±1 stands for a prior
        probability of 0.99 or 0.01.
    bound : bool
        Keep αd ≤ αs, so that no variable enters on belief alone. The weights then have to lie in
        [−1, 1].
    n : int, optional
        The number of rows N. By default what the verdicts rest on; an oracle rests on none, so a
        prior then needs `n`.
    unit : {"nats", "bits"}
        The unit of `t` and `alpha_d`, which the paper does not print.
    backward : {"objective", "printed"}
        The sign of the prior in lines 7 and 8; see the notes.
    start, whitelist
        Variables to start with, which may leave again; and variables that never leave.

    Notes
    -----
    Symbols: CMB is the current Markov blanket, Ω all variables but the target, I the conditional
    mutual information, αs and αd the strengths of the sparsity and the knowledge prior.

    Eq. (14) as printed has the wrong sign. Removing X from θ changes the objective (12),
    J = I(X¬θ; Y | Xθ) − log p(θ)/N, by I(X; Y | Xθ ∖ X) − log(p(θ')/p(θ))/N, with a minus where
    Eq. (14) has a plus. The ratio is e^(−αw) ("a negated exponent"), so what is to be minimised is
    I + αw/N: the same sum as in the forward step. As printed it would be I − αw/N, and a variable
    would be removed the sooner the more it is believed in; and nothing would ever be removed for
    sparsity's sake, against the `f < t` of Algorithm 1. `backward="objective"` minimises J
    (tests/test_iamb_ip.py checks it by brute force); `"printed"` takes the printed sign for the
    knowledge prior and leaves the threshold as Algorithm 1 has it.

    Comparisons are strict, beyond a tolerance of 1e-12 nats where the prior takes part: at the bound
    a variable with no evidence at all would otherwise enter by rounding. Ties go by variable order.

    Examples
    --------
    >>> import mbedu as mb
    >>> weak = mb.ExactJoint({(0, 0): 11, (0, 1): 9, (1, 0): 9, (1, 1): 11}, variables=["X", "Y"])
    >>> sorted(mb.run("iamb_ip", weak, "Y", t=0.02).boundary)
    []
    >>> sorted(mb.run("iamb_ip", weak, "Y", t=0.02, weights={"X": 1}, n=200).boundary)
    ['X']
    """
    require(isinstance(t, int | float) and t >= 0, f"t={t!r}: the threshold is a number, not negative")
    require(unit in UNITS, f"unit={unit!r}: choose 'nats' or 'bits'")
    if n is not None:
        whole("n", n, at_least=1)
    require(backward in ("objective", "printed"), f"backward={backward!r}: choose 'objective' or 'printed'")
    known, strength = knowledge(ask, Y, weights, bound), alpha_in_nats(alpha_d, unit)
    prior = Prior(ask, Y, t * UNITS[unit], known, strength, bound, n)
    CMB = ask.set("CMB", initial(ask, Y, start, whitelist))  # [1]
    with ask.phase("forward"):
        while X := prior.best(ask.others(Y, CMB), CMB):  # [2-4]
            CMB |= X  # [5]
    sign = 1.0 if backward == "objective" else -1.0
    with ask.phase("backward"):
        while X := prior.worst(ask.ordered(CMB - names(whitelist)), CMB, sign):  # [6-8]
            CMB -= X  # [9]
    return CMB  # [10]


def alpha_in_nats(alpha_d: float | None, unit: str) -> float:
    """Return αd in nats; log 99 is the same strength in every unit."""
    require(
        alpha_d is None or (isinstance(alpha_d, int | float) and alpha_d >= 0),
        f"alpha_d={alpha_d!r}: the strength of a prior is a number, not negative",
    )
    return math.log(99) if alpha_d is None else alpha_d * UNITS[unit]


def knowledge(ask: Ask, Y: str, weights: Mapping[str, float] | None, bound: bool) -> dict[str, float]:
    """Return the weights that say something, checked."""
    found = dict(weights or {})
    for name, w in found.items():
        if name not in ask.variables:
            raise unknown("variable in weights", name, ask.variables)
        require(name != Y, f"weights has the target {Y!r}; leave it out, it is never in its own boundary")
        require(
            isinstance(w, int | float) and math.isfinite(w),
            f"weights[{name!r}]={w!r}: a weight is a finite number",
        )
        require(
            not bound or abs(w) <= 1,
            f"weights[{name!r}]={w!r}: under the bound a weight lies between -1 and 1; or pass bound=False",
        )
    return {name: float(w) for name, w in found.items() if w != 0}


@dataclass
class Prior:
    """The comparison of IAMB-IP: evidence plus the prior's push against the threshold, all in nats."""

    ask: Ask
    Y: str
    t: float
    weights: dict[str, float]
    alpha_d: float
    bound: bool
    n: int | None
    told: bool = field(default=False, init=False)

    def best(self, candidates: Sequence[str], CMB: VarSet) -> str | None:
        """Return the candidate of the largest sum, if it is above t."""
        verdicts = self.ask.many(self.Y, candidates, CMB)
        return self._pick(candidates, verdicts, enters=True, sign=1.0)

    def worst(self, members: Sequence[str], CMB: VarSet, sign: float) -> str | None:
        """Return the member of the smallest sum, if it is not above t."""
        verdicts = self.ask.leave_one_out(self.Y, members, CMB)
        return self._pick(members, verdicts, enters=False, sign=sign)

    def _pick(
        self, among: Sequence[str], verdicts: Sequence[Verdict], *, enters: bool, sign: float
    ) -> str | None:
        chosen, chosen_sum, why = None, 0.0, ""
        for X, verdict in zip(among, verdicts, strict=True):
            info, push = evidence_of(verdict), sign * self.push(X, verdict)
            in_ = info > raised(self.t) if push == 0 else info + push - self.t > TOLERANCE
            if push and self.ask.recording:
                self.ask.note(self._words(X, info, push, in_, enters))
            if in_ is not enters:
                continue
            a, b = (info + push, 0.0), (chosen_sum, 0.0)
            if chosen is None or (better(a, b) if enters else better(b, a)):
                chosen, chosen_sum, why = X, info + push, self._sum(info, push)
        if chosen is not None:
            degree = "largest" if enters else "smallest"
            compared = f"{'above' if enters else 'not above'} t = {self.t:.4g}"
            self.ask.choose(chosen, len(among), f"the {degree} {why}, {compared} nats")
        return chosen

    def push(self, X: str, verdict: Verdict) -> float:
        """Return αd·w/N, what the prior adds to the evidence for X."""
        w = self.weights.get(X, 0.0)
        if w == 0:
            return 0.0
        N = self.n if self.n is not None else verdict.n
        require(
            N is not None and N > 0,
            f"n={N!r}: a prior is weighed against N rows, and this judge's verdicts rest on none; pass n=…",
        )
        alpha_s = self.t * (N or 1)
        alpha = min(self.alpha_d, alpha_s) if self.bound else self.alpha_d
        if alpha < self.alpha_d and not self.told:
            self.told = True
            self.ask.note(
                f"The bound αd ≤ αs = t·N takes effect: αd falls from {self.alpha_d:.4g} to {alpha:.4g} nats."
            )
        return alpha * w / (N or 1)

    def _sum(self, info: float, push: float) -> str:
        if push == 0:
            return f"evidence, {info:.4g}"
        return (
            f"sum, evidence {info:.4g} {'+' if push > 0 else '−'} prior {abs(push):.4g} = {info + push:.4g}"
        )

    def _words(self, X: str, info: float, push: float, in_: bool, enters: bool) -> str:
        verb = ("may enter" if in_ else "may not enter") if enters else ("stays" if in_ else "has to go")
        words = (
            f"{X}: evidence {info:.4g}, and the prior pushes by {push:+.4g} to {info + push:.4g} nats, "
            f"against t = {self.t:.4g}: it {verb}."
        )
        return words + (" Without the prior it would be the other way." if in_ is not (info > self.t) else "")


def evidence_of(verdict: Verdict) -> float:
    """Return the mutual information that a verdict states, in nats."""
    if verdict.strength is not None:
        return verdict.strength
    return 0.0 if verdict.independent else math.inf

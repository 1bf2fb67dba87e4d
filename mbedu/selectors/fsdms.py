"""FSDMS: rank features by how much they widen the margin between the chosen and the remaining ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

from mbedu.ask import Ask
from mbedu.registry import algorithm
from mbedu.selectors.checks import number, one_of
from mbedu.selectors.neighbours import measure
from mbedu.selectors.ranking import Ranking, Top, check_top, first_of
from mbedu.selectors.source import look
from mbedu.selectors.strong_relevant import strong_relevant
from mbedu.selectors.weak_nonredundant import weak_nonredundant

Dependency = Callable[[Iterable[str]], Fraction]
TIES = ("printed", "dependency", "lookahead")


@algorithm(
    "fsdms",
    title="FSDMS",
    paper="liu2015",
    place="Algorithm 3 (with Algorithms 1 and 2)",
    kind="selector",
    assumes=("Decomposition", "Weak Union", "a target that the features determine"),
    returns="the features in sequence, up to the first that determine what all of them determine",
    notebook="09_relevance",
    verified="equal to a plain transcription of Algorithms 1 to 3 on generated joints; CorrAL",
    pseudocode="""
     1  P ← ∅
     2  Q ← A1
     3  while Q ≠ ∅ do
     4      for each a in Q − P do
     5          a* = arg max_a [E(P ∪ {a}) − E(P)]
     6      end
     7      P ← P ∪ {a*}
     8      Q ← Q − {a*}
     9  end
    10  Q ← B2
    11  while Q ≠ ∅ do
    12      for each a in Q ∪ A1 − P do
    13          a* = arg max_a [E(P ∪ {a}) − E(P)]
    14      end
    15      P ← P ∪ {a*}
    16      Q ← Q − {a*}
    17  end
    18  Q ← C3
    19  while Q ≠ ∅ do
    20      for each a in Q ∪ A1 ∪ B2 − P do
    21          a* = arg max_a [E(P ∪ {a}) − E(P)]
    22          if there are multiple equal maximal a_i (i > 1) then
    23              a* = arg max_{a_i} D(P ∪ {a_i})
    24          end
    25      end
    26      P ← P ∪ {a*}
    27      Q ← Q − {a*}
    28  end""",
)
def fsdms(
    ask: Ask, T: str, *, alpha: float = 1.0, top: Top = None, tie: str = "printed", theta: float = 0.14
) -> Ranking:
    """Return features in sequence: strongly relevant ones, then non-redundant ones, then the rest.

    Parameters
    ----------
    ask, T
        The door to what carries the data, and the label (Y in the paper).
    alpha : float
        The weight α ≥ 0 of the remaining features in E(X) = D(X) − α·D(F − X).
    top : int, "all" or None
        How much of the sequence to return. The paper leaves it to the user or to a wrapper (`wfsdms`);
        None returns the shortest beginning P with D(P) = D(F). `.ranking` of the answer is always whole.
    tie : {"printed", "dependency", "lookahead"}
        What decides between equal gains. "printed": in the third loop the larger D(P ∪ {a}), as
        line 23 says; in the first two, where nothing is said, the order of the variables.
        "dependency": line 23 in all loops. "lookahead": then, in all loops, the larger D that P ∪ {a}
        reaches with the best second feature. Whatever is equal after that goes by the order of the variables.
    theta : float
        The radius θ of a neighbourhood, used only where a feature is numeric.

    Notes
    -----
    Symbols: F all features, A1 the strongly relevant ones (Algorithm 1), B2 the non-redundant ones
    (Algorithm 2), C3 the others, P the sequence so far, Q what is left of the present set, D the
    dependency, E the dependency margin. The gain is written as equation (1) has it: what P wins plus
    α times what the remaining features lose.

    With exact copies of features nothing is strongly relevant, and where no feature determines anything alone
    the first gains are all zero: the printed rule then takes whatever column comes first, relevant or
    not. "lookahead" cures that where two features together determine something.

    Copies do more harm where the data do not run out: once one of two copies is in P, taking the other from
    the remaining features costs them all that the two knew, and line 21 counts this loss as a
    gain. In the exact distribution of CorrAL-47 the second feature is therefore A0_0, the copy of A0, at the
    printed α = 1 and whatever the tie rule; a smaller α (there, below 2/3) avoids it. On 1,024 rows of
    47 columns nearly every row is a cell of its own, D(F − X) stays at 1, and it does not show.

    Examples
    --------
    >>> import mbedu as mb
    >>> either = {(c, a, b, a | b): 1 for a in (0, 1) for b in (0, 1) for c in (0, 1)}
    >>> run = mb.run("fsdms", mb.ExactJoint(either, variables=["c", "a", "b", "y"]), "y")
    >>> run.answer, run.answer.ranking
    (('a', 'b'), ('a', 'b', 'c'))
    """
    number("alpha", alpha, at_least=0)
    number("theta", theta, above=0)
    one_of("tie", tie, TIES)
    check_top(top)
    F = ask.others(T)
    using = measure(look(ask, T, "fsdms", support=True), T, F, theta)
    pick = Picker(ask, using.dependency, F, Fraction(alpha), tie)
    A1 = strong_relevant(ask, T, theta=theta, using=using)
    B2 = weak_nonredundant(ask, T, A1=A1, theta=theta, using=using)
    C3 = ask.set("C3", ask.others(T, A1, B2))
    P, sequence = ask.set("P"), pick.sequence  # [1]
    Q = ask.set("Q", A1)  # [2]
    with ask.phase("strongly relevant"):
        while Q:  # [3]
            gains = pick.gains(Q - P.frozen())  # [4-5]
            best = pick.best(gains, tie != "printed")  # [6]
            P |= best  # [7]
            Q -= best  # [8-9]
    Q.replace(B2)  # [10]
    with ask.phase("non-redundant"):
        while Q:  # [11]
            gains = pick.gains((Q | A1) - P.frozen())  # [12-13]
            best = pick.best(gains, tie != "printed")  # [14]
            P |= best  # [15]
            Q -= best  # [16-17]
    Q.replace(C3)  # [18]
    with ask.phase("the rest"):
        while Q:  # [19]
            gains = pick.gains((Q | A1 | B2.frozen()) - P.frozen())  # [20-21]
            best = pick.best(gains, True)  # [22-25]
            P |= best  # [26]
            Q -= best  # [27-28]
    kept = pick.enough() if top is None else first_of(sequence, top)
    return Ranking(kept, ranking=sequence)


class Picker:
    """The arg max of the loops: gains by equation (1), ties by the named rule; it keeps the sequence."""

    def __init__(self, ask: Ask, D: Dependency, F: Sequence[str], alpha: Fraction, tie: str) -> None:
        self.ask, self.D, self.F, self.alpha, self.tie = ask, D, F, alpha, tie
        self.sequence: list[str] = []

    def gains(self, candidates: frozenset[str]) -> dict[str, Fraction]:
        """Return the gain of each candidate, in the order of the variables."""
        P = frozenset(self.sequence)
        return {a: self._gain(P, a) for a in self.ask.ordered(candidates)}

    def best(self, gains: dict[str, Fraction], by_dependency: bool) -> str:
        """Return the candidate with the largest gain and put it at the end of the sequence."""
        P = frozenset(self.sequence)
        most = max(gains.values())
        best = [a for a in gains if gains[a] == most]
        tied = len(best)
        if len(best) > 1 and by_dependency:
            best = _largest(best, lambda a: self.D(P | {a}))
        # where P ∪ {a} already determines all that can be, no second feature adds to it (Theorem 2)
        if len(best) > 1 and self.tie == "lookahead" and self.D(P | {best[0]}) < self.D(self.F):
            best = _largest(best, lambda a: max(self.D(P | {a, b}) for b in self.F))
        self._tell(best, gains, tied)
        self.sequence.append(best[0])
        return best[0]

    def _gain(self, P: frozenset[str], a: str) -> Fraction:
        D, rest = self.D, frozenset(self.F) - P
        won, lost = D(P | {a}) - D(P), D(rest) - D(rest - {a})
        gain = won + self.alpha * lost
        if self.ask.recording:
            self.ask.score(a, "G", float(gain), f"P wins {won}, the rest loses {lost}")
        return gain

    def _tell(self, best: Sequence[str], gains: dict[str, Fraction], tied: int) -> None:
        why = f"the largest gain, {float(gains[best[0]]):.6g}"
        if tied > 1:
            rule = "the tie rule decides" if len(best) == 1 else "the order of the variables decides"
            why += f", which {tied} have; {rule}"
        self.ask.choose(best[0], len(gains), why)

    def enough(self) -> tuple[str, ...]:
        """Return the shortest beginning of the sequence that determines as much as all features do."""
        goal = self.D(self.F)
        for k in range(len(self.sequence) + 1):
            if self.D(self.sequence[:k]) == goal:
                return tuple(self.sequence[:k])
        return tuple(self.sequence)


def _largest(items: Sequence[str], key: Callable[[str], Fraction]) -> list[str]:
    values = [key(a) for a in items]
    top = max(values)
    return [a for a, value in zip(items, values, strict=True) if value == top]

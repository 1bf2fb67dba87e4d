"""A Bayesian network over finite variables, as an exact value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from heapq import heapify, heappop, heappush
from html import escape
from math import prod
from typing import TYPE_CHECKING, Any

from mbedu.errors import unknown
from mbedu.networks.checks import checked_parents, checked_states, one_cycle
from mbedu.networks.tables import NetworkError, Table, table
from mbedu.query import Vars, names

if TYPE_CHECKING:
    import networkx as nx
    import numpy as np
    import numpy.typing as npt
    import pandas as pd

__all__ = ["Network"]


class Network:
    """A directed acyclic graph with a table of exact probabilities at every variable.

    It is a value: nothing in it can be changed, and two networks are equal when they have the same
    variables, states and parents, in the same order, and the same probabilities, whatever their names.

    Parameters
    ----------
    name : str
        What to call it.
    states : mapping of str to sequence of str
        The states of each variable. The order of the mapping is the order of the variables.
    parents : mapping of str to sequence of str
        The parents of each variable that has some.
    cpts : mapping of str to nested sequences
        For each variable one level of nesting a parent, in their order, then a row over its own
        states. A row of integers holds weights. A row with Fractions, Decimals or decimal text holds
        probabilities: it must sum to 1 within 0.01 and is divided by its sum, exactly. Floats are
        refused, because 0.1 is not a tenth.
    source : str
        Where it comes from.

    Attributes
    ----------
    name, source : str
    variables : tuple of str
        In the order of declaration, which breaks ties everywhere.

    Examples
    --------
    >>> rain = Network(
    ...     "rain",
    ...     {"rain": ["no", "yes"], "wet": ["no", "yes"]},
    ...     parents={"wet": ["rain"]},
    ...     cpts={"rain": ["0.8", "0.2"], "wet": [["0.9", "0.1"], [0, 1]]},
    ... )
    >>> rain
    Network('rain': 2 variables, 1 edge, 3 parameters)
    >>> rain.boundary("rain")
    frozenset({'wet'})
    >>> rain.exact_cpt("wet").tolist()
    [[9, 1], [0, 10]]
    """

    name: str
    source: str
    variables: tuple[str, ...]

    def __init__(
        self,
        name: str,
        states: Mapping[str, Sequence[str]],
        *,
        cpts: Mapping[str, Any],
        parents: Mapping[str, Sequence[str]] | None = None,
        source: str = "",
    ) -> None:
        known = checked_states(name, states)
        edges = checked_parents(parents or {}, known)
        for variable in cpts:
            if variable not in known:
                raise unknown("variable", variable, known, hint="cpts has a table for it")
        if missing := [v for v in known if v not in cpts]:
            raise NetworkError(f"network {name!r}: no table for {missing}; cpts needs one for every variable")
        tables = {v: table(cpts[v], v, parents=edges[v], states=known) for v in known}
        self._set(name, known, edges, tables, source)
        _ = self.topological  # finds a cycle now rather than at the first use

    def _set(
        self,
        name: str,
        states: dict[str, tuple[str, ...]],
        parents: dict[str, tuple[str, ...]],
        tables: dict[str, Table],
        source: str,
    ) -> None:
        self.__dict__.update(
            name=name,
            source=source,
            variables=tuple(states),
            _states=states,
            _parents=parents,
            _tables=tables,
        )

    @classmethod
    def trusted(
        cls,
        name: str,
        states: dict[str, tuple[str, ...]],
        *,
        parents: dict[str, tuple[str, ...]],
        tables: dict[str, Table],
        source: str,
    ) -> Network:
        """Build without checking: for parts that were checked before, such as the shipped files."""
        network = object.__new__(cls)
        network._set(name, states, parents, tables, source)
        return network

    @classmethod
    def from_pgmpy(cls, model: Any, *, name: str | None = None) -> Network:
        """Read a pgmpy DiscreteBayesianNetwork; each float becomes the decimal number that it prints as."""
        from mbedu.networks.files import from_pgmpy

        return from_pgmpy(model, name=name)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(
            f"a Network is a value and cannot be changed; build a new one ({name}={value!r})"
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Network):
            return NotImplemented
        if self is other:
            return True
        return (
            list(self._states.items()) == list(other._states.items())  # dicts alone ignore the order
            and self._parents == other._parents
            and self._tables == other._tables
        )

    def __hash__(self) -> int:
        return hash((self.variables, self.edges))

    # ---- structure ----

    def _known(self, variable: str) -> str:
        if variable not in self._states:
            raise unknown(
                "variable", variable, self.variables, hint=f"They are the variables of {self.name!r}"
            )
        return variable

    def states(self, variable: str) -> tuple[str, ...]:
        """Return the names of the states of `variable`, in order."""
        return self._states[self._known(variable)]

    def parents(self, variable: str) -> tuple[str, ...]:
        """Return the parents of `variable`, in the order of the axes of its table."""
        return self._parents[self._known(variable)]

    def children(self, variable: str) -> tuple[str, ...]:
        """Return the children of `variable`, in variable order."""
        return self._children[self._known(variable)]

    @cached_property
    def _children(self) -> dict[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {v: [] for v in self.variables}
        for parent, child in self.edges:
            found[parent].append(child)
        return {v: tuple(children) for v, children in found.items()}

    @cached_property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """Every (parent, child), by child in variable order, then by parent in the child's own order."""
        return tuple((p, v) for v in self.variables for p in self._parents[v])

    @cached_property
    def topological(self) -> tuple[str, ...]:
        """The variables with parents before children; among the possible ones the first in variable order."""
        position = {v: i for i, v in enumerate(self.variables)}
        waiting = {v: len(self._parents[v]) for v in self.variables}
        ready = [position[v] for v in self.variables if not waiting[v]]
        heapify(ready)
        order: list[str] = []
        while ready:
            variable = self.variables[heappop(ready)]
            order.append(variable)
            for child in self._children[variable]:
                waiting[child] -= 1
                if not waiting[child]:
                    heappush(ready, position[child])
        if len(order) < len(self.variables):
            raise NetworkError(
                f"network {self.name!r} has a cycle: {' → '.join(one_cycle(self._parents, order))}"
            )
        return tuple(order)

    @cached_property
    def dag(self) -> nx.DiGraph[str]:
        """The graph as a networkx.DiGraph, frozen; `.copy()` gives one that can be changed."""
        import networkx as nx

        graph: nx.DiGraph[str] = nx.DiGraph(name=self.name)
        graph.add_nodes_from(self.variables)
        graph.add_edges_from(self.edges)
        nx.freeze(graph)
        return graph

    def boundary(self, target: str) -> frozenset[str]:
        """Return the parents, children and spouses of `target`.

        This is its Markov boundary by d-separation. The distribution itself may have a smaller one, or
        several, where the tables are deterministic or otherwise unfaithful.

        Examples
        --------
        >>> from mbedu.networks import load_network
        >>> sorted(load_network("asia").boundary("lung"))
        ['either', 'smoke', 'tub']
        """
        children = self.children(target)
        spouses = (p for child in children for p in self._parents[child])
        return frozenset((*self._parents[target], *children, *spouses)) - {target}

    def ancestral(self, variables: Vars) -> Network:
        """Return the network of `variables` and all their ancestors: exactly its own marginal distribution.

        Examples
        --------
        >>> from mbedu.networks import load_network
        >>> load_network("alarm").ancestral("CVP").variables
        ('CVP', 'HYPOVOLEMIA', 'LVEDVOLUME', 'LVFAILURE')
        """
        kept: set[str] = set()
        open_ = [self._known(v) for v in sorted(names(variables))]
        while open_:
            variable = open_.pop()
            if variable not in kept:
                kept.add(variable)
                open_ += self._parents[variable]
        ordered = [v for v in self.variables if v in kept]
        return Network.trusted(
            f"{self.name}, ancestors of {', '.join(sorted(names(variables)))}",
            {v: self._states[v] for v in ordered},
            parents={v: self._parents[v] for v in ordered},
            tables={v: self._tables[v] for v in ordered},
            source=self.source,
        )

    # ---- probabilities ----

    def table(self, variable: str) -> Table:
        """Return the table of `variable` as it is stored: integer weights, each row with its own sum."""
        return self._tables[self._known(variable)]

    def exact_cpt(self, variable: str) -> npt.NDArray[np.object_]:
        """Return P(variable | parents) as Python integers over one common denominator.

        The shape is (states of parent 1, …, states of the last parent, states of the variable). Every
        row, along the last axis, has the same sum D, the smallest possible; a probability is its entry
        over D. The product of such entries, one from each variable, is therefore an integer weight of
        a joint state, with no denominator to carry along, and Python integers do not overflow.

        Examples
        --------
        >>> from mbedu.networks import load_network
        >>> load_network("asia").exact_cpt("lung").tolist()
        [[10, 90], [1, 99]]
        """
        return self.table(variable).exact()

    def cpt(self, variable: str) -> pd.DataFrame:
        """Return P(variable | parents) to read: a row for each parent configuration, a column for each state.

        Examples
        --------
        >>> from mbedu.networks import load_network
        >>> load_network("asia").cpt("lung")  # doctest: +NORMALIZE_WHITESPACE
        lung    yes    no
        smoke
        yes    0.10  0.90
        no     0.01  0.99
        """
        import pandas as pd

        parents = self.parents(variable)
        index: pd.Index[Any] = pd.Index(["P"])
        if len(parents) == 1:
            index = pd.Index(self._states[parents[0]], name=parents[0])
        elif parents:
            index = pd.MultiIndex.from_product([self._states[p] for p in parents], names=parents)
        columns = pd.Index(self._states[variable], name=variable)
        return pd.DataFrame(self.table(variable).probabilities(), index=index, columns=columns)

    @property
    def n_parameters(self) -> int:
        """The number of free parameters: rows × (states − 1), summed over the tables."""
        return sum(prod(t.shape[:-1]) * (t.shape[-1] - 1) for t in self._tables.values())

    def sample(self, n: int, *, seed: int | np.random.Generator | np.random.SeedSequence) -> pd.DataFrame:
        """Draw `n` independent rows as a DataFrame of categoricals with all states declared.

        The same seed gives the same rows in every process, and a smaller sample is the beginning of a
        larger one, so that a learning curve grows one data set instead of comparing different ones.

        Parameters
        ----------
        n : int
            Number of rows.
        seed : int
            At least 0; or a numpy SeedSequence or Generator (which is advanced).

        Examples
        --------
        >>> from mbedu.networks import load_network
        >>> load_network("cancer").sample(3, seed=1)["Smoker"].cat.categories.tolist()
        ['True', 'False']
        """
        from mbedu.networks.sampling import sample

        return sample(self, n, seed=seed)

    def to_pgmpy(self) -> Any:
        """Return the network as a pgmpy DiscreteBayesianNetwork."""
        from mbedu.networks.files import to_pgmpy

        return to_pgmpy(self)

    # ---- display ----

    def _counts(self) -> str:
        counts = (
            (len(self.variables), "variable"),
            (len(self.edges), "edge"),
            (self.n_parameters, "parameter"),
        )
        return ", ".join(f"{n} {word}{'' if n == 1 else 's'}" for n, word in counts)

    def __repr__(self) -> str:
        return f"Network({self.name!r}: {self._counts()})"

    def _repr_html_(self) -> str:
        shown = self.variables[:60]
        body = "".join(
            f"<tr><td>{escape(v)}</td><td>{escape(', '.join(self._states[v]))}</td>"
            f"<td>{escape(', '.join(self._parents[v])) or '–'}</td></tr>"
            for v in shown
        )
        more = len(self.variables) - len(shown)
        return (
            f"<p><b>{escape(self.name)}</b>: {self._counts()}</p><table><thead><tr><th>variable</th>"
            f"<th>states</th><th>parents</th></tr></thead><tbody>{body}</tbody></table>"
            + (f"<p>and {more} more</p>" if more else "")
        )

    if TYPE_CHECKING:
        _states: dict[str, tuple[str, ...]]
        _parents: dict[str, tuple[str, ...]]
        _tables: dict[str, Table]

"""Networks from files and from pgmpy, and back. Everything here imports pgmpy, but only when called."""

from __future__ import annotations

import gzip
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mbedu.errors import MbeduError
from mbedu.networks.network import Network
from mbedu.networks.tables import NetworkError

if TYPE_CHECKING:
    import os

__all__ = ["from_pgmpy", "read_network", "to_pgmpy"]

READERS = {".bif": "BIFReader", ".xmlbif": "XMLBIFReader", ".xml": "XMLBIFReader", ".net": "NETReader"}


def read_network(path: str | os.PathLike[str]) -> Network:
    """Read a network from a BIF, XMLBIF (.xmlbif, .xml) or HUGIN NET file, plain or gzipped, through pgmpy.

    The order of the variables is that of the file. A number is taken as the decimal text that its
    float prints as, so 0.1 is a tenth; a row that does not sum to exactly 1 is divided by its sum, and
    one that is further than 0.01 from 1 is an error.

    Parameters
    ----------
    path : str or path
        The file; its suffix says which format it is in.
    """
    file = Path(path)
    if not file.is_file():
        raise NetworkError(f"no file {str(file)!r}; read_network takes the path of a {_formats()} file")
    suffix = Path(file.name.removesuffix(".gz")).suffix.lower()
    if suffix not in READERS:
        raise NetworkError(f"{file.name!r}: unknown suffix {suffix!r}; rename or convert it: {_formats()}")
    name = file.name.removesuffix(".gz").rsplit(".", 1)[0]
    model = _model(file, suffix)
    try:
        return from_pgmpy(model, name=name, source=file.name)
    except MbeduError as error:
        raise NetworkError(f"{file.name!r}: {error}") from error


def _formats() -> str:
    return ", ".join(READERS)


def _model(file: Path, suffix: str) -> Any:
    import pgmpy.readwrite

    try:
        text = _text(file)
        reader = getattr(pgmpy.readwrite, READERS[suffix])(string=text)
        model = reader.get_model()
    except Exception as error:  # a broken file makes the readers raise nearly anything
        raise NetworkError(
            f"{file.name!r} cannot be read as {suffix}: {type(error).__name__}: {error}; "
            "check that the file is whole and in the format that its suffix says"
        ) from error
    if not model.nodes:
        raise NetworkError(f"{file.name!r}: no variables found; is it a {suffix} file?")
    return model


def _text(file: Path) -> str:
    content = file.read_bytes()
    if file.name.endswith(".gz"):
        content = gzip.decompress(content)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("latin-1")  # old files; every byte is a character there
    # the BIF reader ends a block at "}\n" and would lose the last one, or all of a Windows file
    return text.replace("\r\n", "\n").replace("\r", "\n") + "\n"


def from_pgmpy(model: Any, *, name: str | None = None, source: str = "pgmpy") -> Network:
    """Read a pgmpy DiscreteBayesianNetwork; see `Network.from_pgmpy`."""
    states: dict[str, list[str]] = {}
    parents: dict[str, list[str]] = {}
    cpts: dict[str, Any] = {}
    for variable in model.nodes:
        if not isinstance(variable, str):
            raise NetworkError(
                f"node {variable!r} is not a string; rename the nodes first, as in '{variable}'"
            )
        cpd = model.get_cpds(variable)
        if cpd is None:
            raise NetworkError(f"{variable!r} has no table; every variable needs one")
        states[variable] = [str(state) for state in cpd.state_names[variable]]
        parents[variable] = list(cpd.variables[1:])
        if sorted(model.predecessors(variable)) != sorted(parents[variable]):
            raise NetworkError(
                f"{variable!r}: its table is given {parents[variable]}, the graph gives it the parents "
                f"{sorted(model.predecessors(variable))}; they must agree"
            )
        cpts[variable] = cpd
    for variable, cpd in cpts.items():
        _check_states(variable, cpd, states)
    return Network(
        name or getattr(model, "name", "") or "unnamed",
        states,
        parents=parents,
        cpts={v: _exact(cpd) for v, cpd in cpts.items()},
        source=source,
    )


def _check_states(variable: str, cpd: Any, states: dict[str, list[str]]) -> None:
    for parent in cpd.variables[1:]:
        seen = [str(state) for state in cpd.state_names[parent]]
        if seen != states[parent]:
            raise NetworkError(
                f"the table of {variable!r} has {seen} for {parent!r}, whose own states are "
                f"{states[parent]}; they must agree, in order"
            )


def _exact(cpd: Any) -> Any:
    """Return the table with the variable's axis last, each float as the decimal number it prints as."""
    import numpy as np

    values = np.moveaxis(np.asarray(cpd.values, dtype=float), 0, -1)
    if not np.isfinite(values).all():
        raise NetworkError(f"the table of {cpd.variable!r} holds values that are not numbers; correct it")
    return _fractions(values.tolist(), {})


def _fractions(nested: Any, seen: dict[float, Fraction]) -> Any:
    if isinstance(nested, list):
        return [_fractions(part, seen) for part in nested]
    if nested not in seen:  # tables repeat their numbers, and a Fraction from text is slow
        seen[nested] = Fraction(repr(nested))
    return seen[nested]


def to_pgmpy(network: Network) -> Any:
    """Return the network as a pgmpy DiscreteBayesianNetwork; see `Network.to_pgmpy`."""
    from pgmpy.factors.discrete import TabularCPD
    from pgmpy.models import DiscreteBayesianNetwork

    model = DiscreteBayesianNetwork()
    model.add_nodes_from(network.variables)
    model.add_edges_from(network.edges)
    model.name = network.name
    for variable in network.variables:
        parents = network.parents(variable)
        cpd = TabularCPD(
            variable,
            len(network.states(variable)),
            network.table(variable).probabilities().T,
            evidence=list(parents) or None,
            evidence_card=[len(network.states(p)) for p in parents] or None,
            state_names={v: list(network.states(v)) for v in (variable, *parents)},
        )
        model.add_cpds(cpd)
    return model

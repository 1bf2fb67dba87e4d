"""The networks that come with mbedu."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path

from mbedu.errors import unknown
from mbedu.networks.network import Network
from mbedu.networks.tables import NetworkError, Table

__all__ = ["data_path", "load_network", "network_names"]

FORMAT = 1
SUFFIX = ".json.gz"


@cache
def data_path() -> Path:
    """Return the folder `datasets`: beside the package in a checkout, inside it when installed."""
    package = Path(__file__).resolve().parents[1]
    # inside first: the folder beside an installed package belongs to whoever calls himself "datasets"
    for folder in (package / "datasets", package.parent / "datasets"):
        if (folder / "networks").is_dir():
            return folder
    raise NetworkError(
        f"no folder datasets/networks in or beside {package}; the installation is incomplete: "
        "install mbedu again, or work in a full checkout"
    )


@cache
def network_names() -> tuple[str, ...]:
    """Return the names that `load_network` knows, sorted.

    Examples
    --------
    >>> "asia" in network_names()
    True
    """
    folder = data_path() / "networks"
    return tuple(sorted(path.name.removesuffix(SUFFIX) for path in folder.glob(f"*{SUFFIX}")))


@cache
def load_network(name: str) -> Network:
    """Return one of the networks that come with mbedu; `network_names()` lists them.

    The tables hold the decimal numbers of the published file, exactly. A row that does not sum to
    exactly 1 there is divided by its sum, exactly; `datasets/README.md` counts such rows.

    Examples
    --------
    >>> load_network("asia")
    Network('asia': 8 variables, 8 edges, 18 parameters)
    >>> load_network("asai")
    Traceback (most recent call last):
        ...
    mbedu.errors.UnknownName: unknown network 'asai'; did you mean 'asia'? Known: ...
    """
    if name not in network_names():
        raise unknown("network", name, network_names(), hint="read_network(path) reads a file of your own")
    content = json.loads(gzip.decompress((data_path() / "networks" / f"{name}{SUFFIX}").read_bytes()))
    if content["format"] != FORMAT:
        raise NetworkError(
            f"network {name!r}: format {content['format']!r} is not {FORMAT}; install mbedu again"
        )
    entries = content["variables"]
    states = {entry["name"]: tuple(entry["states"]) for entry in entries}
    parents = {entry["name"]: tuple(entry["parents"]) for entry in entries}
    tables = {
        v: Table((*(len(states[p]) for p in parents[v]), len(states[v])), entry["weights"])
        for v, entry in zip(states, entries, strict=True)
    }
    origin = content["source"]
    return Network.trusted(
        name, states, parents=parents, tables=tables, source=f"{origin['package']}, {origin['file']}"
    )

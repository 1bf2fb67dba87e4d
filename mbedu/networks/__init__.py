"""Known networks: those that come with mbedu, those of a file, and your own."""

from __future__ import annotations

from mbedu.networks.files import read_network
from mbedu.networks.network import Network
from mbedu.networks.shipped import data_path, load_network, network_names
from mbedu.networks.tables import NetworkError, Table

__all__ = [
    "Network",
    "NetworkError",
    "Table",
    "data_path",
    "load_network",
    "network_names",
    "read_network",
]

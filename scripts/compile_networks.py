"""Compile the networks of datasets/networks from the BIF files inside the pgmpy package.

    python scripts/compile_networks.py                  # from the installed pgmpy
    python scripts/compile_networks.py --source X.whl   # from a pgmpy wheel, or a folder of *.bif(.gz)
    python scripts/compile_networks.py --check          # write nothing; fail if anything would change

The parser is strict and keeps the decimal text: a number such as 0.05 becomes the integer 5 over the
power of ten that the whole table shares. The same source gives the same files, byte for byte. The table of
provenance in datasets/README.md is written by this script too.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import importlib.metadata
import importlib.util
import json
import math
import re
import sys
import zipfile
from collections.abc import Callable
from decimal import Decimal
from itertools import product
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FORMAT = 1
DIGITS = 15  # with at most 15 decimals every weight is exact as a float64, too
INSIDE = "pgmpy/utils/example_models"
BEGIN, END = "<!-- compiled: begin -->", "<!-- compiled: end -->"

NAMES = (
    "alarm", "andes", "asia", "barley", "cancer", "child", "earthquake", "hailfinder", "hepar2", "insurance",
    "link", "mildew", "munin1", "pigs", "sachs", "survey", "water", "win95pts",
)  # fmt: skip

VARIABLE = re.compile(r"variable (\S+) \{\n  type discrete \[ (\d+) \] \{ (.+) \};\n\}\n")
PROBABILITY = re.compile(r"probability \( (\S+)(?: \| (.+))? \) \{\n((?:  .+;\n)+)\}\n")
ROW = re.compile(r"  (?:table|\((.+)\)) ([^();]+);")


def source(path: str | None) -> tuple[str, Callable[[str], bytes]]:
    """Return what the source is called and a function that reads NAME.bif from it."""
    if path is None:
        spec = importlib.util.find_spec("pgmpy")
        if spec is None or spec.origin is None:
            sys.exit("pgmpy is not installed; install it or pass --source WHEEL_OR_FOLDER")
        folder = Path(spec.origin).parents[1] / INSIDE
        return f"pgmpy {importlib.metadata.version('pgmpy')}", lambda name: _from_folder(folder, name)
    place = Path(path)
    if place.suffix == ".whl":
        wheel = zipfile.ZipFile(place)
        return f"pgmpy {place.name.split('-')[1]}", lambda name: wheel.read(f"{INSIDE}/{name}.bif.gz")
    return f"folder {place.name}", lambda name: _from_folder(place, name)


def _from_folder(folder: Path, name: str) -> bytes:
    packed = folder / f"{name}.bif.gz"
    return packed.read_bytes() if packed.exists() else (folder / f"{name}.bif").read_bytes()


def parse(text: str) -> list[dict[str, Any]]:
    """Read a BIF file in the layout of the bnlearn repository; anything not understood is an error."""
    head = "network unknown {\n}\n"
    rest = PROBABILITY.sub("", VARIABLE.sub("", text.removeprefix(head)))
    if not text.startswith(head) or rest.strip():
        raise ValueError(f"not understood: {rest.strip()[:200]!r}")
    states = {name: values.split(", ") for name, size, values in VARIABLE.findall(text)}
    for name, size, _ in VARIABLE.findall(text):
        if len(states[name]) != int(size) or len(set(states[name])) != int(size):
            raise ValueError(f"{name}: {size} states declared, {states[name]} listed")
    tables = {}
    for name, given, rows in PROBABILITY.findall(text):
        if name in tables:
            raise ValueError(f"{name} has two tables")
        tables[name] = _table(name, given.split(", ") if given else [], rows, states)
    return [{"name": name, "states": states[name]} | tables[name] for name in states]


def _table(name: str, parents: list[str], rows: str, states: dict[str, list[str]]) -> dict[str, Any]:
    found: dict[tuple[str, ...], list[Decimal]] = {}
    for line in rows.splitlines():
        match = ROW.fullmatch(line)
        if match is None:
            raise ValueError(f"{name}: row not understood: {line!r}")
        key = tuple(match[1].split(", ")) if match[1] else ()
        numbers = [Decimal(number) for number in match[2].split(", ")]
        if key in found or len(numbers) != len(states[name]) or min(numbers) < 0 or not sum(numbers):
            raise ValueError(f"{name}: row given twice, of the wrong length, negative or zero: {line!r}")
        found[key] = numbers
    keys = list(product(*(states[parent] for parent in parents)))
    if set(keys) != set(found):
        raise ValueError(f"{name}: the rows are not those of the parents {parents}")
    decimals = max(0, *(-int(n.as_tuple().exponent) for row in found.values() for n in row))
    if decimals > DIGITS:
        raise ValueError(f"{name}: {decimals} decimals; at most {DIGITS} are kept")
    weights = [int(n.scaleb(decimals)) for key in keys for n in found[key]]
    return {"parents": parents, "decimals": decimals, "weights": " ".join(map(str, weights))}


def off_one(entry: dict[str, Any]) -> list[int]:
    """Return how far each row's sum is from 1, in units of the last decimal, where it is not 1."""
    weights, size = [int(w) for w in entry["weights"].split()], len(entry["states"])
    sums = (sum(weights[i : i + size]) for i in range(0, len(weights), size))
    return [total - 10 ** entry["decimals"] for total in sums if total != 10 ** entry["decimals"]]


def compiled(name: str, raw: bytes, package: str) -> dict[str, Any]:
    """Return the content of the compiled file of `name`."""
    packed = raw[:2] == b"\x1f\x8b"
    variables = parse((gzip.decompress(raw) if packed else raw).decode("utf-8"))
    rows = sum(len(entry["weights"].split()) // len(entry["states"]) for entry in variables)
    return {
        "format": FORMAT,
        "name": name,
        "source": {
            "package": package,
            "file": f"{INSIDE}/{name}.bif{'.gz' if packed else ''}",
            "sha256": hashlib.sha256(raw).hexdigest(),
            "licence": "MIT (pgmpy); first published in the bnlearn Bayesian network repository",
            "rows": rows,
            "rows_not_summing_to_1": sum(len(off_one(entry)) for entry in variables),
        },
        "variables": variables,
    }


def packed(content: dict[str, Any]) -> bytes:
    """Return `content` as gzipped JSON without a time stamp, one variable a line."""
    head = {key: value for key, value in content.items() if key != "variables"}
    dump = lambda value: json.dumps(value, ensure_ascii=False, separators=(",", ":"))  # noqa: E731
    lines = ",\n".join(map(dump, content["variables"]))
    text = f'{dump(head)[:-1]},\n"variables":[\n{lines}\n]}}\n'
    return gzip.compress(text.encode("utf-8"), compresslevel=9, mtime=0)


def provenance(contents: list[dict[str, Any]]) -> str:
    """Return the table for datasets/README.md."""
    head = (
        "| network | variables | edges | free parameters | rows | rows not summing to 1 | furthest from 1 "
        "| source | sha256 of the source |"
    )
    lines = [head, "|---|--:|--:|--:|--:|--:|--:|---|---|"]
    for content in contents:
        entries, origin = content["variables"], content["source"]
        size = {entry["name"]: len(entry["states"]) for entry in entries}
        edges = sum(len(entry["parents"]) for entry in entries)
        free = sum(math.prod(map(size.get, e["parents"])) * (size[e["name"]] - 1) for e in entries)
        worst = max((Decimal(abs(d)).scaleb(-e["decimals"]) for e in entries for d in off_one(e)), default=0)
        lines.append(
            f"| {content['name']} | {len(entries)} | {edges} | {free} | {origin['rows']} "
            f"| {origin['rows_not_summing_to_1']} | {float(worst):.1g} "
            f"| {origin['package']}, `{origin['file']}` | `{origin['sha256']}` |"
        )
    return "\n".join(lines)


def with_table(readme: str, table: str) -> str:
    """Return the README with the compiled table in its place."""
    before, _, rest = readme.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table}\n{END}{after}"


def main(arguments: list[str] | None = None) -> int:
    """Compile all networks, or check that they are up to date."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--source", help="a pgmpy wheel or a folder of BIF files; default: the installed pgmpy"
    )
    parser.add_argument("--out", type=Path, default=ROOT / "datasets", help="the folder datasets")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if anything would change")
    options = parser.parse_args(arguments)
    package, read = source(options.source)
    contents = [compiled(name, read(name), package) for name in NAMES]
    readme = options.out / "README.md"
    wanted = {options.out / "networks" / f"{c['name']}.json.gz": packed(c) for c in contents}
    stale = [
        path for path, data in wanted.items() if not path.exists() or _unpacked(path) != gzip.decompress(data)
    ]
    text = with_table(readme.read_text("utf-8") if readme.exists() else "", provenance(contents))
    if not readme.exists() or readme.read_text("utf-8") != text:
        stale.append(readme)
    if options.check:
        sys.stdout.write("".join(f"would change: {path}\n" for path in stale) or "up to date\n")
        return int(bool(stale))
    (options.out / "networks").mkdir(parents=True, exist_ok=True)
    for path, data in wanted.items():
        path.write_bytes(data)
    readme.write_text(text, "utf-8")
    sys.stdout.write(f"{len(wanted)} networks, {sum(map(len, wanted.values())):,} bytes, from {package}\n")
    return 0


def _unpacked(path: Path) -> bytes:
    # compared unpacked: another version of zlib may pack the same content into other bytes
    return gzip.decompress(path.read_bytes())


if __name__ == "__main__":
    sys.exit(main())

"""The command line: `mbedu algorithms`, `mbedu trace`, `mbedu verify`, `mbedu lab` and the rest."""

from __future__ import annotations

import argparse
import ast
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from mbedu.errors import MbeduError, unknown

__all__ = ["main"]

JUDGES = ("dsep", "joint", "g2", "chi2", "mi")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code; a refusal prints one line and gives 2."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if not hasattr(options, "command"):
        parser.print_help()
        return 0
    try:
        return int(options.command(options) or 0)
    except MbeduError as error:
        print(f"mbedu: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # | head
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        print("mbedu: interrupted", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="mbedu", description="A laboratory for Markov boundary discovery.")
    parser.add_argument("--version", action="version", version=_version())
    commands = parser.add_subparsers(title="commands", metavar="")

    def add(
        name: str, command: Callable[[argparse.Namespace], int | None], help: str
    ) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=help, description=help)
        added.set_defaults(command=command)
        return added

    lab = add("lab", _lab, "open the course in JupyterLab")
    lab.add_argument("notebook", nargs="?", default="00_start_here.ipynb", help="which notebook to open")
    lab.add_argument("--no-browser", action="store_true", help="only print the address")

    index = add("algorithms", _algorithms, "list every algorithm: paper, place, file, what it assumes")
    index.add_argument("--markdown", action="store_true", help="as a Markdown table (the README's index)")
    index.add_argument("key", nargs="?", help="show one of them, with its pseudo-code")

    trace = add("trace", _trace, "run an algorithm and print every step as a sentence")
    trace.add_argument("algorithm")
    trace.add_argument("--network", required=True, metavar="NAME|FILE", help="a shipped network, or a file")
    trace.add_argument("--target", required=True)
    trace.add_argument("--judge", choices=JUDGES, default="dsep", help="who answers (default: %(default)s)")
    trace.add_argument("-n", "--rows", type=int, default=1000, help="rows to sample, for a data test")
    trace.add_argument("--seed", type=int, default=0, help="for the sample")
    trace.add_argument("--html", metavar="FILE", help="write the player to a page instead")
    trace.add_argument("--json", metavar="FILE", help="write the trace as JSON instead")
    _add_params(trace)

    verify = add("verify", _verify, "try algorithms on all DAGs with n nodes")
    verify.add_argument("algorithm", nargs="*", help="registered names; all of them when none is named")
    verify.add_argument("--nodes", type=int, default=4)
    verify.add_argument("--up-to-isomorphism", action="store_true", help="one graph of each shape")
    verify.add_argument("--orders", default=None, help="given, reversed, both, all, or a number")
    verify.add_argument("--checkpoint", metavar="FILE", help="remember finished parts, to go on later")
    _add_params(verify)

    claims = add("claims", _claims, "check what the five papers claim, and print the ledger")
    claims.add_argument("paper", nargs="*", help="keys such as margaritis2009; all five when none is named")
    claims.add_argument("--full", action="store_true", help="try more; takes longer")
    claims.add_argument("--markdown", action="store_true", help="as Markdown (docs/claims.md)")
    claims.add_argument("--seed", type=int, default=0)

    again = add("reproduce", _reproduce, "compute a published table or figure again, beside what was printed")
    again.add_argument("name", nargs="+", help="names, or all, or list")
    again.add_argument(
        "--quick", action="store_true", help="minutes instead of the paper's protocol (default)"
    )
    again.add_argument("--full", action="store_true", help="the paper's protocol")
    again.add_argument("--data", metavar="DIR", help="the folder with the real data sets")
    again.add_argument(
        "--out", metavar="DIR", default="results", help="where to write (default: %(default)s)"
    )
    again.add_argument("--reading", help="how to read what the paper leaves open")
    again.add_argument("--seed", type=int, default=0)
    again.add_argument("--workers", type=int, help="how many processes")

    site = add("export", _export, "write the lessons as a static site that needs no network")
    site.add_argument("notebooks", nargs="?", help="the folder of the lessons (default: the course)")
    site.add_argument("site", nargs="?", default="site", help="where the pages go (default: %(default)s)")

    graded = add("assignments", _assignments, "write nbgrader assignments from the lessons")
    graded.add_argument("notebooks", nargs="?", help="the folder of the lessons (default: the course)")
    graded.add_argument(
        "folder", nargs="?", default="assignments", help="where they go (default: %(default)s)"
    )
    return parser


def _add_params(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-p",
        "--param",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a parameter of the algorithm",
    )


def _params(given: Sequence[str]) -> dict[str, Any]:
    """Read `m=2` and `order=plain` as Python values, the rest as text."""
    params: dict[str, Any] = {}
    for item in given:
        name, sign, value = item.partition("=")
        if not sign or not name:
            raise MbeduError(f"-p {item!r}: write a parameter as NAME=VALUE, for example -p m=2")
        try:
            params[name] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            params[name] = value
    return params


def _version() -> str:
    from importlib.metadata import version

    return f"mbedu {version('mbedu')}"


def _network(name: str) -> Any:
    from mbedu.networks import load_network, network_names, read_network

    if name in network_names():
        return load_network(name)
    if Path(name).suffix:
        return read_network(name)
    return load_network(name)  # raises, with suggestions


def _judge(options: argparse.Namespace, net: Any) -> Any:
    from mbedu import citests, oracles

    if options.judge == "dsep":
        return oracles.DSeparation(net)
    if options.judge == "joint":
        return oracles.ExactJoint(net)
    if options.rows < 1:
        raise MbeduError(f"--rows {options.rows}: a data test needs at least one row")
    data = net.sample(options.rows, seed=options.seed)
    test = {"g2": citests.G2, "chi2": citests.ChiSquare, "mi": citests.MutualInformation}[options.judge]
    return test(data)


def _trace(options: argparse.Namespace) -> None:
    from mbedu.running import run

    net = _network(options.network)
    if options.target not in net.variables:
        raise unknown(f"target in {net.name}", options.target, net.variables)
    judge = _judge(options, net)
    done = run(options.algorithm, judge, options.target, record=True, **_params(options.param))
    if done.trace is None:
        raise AssertionError  # record=True always gives one
    if options.html:
        done.trace.save(options.html)
        print(f"wrote {options.html}: {len(done.trace)} steps")
    elif options.json:
        Path(options.json).write_text(done.trace.to_json(), encoding="utf-8")
        print(f"wrote {options.json}: {len(done.trace)} steps")
    else:
        print(done.trace.transcript())
    if options.judge == "joint":
        print(_disagreement(net, options.target))


def _disagreement(net: Any, target: str) -> str:
    """Say in words where the exact distribution and the graph have different boundaries."""
    from mbedu.oracles import DSeparation, ExactJoint
    from mbedu.query import sentence_set
    from mbedu.theory.boundaries import boundaries

    graph, joint = DSeparation(net), ExactJoint(net)
    if len(net.variables) > 12:
        return ""
    exact = {v: boundaries(joint, v) for v in net.variables}
    differ = [v for v in net.variables if exact[v] != (graph.boundary(v),)]
    if not differ:
        return "The graph and the distribution have the same boundary for every variable."
    shown = " or ".join("{" + sentence_set(b) + "}" for b in exact[target])
    words = (
        f"The graph says {{{sentence_set(graph.boundary(target))}}}; "
        f"the Markov boundaries of the distribution are {shown}. "
    )
    return (
        words + f"They disagree for {len(differ)} of {len(net.variables)} targets ({', '.join(differ)}): the "
        "distribution has independencies that the graph does not show, as a deterministic variable makes."
    )


def _algorithms(options: argparse.Namespace) -> None:
    from mbedu.registry import all_algorithms, get_algorithm, papers

    if options.key:
        one = get_algorithm(options.key)
        print(f"{one.key}: {one.title}\n{papers[one.paper]} {one.place}.\n{one.file}")
        print(f"assumes: {', '.join(one.assumes) or 'nothing beyond the judge'}\nreturns: {one.returns}")
        if one.verified:
            print(f"verified: {one.verified}")
        params = ", ".join(f"{k}={v!r}" for k, v in one.params.items())
        print(f"parameters: {params or 'none'}\n\n{one.pseudocode}\n\n{one.__doc__ or ''}")
        return
    print(index_table(all_algorithms(), markdown=options.markdown))


def index_table(entries: Sequence[Any], *, markdown: bool = False) -> str:
    """Return the index: algorithm → paper and place → file → assumptions → notebook → verified how."""
    head = ("algorithm", "paper, place", "file", "assumes", "notebook", "verified")
    rows = [
        (
            f"`{a.key}` {a.title}",
            f"{a.paper}, {a.place}",
            f"[{a.file}]({a.file})" if markdown else a.file,
            ", ".join(a.assumes) or "–",
            a.notebook or "–",
            a.verified or "–",
        )
        for a in entries
    ]
    if markdown:
        lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
        return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])
    blocks = []
    for a, (_, place, file, assumes, notebook, verified) in zip(entries, rows, strict=True):
        blocks.append(f"{a.key}: {a.title}\n    {place}\n    {file}")
        known = (("assumes", assumes), ("notebook", notebook), ("verified", verified))
        blocks[-1] += "".join(f"\n    {word}: {value}" for word, value in known if value != "–")
    return "\n".join(blocks)


def _verify(options: argparse.Namespace) -> int:
    from mbedu.registry import all_algorithms
    from mbedu.verify.dags import all_dags
    from mbedu.verify.sweep import verify

    keys = options.algorithm or [a.key for a in all_algorithms() if a.kind == "independence"]
    if options.checkpoint and len(keys) > 1:
        raise MbeduError("--checkpoint belongs to one algorithm; name one")
    dags = all_dags(options.nodes, up_to="isomorphism" if options.up_to_isomorphism else "labels")
    orders = options.orders if options.orders is None or not options.orders.isdigit() else int(options.orders)
    wrong = 0
    for key in keys:
        try:
            report = verify(key, dags, orders=orders, checkpoint=options.checkpoint, **_params(options.param))
        except MbeduError as error:
            if options.algorithm:
                raise
            print(f"{key}: not tried: {error}")
            continue
        print(report, flush=True)
        wrong += report.wrong
    return 1 if wrong else 0


def _claims(options: argparse.Namespace) -> None:
    from mbedu.theory.claims import claims

    ledger = claims(options.full, options.paper or None, seed=options.seed)
    print(ledger.to_markdown() if options.markdown else ledger)


def _reproduce(options: argparse.Namespace) -> None:
    from mbedu.experiments import all_experiments, reproduce, reproduce_all

    if options.quick and options.full:
        raise MbeduError("--quick and --full: choose one")
    if options.name == ["list"]:
        for experiment in all_experiments():
            print(f"{experiment.name}: {experiment.title}")
        return
    common = {key: getattr(options, key) for key in ("full", "data", "seed", "out", "workers")}
    everything = options.name == ["all"]
    if everything or len(options.name) > 1:
        if options.reading:
            raise MbeduError("--reading belongs to one experiment; name one")
        for outcome in reproduce_all(None if everything else options.name, **common):
            print(outcome)
        print(f"The report is in {Path(options.out)}: report.html and report.md")
    else:
        print(reproduce(options.name[0], reading=options.reading, **common))


def _lab(options: argparse.Namespace) -> int:
    folder = _notebooks()
    notebook = folder / options.notebook
    if not notebook.exists():
        known = sorted(p.name for p in folder.glob("*.ipynb"))
        raise unknown("notebook", options.notebook, known)
    try:
        from jupyterlab.labapp import LabApp
    except ImportError:
        raise MbeduError("JupyterLab is not installed; install it with: pip install 'mbedu[lab]'") from None
    flags = [str(notebook), f"--notebook-dir={folder}"]
    if options.no_browser:
        flags.append("--no-browser")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        flags.append("--allow-root")
    LabApp.launch_instance(flags)
    return 0


def _export(options: argparse.Namespace) -> None:
    from mbedu.course.site import export

    pages = export(options.notebooks or _notebooks(), options.site)
    for page in pages:
        print(f"{page.size / 1e6:6.2f} MB  {Path(options.site) / page.file}  {page.title}")
    print(f"Open {Path(options.site) / 'index.html'} in a browser; no network is needed.")


def _assignments(options: argparse.Namespace) -> None:
    from mbedu.course.assignments import write_assignments

    for path in write_assignments(options.notebooks or _notebooks(), options.folder):
        print(path)


def _notebooks() -> Path:
    """Return the folder of the course: beside the package in a checkout, inside it in a wheel."""
    here = Path(__file__).resolve().parent
    for folder in (here / "notebooks", here.parent / "notebooks"):
        if folder.is_dir():
            return folder
    raise MbeduError("the notebooks are not installed beside mbedu; clone the project to get them")


if __name__ == "__main__":
    sys.exit(main())

"""Beyond the papers: every algorithm on every network, against the number of rows; which one to use when."""
# ruff: noqa: ARG001  # the functions of all experiments take the same arguments

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from mbedu.experiments.beyond_choice import advice, which_when
from mbedu.experiments.beyond_plots import draw, draw_times
from mbedu.experiments.framework import Experiment, Options, Params, seed_from
from mbedu.experiments.framework_tables import interval_at, intervals, select
from mbedu.experiments.framework_verdicts import Check, check_claim
from mbedu.experiments.stats import critical_difference, f1, missing_extra, wilcoxon

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["EXPERIMENTS"]

SMALL = (
    "asia", "cancer", "earthquake", "survey", "sachs", "child", "insurance", "water", "mildew", "alarm",
    "barley", "hailfinder", "hepar2", "win95pts",
)  # fmt: skip
LARGE = ("munin1", "andes", "pigs", "link")
ALGORITHMS: dict[str, tuple[str, dict[str, Any]]] = {
    "GS": ("gs", {}),
    "GS(2)": ("gs_m", {"m": 2}),
    "RGS(2)": ("rgs", {"m": 2, "k": 200}),
    "IAMB": ("iamb", {}),
    "Inter-IAMB": ("inter_iamb", {}),
    "Fast-IAMB": ("fast_iamb", {}),
    "IAMB-FDR": ("iamb_fdr", {}),
    "KIAMB": ("kiamb", {}),
    "MMMB": ("mmmb", {}),
    "MMMB corrected": ("mmmb_corrected", {}),
    "HITON-MB": ("hiton_mb", {}),
    "HITON-MB corrected": ("hiton_mb_corrected", {}),
    "PCMB": ("pcmb", {}),
    "MBOR": ("mbor", {}),
    "PPFS with G²": ("ppfs", {}),
    "Koller-Sahami": ("koller_sahami", {}),
}
SEEDED = ("rgs", "kiamb")
VALUES = ("f1", "missing", "extra", "asked", "largest")
GROUPS = ("up to 4", "over 4")


class Claim(NamedTuple):
    """What a paper says of two algorithms."""

    better: str
    worse: str
    value: str
    printed: str
    place: str


SAID = "demorais2008, section 3.3"
CLAIMS = (
    Claim("IAMB", "GS", "f1", "IAMB outperforms GS", "demorais2008, section 6"),
    Claim(
        "PCMB", "IAMB", "f1", "PCMB is more accurate than IAMB and its variants", "demorais2008, section 6"
    ),
    Claim("PCMB", "IAMB", "largest", "conditions on sets much smaller than those used by IAMB", SAID),
    Claim("MMMB", "IAMB", "largest", "conditions on sets much smaller than those used by IAMB", SAID),
    Claim("Fast-IAMB", "IAMB", "asked", "significantly fewer conditional tests compared to IAMB", SAID),
    Claim("MBOR", "PCMB", "missing", "AND yields too many false negatives", "demorais2008, section 4"),
    Claim("MBOR", "PCMB", "f1", "MBOR is better than PCMB", "demorais2008, section 6.1"),
    Claim("MBOR", "Inter-IAMB", "f1", "MBOR is better than InterIAMB", "demorais2008, section 6.1"),
)
READINGS = {
    "alpha-0.05": "G² at level 0.05, declared levels; fewer than 5 rows a degree of freedom: independent",
    "alpha-0.01": "the same at level 0.01",
}


def grid(options: Options) -> list[Params]:
    """List networks, sizes and data sets."""
    names = options.choose(SMALL, SMALL + LARGE)
    return [
        {
            "reading": options.reading,
            "network": name,
            "rows": rows,
            "data": data,
            "targets": options.choose(10, 25),
        }
        for name in names
        for rows in options.choose((200, 1000, 5000), (100, 200, 500, 1000, 2000, 5000, 10000))
        for data in range(options.choose(4, 10))
    ]


def cell(params: Params, seed: int) -> Params:
    """Learn the boundaries of some variables from one data set, with each algorithm."""
    import numpy as np

    from mbedu.citests.discrete import G2
    from mbedu.networks import load_network
    from mbedu.running import run

    net = load_network(params["network"])
    alpha = float(params["reading"].removeprefix("alpha-"))
    judge = G2(net.sample(params["rows"], seed=seed), alpha, df="full")
    order = np.random.default_rng(seed_from(seed, "targets")).permutation(len(net.variables))
    targets = [net.variables[i] for i in sorted(order[: params["targets"]])]
    run("mbor", judge, targets[0])  # what the first run of a process loads and compiles is not timed
    rows: list[Params] = []
    for name, (key, more) in ALGORITHMS.items():
        sums: dict[str, dict[str, float]] = {}
        for target in targets:
            own: dict[str, Any] = {"seed": seed_from(seed, target) % 2**31} if key in SEEDED else {}
            own |= {"alpha": alpha} if key == "iamb_fdr" else {}
            found = run(key, judge, target, **more, **own)
            true = net.boundary(target)
            missing, extra = missing_extra(found.boundary, true)
            one = {
                "f1": f1(found.boundary, true),
                "missing": missing,
                "extra": extra,
                "asked": found.n_asked,
                "largest": found.largest_given,
                "seconds": found.seconds,
                "count": 1,
            }
            group = sums.setdefault(GROUPS[len(true) > 4], dict.fromkeys(one, 0.0))
            for value, number in one.items():
                group[value] = max(group[value], number) if value == "largest" else group[value] + number
        rows += [{"algorithm": name, "boundary": g, **v} for g, v in sums.items()]
    return {"rows": rows}


def _by_network(cells: pd.DataFrame, group: str | None = None) -> pd.DataFrame:
    """Return the mean over targets and data sets for each network, number of rows and algorithm."""
    chosen = cells if group is None else select(cells, boundary=group)
    by = ["network", "rows", "algorithm"]
    sums = chosen.groupby(by, sort=False)[["f1", "missing", "extra", "asked", "count"]].sum()
    means = sums[["f1", "missing", "extra", "asked"]].div(sums["count"], axis=0)
    means["largest"] = chosen.groupby(by, sort=False)["largest"].max()
    return means.reset_index()


def summarise(cells: pd.DataFrame, options: Options) -> pd.DataFrame:
    """Return the advice first, then ranks, then means over networks, then each network."""
    import pandas as pd

    each = _by_network(cells)
    overall = intervals(each, ["rows", "algorithm"], list(VALUES))
    parts = [
        which_when({g: _by_network(cells, g) for g in GROUPS}).assign(part="which when"),
        _ranks(each).assign(part="rank"),
        overall.assign(part="all networks", network="all"),
        each.assign(part="network"),
    ]
    table = pd.concat(parts, ignore_index=True)
    return table[["part", *(c for c in table.columns if c != "part")]]


def _ranks(each: pd.DataFrame) -> pd.DataFrame:
    """Return the mean ranks by F1, the networks being the problems (their mean over the numbers of rows)."""
    import pandas as pd

    scores = each.groupby(["algorithm", "network"], sort=False)["f1"].mean().unstack(0)
    found = critical_difference({a: list(scores[a]) for a in ALGORITHMS})
    rows = [
        {
            "algorithm": name,
            "rank": rank,
            "f1": float(scores[name].mean()),
            "p_value": found["p_value"],
            "difference": found["difference"],
            "group": " ".join(chr(65 + i) for i, clique in enumerate(found["cliques"]) if name in clique),
        }
        for name, rank in found["ranks"].items()
    ]
    return pd.DataFrame(rows)


def times(frame: pd.DataFrame, options: Options) -> pd.DataFrame:
    """Return the mean time for all targets of a data set."""
    by = ["network", "rows", "data", "algorithm"]
    total = frame.groupby(by, sort=False)["seconds"].sum().reset_index()
    return intervals(total, ["rows", "algorithm"], ["seconds"])


def checks(table: pd.DataFrame, options: Options) -> list[Check]:
    """Hold what the papers say of each other's algorithms against all networks."""
    return [_pair(table, claim) for claim in CLAIMS]


def _pair(table: pd.DataFrame, claim: Claim) -> Check:
    """Compare two algorithms network by network (the mean over numbers of rows), by Wilcoxon's test."""
    means, each = select(table, part="all networks"), select(table, part="network")
    better, worse, value = claim.better, claim.worse, claim.value
    wide = each.groupby(["network", "algorithm"], sort=False)[value].mean().unstack()
    sign = 1 if value == "f1" else -1
    a, b = list(wide[better]), list(wide[worse])
    p = wilcoxon(a, b, alternative="greater" if sign > 0 else "less")
    won = sum(sign * (x - y) > 0 for x, y in zip(a, b, strict=True))
    lost = sum(sign * (x - y) < 0 for x, y in zip(a, b, strict=True))
    shown = "; ".join(
        f"{int(n)} rows: {interval_at(means, value, rows=n, algorithm=better)} against "
        f"{interval_at(means, value, rows=n, algorithm=worse)}"
        for n in sorted(set(means["rows"]))
    )
    return check_claim(
        f"{better} and {worse}, {value}",
        claim.printed,
        f"better on {won}, worse on {lost} of {len(wide)} networks, p = {p:.2g}; {shown}",
        holds=p < 0.05,
        partly=2 * won > len(wide) and sign * (sum(a) - sum(b)) > 0,
        place=claim.place,
        note="criterion: Wilcoxon's one-sided test over the networks at 0.05; in direction: better on more "
        "than half of them, and in the mean",
    )


def findings(table: pd.DataFrame, options: Options) -> list[str]:
    """Say which algorithm to use when, and what the ranks tell apart."""
    said = [advice(row) for _, row in select(table, part="which when").iterrows()]
    ranks = select(table, part="rank")
    first = ranks.iloc[0]
    worse = ranks[ranks["rank"] - first["rank"] > first["difference"]]
    told = (
        f"Ranks by F1 over the networks: {first['algorithm']} is first ({first['rank']:.2f}); worse by more "
        f"than the critical difference of {first['difference']:.2f}: "
        f"{', '.join(worse['algorithm']) or 'none'} (Friedman's test: p = {first['p_value']:.2g})"
    )
    return [*said, told]


EXPERIMENTS = (
    Experiment(
        name="beyond-networks",
        title="every algorithm on every network: F1, errors, tests, conditioning sets; which to use when",
        place="not in the papers; what they say of each other's algorithms is checked",
        grid=grid,
        cell=cell,
        summarise=summarise,
        checks=checks,
        plot=draw,
        times=times,
        plot_times=draw_times,
        findings=findings,
        readings=READINGS,
        seeded_by=("network", "data"),
        cost=lambda params: params["rows"] * (1 + (SMALL + LARGE).index(params["network"])),
        caveats=(
            "Quick: ten random targets a network, four data sets. The networks are the units of intervals.",
            "Which when: the best F1, what Wilcoxon-Holm cannot tell from it, and the cheapest near it.",
            "Left out: TIE* (all boundaries; exponential) and what equals another one under this test.",
            "PPFS and GS(m), RGS use the same G² here as all others.",
        ),
    ),
)

# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
import os

from collio_study import child, runs
from collio_study import machine as machines
from collio_study.study import Case, Claim, hints, ratios

TITLE = "Lock-ahead on Lustre"
QUESTION = """What do locks that are requested before the access save on Lustre?"""
AUTHORS = """{lockahead.paper}. Collective and individual writes of OMPIO with lock-ahead, on
{lockahead.machine}, {lockahead.ranks} ranks, {lockahead.stripes}. One request for each whole
file domain (`global`), with half of the ranks as aggregators, was {lockahead.over_even} as fast as even
file domains without lock-ahead, and {lockahead.over_cyclic} as fast as static-cyclic domains; individual
writes gained {lockahead.individual_ior} in IOR and {lockahead.individual_tile} in tiles. The authors name
two causes: less exchange with even domains, and several writers per server. With static-cyclic domains the
exchange took {lockahead.exchange_cyclic} as the file grew; with even domains it is near zero when every rank
aggregates, but access takes {lockahead.access_even} longer without lock-ahead, and {lockahead.access_global}
with it. Collective writes of tiles with static-cyclic domains fail from {lockahead.tile_fails} on."""
MACHINE = None
REPEAT = 1
STEPS = 1
TAKE = "seconds"
RANKS = 16
SCALED = (("file system", "Lustre", "a lock manager in user space (test/lustre) with modeled time"),
          ("ranks", "{lockahead.ranks}", "16, each a client"),
          ("file", "{lockahead.stripes}", "4 stripes of 1 MiB"),
          ("data", "{lockahead.data}", "64 MiB"), ("a lock message", "", "1 ms"),
          ("cost of the exchange", "", "none in the model of locks; 16 to 64 ranks on the slow-motion cluster"),
          ("1 MiB through a client, an OST", "", "40 ms, 10 ms"))
COLLECTIVE, INDIVIDUAL = "collective write", "individual write"
AGGREGATORS = (4, 8, 16)
ADVICES = ("off", "global", "stripe", "cycle")
ROWS = [(partition, advice, n) for partition in ("even", "static_cyclic", "group_cyclic")
        for advice in ADVICES for n in AGGREGATORS] + [("even", "cycle, async", 8)]


# The other cause: time of the exchange, on a slow-motion cluster whose storage has no locks.
EXCHANGE, EXCHANGE_MACHINE = "exchange, slow-motion cluster", "balance"
EXCHANGE_DOMAINS = ("even", "static_cyclic")
AGGREGATORS_ALL, GROWING, TILE = "IOR, 64 ranks, 8 MiB", "IOR, 64 ranks, 4 aggregators, by MiB", "tiles, 8 MiB, by ranks"


def _exchange_case(panel, partition, x, ranks, aggregators, pattern):
    return Case(f"{EXCHANGE}: {panel}", partition, x, ranks, pattern + hints(
        exchange="on", partition=partition, transport="isend", schedule="none", aggregators=aggregators,
        buffer_bytes=524288), machine=EXCHANGE_MACHINE)


def exchange_cases():
    """IOR with contiguous ranks: against aggregators, and with a file that grows; tiles against ranks, with
    half of the ranks as aggregators."""
    def ior(size):
        return ("--kernel", "ior-seg", "--transfer", "64k", "--size", f"{size}m", "--view")

    for partition in EXCHANGE_DOMAINS:
        for aggregators in (4, 8, 16, 32, 64):
            yield _exchange_case(AGGREGATORS_ALL, partition, aggregators, 64, aggregators, ior(8))
        for size in (2, 8, 32):
            yield _exchange_case(GROWING, partition, size, 64, 4, ior(size))
        for ranks in (16, 32, 64):
            yield _exchange_case(TILE, partition, ranks, ranks, ranks // 2,
                                 ("--kernel", "tile", "--elem", "4096", "--size", "8m"))


def cases():
    yield from exchange_cases()
    for partition, advice, aggregators in ROWS:
        yield Case(COLLECTIVE, f"{partition}, {advice}", aggregators, RANKS, ())
    for advice in ("off", "element", "view"):
        yield Case(INDIVIDUAL, advice, "-", RANKS, ())


def gather(source, build):
    """Rows of results from the model, whose times do not depend on this computer."""
    text = child.output([os.path.join(source, "test", "lustre", "model"), str(RANKS), "all"],
                        env=dict(os.environ, COLLIO_BUILD=build, COLLIO_SRC=source))
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("| ").split("|")]
        if len(cells) != 7 or not cells[3].replace(".", "").isdigit():
            continue
        access, advice, aggregators = cells[:3]
        panel = INDIVIDUAL if access.startswith("individual") else COLLECTIVE
        series = advice if panel == INDIVIDUAL else f"{access}, {advice}"
        yield {"key": f"{panel}|{series}|{aggregators}", "repeat": 0, "phase": "write", "busy": 0,
               "seconds": float(cells[3]), "bad_bytes": 0,
               "counters": {"revocations": {"sum": float(cells[4])},
                            "rpcs": {"sum": float(cells[5])}}}


    yield from _exchange(source, build)


def _exchange(source, build):
    """Seconds are those of the exchange, of the slowest rank."""
    machine = machines.read(os.path.join(source, "bench", "machines", EXCHANGE_MACHINE))
    with machines.Cluster(source, machine) as cluster:
        for case in exchange_cases():
            command = cluster.command(case.ranks) + [
                "--mca", "io", "ompio", "--mca", "fcoll", "overlap", os.path.join(build, "bench", "collio_bench"),
                *case.args, "--steps", "2", "--phases", "write", "--dir", cluster.folder, "--label", case.key()]
            begin = runs.ticks()
            out = child.output(["timeout", "-k", "20", str(runs.TIMEOUT), *command], env=cluster.env)
            for line in (line for line in out.splitlines() if line.startswith("{")):
                row = runs.row_of(0, line)
                took = row["counters"].get("time_exchange", {"max": 0})["max"] / 1e9
                yield dict(row, seconds=took, machine_busy=runs.machine_busy(begin))


def global_gain(base, aggregators):
    """Global requests with half of the ranks as aggregators, over a run without lock-ahead."""
    def here(results):
        slow = results.time(COLLECTIVE, base, aggregators, "write")
        fast = results.time(COLLECTIVE, "even, global", RANKS // 2, "write")
        return [slow / fast] if slow and fast else []
    return here


def advice_gain(results):
    """The best mode over none, for each partition and number of aggregators."""
    found = []
    for partition in ("even", "static_cyclic", "group_cyclic"):
        for n in AGGREGATORS:
            times = [results.time(COLLECTIVE, f"{partition}, {a}", n, "write") for a in ADVICES]
            found += [times[0] / min(times[1:])] if all(times) else []
    return found


def exchange_ratio(panel, x):
    """Time of the exchange with static-cyclic domains over the time with even ones."""
    def here(results):
        even, cyclic = (results.time(f"{EXCHANGE}: {panel}", name, x, "write") for name in EXCHANGE_DOMAINS)
        return [cyclic / max(even, 1e-3)] if None not in (even, cyclic) else []
    return here


def more(results):
    """Exchange and access of the same runs, in the slowest rank of each."""
    out = ["## Exchange and access without locks", "",
           "Seconds of a call in the exchange and in file access, on the slow-motion cluster. With even domains an "
           "aggregator has the data of its own neighbors.", "",
           "| | | even: exchange | access | static-cyclic: exchange | access |", "|---|--:|--:|--:|--:|--:|"]
    for case in exchange_cases():
        if case.series == EXCHANGE_DOMAINS[0]:
            cells = []
            for name in EXCHANGE_DOMAINS:
                for part in ("time_exchange", "time_io"):
                    took = results.counter(case.panel, name, case.x, "write", part, "max")
                    cells.append("" if took is None else f"{took / 1e9:.2f}")
            out.append(f"| {case.panel.split(': ')[1]} | {case.x} | " + " | ".join(cells) + " |")
    return out + [""]


LINES = (COLLECTIVE, *dict.fromkeys(case.panel for case in exchange_cases()))
X_NAME = {COLLECTIVE: "aggregators", INDIVIDUAL: "", f"{EXCHANGE}: {AGGREGATORS_ALL}": "aggregators",
          f"{EXCHANGE}: {GROWING}": "MiB", f"{EXCHANGE}: {TILE}": "ranks"}
KEPT = (("time_exchange", "max"), ("time_io", "max"))
COUNTERS = (("revocations", "revocations", "sum"), ("messages", "rpcs", "sum"))
COUNTED = (8, tuple(dict.fromkeys(f"{p}, {a}" for p, a, n in ROWS if n == 8)))
CLAIMS = (Claim("global over even domains without lock-ahead, 8 aggregators",
                global_gain("even, off", RANKS // 2), authors="lockahead.over_even"),
          Claim("global over static-cyclic domains, one aggregator per stripe",
                global_gain("static_cyclic, off", 4)),
          Claim("the best mode over none, each partition", advice_gain),
          Claim("exchange, static-cyclic over even domains: 64 ranks, all aggregate",
                exchange_ratio(AGGREGATORS_ALL, 64)),
          Claim("exchange, static-cyclic over even domains: 32 MiB, 4 aggregators", exchange_ratio(GROWING, 32)),
          Claim("individual: requests per element over none",
                ratios((INDIVIDUAL,), ("-",), "off", "element", ("write",))),
          Claim("individual: requests per view element over none",
                ratios((INDIVIDUAL,), ("-",), "off", "view", ("write",))))
CAPTION = """With lock-ahead no lock is called back, so more aggregators than stripes pay off."""
DIFFERS = """The exchange costs nothing in the model of locks, so it can show only one of the two causes:
several writers per server; the other cause is measured apart, on a cluster without locks (below).
So its gain over static-cyclic domains is not beside the authors', and neither are individual writes:
theirs were contiguous (IOR) or tiles. Here blocks of 256 KiB of all ranks alternate. The model has one
cost per lock message, per client and per OST, and 4 stripes; on a real system the cost of calling a
lock back depends on the load of the clients."""

# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
import os

from collio_study import child
from collio_study.study import Case, Claim, ratios

TITLE = "Lock-ahead on Lustre"
QUESTION = """What do locks that are requested before the access save on Lustre?"""
AUTHORS = """Moore, Farrell and Cernohous (CCPE 30(1), 2018) describe lock-ahead; with Cray's MPI-IO
shared files were written more than 200% (small transfers) and 100% (large ones) faster than with
Lustre's own locking. The factors below are those of a later study with OMPIO, as this project's
design notes have them: even file domains with one advice each (`global`) over static-cyclic domains
without advices, and individual writes. They were not checked against the paper."""
MACHINE = None
REPEAT = 1
STEPS = 1
TAKE = "seconds"
RANKS = 16
SCALED = (("file system", "Lustre", "a lock manager in user space (test/lustre) with modeled time"),
          ("ranks", "", "16, each a client"), ("stripes", "", "4 of 1 MiB"),
          ("data", "", "64 MiB"), ("a message", "", "1 ms"),
          ("1 MiB through a client, an OST", "", "40 ms, 10 ms"))
COLLECTIVE, INDIVIDUAL = "collective write", "individual write"
AGGREGATORS = (4, 8, 16)
ADVICES = ("off", "global", "stripe", "cycle")
ROWS = [(partition, advice, n) for partition in ("even", "static_cyclic", "group_cyclic")
        for advice in ADVICES for n in AGGREGATORS] + [("even", "cycle, async", 8)]


def cases():
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


def _best_static(results):
    return min(filter(None, (results.time(COLLECTIVE, "static_cyclic, off", a, "write")
                             for a in AGGREGATORS)), default=None)


def global_gain(results):
    """Global advices for each number of aggregators, over the best static-cyclic run."""
    found = [results.time(COLLECTIVE, "even, global", a, "write") for a in AGGREGATORS]
    return [_best_static(results) / f for f in found if f and _best_static(results)]


def advice_gain(results):
    """The best advice over none, for each partition and number of aggregators."""
    found = []
    for partition in ("even", "static_cyclic", "group_cyclic"):
        for n in AGGREGATORS:
            times = [results.time(COLLECTIVE, f"{partition}, {a}", n, "write") for a in ADVICES]
            found += [times[0] / min(times[1:])] if all(times) else []
    return found


LINES = (COLLECTIVE,)
X_NAME = {COLLECTIVE: "aggregators", INDIVIDUAL: ""}
COUNTERS = (("revocations", "revocations", "sum"), ("messages", "rpcs", "sum"))
COUNTED = (8, tuple(dict.fromkeys(f"{p}, {a}" for p, a, n in ROWS if n == 8)))
CLAIMS = (Claim("global advices over static-cyclic domains", 2.7, 12.9, global_gain),
          Claim("the best advice over none, each partition", 1, 1, advice_gain, published=False),
          Claim("individual: an advice per element over none", 1.8, 3.4,
                ratios((INDIVIDUAL,), ("-",), "off", "element", ("write",))),
          Claim("individual: an advice per view element over none", 1.8, 3.4,
                ratios((INDIVIDUAL,), ("-",), "off", "view", ("write",))))
CAPTION = "With advices no lock is called back, so more aggregators than stripes pay off."
DIFFERS = """The model has one cost per message, per client and per OST, and 4 stripes; on a
real system the cost of calling a lock back depends on the load of the clients."""

# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
from collio_study import authors
from collio_study.study import Case, Claim, hints, ratios

TITLE = "Nodes with uneven memory"
QUESTION = """What does placing aggregators by memory gain where nodes have little and uneven memory?"""
AUTHORS = """{memory.paper}. On {memory.machine}, they placed aggregators by the memory of the nodes, {memory.aggregators},
with file domains of {memory.domain}, and compared this with {memory.baseline}.
Benchmarks: {memory.benchmarks}, buffers of {memory.buffers}, {memory.ranks} ranks. The largest gain in bandwidth was
{memory.ior_most} (IOR, write); means are in the table below."""
MACHINE = "uneven"
REPEAT = 2
STEPS = 2
TAKE = "settled"
RANKS = 16
SCALED = (("ranks", "{memory.ranks}", "16"),
          ("collective buffer, mean", "{memory.buffers}", "32 to 512 KiB"),
          ("baseline", "{memory.baseline}",
           "two aggregators per node: the mean buffer on each, or what the poorest node allows"),
          ("data of one call", "", "2 MiB"),
          ("caches", "", "none: every read and write goes to the modeled storage"))
SHARES = (2.29, 0.07, 1.14, 0.5)  # memory of each node against the mean: 8, 0.25, 4, 1.75 MiB
SIZES = (32, 128, 512)  # KiB of an aggregator, mean
PATTERNS = {"IOR": ("--kernel", "ior-int", "--transfer", "16k", "--calls", "8", "--view"),
            "coll_perf": ("--kernel", "coll_perf", "--size", "2m")}
OVERLAP = (("io", "ompio"), ("fcoll", "overlap"))
PER_NODE = 2  # aggregators


def _even(kib, aggregators=4 * PER_NODE):
    return hints(exchange="on", partition="even", aggregators=aggregators,
                 buffer_bytes=max(4096, int(kib * 1024)))


def _memory(kib):
    each = ",".join(str(max(4096, int(PER_NODE * kib * 1024 * share))) for share in SHARES)
    return ("--node-hint", f"collio_memory_available={each}") + hints(
        exchange="on", partition="memory", buffer_bytes=int(kib * 1024 * max(SHARES)),
        memory_min_bytes=int(kib * 512))


def cases():
    for name, args in PATTERNS.items():
        for kib in SIZES:
            yield Case(name, "memory", kib, RANKS, args + _memory(kib), OVERLAP)
            yield Case(name, "even", kib, RANKS, args + _even(kib), OVERLAP)
            yield Case(name, "poorest node", kib, RANKS, args + _even(kib * min(SHARES)), OVERLAP)


def more(_results):
    """The authors' own results, which no row above repeats."""
    few, many = authors.value("memory.ranks")["text"].split(" and ")
    out = ["## The authors' results", "", authors.fill(
        "Gain in bandwidth over {memory.baseline}, mean over all buffers."), "",
           f"| | {few} ranks | {many} ranks |", "|---|---|---|"]
    for name, left, right in (("coll_perf", "coll_perf", ""), ("IOR", "ior", "ior_1080"),
                              ("MPI-IO-test", "mpi_io_test", "mpi_io_test_1080"),
                              ("FLASH I/O", "", "flash")):
        cells = [authors.value(f"memory.{key}")["text"] if key else "" for key in (left, right)]
        out.append(f"| {name} | " + " | ".join(cells) + " |")
    return out + [""]


LINES = list(PATTERNS)
X_NAME = {name: "KiB of an aggregator, mean" for name in PATTERNS}
COUNTERS = (("cycles of the busiest aggregator", "cycles", "max"),
            ("messages between nodes", "messages_between_nodes", "sum"),
            ("time_io, s", "time_io", "max"), ("time_exchange, s", "time_exchange", "max"))
COUNTED = (128, ("memory", "even", "poorest node"))
CLAIMS = (Claim("`partition memory` over what the poorest node allows",
                ratios(PATTERNS, SIZES, "poorest node", "memory"), target="1.14x"),
          Claim("`partition memory` over an even spread of the same memory",
                ratios(PATTERNS, SIZES, "even", "memory"), target="1x"))
CAPTION = """Even buffers of the mean size need memory that one node does not have; what the poorest
node allows needs many cycles. `partition memory` stays within the memory of each node."""
DIFFERS = """The authors compared with fewer aggregators than they used, so neither row is
theirs. An even spread is given memory here that some nodes do not have, and nothing swaps, so
it is faster than it could be on such a machine. `partition memory` has 4 aggregators on 3 nodes, the even
spread 8 on 4: fewer and larger accesses and messages, but the node with the most memory receives
half of the data over its link."""

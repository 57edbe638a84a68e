# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
from collio_study.study import Case, Claim, hints, ratios

TITLE = "Nodes with uneven memory"
QUESTION = """What does placing aggregators by memory gain where nodes have little and uneven memory?"""
AUTHORS = """Lu, Chen, Zhuang and Thakur (ROSS 2013; IJHPCA 2015) placed aggregators by the memory that
the nodes have: IOR, coll_perf, MPI-IO-test and FLASH-IO with buffers of 2 to 128 MiB, at most 4
aggregators per node, domains of 32 MiB (write) and 128 MiB (read). The policy was 14% to 122%
faster than two-phase I/O."""
MACHINE = "uneven"
REPEAT = 2
STEPS = 2
TAKE = "settled"
RANKS = 16
SCALED = (("ranks", "", "16"), ("collective buffer, mean", "2 to 128 MiB", "32 to 512 KiB"),
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


LINES = list(PATTERNS)
X_NAME = {name: "KiB of an aggregator, mean" for name in PATTERNS}
COUNTERS = (("cycles of the busiest aggregator", "cycles", "max"),
            ("messages between nodes", "messages_between_nodes", "sum"),
            ("time_io, s", "time_io", "max"), ("time_exchange, s", "time_exchange", "max"))
COUNTED = (128, ("memory", "even", "poorest node"))
CLAIMS = (Claim("the policy over what the poorest node allows", 1.14, 2.22,
                ratios(PATTERNS, SIZES, "poorest node", "memory"), wanted="1.14x"),
          Claim("the policy over an even spread of the same memory", 1.14, 2.22,
                ratios(PATTERNS, SIZES, "even", "memory"), wanted="1x"))
CAPTION = """Even buffers of the mean size need memory that one node does not have; what the poorest
node allows needs many cycles. The policy stays within the memory of each node."""
DIFFERS = """An even spread is given memory here that some nodes do not have, and nothing swaps, so
it is faster than it could be on such a machine. The policy has 4 aggregators on 3 nodes, the even
spread 8 on 4: fewer and larger accesses and messages, but the node with the most memory receives
half of the data over its link."""

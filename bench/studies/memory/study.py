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
          ("collective buffer, mean", "{memory.buffers}", "8 to 512 KiB"),
          ("aggregators", "{memory.aggregators}", "at most 2 per node"),
          ("baseline", "{memory.baseline}",
           "the same; beside it two per node with the mean buffer on each, or with what the poorest node allows"),
          ("data of one call", "", "2 MiB"),
          ("data of a rank, where it varies", "{memory.messages}", "16 to 512 KiB"),
          ("caches", "", "none: every read and write goes to the modeled storage"))
SHARES = (2.29, 0.07, 1.14, 0.5)  # memory of each node against the mean: 8, 0.25, 4, 1.75 MiB
SIZES = (8, 32, 128, 512)  # KiB of an aggregator, mean
MESSAGES = (16, 32, 64, 128, 256, 512)  # KiB of a rank in one call
MESSAGE_PANEL, MESSAGE_BUFFER = "IOR, data of a rank grows", 128
NORMAL = "one per node"  # the authors' baseline
PATTERNS = {"IOR": ("--kernel", "ior-int", "--transfer", "16k", "--calls", "8", "--view"),
            "coll_perf": ("--kernel", "coll_perf", "--size", "2m"),
            "FLASH": ("--kernel", "flash", "--size", "2m", "--vars", "1")}
OVERLAP = (("io", "ompio"), ("fcoll", "overlap"))
PER_NODE = 2  # aggregators
NODES = 4


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
            yield Case(name, NORMAL, kib, RANKS, args + _even(kib, NODES), OVERLAP)
            yield Case(name, "even", kib, RANKS, args + _even(kib), OVERLAP)
            yield Case(name, "poorest node", kib, RANKS, args + _even(kib * min(SHARES)), OVERLAP)


    for kib in MESSAGES:
        args = ("--kernel", "ior-int", "--transfer", "16k", "--calls", str(kib // 16), "--view")
        yield Case(MESSAGE_PANEL, "memory", kib, RANKS, args + _memory(MESSAGE_BUFFER), OVERLAP)
        yield Case(MESSAGE_PANEL, NORMAL, kib, RANKS, args + _even(MESSAGE_BUFFER, NODES), OVERLAP)


def more(results):
    return _parts(results) + _authors()


def _parts(results):
    """Exchange and access of the slowest rank in each."""
    names = ("memory", NORMAL, "even")
    out = ["## Exchange and access", "",
           "Time of the exchange / of the file access, of the slowest rank in each; they do not overlap "
           "where a call has one cycle only.", "",
           "| s | KiB | | " + " | ".join(names) + " |", "|---|--:|---|" + "---|" * len(names)]
    for panel, xs in [*((name, SIZES) for name in PATTERNS), (MESSAGE_PANEL, MESSAGES)]:
        for x in xs:
            for phase in ("write", "read"):
                cells = []
                for name in names:
                    both = [results.counter(panel, name, x, phase, part, "max")
                            for part in ("time_exchange", "time_io")]
                    cells.append(" / ".join(f"{v / 1e9:.3f}" for v in both) if all(both) else "")
                if any(cells):
                    out.append(f"| {panel} | {x} | {phase} | " + " | ".join(cells) + " |")
    return out + [""]


def _authors():
    """The authors' own results: means over all buffers and ranks that are not repeated here."""
    few, many = authors.value("memory.ranks")["text"].split(" and ")
    out = ["## The authors' results", "", authors.fill(
        "Gain in bandwidth over {memory.baseline}, mean over all buffers."), "",
           f"| | {few} ranks | {many} ranks |", "|---|---|---|"]
    for name, left, right in (("coll_perf", "coll_perf", ""), ("IOR", "ior", "ior_1080"),
                              ("MPI-IO-test", "mpi_io_test", "mpi_io_test_1080"),
                              ("FLASH I/O", "", "flash")):
        cells = [authors.value(f"memory.{key}")["text"] if key else "" for key in (left, right)]
        out.append(f"| {name} | " + " | ".join(cells) + " |")
    return out + ["", authors.fill("IOR, data of a rank {memory.messages}: mean {memory.ior_messages}."), ""]


def drop(phase):
    """What the smallest buffer costs the authors' baseline in IOR."""
    def here(results):
        times = [results.time("IOR", NORMAL, kib, phase) for kib in (SIZES[0], SIZES[-1])]
        return [times[0] / times[1]] if all(times) else []
    return here


def _theirs():
    """The rows that the authors have, too."""
    for name, key in (("IOR", "ior"), ("coll_perf", "coll_perf"), ("FLASH", "flash")):
        for phase in ("write", "read"):
            yield Claim(f"{name}, {phase}: `partition memory` over one aggregator per node",
                        ratios((name,), SIZES, NORMAL, "memory", (phase,)),
                        authors="" if (name, phase) == ("FLASH", "read") else f"memory.{key}_{phase}")
    for phase in ("write", "read"):
        yield Claim(f"IOR, {phase}: one aggregator per node, largest buffer over smallest", drop(phase),
                    authors=f"memory.drop_{phase}")


LINES = [*PATTERNS, MESSAGE_PANEL]
X_NAME = {**{name: "KiB of an aggregator, mean" for name in PATTERNS}, MESSAGE_PANEL: "KiB of a rank"}
COUNTERS = (("cycles of the busiest aggregator", "cycles", "max"),
            ("messages between nodes", "messages_between_nodes", "sum"),
            ("time_io, s", "time_io", "max"), ("time_exchange, s", "time_exchange", "max"))
COUNTED = (128, ("memory", NORMAL, "even", "poorest node"))
CLAIMS = (*_theirs(),
          Claim("`partition memory` over what the poorest node allows",
                ratios(PATTERNS, SIZES, "poorest node", "memory"), target="1.14x"),
          Claim("`partition memory` over an even spread of the same memory",
                ratios(PATTERNS, SIZES, "even", "memory"), target="1x"))
CAPTION = """Even buffers of the mean size need memory that one node does not have; what the poorest
node allows needs many cycles. `partition memory` stays within the memory of each node."""
DIFFERS = """The rows of one aggregator per node compare three things at once, as the authors did: more
aggregators, their places, and their buffers. Their buffers were drawn from a normal distribution, here the nodes
have fixed shares of the memory. An even spread is given memory here that some nodes do not have, and nothing swaps, so
it is faster than it could be on such a machine. `partition memory` has 4 aggregators on 3 nodes, the even
spread 8 on 4: fewer and larger accesses and messages, but the node with the most memory receives
half of the data over its link."""

# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
import csv
import os
import subprocess
import tempfile

from collio_study import authors
from collio_study.study import Case, Claim, hints, ratios_at_most

TITLE = "Two layers against one (TAM)"
QUESTION = """What does aggregation inside each node save where messages are the limit?"""
AUTHORS = """{tam.paper}. They compared two layers with {tam.baseline}, on {tam.machine}, with
patterns of E3SM (F and G), BTIO and S3D-IO, {tam.ranks} ranks on {tam.nodes} nodes, {tam.direction}.
Two layers were {tam.gain} as fast; {tam.gain_most} is the largest gain, with the most ranks, and there is
{tam.gain_256}. Time inside the nodes falls with the number of local aggregators P_L, time between the
nodes grows with it; {tam.local_best} were best with E3SM and were used for all patterns
({tam.local_per_node})."""
MACHINE = "messages"
REPEAT = 1
STEPS = 2
TAKE = "seconds"
SCALED = (("ranks", "{tam.ranks}", "16 to 128"), ("ranks per node", "{tam.ranks_per_node}", "2 to 16"),
          ("aggregators", "{tam.aggregators}", "8, one per node"),
          ("data", "{tam.data}", "2 and 4 MiB per call"), ("data of a cycle", "{tam.round}", "32 KiB"),
          ("calls", "{tam.direction}", "collective writes and reads"))
RANKS = (16, 64, 128)
PATTERNS = {"E3SM F": ("--kernel", "e3sm-f", "--size", "2m"),
            "E3SM G": ("--kernel", "e3sm-g", "--size", "4m"),
            "BTIO": ("--kernel", "btio", "--size", "4m"),
            "S3D": ("--kernel", "s3d", "--size", "4m")}
SQUARE = {16: 16, 64: 64, 128: 121}  # BTIO has a square number of ranks
BUFFER = 65536
TAM = (("io", "ompio"), ("fcoll", "tam"))
VULCAN = (("io", "ompio"), ("fcoll", "vulcan"), ("io_ompio_bytes_per_agg", str(BUFFER)),
          ("io_ompio_num_aggregators", "8"))
ROMIO = (("io", "romio321"),)
ROMIO_HINTS = ("--hint", f"cb_buffer_size={BUFFER}", "--hint", "cb_nodes=8", "--hint",
               "romio_cb_write=enable", "--hint", "romio_cb_read=enable")
SWEEP_RANKS = 64
SWEEP = (1, 2, 4, 8)  # local aggregators per node
SWEEP_PANEL = f"P_L, {{}}, {SWEEP_RANKS} ranks"
# The same where messages inside a node have a cost, too: the authors' way, and by shared memory.
INSIDE, INSIDE_MACHINE, INSIDE_RANKS = "P_L, {}, costs inside a node", "fat", 128
INSIDE_SWEEP = (1, 2, 4, 8, 16)
INSIDE_PATTERNS = ("E3SM G", "BTIO", "S3D")
INTRA = {"messages inside": "isend", "shared memory inside": "shm"}
SENDS = {"Issend": "on", "Isend": "off"}
SEND_PANEL = "{}, one layer, sends"
# Exact, by bench/scale: pieces before and after the layer inside the nodes, with P_L = 256.
COALESCED, COALESCED_RANKS, THETA = "coalescing, {}", (1024, 4096, 16384), 64
LOCAL = 256


def _tam(per_node, **more):
    return hints(exchange="on", schedule="none", buffer_bytes=BUFFER, aggregators=8,
                 local_aggregators=8 * per_node, **more)


def cases():
    for ranks in RANKS:
        for name, args in PATTERNS.items():
            here = SQUARE[ranks] if name == "BTIO" else ranks
            yield Case(name, "one layer", ranks, here, args + _tam(ranks), TAM)
            yield Case(name, "two layers", ranks, here, args + _tam(1), TAM)
            yield Case(name, "auto", ranks, here,
                       args + hints(exchange="on", buffer_bytes=BUFFER, aggregators=8), TAM)
            yield Case(name, "ROMIO", ranks, here, args + ROMIO_HINTS, ROMIO)
            yield Case(name, "vulcan", ranks, here, args, VULCAN)
    for name in ("E3SM G", "S3D"):
        for per_node in SWEEP:
            yield Case(SWEEP_PANEL.format(name), "two layers", per_node, SWEEP_RANKS,
                       PATTERNS[name] + _tam(per_node), TAM)
    for name in INSIDE_PATTERNS:
        ranks = SQUARE[INSIDE_RANKS] if name == "BTIO" else INSIDE_RANKS
        for per_node in INSIDE_SWEEP:
            for words, intra in INTRA.items():
                yield Case(INSIDE.format(name), words, per_node, ranks,
                           PATTERNS[name] + _tam(per_node, intra=intra), TAM, INSIDE_MACHINE)
    for name in ("E3SM G", "S3D"):
        for ranks in RANKS[1:]:
            for words, sync in SENDS.items():
                yield Case(SEND_PANEL.format(name), words, ranks, ranks,
                           PATTERNS[name] + _tam(ranks, sync_send=sync), TAM)


def computed(_source, build, _machine):
    """Rows of results without times: what the layer inside the nodes joins, counted by bench/scale."""
    for name, pattern in (("BTIO", "btio"), ("S3D", "s3d")):
        for ranks in COALESCED_RANKS:
            with tempfile.TemporaryDirectory() as folder:
                table = os.path.join(folder, "scale.csv")
                subprocess.run([os.path.join(build, "bench", "scale", "scale"), "--pattern", pattern, "--ranks",
                                str(ranks), "--per-node", str(THETA), "--local", str(LOCAL * THETA // ranks),
                                "--csv", table], check=True, stdout=subprocess.DEVNULL)
                with open(table, encoding="utf-8", newline="") as lines:
                    row = {row["way"]: row for row in csv.DictReader(lines)}["tam"]
            counters = {"requests_gathered": {"sum": int(row["layer1_extents_before"])},
                        "requests_merged": {"sum": int(row["layer1_extents_after"])}}
            yield {"key": f"{COALESCED.format(name)}|computed|{ranks}", "phase": "write", "busy": 0, "repeat": 0,
                   "counters": counters}


def more(results):
    return _coalescing(results) + _sweep_parts(results) + _views(results)


def _coalescing(results):
    out = ["## Coalescing inside the nodes", "", authors.fill(
        "Pieces of the file before and after the layer inside the nodes, with {tam.local_best} local aggregators "
        "and {tam.ranks_per_node} ranks per node: exact counts of [scale](../../bench/scale/README.md) for the "
        "authors' arrays, no run."), "",
           "| | ranks | before | after | joined | authors |", "|---|--:|--:|--:|--:|--:|"]
    for name in ("BTIO", "S3D"):
        for ranks in COALESCED_RANKS:
            before, after = (results.counter(COALESCED.format(name), "computed", ranks, "write", counter)
                             for counter in ("requests_gathered", "requests_merged"))
            if after:
                theirs = authors.value(f"tam.btio_coalesced_{ranks}")["text"] if name == "BTIO" else ""
                out.append(f"| {name} | {ranks:,} | {before:,.0f} | {after:,.0f} | {before / after:.1f} | {theirs} |")
    return out + [""] if len(out) > 6 else []


PARTS = (("inside: lists", "time_gather"), ("inside: data", "time_gather_move"), ("own request", "time_split"),
         ("between: lists", "time_route"), ("merge", "time_merge"), ("between: data", "time_exchange"),
         ("file access", "time_io"), ("agreement", "time_agree"), ("completion", "time_complete"))


def _sweep_parts(results):
    """The authors' figures: parts of the time over P_L. Writes only, as theirs."""
    out = ["## Parts of the time over P_L", "",
           "Writes, seconds of the slowest rank in each part. `P_L` is the number of local aggregators of a "
           "node. Where only messages between nodes cost something, one is always best. With messages inside "
           "that cost something, too, two are best with BTIO and S3D, and one to four are level with E3SM G: the second "
           "local aggregator of a node halves the messages that one rank receives inside, and adds as many between the "
           "nodes. In shared memory fewer messages are left to halve, and one stays best or level. " + authors.fill(
               "The authors had {tam.ranks_per_node} ranks per node, and {tam.local_per_node}."), "",
           "| | P_L | | call | " + " | ".join(words for words, _ in PARTS) + " |",
           "|---|--:|---|--:|" + "--:|" * len(PARTS)]
    panels = [(SWEEP_PANEL.format(name), ("two layers",), SWEEP) for name in ("E3SM G", "S3D")]
    panels += [(INSIDE.format(name), tuple(INTRA), INSIDE_SWEEP) for name in INSIDE_PATTERNS]
    for panel, names, xs in panels:
        for name in names:
            for x in xs:
                whole = results.time(panel, name, x, "write")
                if whole:
                    cells = [results.counter(panel, name, x, "write", part, "max") or 0 for _, part in PARTS]
                    out.append(f"| {panel} | {x} | {name} | {whole:.3f} | "
                               + " | ".join(f"{v / 1e9:.3f}" for v in cells) + " |")
    return out + [""] if len(out) > 6 else []


def _views(results):
    """What the agreements of calls cost."""
    nodes, hops, card, latency = 8, 6, 0.002, 0.0001  # of the machine `messages`
    one = hops * (2 * card + latency)
    out = ["## Agreements", "",
           f"An agreement takes {one:.3f} s here: {2 * (nodes - 1)} messages between the leaders of nodes, in {hops} "
           "steps. S3D makes 4 calls, one for each variable.", "",
           "`MPI_File_set_view` of io/ompio reduces three numbers over all ranks. No component of collio uses the result, "
           "so it is left out for files that collio serves. The third column estimates what its messages "
           "would add.", "",
           "| s | ranks of a node | agreements | a reduction in set_view, messages of a card | `time_agree` |",
           "|---|--:|--:|--:|--:|"]
    for name, calls in (("S3D", 4), ("BTIO", 1)):
        for ranks in RANKS:
            agree = results.counter(name, "two layers", ranks, "read", "time_agree", "max")
            sends = 3 * ranks // nodes * card * calls if name == "S3D" else 0
            if agree:
                out.append(f"| {name}, read, {ranks} ranks | {ranks // nodes} | {calls * one:.3f} | {sends:.3f} | "
                           f"{agree / 1e9:.3f} |")
    return out + [""]


LINES = (list(PATTERNS) + [SWEEP_PANEL.format(name) for name in ("E3SM G", "S3D")]
         + [INSIDE.format(name) for name in INSIDE_PATTERNS])
X_NAME = {name: "ranks" for name in PATTERNS}
X_NAME.update({name: "local aggregators per node" for name in LINES[4:]})
X_NAME.update({SEND_PANEL.format(name): "ranks" for name in ("E3SM G", "S3D")})
COUNTERS = (("messages between nodes", "messages_between_nodes", "sum"),
            ("messages with offset lists", "meta_messages", "sum"),
            ("cycles of an aggregator", "cycles", "max"),
            ("pieces gathered in nodes", "requests_gathered", "sum"),
            ("pieces after that", "requests_merged", "sum"))
BREAKDOWN = (("one layer", "two layers"),
             (("agreement", "time_agree"), ("gather, merge in node", "time_gather"),
              ("move in node", "time_gather_move"), ("own request", "time_split"),
              ("other requests", "time_route"), ("merge", "time_merge"),
              ("communication", "time_exchange"), ("file access", "time_io"),
              ("completion", "time_complete")))
BREAKDOWN_PANELS = tuple(PATTERNS)
BREAKDOWN_TEXT = """Mean time of a call in the slowest rank of each part, with the authors' parts: lists
are gathered and merged inside the node, data moves inside the node, each rank splits its own request,
offset lists go to the aggregators and are merged there, data goes between the nodes, the file is
accessed. Parts overlap, so they add up to more than the call. Where ranks wait for each other, the
wait is in the next part that communicates."""
COUNTED = (64, ("one layer", "two layers"))
CLAIMS = (
    Claim("writes: two layers over ROMIO, most ranks",
          ratios_at_most(PATTERNS, RANKS, "ROMIO", "two layers", ("write",)), target="3x",
          authors="tam.gain"),
    Claim("reads: two layers over ROMIO, most ranks",
          ratios_at_most(PATTERNS, RANKS, "ROMIO", "two layers", ("read",)), target="3x"),
    Claim("two layers over one layer, most ranks",
          ratios_at_most(PATTERNS, RANKS, "one layer", "two layers"), target="2x"),
    Claim("two layers over vulcan, most ranks",
          ratios_at_most(PATTERNS, RANKS, "vulcan", "two layers")))
CAPTION = """The line of two layers rises least with the ranks: its messages grow with the nodes,
those of the others with the ranks."""
DIFFERS = """The authors had {tam.ranks_per_node} ranks per node; the factor grows with the ranks per node, because
one layer sends that many times more messages. With 16 ranks and 8 aggregators, vulcan's groups
are the nodes: its aggregators read the pieces of their own node and send no message to another
node. This is fast where a request of 100 us costs less than a message of 2000 us; the series of
this page exchange in every call (exchange = on). Bytes that move through shared memory cost nothing in any model here."""

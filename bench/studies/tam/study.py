# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
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


def _tam(per_node):
    return hints(exchange="on", schedule="none", buffer_bytes=BUFFER, aggregators=8,
                 local_aggregators=8 * per_node)


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


LINES = list(PATTERNS) + [SWEEP_PANEL.format(name) for name in ("E3SM G", "S3D")]
X_NAME = {name: "ranks" for name in PATTERNS}
X_NAME.update({name: "local aggregators per node" for name in LINES[4:]})
COUNTERS = (("messages between nodes", "messages_between_nodes", "sum"),
            ("messages with offset lists", "meta_messages", "sum"),
            ("cycles of an aggregator", "cycles", "max"))
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
this page exchange in every call (exchange = on)."""

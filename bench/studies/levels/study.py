# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
from collio_study.study import Case, Claim, hints, ratios

TITLE = "Request levels 0 to 3"
QUESTION = """How much faster is one collective call than a call for each piece?"""
AUTHORS = """Thakur, Gropp and Lusk (SC98; Parallel Computing 28(1), 2002) ask for the same bytes in four
ways: level 0, an independent call for each piece; level 1, a collective call for each piece; level
2, one independent call with a file view; level 3, one collective call with a view. DIST3D, BTIO and
UNSTRUC on five machines (HP Exemplar, IBM SP, Intel Paragon, NEC SX-4, SGI Origin2000)."""
MACHINE = "requests"
REPEAT = 2
STEPS = 1
TAKE = "seconds"
RANKS = 16
SCALED = (("ranks", "", "16"), ("data of one call", "", "64 KiB"),
          ("cost of a request at a server", "", "0.5 ms, and 0.5 ms on the way"))
PATTERNS = {"DIST3D": ("--kernel", "dist3d", "--size", "64k"),
            "BTIO": ("--kernel", "btio", "--size", "64k"),
            "UNSTRUC": ("--kernel", "unstruc", "--size", "64k")}
STACKS = {"collio": (("io", "ompio"), ("fcoll", "overlap"), ("fbtl", "mtpwrite")),
          "stock": (("io", "ompio"), ("fcoll", "vulcan"), ("fbtl", "posix")),
          "ROMIO": (("io", "romio321"),)}
UNSIEVED = (("fbtl_posix_write_datasieving", "0"),)  # else bytes are lost: contrib/upstream, 15
LEVELS = (0, 1, 2, 3)


def cases():
    for level in LEVELS:
        for name, args in PATTERNS.items():
            for stack, mca in STACKS.items():
                if (stack, level) == ("stock", 1):
                    mca += UNSIEVED
                more = hints(exchange="on") if stack == "collio" and level == 3 else ()
                yield Case(name, stack, level, RANKS, args + ("--level", str(level)) + more, mca)


def _levels(stack):
    def here(results):
        found = [(results.time(p, stack, 0, phase), results.time(p, stack, 3, phase))
                 for p in PATTERNS for phase in ("write", "read")]
        return [a / b for a, b in found if a and b]
    return here


LINES = ()
X_NAME = {name: "level" for name in PATTERNS}
COUNTERS = ()
COUNTED = ()
CLAIMS = (Claim("level 3 over level 0, collio", 1, 1, _levels("collio"), published=False),
          Claim("level 3 over level 0, stock", 1, 1, _levels("stock"), published=False),
          Claim("level 3 over level 0, ROMIO", 1, 1, _levels("ROMIO"), published=False),
          Claim("collio over stock at level 3", 1, 1, ratios(PATTERNS, (3,), "stock", "collio"),
                published=False),
          Claim("collio over ROMIO at level 3", 1, 1, ratios(PATTERNS, (3,), "ROMIO", "collio"),
                published=False))
CAPTION = "One collective call moves in a few requests what takes thousands piece by piece."
DIFFERS = """The factor is about the number of pieces that become one request, so it grows with the
array; the authors' factors are for their machines and are not repeated here. `stock` writes level 1
without data sieving: with it, aggregators of Open MPI 4.1.4 overwrite each other's bytes (wrong bytes
in all runs of BTIO; [report 15](../../contrib/upstream/README.md)). The patterns of a level run in one
job, and ranks connect when they first send to each other: at level 3 the write of DIST3D includes
this for stock and ROMIO, the write of BTIO for collio, which sends less in DIST3D."""

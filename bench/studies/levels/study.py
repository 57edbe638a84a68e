# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
from collio_study import facts
from collio_study.study import Case, Claim, hints, mean, ratios

TITLE = "Request levels 0 to 3"
QUESTION = """How much faster is one collective call than a call for each piece?"""
AUTHORS = """{levels.paper}. They ask ROMIO for the same bytes in four ways: level 0, an independent
call for each piece; level 1, a collective call for each piece; level 2, one independent call with a
file view; level 3, one collective call with a view. DIST3D ({levels.dist3d_bytes}), BTIO
({levels.btio_bytes}) and UNSTRUC ({levels.unstruc}) on five machines ({levels.machines}). Their factors
belong to one machine each. In BTIO, {levels.btio_2_0} than level 2, because
sieving read mostly holes."""
MACHINE = "requests"
REPEAT = 2
STEPS = 2  # the second counts: ranks connect in the first one, and each stack does so in its own job
TAKE = "settled"
RANKS = 16
SCALED = (("ranks", "{levels.ranks}", "16"), ("sieve buffer", "{levels.sieve}", "the same, ROMIO"),
          ("data of one call", "DIST3D {levels.dist3d_bytes}, BTIO {levels.btio_bytes}",
           "64 KiB; 10 MiB where bytes limit"),
          ("cost of a request at a server", "", "0.5 ms, and 0.5 ms on the way"))
PATTERNS = {"DIST3D": ("--kernel", "dist3d", "--size", "64k"),
            "BTIO": ("--kernel", "btio", "--size", "64k"),
            "UNSTRUC": ("--kernel", "unstruc", "--size", "64k")}
STACKS = {"collio": (("io", "ompio"), ("fcoll", "overlap"), ("fbtl", "mtpwrite")),
          "stock": (("io", "ompio"), ("fcoll", "vulcan"), ("fbtl", "posix")),
          "ROMIO": (("io", "romio321"),)}
UNSIEVED = (("fbtl_posix_write_datasieving", "0"),)  # else bytes are lost: contrib/upstream, 15
LEVELS = (0, 1, 2, 3)
CONSENT, CONSENT_HINT = "collio, with consent", ("--hint", "romio_ds_write=enable")  # to write holes back
LARGE, LARGE_MACHINE = "BTIO, bytes limit", "bytes"  # more than one sieve window


def cases():
    for level in LEVELS:
        for name, args in PATTERNS.items():
            for stack, mca in STACKS.items():
                if (stack, level) == ("stock", 1):
                    mca += UNSIEVED
                more = hints(exchange="on") if stack == "collio" and level == 3 else ()
                yield Case(name, stack, level, RANKS, args + ("--level", str(level)) + more, mca)
    for level in (1, 2):
        for name, args in PATTERNS.items():
            yield Case(name, CONSENT, level, RANKS, args + ("--level", str(level)) + CONSENT_HINT,
                       STACKS["collio"])
    for level in (0, 2, 3):
        for stack in ("ROMIO", "collio"):
            more = hints(exchange="on") if stack == "collio" and level == 3 else ()
            yield Case(LARGE, stack, level, RANKS, ("--kernel", "btio", "--grid", "64", "--phases", "read",
                                                    "--level", str(level)) + more, STACKS[stack], LARGE_MACHINE)


def _levels(stack, low=0, high=3, patterns=tuple(PATTERNS), phases=("write", "read")):
    """How many times faster level `high` is than level `low`."""
    def here(results):
        found = [(results.time(p, stack, low, phase), results.time(p, stack, high, phase))
                 for p in patterns for phase in phases]
        return [a / b for a, b in found if a and b]
    return here


def _theirs():
    """The rows that the authors have, too: ROMIO, one pattern and direction."""
    for pattern, low, high in (("DIST3D", 0, 2), ("DIST3D", 0, 3), ("DIST3D", 2, 3), ("BTIO", 0, 3)):
        for phase in ("read", "write"):
            yield Claim(f"ROMIO, {pattern}, {phase}: level {high} over level {low}",
                        _levels("ROMIO", low, high, (pattern,), (phase,)),
                        authors=f"levels.{pattern.lower()}_{high}_{low}_{phase}")


OVER_STOCK = ratios(PATTERNS, (3,), "stock", "collio")
OVER_ROMIO = ratios(PATTERNS, (3,), "ROMIO", "collio")
LINES = ()
X_NAME = {name: "level" for name in (*PATTERNS, LARGE)}
COUNTERS = ()
COUNTED = ()
CLAIMS = (*_theirs(),
          Claim("ROMIO, BTIO, read, bytes limit: level 2 over level 0",
                _levels("ROMIO", 0, 2, (LARGE,), ("read",)), authors="levels.btio_2_0"),
          Claim("writes, level 2: collio with consent over without",
                lambda results: [f for f in (results.ratio(p, 2, "write", "collio", CONSENT) for p in PATTERNS) if f]),
          Claim("level 3 over level 0, collio", _levels("collio")),
          Claim("level 3 over level 0, stock", _levels("stock")),
          Claim("level 3 over level 0, ROMIO", _levels("ROMIO")),
          Claim("collio over stock at level 3", OVER_STOCK),
          Claim("collio over ROMIO at level 3", OVER_ROMIO))
FACTS = {"romio": facts.average(mean, OVER_ROMIO), "stock": facts.average(mean, OVER_STOCK),
         "stock_span": facts.span(OVER_STOCK)}
CAPTION = "One collective call moves in a few requests what takes thousands piece by piece."
DIFFERS = """The factor is about the number of pieces that become one request, so it grows with the
array and depends on the machine; the arrays here are some thousand times smaller. `stock` writes level 1
without data sieving: with it, aggregators of Open MPI 4.1.4 overwrite each other's bytes (wrong bytes
in all runs of BTIO; [report 15](../../contrib/upstream/README.md)). collio writes holes back only
[with consent](../mtpwrite.md#data-sieving); without it, level 2 writes take as long as level 0. Level 0 beats level 2
where reading holes costs more than asking for pieces: that needs servers whose bytes are slow beside their requests,
and more data than a sieve window (`bytes`). There ROMIO sieves and reads the holes, and collio asks for the pieces. Of
the two steps of a run the second one counts, because ranks connect in the first one."""

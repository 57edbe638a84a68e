# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
from collio_study.study import Case, Claim, hints

TITLE = "Schedules and transports (overlap)"
QUESTION = """Which schedule and which transport is fastest, how often, and how close does `auto` come?"""
AUTHORS = """Feki and Gabriel (IPDPS Workshops 2020) overlapped the exchange of one cycle with the file
access of another: four schedules and none, three transports, IOR with 1 MiB blocks, tiles of 256
bytes and of 1 MiB, FLASH-IO, on BeeGFS; 352 series. The best schedule took up to 22% less time.
Schedules with asynchronous access won over nonblocking communication alone; two-sided messages
were best in 75% of the series, `put_fence` in 37% of those with tiles of 256 bytes."""
MACHINE = "balance"
REPEAT = 2
STEPS = 4
TAKE = "settled"
SCALED = (("ranks", "", "8; 8 to 64 where ranks grow"), ("collective buffer", "", "512 KiB"),
          ("IOR block", "1 MiB", "16 KiB"), ("tile", "256 B, 1 MiB", "256 B, 16 KiB"),
          ("eager limit of the network", "", "1 KiB"),
          ("series", "352", "32"), ("data of one call", "", "4 MiB"))
RANKS = 8
SCHEDULES = ("none", "comm", "write", "write_comm", "write_comm2")
TRANSPORTS = ("isend", "shm", "put_lock", "put_fence")
PATTERNS = {
    "IOR": ("--kernel", "ior-int", "--transfer", "16k", "--calls", "32", "--view"),
    "tile-256": ("--kernel", "tile", "--elem", "256", "--size", "4m"),
    "tile-16k": ("--kernel", "tile", "--elem", "16384", "--tile", "8x4"),
    "FLASH": ("--kernel", "flash", "--size", "4m", "--vars", "1")}
EAGER = "1024"  # larger messages wait for their receiver: eager ones would overlap by themselves
OVERLAP = (("io", "ompio"), ("fcoll", "overlap"), ("osc", "pt2pt,sm"),
           ("btl_tcp_eager_limit", EAGER), ("btl_tcp_rndv_eager_limit", EAGER),
           ("rmaps_base_ranking_policy", "node"))  # neighbors on different nodes: much to exchange
SIZES = dict(buffer_bytes=524288, aggregators=4)
GROWING = "ranks grow, tile-256"
GROWING_RANKS = (8, 16, 32, 64)
SIDES = ("isend", "put_fence", "put_lock")  # two-sided, one-sided


def cases():
    for name, args in PATTERNS.items():
        for schedule in SCHEDULES:
            for transport in TRANSPORTS:
                yield Case(name, schedule, transport, RANKS, args + hints(
                    exchange="on", schedule=schedule, transport=transport, **SIZES), OVERLAP)
        yield Case(name, "auto", "auto", RANKS,
                   args + ("--steps", "12") + hints(exchange="on", **SIZES), OVERLAP)
    for ranks in GROWING_RANKS:  # the same 4 MiB
        for transport in SIDES:
            for schedule in ("none", "write_comm"):
                yield Case(GROWING, f"{transport}, {schedule}", ranks, ranks,
                           PATTERNS["tile-256"] + hints(exchange="on", schedule=schedule,
                                                        transport=transport, **SIZES), OVERLAP)


def _times(results, panel, phase):
    """{(schedule, transport): seconds}"""
    found = {(s, t): results.time(panel, s, t, phase) for s in SCHEDULES for t in TRANSPORTS}
    return {k: v for k, v in found.items() if v}


def _points(results):
    for panel in PATTERNS:
        for phase in ("write", "read"):
            times = _times(results, panel, phase)
            if times:
                yield panel, phase, times


def gain(results):
    """The best schedule against none, for each transport: the share of time saved."""
    found = []
    for panel, phase, times in _points(results):
        for transport in TRANSPORTS:
            none = times.get(("none", transport))
            best = min((v for (_, t), v in times.items() if t == transport), default=None)
            found += [1 - best / none] if none and best else []
    return found


def auto_loss(results):
    """What auto takes longer than the best of all, in its later calls."""
    found = []
    for panel, phase, times in _points(results):
        auto = results.time(panel, "auto", "auto", phase)
        found += [auto / min(times.values()) - 1] if auto else []
    return found


def wins(schedule):
    def here(results):
        found = [min((v, s) for (s, t), v in times.items() if t == transport)[1] == schedule
                 for _, _, times in _points(results) for transport in TRANSPORTS
                 if any(t == transport for _, t in times)]
        return [sum(found) / len(found)] if found else []
    return here


def wins_transport(transport):
    def here(results):
        found = [min((v, t) for (_, t), v in times.items())[1] == transport
                 for _, _, times in _points(results)]
        return [sum(found) / len(found)] if found else []
    return here


def more(results):
    """The authors' table: how often each schedule is the fastest, for each transport."""
    out = ["## Who wins how often", "", "Fastest schedule of each pattern and direction, by transport.",
           "", "| transport | " + " | ".join(SCHEDULES) + " |", "|---|" + "--:|" * len(SCHEDULES)]
    for transport in TRANSPORTS:
        found = [min((v, s) for (s, t), v in times.items() if t == transport)[1]
                 for _, _, times in _points(results) if any(t == transport for _, t in times)]
        out.append(f"| {transport} | " + " | ".join(str(found.count(s)) for s in SCHEDULES) + " |")
    return out + [""] + _sides(results)


def _sides(results):
    """One-sided against two-sided transports, as ranks grow."""
    out = ["## One-sided and two-sided as ranks grow", "",
           "Time over that of `isend`, the faster of `none` and `write_comm` for each.", "",
           "| ranks | | put_fence | put_lock |", "|--:|---|--:|--:|"]
    for ranks in GROWING_RANKS:
        for phase in ("write", "read"):
            best = [min(filter(None, (results.time(GROWING, f"{t}, {s}", ranks, phase)
                                      for s in ("none", "write_comm"))), default=None)
                    for t in SIDES]
            if all(best):
                out.append(f"| {ranks} | {phase} | {best[1] / best[0]:.2f} | "
                           f"{best[2] / best[0]:.2f} |")
    return out + [""] if len(out) > 6 else []


LINES = (GROWING,)
X_NAME = {GROWING: "ranks", **{name: "transport" for name in PATTERNS}}
COUNTERS = (("cycles", "cycles", "max"), ("time_io, s", "time_io", "max"),
            ("time_exchange, s", "time_exchange", "max"), ("time_hidden, s", "time_hidden", "max"))
COUNTED = ("isend", SCHEDULES)
CLAIMS = (
    Claim("best schedule: time saved against none", 0, 0.22, gain, "%", "15% or more"),
    Claim("auto: time above the best schedule and transport", 0, 0, auto_loss, "%", "at most 5%",
          False),
    *(Claim(f"`{s}` is best", n / 352, n / 352, wins(s), "%")
      for s, n in (("none", 59), ("comm", 42), ("write", 79), ("write_comm", 95),
                   ("write_comm2", 77))),
    Claim("two-sided messages are best", 0.75, 0.75, lambda r: [
        sum(wins_transport(t)(r)[0] for t in ("isend", "shm"))] if list(_points(r)) else [], "%"))
CAPTION = """Which schedule wins how often, and what the best one saves against no overlap."""
DIFFERS = """Here each aggregator has a server of its own and access takes about as long as the
exchange, so nearly half of the time can be hidden. This machine was chosen after a first one,
`storage`, where all aggregators share two servers and the accesses of one hide the exchange of
another: there the best schedule saved 12% to 21% of writes and 0% to 4% of reads, median 8%
([overlap-storage.json](../../bench/records/studies/overlap-storage.json): IOR, tile-256 and FLASH,
`isend` and `shm`, an earlier build). Puts are messages over TCP here (osc/pt2pt), and a fence costs
messages of all ranks, so `put_fence` falls behind as ranks grow; on the authors' network, one-sided
transfers gain ground."""

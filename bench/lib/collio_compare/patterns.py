# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
"""The patterns: a name, the options of collio_bench that make it, and the size of a step."""

import dataclasses

from . import buffers


@dataclasses.dataclass(frozen=True)
class Pattern:
    name: str
    kernel: str
    size_kib: int  # of a time step, all ranks, before --scale
    options: tuple = ()
    square: bool = False  # the number of ranks must be a square
    sweep: str = ""  # patterns of one sweep differ in the number of pieces only
    buffer: int = 0  # MiB of an aggregator, see buffers.py; patterns of one family differ in it
    family: str = ""

    def ranks(self, wanted):
        """The number of ranks to use: for BTIO the square nearest to the wanted number, at least 4."""
        if not self.square or wanted == 1:
            return wanted
        return max(2, round(wanted**0.5)) ** 2

    def arguments(self, scale):
        size = max(64, int(self.size_kib * scale))
        return ["--kernel", self.kernel, "--size", f"{size}k", *self.options]


def _levels():
    for kernel, size in (("dist3d", 1024), ("unstruc", 128)):
        for level in range(4):
            yield Pattern(f"{kernel}-level{level}", kernel, size, ("--level", str(level)))


def _pieces():
    for elem in (16, 64, 256, 1024, 4096):
        yield Pattern(f"pieces-{elem}", "unstruc", 4096, ("--elem", str(elem)), sweep="pieces")


MAIN = (
    Pattern("ior-seg-1m", "ior-seg", 65536, ("--transfer", "1m")),
    Pattern("ior-int-1m", "ior-int", 65536, ("--transfer", "1m")),
    Pattern("ior-seg-47k", "ior-seg", 32768, ("--transfer", "47008")),
    Pattern("ior-int-47k", "ior-int", 32768, ("--transfer", "47008")),
    Pattern("tile-256", "tile", 16384, ("--elem", "256")),
    Pattern("tile-1m", "tile", 32768, ("--elem", "1m")),
    Pattern("btio", "btio", 16384, square=True),
    Pattern("s3d", "s3d", 16384),
    Pattern("e3sm-f", "e3sm-f", 4096),
    Pattern("e3sm-g", "e3sm-g", 16384),
    Pattern("flash", "flash", 16384),
    Pattern("dist3d", "dist3d", 8192),
    Pattern("unstruc", "unstruc", 4096),
    Pattern("lattice", "lattice", 16384),
    Pattern("coll_perf", "coll_perf", 16384),
)


def _once():
    """One call per file: open and close count. A read needs no fresh file."""
    for name in ("ior-seg-47k", "tile-256", "s3d", "e3sm-f", "btio"):
        p = next(p for p in MAIN if p.name == name)
        options = (*p.options, *(("--calls", "1") if p.kernel == "ior-seg" else ()), "--one-shot")
        yield dataclasses.replace(p, name=f"{name}-once", options=options)
        yield dataclasses.replace(p, name=f"{name}-fresh",
                                  options=(*options, "--fresh", "--phases", "write"))


CALLS = (
    Pattern("calls-all-8", "ior-seg", 64, ("--transfer", "8", "--calls", "10000")),
    Pattern("calls-at-8", "ior-seg", 64, ("--transfer", "8", "--calls", "20000", "--level", "2")),
)

NONBLOCKING = (
    Pattern("nonblocking-64", "ior-seg", 64,
            ("--transfer", "64", "--calls", "500", "--outstanding", "1")),
    Pattern("nonblocking-2k", "ior-seg", 64,
            ("--transfer", "2048", "--calls", "500", "--outstanding", "1")),
    Pattern("nonblocking-64k", "ior-seg", 64,
            ("--transfer", "65536", "--calls", "50", "--outstanding", "1")),
    Pattern("nonblocking-64x50", "ior-seg", 64,
            ("--transfer", "64", "--calls", "500", "--outstanding", "50")),
)

TYPES = (
    Pattern("types-500000", "types", 64, ("--blocks", "500000", "--new-types")),
)



def _buffers(sizes):
    """The four of the authors of the memory-conscious method, with 32 MiB a step."""
    kernels = (("ior", "ior-int", ("--transfer", "512k")), ("coll_perf", "coll_perf", ()),
               ("mpi-io-test", "ior-int", ("--transfer", "8k", "--view")),
               ("flash", "flash", ()))
    for size in sizes:
        for family, kernel, options in kernels:
            yield Pattern(f"{family}-b{size}", kernel, 32768, options, buffer=size, family=family)


GROUPS = {
    "main": MAIN,
    "small": tuple(p for p in MAIN if p.name in ("ior-int-1m", "btio", "s3d", "e3sm-f")),
    "levels": tuple(_levels()),
    "pieces": tuple(_pieces()),
    "once": tuple(_once()),
    "calls": CALLS,
    "nonblocking": NONBLOCKING,
    "types": TYPES,
    "buffers": tuple(_buffers(buffers.SIZES)),
    "buffers-quick": tuple(_buffers((32, 2))),
}


def select(names):
    """Patterns by name or by group, in the order given, each once."""
    known = {p.name: (p,) for group in GROUPS.values() for p in group}
    known.update(GROUPS)
    chosen = {}
    for name in names:
        if name not in known:
            raise SystemExit(f"compare: no pattern '{name}'; known: {', '.join(sorted(known))}")
        chosen.update({p.name: p for p in known[name]})
    return list(chosen.values())

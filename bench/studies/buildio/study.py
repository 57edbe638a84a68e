# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
import os

from collio_study import child
from collio_study.runs import machine_busy, ticks
from collio_study.study import Case, Claim

TITLE = "Individual access to tiny elements (Build-IO)"
QUESTION = """How long do individual writes of tiny elements take?"""
AUTHORS = """The figures are those of this project's design notes on threads in OMPIO's individual
writes, not checked against the paper: matching memory with the file (Build-IO) took 36% (elements
of 16 bytes) to 90% (1 byte) less time with an array that is allocated once, 77.5% less with 8
threads; the whole write 41% less with 4 threads on tmpfs, up to 69% less with one process per node
on Lustre."""
MACHINE = None
REPEAT = 3
STEPS = 1
TAKE = "seconds"
SCALED = (("data", "", "4 MiB"), ("file system", "tmpfs, Lustre", "tmpfs"),
          ("threads", "1 to 8", "1 to 4"))
ELEMENTS = (1, 4, 8, 16)
STACKS = ("ompio, posix", "romio321", "mtpwrite, 1 threads", "mtpwrite, 2 threads",
          "mtpwrite, 4 threads")
PANEL = "4 MiB"


def cases():
    for element in ELEMENTS:
        for stack in STACKS:
            yield Case(PANEL, stack, element, 1, ())


def gather(source, build):
    """Rows of results from bench/mtpwrite/run. The processor is what is measured here."""
    for repeat in range(REPEAT):
        begin = ticks()
        text = child.output([os.path.join(source, "bench", "mtpwrite", "run"), "-r", "1", "-e",
                             " ".join(map(str, ELEMENTS))],
                            env=dict(os.environ, COLLIO_BUILD=build, COLLIO_SRC=source))
        for line in text.splitlines():
            element, stack = line[:8].strip(), line[9:31].strip()
            if stack in STACKS and element.isdigit():
                write, read = map(float, line[31:].split()[:2])
                for phase, seconds in (("write", write), ("read", read)):
                    yield {"key": f"{PANEL}|{stack}|{element}", "repeat": repeat, "phase": phase,
                           "busy": 0, "machine_busy": machine_busy(begin), "seconds": seconds,
                           "bad_bytes": 0, "counters": {}}


def saved(stack, phases=("write",)):
    def here(results):
        found = [(results.time(PANEL, "ompio, posix", e, p), results.time(PANEL, stack, e, p))
                 for e in ELEMENTS for p in phases]
        return [1 - b / a for a, b in found if a and b]
    return here


LINES = (PANEL,)
X_NAME = {PANEL: "bytes of an element"}
COUNTERS = ()
COUNTED = ()
CLAIMS = (Claim("one thread: time saved of a whole write", 0.36, 0.90, saved("mtpwrite, 1 threads"),
                "%"),
          Claim("two threads: time saved of a whole write", 0.41, 0.69,
                saved("mtpwrite, 2 threads"), "%"))
CAPTION = "fbtl/mtpwrite packs tiny pieces into staging buffers; stock components pass each one."
DIFFERS = """The authors measured Build-IO alone and kept vectors of pieces; here the whole
write is measured, and tiny pieces are packed, which saves the system's work on long vectors,
too."""

# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
import os
import tempfile

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
BYTES = 4 << 20
SCALED = (("data", "256 MiB to 2 GiB", "4 MiB, of all processes"), ("file system", "tmpfs, Lustre", "tmpfs"),
          ("cores", "", "2"), ("threads", "1 to 8", "1 to 8"))
ELEMENTS, THREADS, CYCLES = (1, 2, 4, 8, 16), (1, 2, 4, 8), (256, 1024, 4096)
WHOLE, ALONE, TOGETHER, CYCLE = ("whole call", "Build-IO alone", "processes, 8-byte elements",
                                 "cycles, 8-byte elements")
POSIX = (("io", "ompio"), ("fbtl", "posix"))


def _mtpwrite(threads, *more):
    return (("io", "ompio"), ("fbtl", "mtpwrite"), ("io_ompio_num_threads", str(threads)), *more)


def _threads(count):
    return f"mtpwrite, {count} thread{'s' if count > 1 else ''}"


def cases():
    """Case.args: the bytes of an element."""
    for element in ELEMENTS:
        yield Case(WHOLE, "ompio, posix", element, 1, (element,), POSIX)
        yield Case(WHOLE, "romio321", element, 1, (element,), (("io", "romio321"),))
        for threads in THREADS:
            yield Case(WHOLE, _threads(threads), element, 1, (element,), _mtpwrite(threads))
    for threads in THREADS:
        for element in (1, 4, 16):
            yield Case(ALONE, f"method vector, {element} B", threads, 1, (element,),
                       _mtpwrite(threads, ("fbtl_mtpwrite_method", "vector")))
    for threads in THREADS[:3]:
        for processes in (1, 2, 4):
            yield Case(TOGETHER, f"mtpwrite, {processes} process{'es' if processes > 1 else ''}",
                       threads, processes, (8,), _mtpwrite(threads))
    for kib in CYCLES:
        size = ("io_ompio_cycle_buffer_size", str(kib << 10))
        yield Case(CYCLE, "ompio, posix", kib, 1, (8,), (*POSIX, size))
        yield Case(CYCLE, _threads(1), kib, 1, (8,), _mtpwrite(1, size))


def _measure(program, folder, case):
    """Seconds of write and read, or of Build-IO within a write: its counter is a sum over threads."""
    command = ["timeout", "-k", "10", "300", "mpirun", "-np", str(case.ranks), "--oversubscribe",
               "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"]
    for name, value in case.mca:
        command += ["--mca", name, value]
    words = child.output([*command, program, "-e", str(case.args[0]), "-s",
                          str(BYTES // case.ranks), "-r", "3",
                          os.path.join(folder, "file")]).split()
    write, read, build = map(float, words[2:5])
    return {"write": build / case.x} if case.panel == ALONE else {"write": write, "read": read}


def gather(source, build):
    """The processor is what is measured here, so no share of the cores is too large."""
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        program = os.path.join(folder, "mtp_bench")
        child.output([os.environ.get("MPICC", "mpicc"), "-std=gnu11", "-O2", "-o", program,
                      os.path.join(source, "bench", "mtpwrite", "mtp_bench.c")])
        for repeat in range(REPEAT):
            for case in cases():
                begin = ticks()
                for phase, seconds in _measure(program, folder, case).items():
                    yield {"key": case.key(), "repeat": repeat, "phase": phase, "busy": 0,
                           "machine_busy": machine_busy(begin), "seconds": seconds,
                           "bad_bytes": 0, "counters": {}}


def saved(stack):
    def here(results):
        found = [(results.time(WHOLE, "ompio, posix", e, "write"),
                  results.time(WHOLE, stack, e, "write")) for e in ELEMENTS]
        return [1 - b / a for a, b in found if a and b]
    return here


def saved_by_threads(panel, series, threads):
    """Time that this number of threads saves against one."""
    def here(results):
        found = [(results.time(panel, s, 1, "write"), results.time(panel, s, threads, "write"))
                 for s in series]
        return [1 - b / a for a, b in found if a and b]
    return here


LINES = (WHOLE, ALONE, TOGETHER, CYCLE)
X_NAME = {WHOLE: "bytes of an element", ALONE: "threads", TOGETHER: "threads of a process",
          CYCLE: "KiB of a cycle"}
COUNTERS = ()
COUNTED = ()
CLAIMS = (Claim("one thread: time saved of a whole write", 0.36, 0.90, saved(_threads(1)), "%"),
          Claim("four threads: time saved of a whole write", 0.41, 0.69, saved(_threads(4)), "%"),
          Claim("Build-IO alone: time that 8 threads save", 0.775, 0.775,
                saved_by_threads(ALONE, [f"method vector, {e} B" for e in (1, 4, 16)], 8), "%"),
          Claim("4 processes: time that 4 threads save", 0, 0.69,
                saved_by_threads(TOGETHER, ["mtpwrite, 4 processes"], 4), "%"))
CAPTION = "fbtl/mtpwrite packs tiny pieces into staging buffers; stock components pass each one."
DIFFERS = """The authors kept vectors of pieces on many cores; here tiny pieces are packed, which saves the
system's work on long vectors, too, and there are two cores. Packing hides Build-IO, so it is timed by
itself with vectors (`method vector`)."""

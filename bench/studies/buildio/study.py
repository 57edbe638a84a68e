# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
import os
import tempfile

from collio_study import child
from collio_study.runs import machine_busy, ticks
from collio_study.study import Case, Claim

TITLE = "Individual access to tiny elements (Build-IO)"
QUESTION = """How long do individual writes of tiny elements take?"""
AUTHORS = """{buildio.paper}. Individual writes of OMPIO spend their time on matching memory with the
file (Build-IO). An array that is allocated once instead of grown saves {buildio.once} of Build-IO alone
with one thread. With elements of the largest size and the largest cycles, eight threads save
{buildio.build_8} of Build-IO over the original code ({buildio.build_8_1} over one thread of the new
code), and four threads save {buildio.whole_4} of the whole write on tmpfs. On Lustre, eight threads save
{buildio.whole_lustre} of the whole write with one process per node; where the file system is saturated
(Crill), the gain is {buildio.saturated}. Elements: {buildio.elements}; {buildio.machine}."""
MACHINE = None
REPEAT = 3
STEPS = 1
TAKE = "seconds"
BYTES = 4 << 20
SCALED = (("data", "{buildio.data}", "4 MiB, of all processes"), ("file system", "tmpfs, Lustre", "tmpfs"),
          ("elements", "{buildio.elements}", "1 to 16 B"), ("cycles", "{buildio.cycles}", "256 KiB to 4 MiB"),
          ("cores", "{buildio.cores}", "2"), ("threads", "{buildio.threads}", "1 to 8; Build-IO alone: 1 and 2"))
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
    for threads in THREADS[:2]:  # the cores
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


def saved(stack, elements=ELEMENTS):
    def here(results):
        found = [(results.time(WHOLE, "ompio, posix", e, "write"),
                  results.time(WHOLE, stack, e, "write")) for e in elements]
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
CLAIMS = (Claim("whole write, one thread: time saved over fbtl/posix", saved(_threads(1)), "%"),
          Claim("whole write, four threads, 16 B: time saved over fbtl/posix",
                saved(_threads(4), (16,)), "%", authors="buildio.whole_4"),
          Claim("whole write, four threads, all elements: time saved over fbtl/posix",
                saved(_threads(4)), "%"),
          Claim("Build-IO alone: time that two threads save",
                saved_by_threads(ALONE, [f"method vector, {e} B" for e in (1, 4, 16)], 2), "%"),
          Claim("4 processes: time that 4 threads save",
                saved_by_threads(TOGETHER, ["mtpwrite, 4 processes"], 4), "%"))
CAPTION = "fbtl/mtpwrite packs tiny pieces into staging buffers; stock components pass each one."
DIFFERS = """The authors kept vectors of pieces and had {buildio.cores} cores; here tiny pieces are packed, which saves the
system's work on long vectors, too, and there are two cores, so Build-IO alone is timed with one and
two threads. Packing hides Build-IO, so it is timed by
itself with vectors (`method vector`)."""

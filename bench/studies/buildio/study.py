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
with one thread. With elements of the largest size and the largest cycles, one, two and ten threads save
{buildio.build_few} of Build-IO over the original code in the smallest file; in the largest eight threads save
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
          ("cores", "{buildio.cores}", "2"), ("threads", "{buildio.threads}", "1 and 2, as many as cores"),
          ("times", "", "wall time of whole calls, and of the array alone"))
CORES = 2  # of the computer of the record; more threads than that only share them
ELEMENTS, THREADS, CYCLES = (1, 2, 4, 8, 16), (1, CORES), (256, 1024, 4096)
WHOLE, VECTORS, TOGETHER, CYCLE = ("whole call", "whole call by vectors", "processes, 8-byte elements",
                                   "cycles, 8-byte elements")
ARRAY, GROWN, ONCE = "array alone, {} B", "grown by realloc", "allocated once"
ARRAY_ELEMENTS, COUNTS = (1, 16), (4096, 16384, 65536, 262144, 524288, 1048576, 4194304)
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
            yield Case(VECTORS, f"{element} B", threads, 1, (element,),
                       _mtpwrite(threads, ("fbtl_mtpwrite_method", "vector")))
    for element in ARRAY_ELEMENTS:
        for count in COUNTS:
            for words in (GROWN, ONCE):
                yield Case(ARRAY.format(element), words, count, 1, (element,))
    for threads in THREADS:
        for processes in (1, 2):
            yield Case(TOGETHER, f"mtpwrite, {processes} process{'es' if processes > 1 else ''}",
                       threads, processes, (8,), _mtpwrite(threads))
    for kib in CYCLES:
        size = ("io_ompio_cycle_buffer_size", str(kib << 10))
        yield Case(CYCLE, "ompio, posix", kib, 1, (8,), (*POSIX, size))
        yield Case(CYCLE, _threads(1), kib, 1, (8,), _mtpwrite(1, size))


def _measure(program, folder, case):
    """Wall seconds of write and read."""
    command = ["timeout", "-k", "10", "300", "mpirun", "-np", str(case.ranks), "--oversubscribe",
               "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"]
    for name, value in case.mca:
        command += ["--mca", name, value]
    words = child.output([*command, program, "-e", str(case.args[0]), "-s",
                          str(BYTES // case.ranks), "-r", "3",
                          os.path.join(folder, "file")]).split()
    return {"write": float(words[2]), "read": float(words[3])}


def _compile(folder, source, compiler, name):
    program = os.path.join(folder, name)
    child.output([compiler, "-std=gnu11", "-O2", "-o", program,
                  os.path.join(source, "bench", "mtpwrite", f"{name}.c")])
    return program


def _arrays(program, wanted):
    """The array alone: {(panel, series, x): seconds}."""
    found = {}
    for element in ARRAY_ELEMENTS if wanted else ():
        text = child.output(["timeout", "300", program, str(element), "5", *map(str, COUNTS)])
        for line in text.splitlines():
            _, count, grown, once = line.split()
            found[ARRAY.format(element), GROWN, int(count)] = float(grown)
            found[ARRAY.format(element), ONCE, int(count)] = float(once)
    return found


def gather(source, build):
    """The processor is what is measured here, so no share of the cores is too large."""
    if os.cpu_count() != CORES:
        print(f"buildio: {os.cpu_count()} cores here, the study is written for {CORES}: set CORES")
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        program = _compile(folder, source, os.environ.get("MPICC", "mpicc"), "mtp_bench")
        alone = _compile(folder, source, os.environ.get("CC", "cc"), "array_bench")
        for repeat in range(REPEAT):
            begin = ticks()
            arrays = _arrays(alone, any(not case.mca for case in cases()))
            for case in cases():
                where = (case.panel, case.series, case.x)
                took = {"write": arrays[where]} if where in arrays else _measure(program, folder, case)
                for phase, seconds in took.items():
                    yield {"key": case.key(), "repeat": repeat, "phase": phase, "busy": 0,
                           "machine_busy": machine_busy(begin), "seconds": seconds,
                           "bad_bytes": 0, "counters": {}}
                begin = ticks()


def saved(stack, elements=ELEMENTS):
    def here(results):
        found = [(results.time(WHOLE, "ompio, posix", e, "write"),
                  results.time(WHOLE, stack, e, "write")) for e in elements]
        return [1 - b / a for a, b in found if a and b]
    return here


def once_saves(counts):
    """What an array that is allocated once saves of building it, with one thread."""
    def here(results):
        found = [(results.time(ARRAY.format(e), GROWN, n, "write"), results.time(ARRAY.format(e), ONCE, n, "write"))
                 for e in ARRAY_ELEMENTS for n in counts]
        return [1 - b / a for a, b in found if a and b]
    return here


def saved_by_threads(panel, series, threads):
    """Time that this number of threads saves against one."""
    def here(results):
        found = [(results.time(panel, s, 1, "write"), results.time(panel, s, threads, "write"))
                 for s in series]
        return [1 - b / a for a, b in found if a and b]
    return here


LINES = (WHOLE, VECTORS, TOGETHER, CYCLE, *map(ARRAY.format, ARRAY_ELEMENTS))
X_NAME = {WHOLE: "bytes of an element", VECTORS: "threads", TOGETHER: "threads of a process",
          CYCLE: "KiB of a cycle", **{ARRAY.format(e): "elements of a cycle" for e in ARRAY_ELEMENTS}}
COUNTERS = ()
COUNTED = ()
CLAIMS = (Claim("whole write, one thread: time saved over fbtl/posix", saved(_threads(1)), "%"),
          Claim("whole write, two threads on two cores, 16 B: time saved over fbtl/posix",
                saved(_threads(CORES), (16,)), "%"),
          Claim("whole write, two threads on two cores, all elements: time saved over fbtl/posix",
                saved(_threads(CORES)), "%"),
          Claim("the array alone, once against grown, from 524,288 elements on", once_saves(COUNTS[4:]), "%"),
          Claim("the array alone, once against grown, up to 65,536 elements", once_saves(COUNTS[:3]), "%"),
          Claim("whole write by vectors: wall time that two threads save",
                saved_by_threads(VECTORS, [f"{e} B" for e in (1, 4, 16)], CORES), "%"))
CAPTION = "fbtl/mtpwrite packs tiny pieces into staging buffers; stock components pass each one."
DIFFERS = """The authors kept vectors of pieces and had {buildio.cores} cores; here tiny pieces are packed, which saves the
system's work on long vectors, too, and there are two cores, so no row has more than two threads, and
none is beside the authors' four or eight. They timed Build-IO alone in a running write, so their saving by one
allocation is not that of the array alone, which includes no matching of views; their gain begins at
{buildio.bound} elements per cycle. Packing hides Build-IO, so threads are timed with vectors, too (`method vector`)."""

# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
"""Every finding: a profile in which it is told, and others, just beside it, in which it is not.

Findings depend on shares of time, which no program has the same twice; so the profiles are made. `run
findings` has the two that programs can show.
"""
from made import (COLLECTIVE, INDEPENDENT, INSIDE, COMPLETION, META, OPEN, POSIX, READ, SYNC, WAIT,
                     WRITE)
import made

MIB = 1 << 20
SECOND = 10**9
SMALL = [0, 0, 100] + [0] * 8       # 100 transfers of 512 bytes to 4 KiB
LARGE = [0] * 6 + [100] + [0] * 4   # 1 to 4 MiB


def job(path, ranks=4, files=(), functions=(), variables=(), other=(), memory=(0, 0), systems=()):
    """A profile: files are (path, comm_size, cells, more fields, of which hints is a string); systems as in made.write.
    Rank 0 has all of the time, and unless functions are given there is one for each kind of calls."""
    total = {}
    for cls, kind, calls, errors, ns, size in [*other, *(cell for row in files for cell in row[2])]:
        old = total.get((cls, kind), (0, 0, 0, 0))
        total[cls, kind] = tuple(a + b for a, b in zip(old, (calls, errors, ns, size)))
    made.write(path, {'program': 'p', 'command': 'p', 'ranks': str(ranks), 'job': '1', 'mpi': 'none',
                      'level': 'files', 'ioprof': '1'},
               [made.rank(0, *((*key, *value) for key, value in total.items()), wall=100 * SECOND,
                          peak=memory[0], held=memory[1]),
                *(made.rank(n, wall=100 * SECOND) for n in range(1, ranks))],
               list(functions) or [made.function(f'f{cls}{kind}', cls, kind, calls, ns, size, errors=errors)
                                   for (cls, kind), (calls, errors, ns, size) in total.items()],
               [made.file(name, more.get('hints', ''), comm, *cells,
                          **{key: value for key, value in more.items() if key != 'hints'})
                for name, comm, cells, more in files],
               variables=variables, systems=systems)


def one(*cells, comm=0, **more):
    return [('/d/file', comm, cells, more)]


def unimportant(ns=1000 * SECOND):
    """Other I/O, beside which the time of a file is nothing."""
    return [(INDEPENDENT, READ, 1, 0, ns, MIB)]


def posix(size, calls=100, sizes=None, **more):
    return one((POSIX, WRITE, calls, 0, SECOND, calls * size), sizes={(POSIX, 1): sizes or SMALL},
               **more)


def aggregated(writers, size=16 * MIB):
    return one((COLLECTIVE, WRITE, 8, 0, SECOND, size), (INSIDE, WRITE, 8, 0, SECOND // 2, size), comm=4,
               ranks=4, top_rank=2, writers={COLLECTIVE: 4, INSIDE: writers})


def scattered(writers, size=4000, calls=4000, collective=None):
    """`collective`: bytes of collective calls; individual calls move the others."""
    collective = size * calls if collective is None else collective
    return one((COLLECTIVE, WRITE, 16, 0, SECOND, collective),
               (INDEPENDENT, WRITE, calls, 0, SECOND, size * calls - collective),
               (INSIDE, WRITE, calls, 0, SECOND // 2, size * calls), comm=4, ranks=4,
               writers={COLLECTIVE: 4, INSIDE: writers})


def offsets(unaligned, sequential=0, calls=100, size=32768):
    return one((POSIX, WRITE, calls, 0, SECOND, calls * size), block=4096, unaligned=unaligned,
               sequential=sequential, sizes={(POSIX, 1): LARGE})


def striped(stripes, writers=2, high=16 << 30, inside=0, size=MIB):
    """A file of Lustre or BeeGFS that aggregators write."""
    return one((COLLECTIVE, WRITE, 100, 0, SECOND, 100 * size),
               (INSIDE, WRITE, 100, 0, SECOND // 2, 100 * size), comm=8, ranks=8, block=4096,
               writers={COLLECTIVE: 8, INSIDE: writers}, high=high, stripes=(stripes, MIB),
               inside_stripe=inside, sizes={(INSIDE, 1): LARGE})


def plans(hits, misses):
    return [made.variable('fcoll_overlap_plan_hits', 'reused', hits),
            made.variable('fcoll_overlap_plan_misses', 'planned', misses)]


def direct(calls):
    return [made.variable('fcoll_overlap_calls_direct', 'direct calls', calls)]


def views(count):
    return one((COLLECTIVE, WRITE, 40, 0, SECOND, 40 * MIB), (COLLECTIVE, META, count, 0, SECOND, 0),
               comm=4, ranks=4, views=count)


def opened(ranks, comm=0, hints=''):
    cls = INSIDE if comm else POSIX
    return one((cls, OPEN, ranks, 0, SECOND, 0), (POSIX, READ, 64, 0, SECOND, MIB), comm=comm,
               open_ranks=ranks, ranks=64, hints=hints)


def own_files(count):
    return [(f'/d/{i}', 0, [(POSIX, OPEN, 1, 0, SECOND, 0), (POSIX, WRITE, 1, 0, SECOND, MIB)],
             {'writers': {POSIX: 1}}) for i in range(count)]


def started(span, waited):
    return [made.function('MPI_File_iwrite_all', COLLECTIVE, WRITE, 8, waited // 2, MIB, span=span),
            made.function('MPI_Wait', COMPLETION, WAIT, 8, waited // 2, 0)]


def phases(hidden, exchange=SECOND, probes=0):
    return [made.variable('fcoll_overlap_time_exchange', 'shuffle [nanoseconds]', exchange),
            made.variable('fcoll_overlap_time_io', 'access [nanoseconds]', SECOND),
            made.variable('fcoll_overlap_time_hidden', 'hidden [nanoseconds]', hidden),
            made.variable('fcoll_overlap_probes', 'trials', probes)]


def metadata(meta, data):
    return [made.function('stat', POSIX, META, meta, SECOND, 0),
            made.function('write', POSIX, WRITE, data, SECOND, data)]


BUSY = [(COLLECTIVE, WRITE, 8, 0, SECOND, MIB)]
SMALL_BELOW = one((COLLECTIVE, WRITE, 8, 0, SECOND, MIB), (INSIDE, WRITE, 100, 0, SECOND // 2, 102400),
                  comm=4, sizes={(INSIDE, 1): SMALL})
ROMIO = 'romio_no_indep_rw=false\n'  # MPICH returns it
# name, sentence, word of the advice, arguments of job that tell it, arguments that do not
RULES = (
    ('small POSIX writes', '100 of 100 POSIX writes have less than 64 KiB (1.0 KiB on average).',
     'MPI_File_write_all', {'files': posix(1024)},
     ({'files': posix(MIB, sizes=LARGE)}, {'files': posix(1024, 63, [0, 0, 63] + [0] * 8)},
      {'files': posix(1024), 'other': unimportant()})),
    ('small writes below collective calls', 'POSIX writes inside MPI-IO have less than 64 KiB',
     'romio_cb_write=enable',
     {'files': SMALL_BELOW, 'variables': direct(0)},
     ({'files': SMALL_BELOW, 'variables': direct(8)},
      {'files': one((COLLECTIVE, WRITE, 8, 0, SECOND, MIB),
                    (INSIDE, WRITE, 100, 0, SECOND // 2, 100 * MIB), comm=4,
                    sizes={(INSIDE, 1): LARGE})})),
    ('small writes below individual calls', 'POSIX writes inside MPI-IO have less than 64 KiB',
     'romio_ds_write=enable',
     {'files': one((INDEPENDENT, WRITE, 8, 0, SECOND, MIB),
                   (INSIDE, WRITE, 100, 0, SECOND // 2, 102400), comm=4, sizes={(INSIDE, 1): SMALL})},
     ({'files': one((INDEPENDENT, WRITE, 8, 0, SECOND, MIB), comm=4)},)),
    ('small writes of individual calls beside collective ones',
     'POSIX writes inside MPI-IO have less than 64 KiB', 'H5FD_MPIO_COLLECTIVE',
     {'files': one((COLLECTIVE, WRITE, 8, 0, SECOND, 2048), (INDEPENDENT, WRITE, 100, 0, SECOND, MIB),
                   (INSIDE, WRITE, 100, 0, SECOND // 2, MIB), comm=4, sizes={(INSIDE, 1): SMALL})},
     ({'files': one((COLLECTIVE, WRITE, 8, 0, SECOND, 2048), (INDEPENDENT, WRITE, 100, 0, SECOND, MIB),
                    comm=4)},)),
    ('one aggregator', 'all bytes of 4 ranks are written by rank 2, the only aggregator.', 'cb_nodes',
     {'files': aggregated(1)}, ({'files': aggregated(2)}, {'files': aggregated(1, MIB)})),
    ('one rank writes all', 'rank 0 writes everything, 100 MiB.', 'MPI_File_write_at_all',
     {'files': posix(MIB, sizes=LARGE, writers={POSIX: 1})},
     ({'files': posix(MIB, sizes=LARGE, writers={POSIX: 4})},)),
    ('unaligned', '50 of 100 POSIX reads and writes start inside a block of 4.0 KiB.', 'striping_unit',
     {'files': offsets(50)}, ({'files': offsets(49)}, {'files': offsets(50, sequential=95)}, {'files': offsets(50, size=65536)})),
    ('inside stripes', '60 of 100 POSIX reads and writes start inside a stripe of 1.0 MiB.',
     'striping_unit', {'files': striped(4, inside=60)},
     ({'files': striped(4, inside=40)}, {'files': striped(4, inside=60, size=MIB // 8)})),
    ('one stripe', 'a file of 16.0 GiB has one stripe', 'striping_factor', {'files': striped(1)},
     ({'files': striped(2)}, {'files': striped(1, high=MIB)}, {'files': striped(0)})),
    ('more aggregators than stripes', '4 aggregators write 2 stripes', 'cb_nodes',
     {'files': striped(2, 4)}, ({'files': striped(4, 4)}, {'files': striped(0, 4)})),
    ('stripes that aggregators do not divide', '5 stripes are not a multiple of 2 aggregators',
     'cb_nodes', {'files': striped(5)}, ({'files': striped(6)}, {'files': striped(1)})),
    ('memory of MPI-IO', 'MPI-IO holds 64.0 MiB of the 200 MiB of memory on rank 0: 32%.',
     'cb_buffer_size', {'memory': (200 * MIB, 64 * MIB), 'other': BUSY},
     ({'memory': (400 * MIB, 64 * MIB), 'other': BUSY}, {'memory': (60 * MIB, 20 * MIB), 'other': BUSY})),
    ('not aggregated', 'collective writes were not aggregated: all 4 ranks', '--mca fcoll overlap',
     {'files': scattered(4), 'variables': direct(0)},
     ({'files': scattered(1)}, {'files': scattered(4, MIB, 100)}, {'files': scattered(4, collective=2048)},
      {'files': scattered(4, 64 << 10), 'variables': direct(16)})),
    ('views that change', '32 MPI_File_set_view for 40 reads and writes.', 'collio_plan_reuse',
     {'files': views(32)}, ({'files': views(31)}, {'files': views(32), 'other': unimportant()}, {'files': views(80)},
                          {'files': views(32), 'variables': plans(3, 2)})),
    ('all ranks open', 'all 64 ranks open the file', 'broadcast', {'ranks': 64, 'files': opened(64)},
     ({'ranks': 64, 'files': opened(63)},)),
    ('all ranks open, ROMIO', 'all 64 ranks open the file', 'romio_no_indep_rw',
     {'ranks': 64, 'files': opened(64, 64, ROMIO)},
     ({'ranks': 64, 'files': opened(1, 64, ROMIO)}, {'ranks': 64, 'files': opened(64, 64, 'cb_nodes=2\n')},
      {'ranks': 64, 'files': opened(64, 64, ROMIO.replace('false', 'true'))})),
    ('a file for every rank', '64 files written by one rank each', 'striping_factor',
     {'ranks': 64, 'files': own_files(64)}, ({'ranks': 64, 'files': own_files(63)},)),
    ('nonblocking calls that hide little', 'Nonblocking and split calls hide little', 'MPI_Test',
     {'functions': started(SECOND, SECOND * 9 // 10), 'other': BUSY},
     ({'functions': started(SECOND, SECOND // 2), 'other': BUSY},)),
    ('low overlap', 'The collective component hid 10% of its 1.00 s of file access', 'write_comm',
     {'variables': phases(SECOND // 10), 'other': BUSY},
     ({'variables': phases(SECOND // 2), 'other': BUSY},
      {'variables': phases(SECOND // 10, exchange=0), 'other': BUSY},
      {'variables': phases(SECOND // 10, probes=2), 'other': BUSY})),
    ('low overlap, schedule set', 'The collective component hid 10% of its 1.00 s of file access', 'Try a smaller',
     {'variables': phases(SECOND // 10), 'files': posix(MIB, sizes=LARGE, hints='collio_schedule=write_comm\n'),
      'other': BUSY}, ()),
    ('sync', '50% of the I/O time is in sync calls', 'Sync once',
     {'other': BUSY + [(POSIX, SYNC, 5, 0, SECOND, 0)]},
     ({'other': BUSY + [(POSIX, SYNC, 5, 0, SECOND // 10, 0)]},)),
    ('metadata', 'twice as many as reads and writes: 1000 to 100.', 'keep the result',
     {'functions': metadata(1000, 100), 'other': BUSY + [(POSIX, META, 1000, 0, SECOND, 0)]},
     ({'functions': metadata(1000, 600), 'other': BUSY + [(POSIX, META, 1000, 0, SECOND, 0)]},)),
    ('errors', '3 calls returned an error.', 'table of functions',
     {'functions': [made.function('open', POSIX, OPEN, 5, SECOND, 0, errors=3)], 'other': BUSY},
     ({'functions': [made.function('open', POSIX, OPEN, 5, SECOND, 0)], 'other': BUSY},
      {'functions': [made.function('open', INSIDE, OPEN, 5, SECOND, 0, errors=3)], 'other': BUSY})),
)


def group(check_class, suite, place, findings):
    """findings(path): [{'text': ..., 'advice': ...}] of a profile."""
    for name, sentence, advice, told, others in RULES:
        with check_class(suite, f'finding: {name}') as check:
            path = f'{place}/rule.iop'
            job(path, **told)
            found = [item for item in findings(path) if sentence in item['text']]
            check.equal(f'"{sentence}" of {findings(path)}', len(found), 1)
            check.true(f'no advice {advice}', found and advice in found[0]['advice'])
            for i, other in enumerate(others):
                job(path, **other)
                wrong = [item['text'] for item in findings(path) if sentence in item['text']]
                check.equal(f'told in case {i}', wrong, [])

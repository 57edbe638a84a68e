# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
"""The advice of docs/hdf5.md, docs/netcdf.md and docs/python.md, measured: two runs that differ in
the one setting, and what the page claims of them in bytes, calls and pieces, counted by ioprof. A
line that has become false fails here. Also the tutorial, docs/getting-started.md."""
import json
import os
import re
import subprocess

import launch

IOPROF = os.path.join(launch.BUILD, 'ioprof', 'ioprof')
KIB, MIB = 1 << 10, 1 << 20
RANKS = 4
H5, NC, PNC, PY = 'advice_hdf5', 'advice_netcdf', 'advice_pnetcdf', 'advice_python.py'
DATA = {H5: 2 * MIB, NC: MIB, PNC: 32 * MIB, PY: RANKS * 64 * 256 * 8}  # bytes that a program writes


class Seen:
    """What ioprof has seen of a run, and the numbers that the program printed."""

    def __init__(self, text, report):
        self.printed = {name: int(value) for name, value in re.findall(r'^(\w+) (-?\d+)$', text, re.M)}
        self.report = report

    def calls(self, name):
        return sum(f['calls'] for f in self.report['functions'] if f['name'] == name)

    def inside(self, kind, what='bytes'):
        """Of POSIX calls by MPI-IO."""
        return sum(f[what] for f in self.report['functions']
                   if f['class'] == 'inside' and f['kind'] == kind)

    def counter(self, name):
        return sum(v['sum'] for v in self.report['variables'] if v['name'] == f'fcoll_overlap_{name}')


def about(seen, size, times):
    """True if the file got `times` the data, and not more than 2% of metadata."""
    return times * size <= seen.inside('write') <= (times + 0.02) * size


# page, what it states, program, words of run A, words of run B, True if it is so
ADVICE = (
    ('hdf5', 'calls are independent by default', H5, ['default'], [],
     lambda a, b: a.calls('MPI_File_write_at') >= 2048 and b.calls('MPI_File_write_at') == 0
     and a.printed['collective'] == 0 and b.printed['collective'] == 1),
    ('hdf5', 'a conversion makes calls independent', H5, ['float'], [],
     lambda a, b: a.printed['collective'] == 0 and a.printed['cause'] != 0 and b.printed['cause'] == 0),
    ('hdf5', 'a filter does not', H5, ['deflate'], [],
     lambda a, b: a.printed['collective'] == 1 and b.printed['collective'] == 1),
    ('hdf5', 'contiguous datasets are written once', H5, [], ['never'],
     lambda a, b: about(a, DATA[H5], 1) and about(b, DATA[H5], 1)),
    ('hdf5', 'with a fill value they are written twice, unless fill time is never', H5, ['value'],
     ['value', 'never'], lambda a, b: about(a, DATA[H5], 2) and about(b, DATA[H5], 1)),
    ('hdf5', 'chunks are written twice, unless fill time is never', H5, ['chunks'],
     ['chunks', 'never'], lambda a, b: about(a, DATA[H5], 2) and about(b, DATA[H5], 1)),
    ('hdf5', "chunks of a rank's part are one piece of the file", H5, ['shared', 'never'],
     ['chunks', 'never'], lambda a, b: a.counter('requests_in') >= 1024 and b.counter('requests_in') < 16),
    ('hdf5', 'chunks that ranks share, with a filter: HDF5 reads them, too', H5, ['deflate', 'shared'],
     ['deflate'], lambda a, b: a.inside('read') > 0 and b.inside('read') == 0),
    ('hdf5', 'alignment puts datasets at multiples', H5, [], ['align'],
     lambda a, b: a.printed['offset'] % (64 * KIB) != 0 and b.printed['offset'] % (64 * KIB) == 0),
    ('hdf5', 'metadata by collective writes', H5, ['plainmeta'], [],
     lambda a, b: a.calls('MPI_File_write_at') > 0 and b.calls('MPI_File_write_at') == 0),
    ('hdf5', 'a step of the same shape reuses the plan', H5, ['chunks', 'never'], [],
     lambda _a, b: b.counter('plan_hits') == RANKS),
    ('netcdf', 'access is independent by default', NC, ['default', 'variable'], ['variable'],
     lambda a, b: a.calls('MPI_File_write_at') >= 1024 and b.calls('MPI_File_write_at') == 0),
    ('netcdf', 'nc_def_var_fill: every byte is written once', NC, [], ['variable'],
     lambda a, b: about(a, DATA[NC], 2) and about(b, DATA[NC], 1)),
    ('netcdf', 'nc_set_fill has an effect only before nc_def_var', NC, ['late'], ['nofill'],
     lambda a, b: about(a, DATA[NC], 2) and about(b, DATA[NC], 1)),
    ('netcdf', "chunks of a rank's part are one piece of the file", NC, ['variable'],
     ['chunks', 'variable'],
     lambda a, b: a.counter('requests_in') >= 1024 and b.counter('requests_in') < 16),
    ('netcdf', 'nc_set_alignment puts variables at multiples', NC, ['variable'], ['align', 'variable'],
     lambda a, b: a.printed['offset'] % (64 * KIB) != 0 and b.printed['offset'] >= 0
     and b.printed['offset'] % (64 * KIB) == 0),
    ('netcdf', 'nonblocking puts become one collective call', PNC, [], ['together'],
     lambda a, b: a.calls('MPI_File_write_at_all') == 4 * RANKS
     and b.calls('MPI_File_write_at_all') == RANKS),
    ('netcdf', 'nc_var_align_size puts variables at multiples', PNC, [], ['align'],
     lambda a, b: a.printed['offset'] % (64 * KIB) != 0 and b.printed['offset'] % (64 * KIB) == 0),
    ('netcdf', 'nc_in_place_swap: no second buffer', PNC, ['together'], ['together', 'swap'],
     lambda a, b: a.printed['peak'] - b.printed['peak'] > 4 * KIB),
    ('python', 'h5py is independent without d.collective', PY, ['default'], ['collective'],
     lambda a, b: a.calls('MPI_File_write_at') > 0 and a.counter('bytes_written') < DATA[PY] / 10
     and b.counter('bytes_written') >= DATA[PY]),
    ('python', 'mpi4py refuses arrays that are not contiguous', PY, ['strided'], ['strided'],
     lambda a, _b: a.printed['refused'] == 1),
)


def profiled(np, command, scratch):
    """Runs a program of np ranks below ioprof with fcoll/overlap: Seen, or None and the output."""
    profile = os.path.join(scratch, 'advice.iop')
    if os.path.exists(profile):
        os.remove(profile)
    run = launch.run(launch.mpirun_command(np, [IOPROF, '-t', 'none', '-o', profile, *command],
                                           fcoll='overlap'), 120)
    if run.rc != 0 or not os.path.exists(profile):
        return None, run
    report = subprocess.run([IOPROF, 'report', '--json', profile], stdout=subprocess.PIPE, check=True)
    return Seen(run.text, json.loads(report.stdout)), run


def advice(suite, argv_of, scratch):
    """argv_of(program, path): the command, or None and what to install."""
    seen = {}

    def look(program, words):
        key = (program, *words)
        if key not in seen:
            argv = argv_of(program, os.path.join(scratch, 'advice.out'))[0]
            seen[key] = profiled(RANKS, argv + words, scratch)
        return seen[key]

    for page, states, program, one, other, so in ADVICE:
        name = f'docs/{page}.md: {states}'
        missing = launch.component_missing('overlap') or argv_of(program, '')[1]
        if missing:
            suite.skip(name, missing)
            continue
        (a, run_a), (b, run_b) = look(program, one), look(program, other)
        if 77 in (run_a.rc, run_b.rc):
            suite.skip(name, 'h5py was built without MPI')
            continue
        suite.check(name, a is not None and b is not None and so(a, b), '\n'.join(
            [run.text if found is None else json.dumps(
                [found.printed, found.inside('write'), found.inside('read')]
                + [[f['name'], f['calls'], f['bytes']] for f in found.report['functions']])
             for found, run in ((a, run_a), (b, run_b))]))


def tutorial(suite, argv_of, scratch):
    """docs/getting-started.md: the finding at its beginning, its counts, and no finding at its end."""
    name = 'docs/getting-started.md'
    argv, missing = argv_of('hdf5_blocks', os.path.join(scratch, 'out.h5'))
    missing = missing or launch.component_missing('overlap')
    if missing:
        suite.skip(name, missing)
        return
    first, run = profiled(8, [*argv, 'independent'], scratch)
    suite.check(f'{name}: the finding of independent calls', first is not None and any(
        'have less than 64 KiB (512 B on average)' in f['text'] for f in first.report['findings']), run.text)
    last, run = profiled(8, [*argv, 'collective'], scratch)
    if last is None:
        suite.not_ok(f'{name}: collective calls', run.text)
        return
    counts = {counter: last.counter(counter) for counter in ('calls_write', 'requests_in', 'plan_misses')}
    suite.check(f'{name}: counts of the report', counts == {
        'calls_write': 56, 'requests_in': 32768, 'plan_misses': 8}, str(counts))
    run = launch.run(launch.mpirun_command(8, [*argv, 'collective'], fcoll='overlap', mca=[
        ('fcoll_overlap_report', '1')]), 120)
    suite.check(f'{name}: the report shows the decision of the data, not of metadata',
                re.search(r'^  largest write exchange on ', run.text, re.M) is not None, run.text)
    suite.check(f'{name}: no finding at the end', not last.report['findings'],
                json.dumps(last.report['findings'], indent=1))

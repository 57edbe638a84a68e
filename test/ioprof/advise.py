# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
"""ioprof advise: settings of findings, and that a run with them no longer has the finding."""
import os
import shutil
import subprocess
import tempfile

import launch
import made
import rules
from made import INSIDE, POSIX, READ, WRITE
from profiles import TOOL, Case, program


def advise(path):
    return subprocess.run([TOOL, 'advise', path], stdout=subprocess.PIPE, check=True).stdout.decode()


# The name of a rule, and lines that its profile gives.
SETTINGS = {
    'one aggregator': ['[file]', 'cb_nodes 2'],
    'one stripe': ['[file]', 'striping_factor 4'],
    'more aggregators than stripes': ['[file]', 'cb_nodes 2'],
    'stripes that aggregators do not divide': ['[file]', 'cb_nodes 5'],
    'not aggregated': ['[file]', 'romio_cb_write enable'],
    'low overlap': ['collio_schedule write_comm'],
    'low overlap, schedule set': ['# No finding suggests a setting.'],
    'sync': ['# No finding suggests a setting.'],
}


def settings(suite, place):
    """Each line that is no comment is one of those that the finding should give."""
    path = os.path.join(place, 'rule.iop')
    wrong, seen = [], set()
    for name, _, _, told, _ in rules.RULES:
        if name in SETTINGS:
            seen.add(name)
            rules.job(path, **told)
            text = advise(path)
            lines = [line for line in text.split('\n') if line and not line.startswith('#')]
            want = SETTINGS[name]
            if [line for line in want if line not in text.split('\n')] or len(lines) > len(want):
                wrong.append(f'{name}: {want} of\n{text}')
    suite.check('settings of findings', not wrong and seen == set(SETTINGS), '\n'.join(wrong))


def setstripe(suite, place):
    """The command of Lustre for the directory of a file: for a file on Lustre only, with the stripes of the hint."""
    path = os.path.join(place, 'stripes.iop')
    told = next(told for name, _, _, told, _ in rules.RULES if name == 'one stripe')
    command = '# the same for all new files of the directory: lfs setstripe -c 4 /d'
    for kind, expected in (('lustre', [command]), ('beegfs', []), ('', [])):
        rules.job(path, systems=[(0, kind, '/d')] if kind else [], **told)
        text = advise(path)
        lines = [line for line in text.split('\n') if 'setstripe -c 4' in line]
        suite.check(f'stripes of the directory, {kind or "file system unknown"}',
                    lines == expected and '\nstriping_factor 4\n' in text, text)


def odd_names(suite, place):
    """A name that could be mistaken for syntax."""
    path = os.path.join(place, 'odd.iop')
    rules.job(path, files=[('/d/a\nb ]', 4, ((INSIDE, WRITE, 100, 0, 10**9, 1 << 30),),
                            {'writers': {INSIDE: 1}, 'ranks': 4})])
    text = advise(path)
    suite.check('a name with a line end', '\n[a*b ]]\n' in text and 'cb_nodes' in text, text)


def round_trip(suite):
    """A run with the settings that its profile suggests: they are in force, and the finding is gone."""
    if launch.component_missing('overlap'):
        suite.skip('advice, applied', launch.component_missing('overlap'))
        return
    one = [('fcoll_overlap_aggregators', '1'), ('fcoll_overlap_exchange', 'on')]
    case = Case(suite, 'advice', 8, [program('t_pattern')], fcoll='overlap', mca=one)
    case.equal('the finding', 'the only aggregator' in ' '.join(case.report().split()), True)
    text = advise(case.profile_path)
    case.equal(f'settings of {text}', '\n[pattern.dat]\ncb_nodes 2\n' in text, True)
    with tempfile.NamedTemporaryFile('w', prefix='ioprof-') as hints:
        hints.write(text)
        hints.flush()
        case.done()
        case = Case(suite, 'advice, applied', 8, [program('t_pattern')], fcoll='overlap',
                    mca=[*one, ('common_collio_hints', hints.name)])
        about = case.profile.about.get('pattern.dat', {})
        case.equal('hints', 'cb_nodes=2' in about.get('hints', ''), True)
        case.equal('ranks that write', about.get('writers', {}).get('inside'), 2)
        case.equal('the finding', 'the only aggregator' in ' '.join(case.report().split()), False)
        case.equal('complaints', 'ignoring' in case.result.text, False)
        case.done()


def own_files(suite, place):
    """Files of Open MPI itself have one line; a file of the program in such a directory has its own."""
    path = os.path.join(place, 'own.iop')
    cell = (POSIX, READ, 1, 0, 10**6, 1 << 20)
    names = ('/tmp/ompi.node1.1000/pid.7/0/x', '/opt/mpi/share/openmpi/help.txt', '/tmp/ompi.results/mine',
             '/scratch/data')
    made.write(path, {'ranks': '1'}, [made.rank(0, cell)], [made.function('read', POSIX, READ, 4, 10**6, 4 << 20)],
               [made.file(name, '', 0, cell) for name in names]
               + [made.file('/tmp/ompi.node1.1000/shared.dat', '', 4, (INSIDE, *cell[1:]))])
    text = subprocess.run([TOOL, 'report', path], stdout=subprocess.PIPE, check=True).stdout.decode()
    shown = [name for name in (*names, '/tmp/ompi.node1.1000/shared.dat') if name in text]
    suite.check("Open MPI's own files are folded", shown == [*names[2:], '/tmp/ompi.node1.1000/shared.dat']
                and '  2 files of Open MPI\n' in text and '  total of 5 files\n' in text, text)


def advice(suite):
    """Settings of each finding, a run with them, and what the table of files leaves out."""
    place = tempfile.mkdtemp(prefix='ioprof-')
    for part in (settings, setstripe, odd_names, own_files):
        part(suite, place)
    shutil.rmtree(place)
    round_trip(suite)

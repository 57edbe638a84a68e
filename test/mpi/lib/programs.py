# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
"""The programs of test/mpi that are not the matrix: one per behaviour, run on some rank counts."""
import os
import re
import shutil
import subprocess
import tempfile

import launch

TIMEOUT = 240
MTPWRITE = [('fbtl', 'mtpwrite')]   # also the calls that are not collective are under test
MANY = ['exchange=on', 'exchange=on,schedule=write_comm2,buffer_bytes=8192',
        'exchange=on,transport=isend,schedule=write_comm,aggregators=2']


def output(command):
    """What a dump program prints."""
    text = subprocess.run(command, stdout=subprocess.PIPE, check=True, env=launch.ENV,
                          timeout=60).stdout.decode()
    return text


def counters(np, fcoll, hints, place, path, what='counters', mca=()):
    """What t_tam counts for one transfer with this component."""
    result = launch.run(launch.mpirun_command(np, [path, what], fcoll=fcoll, mca=mca), TIMEOUT,
                        cwd=place, env={'T_DIR': place, 'T_HINTS': hints, 'COLLIO_FCOLL': fcoll})
    if result.rc != 0:
        return [], result.text
    return re.findall(r'^counter .*$', result.text, re.M), result.text


def plain_two_phase(suite, scratch, folder):
    """With a local aggregator per rank, tam must count exactly what overlap counts."""
    for np in (4, 6):
        for transport in ('isend', 'shm'):
            name = f't_tam np={np} {transport}: local aggregators = ranks counts as overlap does'
            if any(launch.component_missing(fcoll) for fcoll in ('overlap', 'tam')):
                suite.skip(name, 'needs overlap and tam')
                continue
            place = tempfile.mkdtemp(dir=scratch)
            hints = f'exchange=on,transport={transport},aggregators=2,buffer_bytes=16384'
            path = os.path.join(folder, 't_tam')
            want, text = counters(np, 'overlap', hints, place, path)
            have, more = counters(np, 'tam', f'{hints},local_aggregators={np}', place, path)
            shutil.rmtree(place, ignore_errors=True)
            suite.check(name, want and want == have, f'{text[-2000:]}\n{more[-2000:]}')


def same_choices(suite, scratch, folder):
    """With exchange=auto, tam makes calls on one node as overlap does: direct ones and exchanges."""
    for np in (2, 4):
        name = f't_tam np={np} auto: messages, pieces and direct calls are those of overlap'
        if any(launch.component_missing(fcoll) for fcoll in ('overlap', 'tam')):
            suite.skip(name, 'needs overlap and tam')
            continue
        place = tempfile.mkdtemp(dir=scratch)
        path = os.path.join(folder, 't_tam')
        want, text = counters(np, 'overlap', '', place, path, 'auto')
        have, more = counters(np, 'tam', '', place, path, 'auto', launch.AUTO)
        shutil.rmtree(place, ignore_errors=True)
        suite.check(name, want and want == have, f'{text[-2000:]}\n{more[-2000:]}')


def messages(np, fcoll, place, path):
    """What t_keep counts for open + close with this component: {(kind, number of the file): n}."""
    result = launch.run(launch.mpirun_command(np, [path, 'count'], fcoll=fcoll), TIMEOUT, cwd=place,
                        env={'T_DIR': place, 'COLLIO_FCOLL': fcoll})
    rows = re.findall(r'^messages (\w+) (\d+) (\d+)$', result.text, re.M)
    return {(kind, int(number)): int(count) for kind, number, count in rows}, result.text


def fewer_messages(suite, scratch, folder):
    """From the second file of its processes on, an open and close sends less than with stock
    components: open agrees in shared memory, what it needs was kept, and there are no messages for
    a shared file pointer that nobody uses."""
    for np in (2, 8):
        name = f't_keep np={np}: a second file is opened and closed with fewer messages than stock'
        if any(launch.component_missing(fcoll) for fcoll in (launch.FCOLL, 'individual')):
            suite.skip(name, f'needs {launch.FCOLL} and individual')
            continue
        place = tempfile.mkdtemp(dir=scratch)
        path = os.path.join(folder, 't_keep')
        have, text = messages(np, launch.FCOLL, place, path)
        want, more = messages(np, 'individual', place, path)
        shutil.rmtree(place, ignore_errors=True)
        rows = [('empty', number) for number in (1, 2, 3)] + [('call', number) for number in (1, 2, 3)]
        suite.check(name, all(row in have and row in want and have[row] < want[row] for row in rows),
                    f'{text[-2000:]}\nindividual:\n{more[-2000:]}')


# name: rank counts; fcoll: the component, if not the one under test; hints: run once per set of hints; mca: more parameters; fbtl, btl: the component, if not the default
TABLE = {
    't_align': {'np': (2, 4), 'hints': ['']},
    't_align tam': {'np': (4,), 'fcoll': 'tam', 'hints': ['']},
    't_bound': {'np': (2, 4), 'hints': ['', 'transport=isend'],
                'sanitized': 'freed memory is kept by the sanitizer'},
    't_ends': {'np': (1, 2, 5), 'hints': ['', 'exchange=on', 'exchange=on,keep=off']},
    't_ends put': {'np': (3,), 'hints': ['exchange=on,transport=put_fence',
                                         'exchange=on,transport=put_lock']},
    't_ends tam': {'np': (4,), 'fcoll': 'tam', 'hints': ['exchange=on']},
    't_ends mixed': {'np': (1, 3), 'hints': ['', 'exchange=on']},
    't_ends first': {'np': (1, 3), 'hints': ['', 'exchange=on']},
    't_keep': {'np': (1, 2, 5), 'hints': ['']},
    't_keep tam': {'np': (4,), 'fcoll': 'tam', 'hints': ['']},
    't_keep many': {'np': (3,), 'hints': [''], 'sanitized': 'freed memory is kept by the sanitizer'},
    't_lock_wait': {'np': (1, 3), 'fbtl': 'mtpwrite', 'hints': ['', 'exchange=on']},
    't_updates own posix': {'np': (2, 4), 'fbtl': 'posix',
                            'hints': ['', 'exchange=on', 'exchange=off', 'romio_ds_write=enable']},
    't_updates own': {'np': (2,), 'fbtl': 'mtpwrite',
                      'hints': ['exchange=on,romio_ds_write=disable', 'exchange=on,sieve_write=on']},
    't_updates one': {'np': (2,), 'fbtl': 'mtpwrite', 'hints': ['', 'sieve_write=on']},
    't_updates iall': {'np': (2,), 'fbtl': 'mtpwrite',
                       'hints': ['exchange=on,romio_ds_write=disable', 'exchange=on,sieve_write=on']},
    't_updates one unique': {'np': (2,), 'fbtl': 'mtpwrite', 'hints': ['']},
    't_updates iall unique': {'np': (2,), 'fbtl': 'mtpwrite', 'hints': ['exchange=on', 'exchange=off']},
    # lo: 5.0 does not find itself through another interface
    't_updates spawn': {'np': (1,), 'fbtl': 'mtpwrite', 'btl': 'self,vader,tcp',
                        'mca': [('btl_tcp_if_include', 'lo')], 'hints': ['']},
    't_threads': {'np': (1, 2, 4), 'hints': ['', 'exchange=on']},
    't_early': {'np': (3, 4, 8), 'hints': [''], 'mca': launch.AUTO},
    't_interleave': {'np': (6, 8), 'hints': [''], 'mca': launch.AUTO},
    't_marks': {'np': (1, 4, 8), 'hints': ['']},
    't_marks tam': {'np': (5,), 'fcoll': 'tam', 'hints': ['']},
    't_disagree': {'np': (2, 4), 'hints': ['']},
    't_disagree mtpwrite': {'np': (3,), 'hints': [''], 'mca': [('fbtl', 'mtpwrite')]},
    't_disagree schedule none write': {'np': (3,), 'hints': ['']},
    't_disagree buffer_bytes 65536 8K': {'np': (3,), 'hints': ['']},
    't_disagree schedule none sometimes': {'np': (3,), 'hints': ['']},
    't_disagree schedule sometimes none auto': {'np': (3,), 'hints': ['']},
    't_disagree exchange on perhaps': {'np': (4,), 'hints': ['']},
    't_disagree partition even memory': {'np': (3,), 'hints': ['', 'cb_nodes=2', 'keep=false']},
    't_disagree partition auto memory': {'np': (3,), 'hints': ['', 'cb_nodes=2', 'keep=false']},
    't_disagree pairs': {'np': (3,), 'hints': ['']},
    't_disagree pairs tam': {'np': (3,), 'fcoll': 'tam', 'hints': ['']},
    't_disagree pairs all': {'np': (2,), 'hints': ['']},
    't_disagree pairs all full': {'np': (4, 5), 'hints': [''], 'full': True, 'timeout': 600},
    't_disagree pairs all tam': {'np': (2, 4, 5), 'fcoll': 'tam', 'hints': [''], 'full': True,
                                 'timeout': 600},
    't_pointer': {'np': (1, 2, 5), 'hints': ['', 'exchange=on']},
    't_pointer spawn': {'np': (1,), 'btl': 'self,vader,tcp',
                        'mca': [('btl_tcp_if_include', 'lo')], 'hints': ['']},
    't_pointer posix': {'np': (3,), 'hints': [''], 'mca': [('fbtl', 'posix')]},
    't_types': {'np': (1, 3), 'hints': ['', 'exchange=on']},
    't_manners': {'np': (1, 3), 'hints': ['']},
    't_overflow': {'np': (1, 3), 'hints': [''], 'mca': MTPWRITE},
    't_memory': {'np': (1, 4), 'hints': ['']},
    't_memory tam': {'np': (5,), 'fcoll': 'tam', 'hints': ['']},
    't_nonblocking': {'np': (1, 2, 4), 'hints': [''] + MANY},
    't_plan': {'np': (1, 4), 'hints': ['']},
    't_preallocate': {'np': (1, 2, 5), 'hints': [''], 'timeout': 90},
    't_put': {'np': (2, 4, 5), 'hints': ['']},
    't_put ucx': {'np': (2, 4), 'hints': [''], 'mca': launch.UCX, 'component': 'osc: ucx'},
    't_seen': {'np': (2,), 'hints': [''], 'mca': launch.AUTO},
    't_settings': {'np': (4,), 'fbtl': 'mtpwrite', 'hints': ['']},
    't_settings sync_send': {'np': (4,), 'fbtl': 'mtpwrite', 'hints': [''],
                             'mca': [('fcoll_overlap_sync_send', 'on'), ('fcoll_tam_sync_send', 'on')]},
    't_settings local_aggregators': {'np': (4,), 'fcoll': 'tam', 'hints': [''],
                                     'mca': [('fcoll_tam_local_aggregators', 1)]},
    't_sessions': {'np': (1, 3), 'hints': ['', 'exchange=on']},
    't_sessions held': {'np': (3,), 'hints': ['', 'exchange=on']},
    't_sessions world': {'np': (3,), 'hints': ['', 'exchange=on']},
    't_tam': {'np': (1, 2, 5, 8), 'fcoll': 'tam', 'hints': ['', 'schedule=write_comm2']},
    't_large': {'np': (2,), 'hints': [''], 'full': True, 'timeout': 900},
    't_fortran': {'np': (1, 4), 'hints': [''], 'missing': 'no Fortran compiler for this Open MPI',
                  'sanitized': launch.UNSANITIZED},
}


def relay(suite, name, result):
    """Prints the program's verdicts under its name; its exit code must agree with them."""
    verdicts = re.findall(r'^(ok|not ok|skip) (.*)$', result.text, re.M)
    bad = [what for verdict, what in verdicts if verdict == 'not ok']
    launch.forget()
    for verdict, what in verdicts:
        if verdict == 'ok':
            suite.ok(f'{name} {what}')
        elif verdict == 'skip':
            suite.skip(*f'{name} {what}'.split(' # ', 1))
        else:
            suite.not_ok(f'{name} {what}', result.text[-4000:])
    if result.hung:
        suite.not_ok(f'{name}: hung', result.text[-2000:] + result.stacks)
    elif result.gave_up:
        suite.skip(name, result.gave_up)
    elif result.rc not in (0, 77) and not bad:
        suite.not_ok(f'{name}: ended with {result.rc}', result.text[-4000:])
    elif not verdicts:
        suite.not_ok(f'{name}: no verdict', result.text[-4000:])


def run_row(suite, scratch, path, words, row):
    for np in row['np']:
        for hints in row['hints']:
            place = tempfile.mkdtemp(dir=scratch)
            name = ' '.join(words + [f'np={np}'] + ([hints] if hints else []))
            fcoll = row.get('fcoll', launch.FCOLL)
            mca = [(key, row[key]) for key in ('fbtl', 'btl') if key in row] + list(row.get('mca', ()))
            command = launch.mpirun_command(np, [path] + words[1:], fcoll=fcoll, mca=mca)
            result = launch.run(command, row.get('timeout', TIMEOUT), cwd=place,
                                env={'T_DIR': place, 'T_HINTS': hints, 'COLLIO_FCOLL': fcoll})
            relay(suite, name, result)
            shutil.rmtree(place, ignore_errors=True)


def run(suite, scratch, folder, wanted, everything):
    for name, row in TABLE.items():
        words = name.split()
        path = os.path.join(folder, words[0])
        if not everything and words[0] not in wanted:
            continue
        if everything and row.get('full') and launch.MODE != 'full':
            suite.skip(name, 'slow: runs in full mode only')
        elif launch.UNSANITIZED and 'sanitized' in row:
            suite.skip(name, row['sanitized'])
        elif not os.path.exists(path):
            suite.skip(name, row.get('missing', 'not built'))
        elif 'component' in row and f"MCA {row['component']} " not in output(['ompi_info']):
            suite.skip(name, f"this Open MPI has no {row['component']}")
        elif launch.component_missing(row.get('fcoll', launch.FCOLL)):
            suite.skip(name, launch.component_missing(row.get('fcoll', launch.FCOLL)))
        else:
            run_row(suite, scratch, path, words, row)
            if words[0] == 't_tam':
                plain_two_phase(suite, scratch, folder)
                same_choices(suite, scratch, folder)
            if name == 't_keep':
                fewer_messages(suite, scratch, folder)

# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
"""Jobs that hang on purpose (t_hang): collio-hang must name the cause."""
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time

import launch

TOOL = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'info',
                    'collio-hang')
RANKS = 3
SECONDS = 120   # until the ranks have come to the place where they hang
# Plan of t_hang, hints, and what collio-hang must print (regular expressions).
CASES = (
    ('never', '', (r'first \(3 ranks\)\n  call 1 \(write\): ranks 0-1 in phase agree',
                   r'rank 2 did not arrive \(.*\): it is not in a collective call of this file '
                   r'\(the last was call 0\)')),
    ('never', 'exchange=on', (r'call 1 \(write\): ranks 0-1 in phase agree', r'rank 2 did not arrive')),
    ('other', '', (r'rank 2 did not arrive \(.*\): it is not in a collective call',)),
    ('cross', '', (r'rank 2 did not arrive \(.*\): it is in call 1 \(write\) of \S*second',
                   r'wait for each other:\n  world rank \d is in call 1 .*first.*\n'
                   r'  world rank \d is in call 1 .*second')),
    ('lock', 'exchange=on', (r'rank 0 in phase lock .* waiting for a byte-range lock',)),
    ('lock', 'exchange=off', (r'ranks 0-2 in phase direct .* waiting for a byte-range lock',)),
)


# Rank 2 reads the file slowly, for all ranks; rank 0 is the local aggregator of all. Nobody but rank 2 is
# waited for, and no ranks wait for each other.
SLOW = ('exchange=on,transport=isend,local_aggregators=1,aggregator_list=2',
        (r'(?s)\A(?!.*wait for each other).*waiting for rank 2\n',))


def tool(path):
    result = subprocess.run([TOOL, path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return result.returncode, result.stdout.decode(errors='replace')


def matches(text, patterns):
    return all(re.search(pattern, text) for pattern in patterns)


def by_signal(place, plan, hints, patterns, fcoll=launch.FCOLL, before=()):
    """Sends SIGUSR1 to mpirun until the ranks hang where they should. Returns the last output."""
    records = os.path.join(place, 'records')
    os.mkdir(records)
    command = launch.mpirun_command(RANKS, [os.path.join(launch.BUILD, 'test/fault/t_hang'), plan],
                                    fcoll=fcoll, mca=[('common_collio_hang', records)], before=before)
    text, until = '', time.time() + SECONDS
    with open(os.path.join(place, 'out'), 'wb') as out, subprocess.Popen(
            command, cwd=place, stdout=out, stderr=out,
            env=dict(launch.ENV, T_DIR=place, T_HINTS=hints)) as job:
        while time.time() < until and job.poll() is None and not matches(text, patterns):
            time.sleep(1)
            if len(os.listdir(records)) == RANKS:   # else the signal would end a rank
                job.send_signal(signal.SIGUSR1)
                time.sleep(1)
                text = tool(records)[1]
        job.terminate()
        try:
            job.wait(20)
        except subprocess.TimeoutExpired:
            job.kill()
    with open(os.path.join(place, 'out'), encoding='utf-8', errors='replace') as out:
        return text, text + out.read()[-2000:]


def by_timeout(place):
    """No signal and no parameter: calls pass the setting timeout, and the output has the lines."""
    command = launch.mpirun_command(RANKS, [os.path.join(launch.BUILD, 'test/fault/t_hang'), 'cross'],
                                    mca=[(f'fcoll_{launch.FCOLL}_timeout', 3)])
    result = launch.run(command, SECONDS, cwd=place, env={'T_DIR': place})
    log = os.path.join(place, 'log')
    with open(log, 'w', encoding='utf-8') as stream:
        stream.write(result.text)
    return result, tool(log)


def slow(suite, scratch, preload):
    name = 'collio-hang names the rank that all wait for, through two layers'
    if launch.component_missing('tam'):
        suite.skip(name, launch.component_missing('tam'))
        return
    place = tempfile.mkdtemp(dir=scratch)
    text, shown = by_signal(place, 'slow', *SLOW, fcoll='tam',
                            before=[*preload, '-x', 'FAULT=match=first,op=read,rank=2,delay_ms=100000'])
    suite.check(name, matches(text, SLOW[1]), shown)
    shutil.rmtree(place, ignore_errors=True)


def check(suite, scratch, preload):
    for plan, hints, patterns in CASES:
        place = tempfile.mkdtemp(dir=scratch)
        text, shown = by_signal(place, plan, hints, patterns)
        name = f'collio-hang names the cause: {plan}{" " if hints else ""}{hints}'
        suite.check(name, matches(text, patterns), shown)
        shutil.rmtree(place, ignore_errors=True)
    place = tempfile.mkdtemp(dir=scratch)
    result, (status, text) = by_timeout(place)
    name = 'collio-hang names ranks that wait for each other after a timeout'
    suite.check(name, not result.hung and status == 0 and matches(text, CASES[3][2][1:]),
                text + result.text[-3000:])
    shutil.rmtree(place, ignore_errors=True)
    slow(suite, scratch, preload)

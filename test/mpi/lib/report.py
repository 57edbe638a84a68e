# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
"""The report at close: t_report's calls are known, so are its rows."""
import json
import os
import re
import shutil
import subprocess
import tempfile

import launch

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLE = os.path.join(HERE, '..', '..', '..', 'examples', 'pvars.c')
NP = 4
BLOCK = 64 << 10
WRITES, READS = 3, 2
# Rows that only a component with two layers can have.
TWO_LAYERS = ('local aggr.', 'gather', 'requests_merged', 'layers ')


def run(folder, scratch, mode, files=1, own=0, target=None, **env):
    """What the program prints with this value of the parameter."""
    mca = [(f'fcoll_{launch.FCOLL}_report', mode)] if mode is not None else []
    if target:
        mca.append((f'fcoll_{launch.FCOLL}_report_file', target))
    result = launch.run(launch.mpirun_command(NP, [os.path.join(folder, 't_report')], mca=mca), 120,
                        env=dict(env, T_DIR=scratch, T_FILES=str(files), T_OWN=str(own)))
    return result.text if result.rc == 0 else f'ended with {result.rc}\n{result.text}{result.stacks}'


def tables(text):
    """Headings with their rows: [(heading, [row...])], lines of a table only."""
    found = []
    for line in text.splitlines():
        if re.search(r'\b(sum|MiB/s)$', line):
            found.append((line, []))
        elif found and re.match(r'  \S+ +[<\d-]', line):
            found[-1][1].append(line)
        elif not line.strip() and found and not found[-1][1]:
            continue
    return found


def ends(line):
    """Columns where the words of a line end, the first word or title left out."""
    return [match.end() for match in re.finditer(r'\S+', line) if match.start() > 24]


def check_table(text):
    """What is wrong with the table of one file."""
    wrong = []
    found = tables(text)
    for heading, rows in found:
        for row in rows:
            if ends(heading) != ends(row):
                wrong.append(f'columns differ:\n{heading}\n{row}')
            if set(re.findall(r'\S+', row)[1:]) <= {'0', '0.0', '0.000'}:
                wrong.append(f'an empty row: {row}')
    titles = [re.split(r'  +', heading.strip())[0] for heading, _ in found]
    for title in ('all ranks', 'write: time, ms', 'write: data, MiB', 'write: count',
                  'read: time, ms', 'read: data, MiB', 'read: count', 'file: data, MiB'):
        if titles.count(title) != 1:
            wrong.append(f'{titles.count(title)} headings "{title}"')
    for what, calls in (('write', WRITES), ('read', READS)):
        wanted = rf'^  {what} +{calls} +{calls * BLOCK * NP / 1048576:.3f} +[\d.]+ +[\d.]+$'
        if not re.search(wanted, text, re.M):
            wrong.append(f'no row {wanted}')
    if launch.FCOLL != 'tam':
        wrong += [f'a row of two layers: {word}' for word in TWO_LAYERS if word in text]
    elif text.count(', layers ') != 2:
        wrong.append('no layers in the lines of the largest write and read')
    return wrong


def verdict(suite, name, wrong, text):
    suite.check(name, not wrong, '\n'.join(wrong) + '\n' + text[:6000])


def table(suite, folder, scratch):
    text = run(folder, scratch, 1)
    verdict(suite, 'report: a table that lines up, units in headings, writes and reads apart',
            check_table(text), text)
    text = run(folder, scratch, None)
    verdict(suite, 'no report without the switch',
            ['it is there'] if '  aggregators  ' in text or 'MiB' in text else [], text)


def line(calls_write, calls_read, files, name):
    def part(calls):
        return rf'{calls} +{calls and files * calls * BLOCK / 1048576:.3f} +[\d.]+ +[\d.]+'
    return rf'^ +{part(calls_write)} +{part(calls_read)}  {name}$'


def many(suite, folder, scratch):
    """One line for each file, and a total."""
    text = run(folder, scratch, 'lines', files=3)
    wrong = [f'not one line of all{i}.dat' for i in range(3) if len(re.findall(
        line(WRITES, READS, NP, rf'\S*all{i}.dat'), text, re.M)) != 1]
    if len(re.findall(line(3 * WRITES, 3 * READS, NP, 'total of 3 files, counted by rank 0'), text,
                      re.M)) != 1:
        wrong.append('no total')
    if len(re.findall('one line for each file', text)) != 1:
        wrong.append('not one heading')
    verdict(suite, 'report lines: one for each file, and a total', wrong, text)
    text = run(folder, scratch, 'on', files=10)
    found = text.count('  largest write ')
    wrong = [] if found == 8 else [f'{found} tables, not 8']
    wrong += [] if len(re.findall(r'all[89].dat$', text, re.M)) == 2 else ['no lines after them']
    wrong += [] if text.count('total of 10 files') == 1 else ['no total']
    verdict(suite, 'report on: tables for 8 files, then lines, and a total', wrong, text)
    text = run(folder, scratch, 'lines', files=3, own=2)
    totals = re.findall(r'total of (\d+) files, counted by rank (\d+)', text)
    wrong = [] if totals == [(str(2 * NP + 1), '0')] else [f'totals {totals}']
    if not re.search(rf'^ +{(2 * NP + 1) * WRITES} +{(2 * NP + NP) * WRITES / 16:.3f} ', text, re.M):
        wrong.append('wrong sums')
    verdict(suite, 'report: totals of own files move to rank 0 with the next file of all', wrong, text)


def records(suite, folder, scratch):
    """JSON: one object in each line, in a file or on stderr."""
    place = tempfile.mkdtemp(dir=scratch)
    target = os.path.join(place, 'report.json')
    text = run(folder, scratch, 'json', files=2, target=target)
    wrong = ['it is on stderr, too'] if 'collio_report' in text else []
    try:
        with open(target, encoding='utf-8') as stream:
            objects = [json.loads(item) for item in stream]
    except (OSError, ValueError) as error:
        objects = []
        wrong.append(str(error))
    if [record.get('files') for record in objects] != [None, None, 2]:
        wrong.append(f'{len(objects)} objects')
    for record in objects:
        times = record.get('files', 1)
        got = [(record[what]['calls'], record[what]['bytes']) for what in ('write', 'read')]
        want = [(calls * times, calls * times * BLOCK * NP) for calls in (WRITES, READS)]
        if got != want or record['component'] != f'fcoll/{launch.FCOLL}':
            wrong.append(f'{got}, not {want}')
    for record in objects[:2]:
        counter = record['counters']['write']['bytes_written']
        if counter != {'unit': 'bytes', 'min': WRITES * BLOCK, 'max': WRITES * BLOCK,
                      'sum': WRITES * BLOCK * NP}:
            wrong.append(str(counter))
    verdict(suite, 'report json: objects of two files and a total, in report_file', wrong, text)
    text = run(folder, scratch, 'json', target='/nowhere/report.json')
    wrong = [] if 'cannot write the report to report_file=/nowhere/report.json' in text \
        and '"collio_report":1' in text else ['not told, or lost']
    verdict(suite, 'report_file that cannot be written is told, and the report is on stderr', wrong,
            text)
    shutil.rmtree(place, ignore_errors=True)


def reasons(suite, folder, scratch):
    """Every decision has its reason, in the table and in JSON."""
    shared, fits = 'ranks of a node share memory', 'the data fit in the buffers, one cycle'
    layers = {'layers': ('one', 'estimated to be faster; local_aggregators_per_node overrides it')}
    for hints, aggregators, want in (
            ('exchange=on', 'default on one node',
             {'exchange': ('on', 'as set'), 'transport': ('shm', shared), 'schedule': ('none', fits),
              **layers}),
            ('exchange=auto,aggregators=2,transport=isend,schedule=write', 'as set',
             {'exchange': ('on', 'a mode of the exchange is set'), 'transport': ('isend', 'as set'),
              'schedule': ('write', 'as set'), **layers}),
            ('exchange=off', 'default on one node', {'exchange': ('off', 'as set')})):
        if launch.FCOLL != 'tam':
            want.pop('layers', None)
        text = run(folder, scratch, 'json', T_HINTS=hints)
        found = re.search(r'^{"collio_report.*"file":.*$', text, re.M)
        got = json.loads(found.group())['choices'] if found else {}
        wrong = [] if got.get('aggregators', {}).get('reason') == aggregators else ['aggregators']
        wrong += [f'{what}: {got.get(what)}' for what in ('write', 'read') if got.get(what) != {
            name: {'value': value, 'reason': reason} for name, (value, reason) in want.items()}]
        verdict(suite, f'report json: reasons with {hints}', wrong, text)
        line = ', '.join(f'{name} {value} ({reason})' for name, (value, reason) in want.items())
        text = run(folder, scratch, 'table', T_HINTS=hints)
        verdict(suite, f'report table: reasons with {hints}', [
            f'no line of the largest {what}' for what in ('write', 'read')
            if not re.search(rf'^  largest {what} +{re.escape(line)}$', text, re.M)], text)


def example(suite, scratch):
    """examples/pvars.c, as docs/report.md builds and runs it."""
    name = 'examples/pvars.c reads the performance variables'
    compiler = shutil.which('mpicc', path=launch.ENV['PATH'])
    if not compiler or launch.UNSANITIZED:
        suite.skip(name, launch.UNSANITIZED or 'no mpicc')
        return
    program = os.path.join(scratch, 'pvars')
    made = subprocess.run([compiler, '-Wall', '-Wextra', '-Werror', EXAMPLE, '-o', program],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    text = made.stdout.decode()
    if made.returncode == 0:
        text = launch.run(launch.mpirun_command(2, [program, os.path.join(scratch, 'pvars.dat')]),
                          120).text
    wanted = (rf'^fcoll_{launch.FCOLL}_bytes_written +1048576  .*\[bytes\]$',
              rf'^fcoll_{launch.FCOLL}_calls_write +1  .*\[count\]$',
              rf'^fcoll_{launch.FCOLL}_time_total +\d+  .*\[nanoseconds\]$')
    verdict(suite, name, [f'no line {line}' for line in wanted if not re.search(line, text, re.M)],
            text)


def check(suite, folder, scratch):
    table(suite, folder, scratch)
    many(suite, folder, scratch)
    records(suite, folder, scratch)
    reasons(suite, folder, scratch)
    example(suite, scratch)

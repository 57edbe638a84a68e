# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
"""Names that somebody chose to deceive, and links that somebody put where output goes."""
import csv
import io
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, 'web'))
import made  # noqa: E402
from profiles import SIMULATE, TOOL, Case, program  # noqa: E402

# A newline that forges a line, a title and a color for the terminal in 7 and 8 bits, a backspace, a
# byte that is no UTF-8, a mark that turns the direction of what follows, and a formula's first byte.
NAME = ('=cmd\n  early end  9 ranks called MPI_Abort\x1b[31m\x1b]0;x\x07\b\x7f\u009b2J\u202e\u2028\\n'
        .encode() + b'\x9b\xff')
SHOWN = ('=cmd\\n  early end  9 ranks called MPI_Abort\\x1b[31m\\x1b]0;x\\a\\b\\x7f\\xc2\\x9b2J'
         '\\xe2\\x80\\xae\\xe2\\x80\\xa8\\\\n\\x9b\\xff')
# What no line of a report has: control bytes but the line's end, C1, marks of direction.
BAD = re.compile('[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufffd]')


def profile(place, calls=100):
    """A profile with a hostile name in every string."""
    path = os.path.join(place, f'hostile{calls}.iop')
    ns = 8 * 10**8
    small = (made.POSIX, made.WRITE, calls, 0, ns, calls * 10)
    made.write(path, {key: NAME for key in ('program', 'command', 'job', 'mpi', 'level', 'ioprof')}
               | {'ranks': '4'},
               [made.rank(n, small, host=NAME) for n in range(4)],
               [made.function(NAME, made.POSIX, made.WRITE, calls, ns, calls * 10, 1)],
               [made.file(NAME, b'key=' + NAME.replace(b'\n', b'') + b'\n', 2, small,
                          sizes={(made.POSIX, 1): [0, calls] + [0] * 9})],
               [(3, 1, made.WRITE, calls, ns, calls * 10)], [made.variable(NAME, NAME, 3)])
    return path


def output(*words, timeout=120):
    done = subprocess.run([TOOL, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=True, timeout=timeout)
    return done.stdout


def check_text(wrong, path, other):
    for words in (['report', path], ['compare', path, other], ['report', '--csv=files', path],
                  ['report', '--csv', path], ['report', '--csv=ranks', path],
                  ['report', '--csv=variables', path], ['report', '--json', path],
                  ['report', '--html', path], ['compare', '--html', path, other]):
        text = output(*words).decode('utf-8', 'replace').replace('\r\n', '\n')
        if BAD.search(text):
            at = BAD.search(text).start()
            wrong.append(f'{words[:-1]}: {text[max(0, at - 60):at + 20]!r}')
        if words[:2] == ['report', path] or words[0] == 'compare' and '--html' not in words:
            if re.search('^ +early end', text, re.M):
                wrong.append(f'{words}: a name forges a line')
            if SHOWN not in text:
                wrong.append(f'{words}: {SHOWN} is not in it')


def check_exact(wrong, path):
    """Programs get the name as it is: as far as each format can hold it."""
    table = output('report', '--csv=files', path).decode('utf-8', 'replace')
    head, *rows = csv.reader(io.StringIO(table, newline=''), strict=True)
    lines = table.count('\n')
    if len(rows) != 1 or lines != 2 or made.unescape(rows[0][head.index('path')]) != NAME:
        wrong.append(f'CSV: {lines} lines, {rows}')
    data = json.loads(output('report', '--json', path).decode())
    if data['files'][0]['path'] != NAME.decode('utf-8', 'replace'):
        wrong.append(f'JSON: {data["files"][0]["path"]!r}')
    page = output('report', '--html', path).decode('utf-8', 'replace')
    data = json.loads(page.split('id="data">')[1].split('</script>')[0])
    if data['runs'][0]['files']['rows'][0]['path'] != SHOWN:
        wrong.append(f'page: {data["runs"][0]["files"]["rows"][0]["path"]!r}')


def names(suite):
    """Control bytes, line ends and escape sequences in names: no format passes them on."""
    place = tempfile.mkdtemp(prefix='ioprof-')
    wrong = []
    path, other = profile(place), profile(place, 200)
    check_text(wrong, path, other)
    check_exact(wrong, path)
    shutil.rmtree(place)
    suite.check('hostile names in every format', not wrong, '\n'.join(wrong[:12]))
    folder = tempfile.mkdtemp(prefix='ioprof-\x1b[31m\nearly end  3')
    case = Case(suite, 'hostile names in the report of a run', 2, [program('t_cost'), '20'],
                env={'T_DIR': folder})
    report = case.report()
    case.equal('lines that a name forges', re.findall('^early end.*', report, re.M), [])
    case.equal('control bytes', BAD.findall(report), [])
    case.equal('the name', '\\x1b[31m\\nearly end' in report, True)
    case.done()
    shutil.rmtree(folder)


def plant_link(place, name):
    """A link to a file that must stay as it is."""
    victim = os.path.join(place, 'victim')
    with open(victim, 'w', encoding='ascii') as stream:
        stream.write('precious')
    os.symlink(victim, os.path.join(place, name))
    return victim


def read(path):
    with open(path, 'rb') as stream:
        return stream.read()


def link_of_a_run(suite, name, option, how, missing=None):
    """A run whose output `name` is a link when the run begins."""
    place = tempfile.mkdtemp(prefix='ioprof-')
    victim = plant_link(place, name)
    case = Case(suite, f'links: {how}', 2, [program('t_cost'), '20'], options=option, expect=None,
                place=place)
    case.equal('the file that the link names', read(victim), b'precious')
    case.equal('the link', os.path.islink(os.path.join(place, name)), missing is None)
    if missing:
        case.equal(missing, os.path.exists(os.path.join(place, missing)), True)
    else:
        case.equal('a message', 'symbolic link' in case.result.text, True)
    case.done()


def times(suite):
    """Bins of time whose sums overflow are merged with others, and the merge ends."""
    place = tempfile.mkdtemp(prefix='ioprof-')
    paths = []
    wrong = []
    for n, (start, width) in enumerate(((0, 1), (2**64 - 2, 1), (made.START, 2**63), (5, 2**64 - 1))):
        paths.append(os.path.join(place, f'{n}.iop'))
        made.write(paths[-1], {}, [made.rank(n)], [], [],
                   [(b, 1, made.WRITE, 1, 1, 1) for b in (0, 255)], start=start, width=width)
    for a in range(4):
        for b in range(4):
            try:
                if a != b:
                    output('report', '--json', paths[a], paths[b], timeout=30)
            except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as error:
                wrong.append(f'{a} with {b}: {error}')
    shutil.rmtree(place)
    suite.check('merge of times that overflow', not wrong, '\n'.join(wrong))


def links(suite):
    """A link, a pipe or a device in the place of an output is not written through."""
    link_of_a_run(suite, 'out.iop', [], 'profile')
    link_of_a_run(suite, 'report.txt', [], 'text report')
    link_of_a_run(suite, 'out.iop.unfinished.0', [], 'unfinished profile', 'out.iop')
    place = tempfile.mkdtemp(prefix='ioprof-')
    wrong = []
    path = os.path.join(place, 'a.iop')
    subprocess.run([SIMULATE, '2', path], check=True)
    victim = plant_link(place, 'report')
    for options in (['--json'], ['--html'], []):
        done = subprocess.run([TOOL, 'report', *options, '-o', place + '/report', path],
                              stderr=subprocess.PIPE, check=False, timeout=60)
        if done.returncode != 1 or b'symbolic link' not in done.stderr or read(victim) != b'precious':
            wrong.append(f'{options}: {done.returncode} {done.stderr} {read(victim)[:20]}')
    os.mkfifo(place + '/pipe')
    done = subprocess.run([TOOL, 'report', '-o', place + '/pipe', path], stderr=subprocess.PIPE,
                          check=False, timeout=60)
    if done.returncode != 1 or not stat.S_ISFIFO(os.lstat(place + '/pipe').st_mode):
        wrong.append(f'pipe: {done}')
    twin = place + '/twin'
    with open(twin, 'w', encoding='ascii') as stream:
        stream.write('precious')
    os.link(twin, place + '/linked')
    output('report', '-o', place + '/linked', path)
    if read(twin) != b'precious' or b'Four questions' not in read(place + '/linked'):
        wrong.append('a hard link')
    output('report', '-o', place + '/linked', path)  # what is there is replaced
    try:
        os.mknod(place + '/null', 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        subprocess.run([TOOL, 'report', '-o', place + '/null', path], check=False, timeout=60)
        if not stat.S_ISCHR(os.lstat(place + '/null').st_mode):
            wrong.append('a device was replaced')
    except PermissionError:
        pass
    left = sorted(set(os.listdir(place)) - {'a.iop', 'victim', 'report', 'pipe', 'twin', 'linked', 'null'})
    if left:
        wrong.append(f'left behind: {left}')
    shutil.rmtree(place)
    suite.check('links: ioprof report -o', not wrong, '\n'.join(wrong))

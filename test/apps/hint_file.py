# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
"""Hint files (parameter common_collio_hints): plain MPI, HDF5 and PnetCDF get the hints of the lines
that match the name of their file, and all ranks the same. Each sort of line is compared with what
MPI_File_get_info returns. Also the way back: what `ioprof advise` prints is a hint file."""
import json
import os
import re
import subprocess

import launch

IOPROF = os.path.join(launch.BUILD, 'ioprof', 'ioprof')
HINTS = """# for all files
cb_nodes 2
cb_buffer_size 1M

[*.out]
collio_schedule  write_comm
cb_nodes 3
[other*]
cb_nodes 4
"""
# Other ranks have a parameter that names no file; or rank 0 alone has the parameter, or all but rank 0.
ELSEWHERE, ALONE, OTHERS = (['sh', '-c', f'[ "$OMPI_COMM_WORLD_RANK" {command}; exec "$@"', 'sh'] for command in (
    '= 0 ] || export OMPI_MCA_common_collio_hints=/none', '= 0 ] || unset OMPI_MCA_common_collio_hints',
    '!= 0 ] || unset OMPI_MCA_common_collio_hints'))


def hints_of(text):
    return dict(re.findall(r'^hint (\S+) (.*)$', text, re.M))


def write(scratch, text):
    path = os.path.join(scratch, 'hints')
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)
    return path


def run(command, hints, before=(), mca=(), np=4, fcoll='overlap'):
    parameters = [*mca, ('common_collio_hints', hints)] if hints else list(mca)
    return launch.run(launch.mpirun_command(np, command, fcoll=fcoll, mca=parameters, before=before), 120)


def plain_mpi(suite, argv, hints, scratch):
    """What comes from where, and what becomes of errors."""
    cases = (  # name, hint file, words of the program, hints that are returned, lines that are printed
        ('lines for the file', HINTS, [], {'cb_nodes': '3', 'cb_buffer_size': '1048576',
                                           'collio_schedule': 'write_comm'}, []),
        ('hints of the program win', HINTS, ['cb_nodes=1'],
         {'cb_nodes': '1', 'collio_schedule': 'write_comm'}, []),
        ('a wrong line', 'cb_nodes=2\nnonsense\ncollio_schedule none\n', [], {'collio_schedule': 'none'},
         ['ignoring line 1 of the hint file', '"cb_nodes=2" (lines ignored: 2)']),
        ('a wrong value', 'cb_nodes many\ncollio_schedule none\n', [], {'collio_schedule': 'none'},
         ['ignoring hint cb_nodes="many"']),
        ('no hint file', None, [], {}, ['ignoring the hint file', 'No such file']))
    for name, text, words, want, printed in cases:
        path = os.path.join(scratch, 'none') if text is None else write(scratch, text)
        done = run([*argv, *words], path)
        found = hints_of(done.text)
        lines = [line for line in done.text.split('\n') if 'ignoring' in line]
        good = (done.rc == 0 and 'differ 0' in done.text and len(lines) == (1 if printed else 0)
                and all(found.get(key) == value for key, value in want.items())
                and all(words in lines[0] for words in printed))
        suite.check(f'hint file, MPI: {name}', good, done.text)
    mtpwrite, stock = [('fbtl', 'mtpwrite'), ('fs', 'ufs')], [('fs', 'ufs'), ('fbtl', 'posix')]
    no_pointer = [*stock, ('sharedfp', 'individual')]
    for name, before, fcoll, mca in (
            ('only rank 0 can read it', ELSEWHERE, 'overlap', []), ('tam', [], 'tam', []),
            ('mtpwrite', [], 'overlap', mtpwrite), ('no fs of collio', [], 'overlap', stock),
            ('only rank 0 has the parameter', ALONE, 'overlap', []),
            ('only rank 0 has the parameter, mtpwrite', ALONE, 'overlap', mtpwrite),
            ('only rank 0 has the parameter, no fs of collio', ALONE, 'overlap', stock),
            ('only rank 0 has the parameter, fcoll alone', ALONE, 'overlap', no_pointer)):
        done = run(argv, write(scratch, HINTS), before=before, fcoll=fcoll, mca=mca)
        suite.check(f'hint file, MPI: {name}', done.rc == 0 and 'differ 0' in done.text
                    and hints_of(done.text).get('cb_nodes') == '3', done.text)
    done = run(argv, write(scratch, HINTS), before=OTHERS)
    suite.check('hint file, MPI: rank 0 does not have the parameter', done.rc == 0 and 'differ 0' in done.text
                and 'cb_nodes 3' not in done.text
                and done.text.count('ignoring the parameter common_collio_hints') == 1, done.text)
    done = run(argv, write(scratch, HINTS), fcoll='vulcan', before=ALONE)
    suite.check('hint file, MPI: a stock component, only rank 0 has the parameter', done.rc == 0
                and 'differ 0' in done.text, done.text)
    done = run(argv, write(scratch, HINTS), fcoll='vulcan')
    suite.check('hint file, MPI: a stock component runs', done.rc == 0 and 'differ 0' in done.text, done.text)


def profile_of(command, scratch, hints=None, mca=()):
    path = os.path.join(scratch, 'hints.iop')
    done = run([IOPROF, '-t', 'none', '-o', path, *command], hints, mca=mca)
    if done.rc != 0 or not os.path.exists(path):
        return None, path, done
    out = subprocess.run([IOPROF, 'report', '--json', path], stdout=subprocess.PIPE, check=True)
    return json.loads(out.stdout), path, done


def library(suite, name, argv, scratch):
    """A library opens its file with hints of its own, or none."""
    report, _, done = profile_of(argv, scratch, write(scratch, HINTS))
    files = [] if report is None else [file for file in report['files'] if file['path'].endswith('.out')]
    hints = dict(line.split('=', 1) for file in files for line in file['hints'].split('\n') if line)
    suite.check(f'hint file, {name}', [hints.get(key) for key in (
        'cb_nodes', 'cb_buffer_size', 'collio_schedule')] == ['3', '1048576', 'write_comm'],
                f'{hints}\n{done.text}')


def way_back(suite, name, argv, scratch):
    """One aggregator is a finding; a run with the hint file that `ioprof advise` prints has two, and no finding."""
    one = [('fcoll_overlap_aggregators', '1'), ('fcoll_overlap_exchange', 'on')]
    findings, texts = [], []
    hints = None
    for _ in range(2):
        report, path, done = profile_of(argv, scratch, hints, mca=one)
        texts.append(done.text)
        if report is None:
            break
        advice = subprocess.run([IOPROF, 'advise', path], stdout=subprocess.PIPE, check=True).stdout.decode()
        findings.append('the only aggregator' in advice)
        texts.append(advice)
        found = [file['hints'] for file in report['files'] if file['path'].endswith('.out')]
        hints = hints or write(scratch, advice)
    suite.check(f'hint file, {name}: from ioprof advise', findings == [True, False]
                and any('cb_nodes=2' in text for text in found) and 'ignoring' not in done.text, '\n'.join(texts))


def hint_files(suite, argv_of, scratch):
    """argv_of(program, path): the command, or None and what to install."""
    for name, program in (('MPI', 'app_hints'), ('HDF5', 'advice_hdf5'), ('PnetCDF', 'advice_pnetcdf')):
        argv, missing = argv_of(program, os.path.join(scratch, 'hints.out'))
        missing = launch.component_missing('overlap') or missing
        if missing:
            suite.skip(f'hint file, {name}', missing)
        elif name == 'MPI':
            plain_mpi(suite, argv, HINTS, scratch)
        else:
            library(suite, name, argv, scratch)
            way_back(suite, name, argv + (['steps'] if name == 'HDF5' else []), scratch)

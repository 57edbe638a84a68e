# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
"""What a user sees of the component outside of a program: ompi_info, messages, the report."""
import os
import re
import shutil
import subprocess

import launch
import report
import verbose

# The names that users type: each must be there, with a help text.
PARAMETERS = ('schedule', 'transport', 'exchange', 'partition', 'aggregators',
              'buffer_bytes', 'align_bytes', 'engine', 'timeout', 'keep', 'report', 'report_file',
              'priority')
MOST_PARAMETERS = 15   # up to level 5: what a user can be expected to read
# Parameters of the published methods, at levels 6 to 9, with a word of their help texts: the paper's symbol.
SYMBOLS = {'memory_per_node': 'N_ah', 'memory_domain_bytes': 'Msg_ind', 'memory_group_bytes': 'Msg_group',
           'memory_min_bytes': 'Mem_min', 'local_aggregators': 'P_L', 'placement': 'aggregate', 'sync_send': 'synchronous'}
# Wrong parameters (one run has all of them), and words that the message must hold besides the parameter and the value.
WRONG = (('schedule', 'sometimes', ('write_comm2', 'the default, "auto"')),
         ('transport', 'pigeon', ('put_fence',)), ('exchange', 'perhaps', ('off',)),
         ('partition', 'odd', ('static_cyclic',)), ('aggregators', '-4', ('0 or more',)),
         ('buffer_bytes', '-1', ('64K',)),
         ('keep', 'maybe', ('true, false', 'the default, "true"')),
         ('report', 'loud', ('off, on, table, lines, json', 'the default, "off"')))
# Wrong hints (one run has all but the first): as they are given, the key in the message, words.
WRONG_HINTS = (('cb_nodes=0', 'cb_nodes', ('1 or more', 'ignoring')),
               ('schedule=sometimes', 'collio_schedule', ('write_comm2', 'ignoring')),
               ('cb_nodes=abc', 'cb_nodes', ('1 or more', 'ignoring')),
               ('cb_buffer_size=-1', 'cb_buffer_size', ('1 or more', 'ignoring')),
               ('romio_cb_write=perhaps', 'romio_cb_write', ('auto, on, off', 'ignoring')),
               ('collective_buffering=yep', 'collective_buffering', ('ignoring',)),
               ('aggregator_count=3', 'collio_aggregator_count', ('unknown', 'ignoring')),
               ('aggregator_list=99', 'collio_aggregator_list', ('ranks', 'ignoring')),
               ('partition=od\nd\x1b[31m', 'collio_partition', ('"od\\nd\\x1b[31m"', 'ignoring')),
               ('report_file=a\nschedule=write', 'collio_report_file', ('"a\\nschedule', 'one line')),
               ('num_threads=-2', 'collio_num_threads', ('0 or more', 'io_ompio_num_threads')),
               ('lockahead=sometimes', 'collio_lockahead', ('stripe', 'ignoring')))
# Hints that ROMIO takes in any case: nothing to say.
GOOD_HINTS = ('romio_cb_write=ENABLE,collective_buffering=TRUE,romio_ds_write=Disable,schedule=None,'
              'exchange=On,buffer_bytes=64k,cb_nodes=1')
# Named transports that messages must stand in for: case of the matrix, transport, what it cannot serve.
REPLACED = (('atomic/write/all', 'shm', 'calls in atomic mode'),
            ('atomic/write/all', 'put_lock', 'calls in atomic mode'),
            ('holes/write/iall', 'put_fence', 'nonblocking and split collectives'),
            ('atomic/write/all', 'isend', None), ('atomic/write/all', 'auto', None))


def parameters_shown(program, level):
    """Parameters that ompi_info shows up to a level, with their help texts."""
    text = subprocess.run([program, '--param', 'fcoll', launch.FCOLL, '--level', str(level), '--parsable'],
                          stdout=subprocess.PIPE, env=launch.ENV, check=False,
                          timeout=60).stdout.decode()
    return dict(re.findall(rf'param:fcoll_{launch.FCOLL}_(\w+):help:(.*)$', text, re.M))


def ompi_info(suite):
    """Every parameter is listed with its current value and a text to act on."""
    program = shutil.which('ompi_info')
    name = 'ompi_info shows every parameter with a help text'
    if not program or launch.UNSANITIZED:
        suite.skip(name, launch.UNSANITIZED or 'no ompi_info')
        return
    wrong = []
    few, listed = parameters_shown(program, 5), parameters_shown(program, 9)
    for parameter in PARAMETERS + tuple(SYMBOLS):
        text = listed.get(parameter, '')
        if parameter == 'local_aggregators' and launch.FCOLL != 'tam':
            continue
        if len(text) < 20 or SYMBOLS.get(parameter, '') not in text:
            wrong.append(f'{parameter}: help text "{text}"')
        if parameter in SYMBOLS and parameter in few:
            wrong.append(f'{parameter}: shown at level 5')
    if len(few) > MOST_PARAMETERS:
        wrong.append(f'{len(few)} parameters, at most {MOST_PARAMETERS} are allowed: {few}')
    suite.check(name, not wrong, '\n'.join(wrong))


def told_once(suite, name, result, key, words):
    """The program ended well, and one line tells what was wrong with the key."""
    lines = [line for line in result.text.splitlines() if 'collio: ' in line and key in line]
    missing = [word for word in words if not any(word in line for line in lines)]
    if result.hung:
        suite.not_ok(name, 'hung\n' + result.stacks)
    elif result.rc != 0:
        suite.not_ok(name, f'ended with {result.rc}:\n{result.text[:2000]}')
    elif len(lines) != 1:
        suite.not_ok(name, f'told {len(lines)} times:\n{result.text[:2000]}')
    elif missing:
        suite.not_ok(name, f'the message lacks {missing}:\n{lines[0]}')
    else:
        suite.ok(name)


def wrong_values(suite, folder, scratch):
    """A wrong parameter is told once per job, in one line, and the default is used."""
    mca = [(f'fcoll_{launch.FCOLL}_{parameter}', value) for parameter, value, _ in WRONG]
    result = launch.run(launch.mpirun_command(3, [os.path.join(folder, 't_report')], mca=mca), 120,
                        env={'T_DIR': scratch})
    for parameter, value, words in WRONG:
        told_once(suite, f'wrong value {parameter}={value} is told once, the default is used',
                  result, f'{parameter}=', (value,) + words)
    for parameter in ('sharedfp_ondemand_priority', 'common_collio_inherit_binding'):
        command = launch.mpirun_command(3, [os.path.join(folder, 't_report')], mca=[(parameter, 'abc')])
        told_once(suite, f'wrong value {parameter}=abc is told once',
                  launch.run(command, 120, env={'T_DIR': scratch}), f'{parameter}=', ('"abc"', 'the default'))


def unknown_names(suite, folder, scratch):
    """A parameter with a typo is told once, with the nearest one; names of others are not judged."""
    program = os.path.join(folder, 't_report')
    ours = f'fcoll_{launch.FCOLL}_'
    for name, word in ((ours + 'scedule', f'nearest name is {ours}schedule'),
                       ('common_collio_hangs', 'nearest name is common_collio_hang.'),
                       ('sharedfp_ondemand_prioritty', 'nearest name is sharedfp_ondemand_priority'),
                       (ours + 'method', 'hint collio_method'), (ours + 'xyz', 'docs/settings.md')):
        command = launch.mpirun_command(3, [program], mca=[(name, '1')])
        told_once(suite, f'unknown parameter {name} is told once',
                  launch.run(command, 120, env={'T_DIR': scratch}), f'parameter {name}', (word,))
    good = [(ours + 'schedule', 'write'), ('fcoll_vulcan_xyz', '1'), ('fcoll_overlapped_xyz', '1'),
            ('common_collio_inherit_binding', '1'), ('sharedfp_ondemand_priority', '60')]
    result = launch.run(launch.mpirun_command(3, [program], mca=good), 120, env={'T_DIR': scratch})
    suite.check('known parameters, and names of others, are not told',
                result.rc == 0 and 'unknown' not in result.text, result.text[:2000] + result.stacks)
    result = launch.run(launch.mpirun_command(3, [program], 'vulcan', mca=[(ours + 'scedule', '1')]), 120,
                        env={'T_DIR': scratch})
    suite.check('unknown parameters are not told where no component is used',
                'unknown' not in result.text, result.text[:2000] + result.stacks)


def wrong_on_one_rank(suite, folder, scratch):
    """Parameter files differ between nodes: one rank's wrong value must not hang the others."""
    program = os.path.join(folder, 't_seen')
    ours = f'fcoll_{launch.FCOLL}_'
    for parameter, value in ((ours + 'aggregators', '-4'), (ours + 'schedule', 'sometimes'),
                             ('io_ompio_bytes_per_agg', '1048576')):
        for first in (True, False):
            command = launch.mpirun_command(4, [launch.ON_RANK, '0' if first else '3',
                                                f'OMPI_MCA_{parameter}={value}', '--', program],
                                            mca=launch.AUTO)
            told_once(suite, f'wrong value {parameter}={value} on the {"first" if first else "last"}'
                      ' rank alone', launch.run(command, 120, env={'T_DIR': scratch}), parameter,
                      (value,))


def hints(suite, folder, scratch):
    """A hint that cannot be used is reported once and ignored; any case of a good one is taken."""
    command = launch.mpirun_command(3, [os.path.join(folder, 't_report')])
    for some in (WRONG_HINTS[:1], WRONG_HINTS[1:]):
        result = launch.run(command, 120, env={'T_DIR': scratch,
                                               'T_HINTS': ','.join(row[0] for row in some)})
        for given, key, words in some:
            told_once(suite, f'wrong hint {given} is reported once and ignored', result,
                      f'hint {key}=', words)
    result = launch.run(command, 120, env={'T_DIR': scratch, 'T_HINTS': GOOD_HINTS})
    name = f'hints {GOOD_HINTS} are taken without a word'
    suite.check(name, result.rc == 0 and 'collio: ' not in result.text,
                result.text[:2000] + result.stacks)


def replaced_transports(suite, folder, scratch):
    """A named transport is never replaced without a word, and not with one where it is not."""
    for case, transport, what in REPLACED:
        program = [os.path.join(folder, 't_matrix'), '--dir', scratch, '--only',
                   f'{case}/contig/fresh/rdwr/agg-1/tiny/exchange=on,transport={transport}']
        text = launch.run(launch.mpirun_command(3, program), 120).text
        said = f'transport {transport} cannot serve {what}' in text
        name = f'{case} transport={transport}: ' + ('says what uses isend' if what
                                                       else 'has nothing to say')
        suite.check(name, said if what else 'cannot serve' not in text, text[:2000])


def unused_modes(suite, folder, scratch):
    """A named mode that cannot act is told in one line of a file."""
    rows = [('exchange=off,schedule=write', 'ignoring schedule: exchange is off', True),
            ('exchange=off,transport=isend', 'ignoring transport: exchange is off', True),
            ('exchange=off', 'ignoring ', False)]
    if launch.FCOLL == 'tam':
        rows += [('report=off', 'one layer', False),
                 ('exchange=off,local_aggregators_per_node=1', 'ignoring two layers: exchange is off',
                  True),
                 ('local_aggregators_per_node=1', 'one layer: all ranks are on one node', True),
                 ('transport=isend,local_aggregators_per_node=3', 'one layer: local_agg', True),
                 ('transport=isend,local_aggregators_per_node=1', 'one layer', False)]
    for hint, words, told in rows:
        text = launch.run(launch.mpirun_command(3, [os.path.join(folder, 't_report')]), 120,
                          env={'T_DIR': scratch, 'T_HINTS': hint}).text
        name = f'{hint}: "{words}" is {"" if told else "not "}printed'
        suite.check(name, told == (words in text), text[:2000])


def run(suite, scratch, folder):
    if launch.FCOLL in launch.STOCK or launch.FCOLL == 'romio':
        return
    ompi_info(suite)
    wrong_values(suite, folder, scratch)
    unknown_names(suite, folder, scratch)
    wrong_on_one_rank(suite, folder, scratch)
    hints(suite, folder, scratch)
    replaced_transports(suite, folder, scratch)
    unused_modes(suite, folder, scratch)
    report.check(suite, folder, scratch)
    verbose.check(suite, folder, scratch)

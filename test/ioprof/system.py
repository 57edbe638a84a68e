# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
"""Memory of ranks, places and stripes of files, counters of hosts."""
import os
import time

from profiles import FOLDER, Case, program

MIB = 1 << 20


def memory(suite):
    """Peaks hold what a rank has touched; samples lie below them; the time line has them all."""
    case = Case(suite, 'memory of ranks', 3, [program('t_memory')])
    data = case.profile.data
    for rank in data['ranks']:
        touched = (64 + 64 * rank['rank']) * MIB
        case.equal(f'peak {rank["memory_peak"]} of rank {rank["rank"]} is at least {touched}',
                   touched <= rank['memory_peak'] < touched + 100 * MIB, True)
        case.equal(f'greatest sample {rank["memory_max"]}',
                   touched <= rank['memory_max'] <= rank['memory_peak'] + 2 * MIB, True)
        case.equal('mean', rank['memory_sum'] <= rank['memory_samples'] * rank['memory_max'], True)
        case.equal('time of samples', rank['sample_ns'] > 0, True)
    rows = data['time']['memory']
    case.equal('samples in the time line', sum(row['samples'] for row in rows),
               sum(rank['memory_samples'] for rank in data['ranks']))
    case.equal('greatest in the time line', max([row['max'] for row in rows], default=0),
               max([rank['memory_max'] for rank in data['ranks']], default=1))
    case.equal('the report', 'MPI-IO calls added up to' in case.report(), True)
    case.done()


def layout(suite):
    """File system, mount and stripes; transfers that begin inside a stripe."""
    case = Case(suite, 'places of files', 2, [program('t_cost'), '20'])
    place = max((line.split() for line in open('/proc/self/mounts', encoding='utf-8')
                 if (case.place + '/').startswith(line.split()[1].rstrip('/') + '/')),
                key=lambda words: len(words[1]))
    for file in case.profile.data['files']:
        case.equal(file['path'], (file['mount'], file['fs'], file['stripes']), (place[1], place[2], 0))
    case.equal('the report', f'on {place[1]} ({place[2]})' in case.report(), True)
    case.done()
    for kind, stripes, size in (('lustre', 2, MIB), ('components', 4, 2 * MIB), ('mdt', 0, 0),
                                ('late', 2, MIB),
                                ('beegfs', 3, MIB // 2)):
        case = Case(suite, f'stripes: {kind}', 2, [program('t_cost'), '20'],
                    env={'T_FS': kind, 'LD_PRELOAD': os.path.join(FOLDER, 'fake.so')})
        files = {os.path.basename(file['path']): file for file in case.profile.data['files']}
        case.equal('files', sorted(files), ['cost.0', 'cost.1', 'cost.dat'])
        for name, file in files.items():
            case.equal(name, (file['stripes'], file['stripe_bytes']), (stripes, size))
        # 20 writes of 64 KiB at 0, 64, ..., 448 KiB and again: those at 0 begin a stripe
        case.equal('begin inside a stripe', files.get('cost.0', {}).get('stripe_unaligned'),
                   20 - 3 if size and kind != 'late' else 0)
        if stripes:
            case.equal('the report', f'{stripes} stripes of ' in case.report(), True)
        case.done()


def write_stats(place, name, text):
    path = os.path.join(place, name + '.stats')
    with open(path + '.new', 'w', encoding='ascii') as stream:
        stream.write(text)
    os.replace(path + '.new', path)


def node(suite):
    """Counters of the host: only where they are asked for; Lustre's from a file like its own."""
    case = Case(suite, 'no counters of hosts', 2, [program('t_cost'), '20'])
    case.equal('rows', case.profile.data['time']['node'], [])
    case.equal('the report', '  hosts  ' in case.report(), False)
    case.done()

    def count_up(place):
        for i in range(1, 200):
            write_stats(place, 'llite', f'read_bytes 5 samples [bytes] 1 9 {1000 * i}\n'
                        f'write_bytes 5 samples [bytes] 1 9 {3000 * i}\n')
            write_stats(place, 'osc', f'ost_read {7 * i} samples [usec] 1 9 99\n'
                        f'ost_write {14 * i} samples [usec] 1 9 99\nread_bytes 5 samples [bytes] 1 9 8\n')
            write_stats(place, 'lnet', f'2 9 0 {5 * i} {6 * i} 77 1 {700 * i} {800 * i} 77 1\n')
            if os.path.exists(os.path.join(place, 'cost.dat')) and i > 150:
                return
            time.sleep(0.02)

    case = Case(suite, 'counters of hosts', 2, [program('t_memory')], ['--node'],
                meanwhile=count_up, env={'IOPROF_LUSTRE_STATS': '{llite,osc,lnet}.stats'})
    rows = case.profile.data['time']['node']
    total = {key: sum(row[key] for row in rows) for key in (rows[0] if rows else {})}
    case.equal('CPU time', total.get('cpu_ns', 0) > 0, True)
    case.equal('three bytes written for one read', total.get('lustre_written'),
               3 * total.get('lustre_read', -1))
    case.equal('Lustre', total.get('lustre_read', 0) > 0, True)
    case.equal('two requests to write for one to read', total.get('lustre_writes'),
               2 * total.get('lustre_reads', -1))
    case.equal('requests', total.get('lustre_reads', 0) > 0, True)
    case.equal('messages and bytes of lnet', [total.get('lnet_' + name) for name in (
        'sends', 'receives', 'sent', 'received')],
               [total.get('lnet_sends', 0) // 5 * n for n in (5, 6, 700, 800)])
    case.equal('messages', total.get('lnet_sends', 0) > 0, True)
    case.equal('lnet in the report', f"in {total.get('lnet_sends')} messages" in case.report(), True)
    case.equal('the report', '  hosts  ' in case.report(), True)
    case.done()

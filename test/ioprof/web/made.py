# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
#
# Writes profiles as ioprof/format.md says, without the code that is tested: for names and
# values that no program of the tests has.

import re
import struct
import zlib

OPEN, CLOSE, READ, WRITE, SYNC, META, SEEK, WAIT = range(8)
COLLECTIVE, INDEPENDENT, COMPLETION, POSIX, INSIDE = range(5)
START = 1767225600 * 10**9


def unescape(text):
    """The bytes that the text of a report stands for."""
    plain = {'n': b'\n', 't': b'\t', 'r': b'\r', 'a': b'\a', 'b': b'\b', '\\': b'\\'}
    return b''.join(bytes([int(byte, 16)]) if byte else plain[char] if char else other.encode()
                    for byte, char, other in re.findall(r'\\x(..)|\\(.)|([^\\]+)', text, re.S))


def number(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def string(text):
    data = text if isinstance(text, bytes) else text.encode()
    return number(len(data)) + data


def record(*values):
    return number(len(values)) + b''.join(map(number, values))


def cells(*entries):
    """Each entry: class, kind, calls, errors, ns, bytes."""
    return number(len(entries)) + b''.join(
        number(cls * 8 + kind) + b''.join(map(number, rest)) for cls, kind, *rest in entries)


def listing(items):
    return number(len(items)) + b''.join(items)


def rank(n, *entries, host='node0', wall=10**9, end=0, peak=0, held=0):
    """peak: greatest resident memory; held: memory that MPI-IO added."""
    return (string(host) + record(n, end, 0, START, wall, *[0] * 17, 1, peak, peak, peak, held)
            + cells(*entries))


def function(name, cls, kind, calls, ns, size, ranks=1, sizes=None, errors=0, span=0):
    return (string(name) + record(kind, cls, calls, errors, ns, ns, span, size, ranks, 0, ns)
            + b''.join(map(number, sizes or [0] * 11)))


def by_class(values):
    return [values.get(cls, 0) for cls in range(5)]


def file(path, hints, comm_size, *entries, ranks=1, open_ranks=1, readers=None, writers=None, block=0,
         unaligned=0, sequential=0, views=0, top_rank=0, sizes=None, high=0, stripes=(0, 0),
         inside_stripe=0):
    """readers, writers: {class: ranks}; sizes: {(class, 0 read or 1 write): list of 11}; stripes:
    how many, and bytes of each."""
    return (string(path) + string(hints)
            + record(ranks, 1, comm_size, open_ranks, *by_class(readers or {}),
                     *by_class(writers or {}), *[0] * 8, block, unaligned, sequential, 0, 0, high,
                     views, 0, top_rank, 0, 0, stripes[1], stripes[0], inside_stripe)
            + cells(*entries)
            + listing([number(cls * 2 + write) + b''.join(map(number, counts))
                       for (cls, write), counts in (sizes or {}).items()]))


def variable(name, text, total):
    return string(name) + string(text) + record(total, 0, total, 1)


def write(path, facts, ranks, functions, files, time=(), variables=(), start=START,
          width=10**7, systems=()):
    """time: entries of bin, layer, kind, calls, ns, bytes, in bins of `width` from `start` on. systems: (number
    of a file, its file system, where that is mounted)."""
    bins = [number((b * 2 + layer) * 4 + kind) + b''.join(map(number, rest))
            for b, layer, kind, *rest in time]
    sections = [(b'FACT', listing([string(k) + string(v) for k, v in facts.items()])),
                (b'RANK', listing(ranks)), (b'FUNC', listing(functions)),
                (b'FILE', listing(files)),
                (b'PLAC', listing([number(index) + string(kind) + string(mount) for index, kind, mount in systems])),
                (b'PVAR', listing(variables)),
                (b'TIME', number(start) + number(width) + listing(bins))]
    with open(path, 'wb') as out:
        out.write(b'IOPROF\r\n' + struct.pack('<II', 1, len(sections)))
        for tag, payload in [*sections, (b'END ', b'')]:
            size = struct.pack('<Q', len(payload))
            out.write(tag + struct.pack('<I', zlib.crc32(tag + size + payload)) + size + payload)

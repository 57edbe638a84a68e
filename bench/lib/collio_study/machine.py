# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
"""A machine is a file of bench/machines: text after #, and `key = value` lines. Up, it is a
virtual cluster (test/cluster/vcluster) with a switch and a storage of these costs."""

import dataclasses
import os

from . import child

FIELDS = {"nodes": int, "ranks_per_node": int, "link": str, "latency_us": int, "message_us": int,
          "servers": int, "stripe_bytes": int, "server_bytes_per_second": int, "request_us": int,
          "storage_latency_us": int, "memory_mib": str,
          "node_message_us": int, "node_bytes_per_second": int}
OPTIONAL = ("memory_mib", "node_message_us", "node_bytes_per_second")
MTU = 65000  # a message of up to 64 KiB is one frame
NAP_US = 16  # for each rank: waiting ranks sleep that long; a message of another node wakes them


@dataclasses.dataclass
class Machine:
    name: str
    text: str
    values: dict

    def __getattr__(self, key):
        return self.values[key]

    def link_bytes(self):
        """Bytes per second of a node's link."""
        number, unit = self.link[:-4], self.link[-4]
        return int(number) * {"k": 10**3, "m": 10**6, "g": 10**9}[unit] // 8

    def memory(self):
        """Bytes for collective buffers on each node; empty if the machine does not limit them."""
        return [int(float(m) * 1024) * 1024 for m in self.values.get("memory_mib", "").split()]


def read(path):
    text, values = [], {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            line = line.strip()
            if line.startswith("#"):
                text.append(line[1:].strip())
            elif line:
                key, value = (part.strip() for part in line.split("=", 1))
                if key not in FIELDS:
                    raise SystemExit(f"{path}: no key '{key}'; known: {', '.join(FIELDS)}")
                values[key] = FIELDS[key](value)
    missing = [key for key in FIELDS if key not in values and key not in OPTIONAL]
    if missing:
        raise SystemExit(f"{path}: {', '.join(missing)}: missing")
    return Machine(os.path.basename(path), " ".join(text), values)


class Cluster:
    """A machine that is up, from `with` to its end."""

    def __init__(self, source, machine):
        self.machine = machine
        self.vcluster = os.path.join(source, "test", "cluster", "vcluster")
        self.env = dict(os.environ, VCLUSTER_NAME=f"study-{machine.name}-{os.getpid()}")

    def _call(self, *words):
        return child.output([self.vcluster, *words], env=self.env).strip()

    def __enter__(self):
        m = self.machine
        storage = (m.servers, m.stripe_bytes, m.server_bytes_per_second, m.request_us,
                   m.storage_latency_us)
        inside = (("--node-costs", f"{m.node_message_us},{m.node_bytes_per_second}")
                  if "node_message_us" in m.values else ())
        try:
            self._call("up", str(m.nodes), "--slots", str(m.ranks_per_node), "--rate", m.link,
                       "--latency", str(m.latency_us), "--message", str(m.message_us),
                       "--mtu", str(MTU), "--storage", ",".join(map(str, storage)), *inside)
            self.folder = self._call("netdir")
        except BaseException:
            self._call("down")
            raise
        return self

    def __exit__(self, *_):
        self._call("down")

    def command(self, ranks):
        """The beginning of a command line that starts ranks, the same number on each node."""
        self._call("costs", "off")  # what is not a step costs nothing
        per_node = -(-ranks // self.machine.nodes)
        return [self.vcluster, "mpirun", "-x", f"RELAX_MIN_US={NAP_US * ranks}", "-np", str(ranks),
                "--map-by", f"ppr:{per_node}:node"]

# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
"""Buffers of a given size for every configuration, and nodes with uneven memory: the comparison of
docs/low-memory.md.

Plain configurations give every aggregator the same buffer. For the policy `memory` each node has
what a normal distribution gives it, around the same mean. All sizes (data, buffers, standard
deviation, least buffer, domains) are those of the authors divided by FACTOR."""

import random

MIB = 1 << 20
FACTOR = 32  # 32 GiB of the authors would not fit the machine: everything is divided by this
SIZES = (128, 64, 32, 16, 8, 4, 2)  # MiB an aggregator, before FACTOR
DEVIATION = 50
LEAST = 1
PER_NODE = 4  # aggregators
MIN = 3  # a node with fewer buffers of the mean size takes no aggregator, if another one can
DOMAIN = {"write": 32, "read": 128}
GROUP = 256


def scaled(mib):
    """Bytes, in whole KiB."""
    return max(1, int(mib * 1024 / FACTOR)) * 1024


def draw(mean, nodes, seed):
    """MiB that an aggregator of each node has. Values come in pairs around the mean, so that few
    nodes have the mean too, and are then cut at LEAST: the mean after the cut is larger."""
    source, found = random.Random(seed), []
    while len(found) < nodes:
        away = source.gauss(0, DEVIATION)
        found += [mean + away, mean - away]
    source.shuffle(found)
    return [max(LEAST, value) for value in found[:nodes]]


def _hints(pairs):
    return [word for key, value in pairs for word in ("--hint", f"{key}={value}")]


def _even(config, drawn, size):
    """MiB of each aggregator where all have the same."""
    return {"least": min(drawn), "mean": sum(drawn) / len(drawn)}.get(config.memory, size)


def settings(config, size, nodes, seed):
    """(MCA parameters, options of collio_bench) that give config buffers of `size` MiB."""
    aggregators = PER_NODE * nodes
    if not size or config.kind in ("limit", "other"):
        return (), []
    if config.kind == "stock" and config.needs[0] == "io":  # ROMIO
        return (), _hints((("cb_buffer_size", scaled(size)), ("cb_nodes", aggregators),
                           ("cb_config_list", f"*:{PER_NODE}")))
    if config.kind == "stock":
        return (("io_ompio_bytes_per_agg", str(scaled(size))),
                ("io_ompio_num_aggregators", str(aggregators))), []
    drawn = draw(size, nodes, seed)
    if config.memory == "memory":
        values = ",".join(str(PER_NODE * scaled(value)) for value in drawn)
        key = "collio_memory_domain_bytes"
        return (), ["--node-hint", f"collio_memory_available={values}",
                    "--read-hint", f"{key}={scaled(DOMAIN['read'])}"] + _hints((
            (key, scaled(DOMAIN["write"])), ("collio_buffer_bytes", scaled(max(drawn))),
            ("collio_memory_group_bytes", scaled(GROUP)),
            ("collio_memory_min_bytes", scaled(MIN * size))))
    return (), _hints((("collio_buffer_bytes", scaled(_even(config, drawn, size))),
                       ("collio_aggregators", aggregators)))

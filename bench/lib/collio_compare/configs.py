# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
"""The configurations: which MPI, which component, which parameters."""

import dataclasses

SCHEDULES = ("none", "comm", "write", "write_comm", "write_comm2")
TRANSPORTS = ("isend", "put_fence", "put_lock", "shm")
STOCK = ("vulcan", "dynamic_gen2", "dynamic", "two_phase", "individual")


@dataclasses.dataclass(frozen=True)
class Config:
    name: str
    kind: str  # ours, stock, other (shown, not compared with) or limit (the contiguous baseline)
    mca: tuple = ()  # (name, value) pairs
    needs: tuple = ()  # ("fcoll", "vulcan"): the component that must exist
    api: str = "mpi"
    mpich: bool = False
    memory: str = ""  # what buffers.py gives it: memory, least or mean; else what was asked for


def _fcoll(name, kind, *more):
    return Config(name, kind, (("io", "ompio"), ("fcoll", name.split("-")[0]), *more),
                  ("fcoll", name.split("-")[0]))


def _variants(component):
    for schedule in SCHEDULES:
        for transport in TRANSPORTS:
            yield _fcoll(f"{component}-{schedule}-{transport}", "ours",
                         (f"fcoll_{component}_exchange", "on"),
                         (f"fcoll_{component}_schedule", schedule),
                         (f"fcoll_{component}_transport", transport))


def _with_buffers():
    """Two-phase by the same component: the policy memory, and plain ones with buffers as asked
    for, as the poorest node has, and as the nodes have on average."""
    for name, partition, memory in (("memory", "memory", "memory"), ("even", "even", ""),
                                    ("even-least", "even", "least"),
                                    ("even-mean", "even", "mean")):
        yield dataclasses.replace(
            _fcoll(f"overlap-{name}", "ours", ("fcoll_overlap_exchange", "on"),
                   ("fcoll_overlap_partition", partition)), memory=memory)


def _search(component):
    """Aggregators and buffers around the defaults: what a default is compared with."""
    for aggregators in (1, 2, 4, 8):
        for megabytes in (1, 2, 8):
            yield _fcoll(f"{component}-search-{aggregators}x{megabytes}m", "ours",
                         (f"fcoll_{component}_aggregators", str(aggregators)),
                         (f"fcoll_{component}_buffer_bytes", f"{megabytes}M"))


def every(romio):
    """All configurations; romio is the name of Open MPI's ROMIO component, or empty."""
    found = [Config("contiguous", "limit", api="limit"), _fcoll("tam", "ours"),
             _fcoll("overlap", "ours")]
    found += [_fcoll(name, "stock") for name in STOCK]
    if romio:
        found.append(Config("romio", "stock", (("io", romio),), ("io", romio)))
    found.append(Config("mpich", "other", mpich=True))
    found.append(_fcoll("tam-two-layers", "ours", ("fcoll_tam_exchange", "on"),
                        ("fcoll_tam_local_aggregators_per_node", "1")))
    for component in ("overlap", "tam"):
        found.append(_fcoll(f"{component}-exchange-off", "ours",
                            (f"fcoll_{component}_exchange", "off")))
        found.append(_fcoll(f"{component}-exchange-on", "ours",
                            (f"fcoll_{component}_exchange", "on")))
    found.append(Config("mtpwrite", "ours", (("io", "ompio"), ("fcoll", "individual"),
                                             ("fbtl", "mtpwrite")), ("fbtl", "mtpwrite")))
    found.append(_fcoll("overlap-mtpwrite", "ours", ("fbtl", "mtpwrite")))
    found += list(_with_buffers())
    for component in ("overlap", "tam"):
        found += list(_variants(component))
    found += list(_search("overlap"))
    return found


def groups(found):
    """Names that stand for several configurations."""
    def names(test):
        return [c.name for c in found if test(c)]

    return {
        "auto": ["contiguous", "tam", "overlap"],
        "stock": names(lambda c: c.kind == "stock"),
        "default": ["contiguous", "tam", "overlap"] + names(lambda c: c.kind in ("stock", "other")),
        "schedules": names(lambda c: c.name.startswith("overlap-") and c.name.endswith("-isend")),
        "transports": names(lambda c: c.name.startswith("overlap-write_comm-")),
        "variants": names(lambda c: c.name.startswith("overlap-") and c.name != "overlap-mtpwrite"
                          and not c.name.startswith(("overlap-memory", "overlap-even"))
                          and "-search-" not in c.name),
        "search": names(lambda c: "-search-" in c.name),
        "tam-variants": names(lambda c: c.name.startswith("tam-")),
        "buffers": ["overlap-memory", "overlap-even", "overlap-even-least", "overlap-even-mean"]
        + names(lambda c: c.kind == "stock" and c.name != "dynamic"),
        "all": names(lambda c: True),
    }


def select(wanted, found, have):
    """The configurations that are wanted and can run here, and why the others cannot."""
    by_name = {c.name: c for c in found}
    by_group = groups(found)
    chosen, missing = {}, {}
    for name in wanted:
        if name not in by_name and name not in by_group:
            known = ", ".join(list(by_group) + list(by_name))
            raise SystemExit(f"compare: no configuration '{name}'; known: {known}")
        for member in by_group.get(name, [name]):
            config = by_name[member]
            reason = have(config)
            if reason:
                missing[config.name] = reason
            else:
                chosen[config.name] = config
    return list(chosen.values()), missing

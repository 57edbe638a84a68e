# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
import dataclasses
import json
import os

from collio_study import authors, child, runs
from collio_study import machine as machines
from collio_study.study import Case, Claim

TITLE = "Servers of the storage, seen by ioprof"
QUESTION = """What do more servers change, and what does ioprof answer?"""
AUTHORS = """{servers.paper}. They answered four questions on {servers.programs} MPI programs with
{servers.ranks} ranks: MPI-IO or POSIX, which ranks, how much time in which operation, when. For one of
them, ATHENA-C++ with {servers.sweep_ranks} ranks, they also swept the stripe count (below); the number of
aggregators follows the stripe count there."""
MACHINE = "storage"
REPEAT = 1
STEPS = 3
TAKE = "seconds"
RANKS = 8
SCALED = (("storage", "{servers.storage}", "1 to 8 servers with 20 MB/s each"),
          ("ranks", "{servers.ranks}; sweep: {servers.sweep_ranks}", str(RANKS)),
          ("aggregators", "{servers.sweep_aggregators}", "1, 4, or as many as servers"), ("data of one call", "", "4 MiB"))
SERVERS = (1, 2, 4, 8)
PANEL = "IOR"
SERIES = {"1 aggregator": 1, "4 aggregators": 4, "as many as servers": None}


def _aggregators(name, servers):
    return SERIES[name] or servers


PATTERN = ("--kernel", "ior-seg", "--transfer", "65536", "--calls", "8", "--view")


def cases():
    for servers in SERVERS:
        for name in SERIES:
            yield Case(PANEL, name, servers, RANKS, PATTERN)


def _profiled(build, cluster, name, servers):
    """The rows of a run under ioprof, each with the answers of the profile."""
    tool = os.path.join(build, "ioprof", "ioprof")
    profile = os.path.join(build, "studies", "servers.iop")
    # the recorder in front of the modeled storage: so that it sees the calls, and their time
    first = ["sh", "-c", 'LD_PRELOAD=$0:$LD_PRELOAD exec "$@"',
             os.path.join(build, "ioprof", ".libs", "libioprof.so")]
    command = cluster.command(RANKS) + ["--mca", "io", "ompio", "--mca", "fcoll", "overlap", *first,
                                        tool, "-o", profile, "-t", "none",
                                        os.path.join(build, "bench", "collio_bench"), *PATTERN]
    for hint in ("exchange=on", "buffer_bytes=524288", f"aggregators={_aggregators(name, servers)}"):
        command += ["--hint", f"collio_{hint}"]
    command += ["--steps", str(STEPS), "--dir", cluster.folder, "--label",
                f"{PANEL}|{name}|{servers}"]
    begin = runs.ticks()
    out = child.output(["timeout", "-k", "20", str(runs.TIMEOUT), *command], env=cluster.env)
    report = child.output([tool, "report", "--json", profile])
    answers = {item["question"]: item["answer"] for item in json.loads(report)["answers"]}
    for line in out.splitlines():
        if line.startswith("{"):
            yield dict(runs.row_of(0, line), machine_busy=runs.machine_busy(begin), answers=answers)


def gather(source, build):
    base = machines.read(os.path.join(source, "bench", "machines", MACHINE))
    for servers in SERVERS:
        machine = dataclasses.replace(base, values=dict(base.values, servers=servers))
        with machines.Cluster(source, machine) as cluster:
            for name in SERIES:
                yield from _profiled(build, cluster, name, servers)


def more(results):
    """What ioprof answers to the four questions, for each number of servers."""
    out = ["## The authors' sweep", "", authors.fill(
        "ATHENA-C++ with {servers.sweep_ranks} ranks: time of writes in the first rank and, in parentheses, the gain "
        "over one stripe; gain of the whole run."), "", "| stripes | writes | run |", "|--:|---|---|"]
    for key in (key for key in authors.ALL["servers"] if key.startswith("write_")):
        write = authors.value(f"servers.{key}")
        run = authors.value(f"servers.{key.replace('write', 'run')}")
        out.append(f"| {write['stripes']} | {write['text']} | {run['text']} |")
    out += ["", "## What the profiles answer", ""]
    for question in ("MPI-IO or POSIX?", "Which ranks?", "How much time, and in what?", "When?"):
        out += [f"**{question}**", "", "| servers | | |", "|---|---|---|"]
        for servers in (SERVERS[0], SERVERS[-1]):
            for name in SERIES:
                rows = results.rows.get((f"{PANEL}|{name}|{servers}", "write"), [])
                out += [f"| {servers} | {name} | {row['answers'][question]} |" for row in rows[:1]]
        out.append("")
    return out


def _gain(results, name):
    """Times with one server over times with the most."""
    pairs = [[results.time(PANEL, name, servers, phase) for servers in (SERVERS[0], SERVERS[-1])]
             for phase in ("write", "read")]
    return [slow / fast for slow, fast in pairs if slow and fast]


LINES = (PANEL,)
X_NAME = {PANEL: "servers"}
COUNTERS = ()
COUNTED = ()
CLAIMS = tuple(Claim(f"{SERVERS[-1]} servers over one, {name}",
                     lambda results, name=name: _gain(results, name)) for name in SERIES)
CAPTION = """One aggregator writes one window at a time, so more servers help it little; four
aggregators use as many servers as there are."""
DIFFERS = """The authors' aggregators grow with the stripes, and so do the nodes that
write; here this is the series `as many as servers`. Their times are of a whole program, so no row of
theirs is beside a row here. The model has no server of names, so it cannot show a storm of opens."""

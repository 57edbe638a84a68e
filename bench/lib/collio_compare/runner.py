# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
"""Starts collio_bench: which mpirun, which components, here or on the virtual cluster."""

import glob
import json
import os
import re
import shutil
import subprocess
import tempfile


class Runner:
    def __init__(self, source, build, cluster=None):
        self.source = source
        self.build = build
        self.cluster = cluster
        self.program = os.path.join(build, "bench", "collio_bench")
        if not os.access(self.program, os.X_OK):
            raise SystemExit(f"compare: {self.program} is missing: run make first")
        self.mpirun = shutil.which("mpirun.openmpi") or shutil.which("mpirun")
        self.ompi_info = shutil.which("ompi_info.openmpi") or shutil.which("ompi_info")
        self.mpiexec_mpich = shutil.which("mpiexec.mpich")
        self.env = dict(os.environ, OMPI_MCA_mca_base_component_show_load_errors="0")
        if os.geteuid() == 0:
            self.env.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        self._find_components()
        self.mpich_program = self._build_for_mpich()

    def _find_components(self):
        """Asks ompi_info twice: where Open MPI's components are, then what it sees with ours."""
        def ask(*args):
            return subprocess.run([self.ompi_info, "--parsable", *args], env=self.env, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                  check=True).stdout

        self.env.pop("OMPI_MCA_mca_base_component_path", None)
        own = re.search(r"^path:pkglibdir:(.*)", ask("--path", "pkglibdir"), re.M).group(1)
        ours = os.path.join(self.build, "components")
        if glob.glob(os.path.join(ours, "mca_*.so")):
            self.env["OMPI_MCA_mca_base_component_path"] = f"{ours}:{own}"
        text = ask()
        self.components = set(re.findall(r"^mca:(\w+):(\w+):version", text, re.M))
        self.version = re.search(r"^ompi:version:full:(.*)", text, re.M).group(1)
        self.romio = next((n for f, n in sorted(self.components)
                           if f == "io" and n.startswith("romio")), "")
        self.shared_memory_btl = "vader" if ("btl", "vader") in self.components else "sm"

    def _build_for_mpich(self):
        compiler = shutil.which("mpicc.mpich")
        if not compiler or not self.mpiexec_mpich:
            return None
        program = self.program + ".mpich"
        sources = sorted(glob.glob(os.path.join(self.source, "bench", "src", "*.c")))
        if os.path.exists(program) and os.path.getmtime(program) >= max(map(os.path.getmtime,
                                                                            sources)):
            return program
        done = subprocess.run([compiler, "-std=gnu11", "-O2", "-o", program, *sources],
                              capture_output=True, check=False)
        return program if done.returncode == 0 else None

    def lacks(self, config):
        """Why config cannot run here, or an empty string."""
        if config.mpich:
            if self.cluster:
                return "not on the cluster"
            return "" if self.mpich_program else "MPICH is not installed"
        if config.needs and config.needs not in self.components:
            return f"no component {'/'.join(config.needs)}"
        return ""

    def _command(self, config, ranks, extra):
        if config.mpich:
            return [self.mpiexec_mpich, "-n", str(ranks), self.mpich_program]
        if self.cluster:
            command = [self.cluster, "mpirun", "-n", str(ranks)]
        else:
            command = [self.mpirun, "-n", str(ranks), "--oversubscribe", "--bind-to", "none",
                       "--mca", "btl", f"self,{self.shared_memory_btl}"]
        command += ["--mca", "mpi_yield_when_idle", "1"]
        for name, value in (*config.mca, *extra):
            command += ["--mca", name, value]
        return command + [self.program]

    def run(self, config, ranks, runs, timeout, extra=()):
        """One job that does the runs, each a list of options, one after the other. Returns the
        phases' results, or a text that says what went wrong."""
        command = self._command(config, ranks, extra)
        for i, arguments in enumerate(runs):
            command += (["--then"] if i else []) + ["--api", config.api, *arguments]
        process = subprocess.Popen(command, env=self.env, text=True, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            self._end(process)
            return f"no end within {timeout} s"
        except BaseException:
            self._end(process)
            raise
        results = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
        if process.returncode != 0 or not results:
            said = [x for x in err.splitlines() if x.strip() and not x.startswith("---")]
            return f"exit {process.returncode}: {said[0] if said else 'no output'}"
        return results

    def _vcluster(self, *words):
        if not self.cluster:
            raise SystemExit("compare: --network goes with --cluster")
        done = subprocess.run([self.cluster, *words], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"compare: {done.stderr.strip()}")
        return done.stdout.strip()

    def netdir(self):
        """The directory of the cluster's network file system."""
        return self._vcluster("netdir")

    def on_node(self, *command):
        """Runs a command on the cluster's first node; returns what it prints."""
        return self._vcluster("exec", "node0", *command)

    @staticmethod
    def _end(process):
        """Lets mpirun end its ranks before it is ended itself."""
        process.terminate()
        try:
            process.communicate(timeout=15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()

    def messages(self, config, ranks, arguments, timeout):
        """Messages and bytes that all ranks sent in a run, counted below whatever does the I/O
        by Open MPI's monitoring component; None where it cannot be told."""
        if config.mpich or ("pml", "monitoring") not in self.components:
            return None
        with tempfile.TemporaryDirectory(dir=self._scratch(arguments)) as folder:
            extra = (("pml_monitoring_enable", "1"), ("pml_monitoring_enable_output", "3"),
                     ("pml_monitoring_filename", os.path.join(folder, "m")))
            if isinstance(self.run(config, ranks, [arguments], timeout, extra), str):
                return None
            count = size = 0
            for path in glob.glob(os.path.join(folder, "m.*.prof")):
                with open(path, encoding="utf-8", errors="replace") as profile:
                    for line in profile:  # E: point to point, S: one-sided, sent
                        row = re.match(r"[EIS]\t\d+\t\d+\t(\d+) bytes\t(\d+) msgs", line)
                        if row:
                            size += int(row.group(1))
                            count += int(row.group(2))
        return count, size

    @staticmethod
    def _scratch(arguments):
        """A directory that every rank sees: the one that is measured."""
        return arguments[arguments.index("--dir") + 1]

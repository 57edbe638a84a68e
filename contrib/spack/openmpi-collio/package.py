# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
"""Spack recipe. Put the folder into the packages of a repository of yours, and name where the source
package is (`url`, or `spack install openmpi-collio` in a mirror that holds it)."""

from spack.package import *


class OpenmpiCollio(AutotoolsPackage):
    """Collective I/O components for Open MPI's OMPIO: fcoll/overlap, fcoll/tam, fbtl/mtpwrite,
    fs/lustre_lla, fs/beegfs and sharedfp/ondemand. Components are plug-ins for exactly the Open MPI they are
    built with."""

    license("BSD-3-Clause")

    version("0.1.0")

    variant("libaio", default=True, description="asynchronous access through libaio")
    variant("liburing", default=False, description="asynchronous access through io_uring")

    depends_on("c", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("perl", type="build")
    # internal headers: Open MPI must install them
    depends_on("openmpi@4.1.0:4.1,5.0:6 +internal-headers")
    depends_on("hwloc")
    depends_on("libaio", when="+libaio")
    depends_on("liburing", when="+liburing")

    def configure_args(self):
        args = [
            "--with-openmpi={0}".format(self.spec["openmpi"].prefix),
            "--with-component-dir={0}".format(self.component_dir),
        ]
        for name in ("libaio", "liburing"):
            if self.spec.satisfies("+" + name):
                args.append("--with-{0}={1}".format(name, self.spec[name].prefix))
            else:
                args.append("--without-" + name)
        return args

    @property
    def component_dir(self):
        return join_path(self.prefix.lib, "openmpi")

    def setup_run_environment(self, env):
        own = join_path(self.spec["openmpi"].prefix.lib, "openmpi")
        env.set("OMPI_MCA_mca_base_component_path", "{0}:{1}".format(self.component_dir, own))
        # 5.0 and later hand that path to PMIx as well, which complains about every file of it
        env.set("PMIX_MCA_mca_base_component_show_load_errors", "none")

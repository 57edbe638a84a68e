/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/**
 * Opening and closing of the library.
 */
#include "ompio/common_collio_open.h"

#include "core/common_collio_version.h"

#include "call/common_collio_request.h"
#include "compat/common_collio_sizes.h"
#include "file/common_collio_file.h"
#include "hook/common_collio_handle.h"
#include "open/common_collio_set.h"
#include "settings/common_collio_findings.h"

static int users;

/* All four components would say the same, so that the texts do not name one. */
static bool release_fits(void)
{
    mca_common_collio_version_t built, running;
    bool known = mca_common_collio_version_parse(mca_common_collio_running_version(), &running);

    (void) mca_common_collio_version_parse(COLLIO_OPENMPI_VERSION, &built);
    if (known && mca_common_collio_version_fits(&built, &running)) {
        return true;
    }
    mca_common_collio_finding(
        "built for Open MPI %s, but this is Open MPI %d.%d.%d%s, whose internal "
        "structs may differ. Build collio again for it (configure "
        "--with-openmpi). Its components are not used",
        COLLIO_OPENMPI_VERSION, running.major, running.minor, running.release, running.suffix);
    return false;
}

/* Two builds of one release need not be alike. */
static bool structs_fit(void)
{
    mca_common_collio_size_t other;

    if (mca_common_collio_sizes_fit(&other)) {
        return true;
    }
    mca_common_collio_finding(
        "built for an Open MPI %s where %s has %zu bytes, but it has %zu bytes in the Open MPI "
        "that is running, which was configured in another way (--enable-debug?). Build collio "
        "again for it (configure --with-openmpi). Its components are not used",
        COLLIO_OPENMPI_VERSION, other.name, other.built, other.running);
    return false;
}

int mca_common_collio_fits(const char *name, const char *version, uint64_t abi)
{
    bool fits = release_fits() && structs_fit();

    if (fits && abi != mca_common_collio_abi()) {
        mca_common_collio_finding("%s: this component is of collio %s, the "
                                  "libmca_common_collio.so that was loaded of another build (%s, "
                                  "for Open MPI %s). Install all of them from one build, and only "
                                  "one in the component path. The component is not used",
                                  name, version, COLLIO_VERSION, COLLIO_OPENMPI_VERSION);
        fits = false;
    }
    if (!fits) {
        mca_common_collio_findings_tell_mine(); /* no file will bring the ranks together */
    }
    return fits ? OMPI_SUCCESS : OMPI_ERR_NOT_AVAILABLE;
}

void mca_common_collio_open(void)
{
    ++users;
    mca_common_collio_file_reserve();
    mca_common_collio_handle_reserve();
}

void mca_common_collio_close(void)
{
    if (users > 0 && 0 == --users) {
        mca_common_collio_set_forget();
        mca_common_collio_request_finalize();
        mca_common_collio_access_finalize();
        mca_common_collio_file_unreserve();
        mca_common_collio_handle_unreserve();
        mca_common_collio_findings_fini();
    }
}

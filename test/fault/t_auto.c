/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * `auto` chooses by what it measures. The same request, with nothing set but the buffer: when every
 * write takes 20 ms, it must end with an exchange (few large writes); when every look for messages
 * takes 30 ms, it must end without one (each rank its own pieces). Seen by the component's counter
 * of calls without exchange; no time is asserted.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/t_pvar.h"
#include "t_fault.h"

/* the first choice serves 32 calls, then every way is tried twice at most, then the choice stays */
enum { CALLS = 44, LAST = 4 };

static const t_request request = {16384, 0, 0, 32};
static char path[512];

/** Calls without exchange among the last ones, on this rank. */
static double skipped_at_the_end(const char *hints, const char *fault)
{
    t_blocks mine = t_request_blocks(&request, t_rank);
    double before = 0, after = 0;
    MPI_File file;

    if (t_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, hints, &file)) {
        t_blocks_view(file, &mine);
        t_fault_set(fault);
        for (int i = 0; i < CALLS; i++) {
            if (CALLS - LAST == i) {
                before = t_pvar_read("calls_direct", file);
            }
            t_blocks_write(file, &mine, t_rank);
        }
        t_fault_set(NULL);
        after = t_pvar_read("calls_direct", file);
        t_ok(MPI_File_close(&file), "close");
    }
    return after - before;
}

int main(int argc, char *argv[])
{
    double skipped;

    t_init(&argc, &argv);
    t_path(path, sizeof(path), "auto");
    if (!t_fault_there()) {
        return t_skip_all("auto", "libfault is not preloaded");
    }
    t_first_open(path);
    if (!t_pvar_exists("calls_direct")) {
        return t_skip_all("auto", "the component has no counter for it");
    }
    skipped = skipped_at_the_end("buffer_bytes=1048576", "op=write,match=auto,delay_ms=20");
    t_fail_if(0 != skipped, "slow disk: %.0f of the last %d calls had no exchange", skipped, LAST);
    t_verdict("a_slow_disk_leads_to_an_exchange");
    /* another buffer, so that no measurement above is kept */
    skipped = skipped_at_the_end("buffer_bytes=1052672", "progress_us=30000");
    t_fail_if(LAST != skipped, "slow exchange: only %.0f of the last %d calls had none", skipped,
              LAST);
    t_verdict("a_slow_exchange_leads_to_none");
    t_remove(path);
    return t_finish();
}

/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the user sees of a file: the hints in force by MPI_File_get_info, and the MPI_T performance
 * variables: there and described.
 */
#include "lib/t_compat.h"
#include "lib/t_file.h"
#include "lib/t_pvar.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[512];

static void expect_hint(MPI_File file, const char *key, const char *want)
{
    const char *value = t_hint(file, key);

    t_fail_if(NULL == value, "hint %s is not in MPI_File_get_info", key);
    t_fail_if(NULL != value && NULL != want && 0 != strcmp(want, value),
              "hint %s is '%s', expected '%s'", key, value, want);
}

/** Hints that were given must be told back. */
static void given_hints(void)
{
    static const char *const hints[][2] = {
        {"cb_nodes", "1"},           {"cb_buffer_size", "1048576"}, {"collio_exchange", "on"},
        {"collio_schedule", "none"}, {"collio_transport", "isend"},
    };
    MPI_File file;

    if (t_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR,
               "cb_nodes=1,cb_buffer_size=1048576,exchange=on,schedule=none,transport=isend",
               &file)) {
        for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]); i++) {
            expect_hint(file, hints[i][0], hints[i][1]);
        }
        t_ok(MPI_File_close(&file), "close");
    }
    t_verdict("get_info_shows_given_hints");
}

/** Hints that nobody uses are not returned; those of other layers are. */
static void unused_hints(void)
{
    char value[MPI_MAX_INFO_VAL + 1];
    MPI_Info info, used;
    MPI_File file;

    MPI_Info_create(&info);
    MPI_Info_set(info, "cb_config_list", "*:2");
    MPI_Info_set(info, "romio_no_indep_rw", "true");
    MPI_Info_set(info, "access_style", "write_once");
    MPI_Info_set(info, "nc_var_align_size", "512");
    t_ok(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file), "open");
    t_ok(MPI_File_get_info(file, &used), "MPI_File_get_info");
    t_fail_if(t_info_get(used, "cb_config_list", value, sizeof(value)),
              "cb_config_list is returned");
    t_fail_if(t_info_get(used, "romio_no_indep_rw", value, sizeof(value)),
              "romio_no_indep_rw is returned");
    t_fail_if(t_info_get(used, "access_style", value, sizeof(value)), "access_style is returned");
    t_fail_if(!t_info_get(used, "nc_var_align_size", value, sizeof(value)),
              "nc_var_align_size, a hint of PnetCDF, is not returned");
    MPI_Info_free(&used);
    MPI_Info_free(&info);
    t_ok(MPI_File_close(&file), "close");
    t_verdict("get_info_returns_no_unused_hints");
}

static void open_with(const char *hint, int number)
{
    char hints[64];
    MPI_File file;

    snprintf(hints, sizeof(hints), hint, number);
    if (t_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, hints, &file)) {
        t_ok(MPI_File_close(&file), "close");
    }
}

/** Messages about hints of many files are not kept. Nobody reads them here, so that stderr is
 *  closed meanwhile. */
static void many_messages(void)
{
    enum { FILES = 300, BYTES = 16384 };
    int out = dup(STDERR_FILENO), none = open("/dev/null", O_WRONLY | O_CLOEXEC);
    int64_t before = 0;

    fflush(stderr);
    dup2(none, STDERR_FILENO);
    for (int i = 0; i < 2 * FILES; i++) {
        before = FILES == i ? t_memory_used() : before;
        open_with("schedule=wrong%d", i);
    }
    dup2(out, STDERR_FILENO);
    close(out);
    close(none);
    t_fail_if(t_memory_used() - before > BYTES, "%lld bytes more after %d messages",
              (long long) (t_memory_used() - before), FILES);
    t_verdict("messages_are_not_kept");
}

/** Without hints: the standard ones with the values in use, and no list of our defaults. */
static void no_defaults(void)
{
    char key[MPI_MAX_INFO_KEY + 1];
    MPI_File file;
    MPI_Info info;
    int keys;

    t_ok(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file),
         "open");
    expect_hint(file, "cb_nodes", NULL);
    expect_hint(file, "cb_buffer_size", NULL);
    expect_hint(file, "romio_cb_write", NULL);
    t_ok(MPI_File_get_info(file, &info), "MPI_File_get_info");
    MPI_Info_get_nkeys(info, &keys);
    for (int i = 0; i < keys; i++) {
        MPI_Info_get_nthkey(info, i, key);
        t_fail_if(0 == strncmp(key, "collio_", 7), "hint %s was not given and has its default",
                  key);
    }
    MPI_Info_free(&info);
    t_ok(MPI_File_close(&file), "close");
    t_verdict("get_info_shows_no_defaults");
}

static void names_and_texts(void)
{
    static const char *const topics[] = {"time",  "message", "bytes", "request",
                                         "cycle", "plan",    "hole"};
    int n = t_pvar_count();
    char name[256], text[1024];

    for (size_t t = 0; t < sizeof(topics) / sizeof(topics[0]); t++) {
        bool found = false;

        for (int i = 0; i < n; i++) {
            t_pvar_describe(i, name, sizeof(name), text, sizeof(text));
            found = found || NULL != strstr(name, topics[t]);
        }
        t_fail_if(!found, "no performance variable about '%s'", topics[t]);
    }
    for (int i = 0; i < n; i++) {
        t_pvar_describe(i, name, sizeof(name), text, sizeof(text));
        t_fail_if(3 > strlen(text), "%s has no description", name);
        t_fail_if(NULL == strstr(text, " [nanoseconds]") && NULL == strstr(text, " [bytes]")
                      && NULL == strstr(text, " [count]"),
                  "%s: no unit in its description '%s'", name, text);
        t_fail_if(0 == strncmp(strrchr(name, '_'), "_bytes", 6) && NULL == strstr(text, " [bytes]"),
                  "%s is not in bytes: '%s'", name, text);
    }
    t_fail_if((0 == strcmp("tam", t_component())) != t_pvar_exists("time_gather"),
              "only a component with two layers has time_gather");
    t_verdict("pvars_have_names_and_texts");
}

/* Cycles of all ranks in one write of large pieces, which `auto` does not exchange on one node. */
static int cycles_with(const char *hints, const char *cb_write)
{
    enum { LARGE = 512 << 10, PIECES = 2 };
    t_blocks mine = {t_rank * LARGE, LARGE, t_size * LARGE, PIECES};
    int cycles = 0, all = 0;
    MPI_File file;

    if (t_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, hints, &file)) {
        t_blocks_view(file, &mine);
        cycles = (int) t_pvar_read("cycles", file);
        t_blocks_write(file, &mine, t_rank);
        cycles = (int) t_pvar_read("cycles", file) - cycles;
        expect_hint(file, "romio_cb_write", cb_write);
        t_ok(MPI_File_close(&file), "close");
    }
    MPI_Allreduce(&cycles, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

/** A schedule, a transport or two layers that the user has named imply the exchange; `off` wins.
 *  The hint exchange=auto is in force where a parameter switches the exchange on for all tests. */
static void named_modes(void)
{
    static const struct {
        const char *hints;
        bool exchange;
    } cases[] = {
        {"exchange=auto,schedule=none", true},   {"exchange=auto,schedule=write_comm", true},
        {"exchange=auto,transport=isend", true}, {"exchange=auto,transport=put_fence", true},
        {"exchange=off,transport=isend", false}, {"romio_cb_write=disable,schedule=write", false}};
    static const char *const layers[] = {"exchange=auto,local_aggregators=1",
                                         "exchange=auto,local_aggregators_per_node=1",
                                         "exchange=auto,racks=1", "exchange=auto,intra=isend"};

    t_fail_if(0 < cycles_with("exchange=auto", "automatic"),
              "no mode is named: large pieces moved");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int cycles = cycles_with(cases[i].hints, cases[i].exchange ? "enable" : "disable");

        t_fail_if(cases[i].exchange != (0 < cycles), "%s: %d cycles", cases[i].hints, cycles);
    }
    for (size_t i = 0; 0 == strcmp("tam", t_component()) && i < 4; i++) {
        t_fail_if(0 == cycles_with(layers[i], "enable"), "%s: no exchange", layers[i]);
    }
    t_verdict("named_modes_are_used");
}

int main(int argc, char *argv[])
{
    t_init(&argc, &argv);
    t_path(path, sizeof(path), "seen");
    given_hints();
    unused_hints();
    no_defaults();
    many_messages();
    t_fail_if(0 == t_pvar_count(), "no performance variable fcoll_%s_*", t_component());
    names_and_texts();
    named_modes();
    t_remove(path);
    return t_finish();
}

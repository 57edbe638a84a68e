/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks that disagree: with hints or parameters that have other values on other ranks, or wrong
 * ones on some, all ranks use the values of rank 0 (MPI_File_get_info tells them), the bytes are
 * right, and nobody hangs.
 *
 *     t_disagree                   hints differ
 *     t_disagree NAME A B          parameter fcoll_<component>_NAME is A on even ranks, B on odd;
 *                                  hint collio_NAME must be A afterwards
 *     t_disagree NAME A B VALUE    the same, but the hint must be VALUE
 *     t_disagree pairs             every setting of the component, and every pair of its values:
 *                                  one on even ranks, the other on odd
 *     t_disagree pairs all         the same, each pair with every one of `bases`
 */
#include "lib/t_compat.h"
#include "lib/t_file.h"
#include "lib/t_pvar.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 100, COUNT = 30, STAGES = 3 };

static char path[512];

static t_blocks blocks_of(int rank)
{
    return (t_blocks){rank * BLOCK, BLOCK, t_size * BLOCK, COUNT};
}

/** The hint that MPI_File_get_info gives must be this, on every rank. A default that nobody has
 *  given as a hint is missing. */
static void expect_hint(MPI_File file, const char *key, const char *want)
{
    const char *value = t_hint(file, key);

    t_fail_if(0 != strcmp(want, NULL == value ? "auto" : value), "hint %s is '%s', expected '%s'",
              key, NULL == value ? "(missing)" : value, want);
}

/** Opens and writes; the class of each stage goes to class[]. With a key, its hint is looked at. */
static void attempt(const char *hints, const char *key, const char *want, int class[STAGES])
{
    static const char *const stage[STAGES] = {"open", "set_view", "write_all"};
    t_blocks mine = blocks_of(t_rank);
    unsigned char *data = t_blocks_data(&mine, t_rank);
    MPI_Datatype type = t_blocks_type(&mine);
    MPI_Info info = t_info(hints);
    MPI_File file = MPI_FILE_NULL;
    int least[STAGES], most[STAGES];

    memset(class, 0, STAGES * sizeof(*class));
    class[0] = t_class(
        MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file));
    if (MPI_SUCCESS == class[0]) {
        if (NULL != key) {
            expect_hint(file, key, want);
        }
        class[1] = t_class(
            MPI_File_set_view(file, mine.first, MPI_BYTE, type, "native", MPI_INFO_NULL));
        if (MPI_SUCCESS == class[1]) {
            class[2] = t_class(
                MPI_File_write_all(file, data, BLOCK * COUNT, MPI_BYTE, MPI_STATUS_IGNORE));
        }
        MPI_File_close(&file);
    }
    MPI_Allreduce(class, least, STAGES, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(class, most, STAGES, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    for (int s = 0; s < STAGES; s++) {
        t_fail_if(least[s] != most[s] && 0 == t_rank,
                  "%s gives different results: classes %d to %d", stage[s], least[s], most[s]);
    }
    MPI_Info_free(&info);
    MPI_Type_free(&type);
    free(data);
}

static void check_bytes(void)
{
    t_ranks_check(path, blocks_of, 0, 0);
    t_remove(path);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void expect_success(const char *hints, const char *key, const char *want, const char *name)
{
    int class[STAGES];

    attempt(hints, key, want, class);
    t_fail_if(MPI_SUCCESS != class[0] || MPI_SUCCESS != class[1] || MPI_SUCCESS != class[2],
              "'%s': open, set_view and write_all give classes %d %d %d",
              NULL == hints ? "" : hints, class[0], class[1], class[2]);
    check_bytes();
    t_verdict("%s", name);
}

static void hints_differ(const char *even, const char *odd, const char *key, const char *want,
                         const char *name)
{
    expect_success(0 == t_rank % 2 ? even : odd, key, want, name);
}

/** Only the last rank has the hint, and it is wrong. */
static void wrong_on_one(const char *wrong, const char *key, const char *want, const char *name)
{
    expect_success(t_rank == t_size - 1 ? wrong : "exchange=on", key, want, name);
}

/** OMPIO reads cb_nodes again when a view is set, and divides by it. */
static void wrong_in_set_view(void)
{
    t_blocks mine = blocks_of(t_rank);
    MPI_Datatype type = t_blocks_type(&mine);
    MPI_Info info = t_info("cb_nodes=0,exchange=on");
    MPI_File file;

    if (t_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, "exchange=on", &file)) {
        t_ok(MPI_File_set_view(file, mine.first, MPI_BYTE, type, "native", info), "set_view");
        t_ok(MPI_File_close(&file), "close");
    }
    MPI_Info_free(&info);
    MPI_Type_free(&type);
    t_verdict("cb_nodes_0_in_set_view");
}

/* An erroneous program: no rank waits for ever, all are told the same, and the mode stays. */
static void modes_differ(void)
{
    unsigned char byte;
    MPI_Status status;
    MPI_File file;
    int class, was;

    t_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, NULL, &file);
    for (int before = 0; before < 2; ++before) {
        if (MPI_SUCCESS != t_class(MPI_File_set_atomicity(file, before))) {
            break; /* fbtl/posix has no atomic mode */
        }
        class = t_class(MPI_File_set_atomicity(file, t_rank % 2));
        t_fail_if(MPI_ERR_NOT_SAME != class, "set_atomicity returned %s", t_class_name(class));
        t_ok(MPI_File_get_atomicity(file, &was), "get_atomicity");
        t_fail_if(was != before, "atomic mode was %d and is %d", before, was);
        t_ok(MPI_File_read_at_all(file, 0, &byte, 1, MPI_BYTE, &status), "a call after it");
    }
    t_ok(MPI_File_close(&file), "close");
    t_verdict("atomic_mode_differs");
}

/** What the other settings are: pairs are tried with and without these. */
static const char *const bases[] = {"", "cb_nodes=2", "keep=false", "cb_nodes=1,keep=false"};
enum { BASES = sizeof(bases) / sizeof(bases[0]), VALUES = 16, VALUE_BYTES = 64, TEXT_BYTES = 2048 };

typedef struct setting_t {
    char name[128];
    char value[VALUES][VALUE_BYTES];
    int values;
    bool choice; /* MPI_File_get_info returns the value as it was set */
} setting_t;

static void add_values(setting_t *setting, const char *list, const char *between)
{
    char text[TEXT_BYTES], *save = NULL;

    snprintf(text, sizeof(text), "%s", list);
    for (char *word = strtok_r(text, between, &save); NULL != word && setting->values < VALUES;
         word = strtok_r(NULL, between, &save)) {
        snprintf(setting->value[setting->values++], VALUE_BYTES, "%s", word);
    }
}

/** The values of a setting, from the end of its description: "... [auto, on, off]". */
static void find_values(setting_t *setting, const char *description)
{
    const char *allowed = strrchr(description, '[');
    char choices[TEXT_BYTES];

    setting->values = 0;
    setting->choice = false;
    if (NULL == allowed) {
        return; /* the component's version */
    }
    if (0 == strncmp(allowed, "[a number of bytes", 18)) {
        add_values(setting, "0 4096 65536", " ");
    } else if (0 == strcmp(setting->name, "timeout")) {
        add_values(setting, "0 600", " ");
    } else if (0 == strncmp(allowed, "[a number", 9)) {
        add_values(setting, "0 1 2 3", " ");
    } else if (0 == strcmp(setting->name, "aggregator_list")) {
        add_values(setting, "0 1 0-1 9999", " ");
    } else if (0 == strncmp(allowed, "[a text", 7)) {
        add_values(setting, "disagree-1 disagree-2", " ");
    } else {
        setting->choice = true;
        snprintf(choices, sizeof(choices), "%.*s", (int) strcspn(allowed + 1, "]"), allowed + 1);
        add_values(setting, choices, ", ");
    }
}

/** Fills in the i-th control variable if it is a setting of the component that has a hint. */
static bool find_setting(int i, setting_t *setting)
{
    char name[256], prefix[64], text[TEXT_BYTES];
    int name_bytes = sizeof(name), text_bytes = sizeof(text), level, binding, scope;
    MPI_Datatype type;
    MPI_T_enum values;

    if (MPI_SUCCESS
        != MPI_T_cvar_get_info(i, name, &name_bytes, &level, &type, &values, text, &text_bytes,
                               &binding, &scope)) {
        return false;
    }
    snprintf(prefix, sizeof(prefix), "fcoll_%s_", t_component());
    if (0 != strncmp(name, prefix, strlen(prefix))) {
        return false;
    }
    snprintf(setting->name, sizeof(setting->name), "%.*s", (int) sizeof(setting->name) - 1,
             name + strlen(prefix));
    if (0 == strcmp(setting->name, "priority") || 0 == strcmp(setting->name, "engine")) {
        return false; /* no hints: collio_engine is one of fbtl/mtpwrite */
    }
    find_values(setting, text);
    return setting->values > 0;
}

/** MPI_File_get_info returns the same hints on all ranks, but for those that belong to a node. */
static void expect_same_info(MPI_File file, const char *what)
{
    char text[16384] = "", root[sizeof(text)], key[MPI_MAX_INFO_KEY + 1];
    char value[MPI_MAX_INFO_VAL + 1];
    size_t used = 0;
    MPI_Info info;
    int keys;

    t_ok(MPI_File_get_info(file, &info), "MPI_File_get_info");
    MPI_Info_get_nkeys(info, &keys);
    for (int i = 0; i < keys; i++) {
        MPI_Info_get_nthkey(info, i, key);
        if (0 == strcmp(key, "collio_memory_available") || 0 == strcmp(key, "collio_memory_root")) {
            continue;
        }
        if (t_info_get(info, key, value, sizeof(value)) && used < sizeof(text)) {
            used += (size_t) snprintf(text + used, sizeof(text) - used, "%s=%s\n", key, value);
        }
    }
    MPI_Info_free(&info);
    memcpy(root, text, sizeof(text));
    MPI_Bcast(root, (int) sizeof(root), MPI_CHAR, 0, MPI_COMM_WORLD);
    for (char *save, *line = strtok_r(text, "\n", &save); NULL != line;
         line = strtok_r(NULL, "\n", &save)) {
        t_fail_if(NULL == strstr(root, line), "%s: hint %s, but rank 0 has another value", what,
                  line);
    }
}

/** A file whose ranks have different values, then one with the same value on all. */
static void try_pair(const setting_t *setting, int even, int odd, const char *base)
{
    char hints[512], what[512], key[192];
    bool memory = 0 == strncmp(setting->name, "memory_", 7);
    t_blocks mine = blocks_of(t_rank);
    MPI_File file;

    snprintf(what, sizeof(what), "%s %s and %s, %s", setting->name, setting->value[even],
             setting->value[odd], base);
    for (int i = 0; i < 2; i++) {
        snprintf(hints, sizeof(hints), "exchange=on%s%s%s,%s=%s", memory ? ",partition=memory" : "",
                 '\0' == base[0] ? "" : ",", base, setting->name,
                 setting->value[0 == t_rank % 2 || 1 == i ? even : odd]);
        if (t_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, hints, &file)) {
            snprintf(key, sizeof(key), "collio_%s", setting->name);
            if (setting->choice) {
                expect_hint(file, key, setting->value[even]);
            }
            expect_same_info(file, what);
            t_blocks_view(file, &mine);
            t_blocks_write(file, &mine, t_rank);
            t_blocks_write(file, &mine, t_rank);
            t_blocks_read(file, &mine, t_rank);
            t_ok(MPI_File_close(&file), what);
        }
        check_bytes();
    }
}

static void pairs(bool all)
{
    int count, level, base = 0;
    setting_t setting;

    MPI_T_init_thread(MPI_THREAD_SINGLE, &level);
    t_first_open(path); /* the settings of a component exist from then on, too */
    MPI_T_cvar_get_num(&count);
    for (int i = 0; i < count; i++) {
        if (!find_setting(i, &setting)) {
            continue;
        }
        for (int pair = 0; pair < setting.values * setting.values; pair++) {
            int even = pair / setting.values, odd = pair % setting.values;

            for (int b = 0; even != odd && b < (all ? BASES : 1); b++) {
                try_pair(&setting, even, odd, bases[base++ % BASES]);
            }
        }
        t_verdict("pairs_of_%s", setting.name);
    }
    MPI_T_finalize();
}

int main(int argc, char *argv[])
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    char name[256], key[64];
    bool all_pairs = 2 <= argc && 0 == strcmp(argv[1], "pairs");

    if (4 <= argc && !all_pairs && NULL != rank) { /* before MPI_Init, which reads parameters */
        snprintf(name, sizeof(name), "OMPI_MCA_fcoll_%s_%s", t_component(), argv[1]);
        setenv(name, argv[2 + atoi(rank) % 2], 1);
    }
    t_init(&argc, &argv);
    t_path(path, sizeof(path), "disagree");
    if (all_pairs) {
        pairs(3 <= argc && 0 == strcmp(argv[2], "all"));
        return t_finish();
    }
    if (4 <= argc) {
        snprintf(name, sizeof(name), "parameter_%s_differs_%s_%s", argv[1], argv[2], argv[3]);
        snprintf(key, sizeof(key), "%s%s", 0 == strncmp(argv[1], "buffer", 6) ? "cb_" : "collio_",
                 0 == strncmp(argv[1], "buffer", 6) ? "buffer_size" : argv[1]);
        expect_success(NULL, key, 5 == argc ? argv[4] : argv[2], name);
        return t_finish();
    }
    hints_differ("exchange=off", "romio_cb_write=enable", "romio_cb_write", "disable",
                 "hint_romio_cb_write_differs");
    hints_differ("exchange=on,aggregators=1", "exchange=on,cb_nodes=2", "cb_nodes", "1",
                 "hint_aggregators_differs");
    wrong_on_one("exchange=ON,schedule=sometimes", "collio_schedule", "auto",
                 "wrong_schedule_on_one_rank");
    wrong_on_one("exchange=on,cb_nodes=abc", "collio_exchange", "on", "wrong_cb_nodes_on_one_rank");
    wrong_on_one("exchange=on,cb_nodes=0", "collio_exchange", "on", "cb_nodes_0_on_one_rank");
    wrong_on_one("exchange=on,sometimes=1", "collio_exchange", "on", "unknown_hint_on_one_rank");
    wrong_in_set_view();
    expect_success("exchange=on", "collio_exchange", "on", "same_hints_after_all_that");
    modes_differ();
    return t_finish();
}

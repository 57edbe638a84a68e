/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which cases to run. A covering array is built greedily: take a pair of values that no case has
 * yet, try some random completions, keep the one that covers most new pairs. Cost: about
 * (pairs x tries x dimensions^2), a fraction of a second. The random stream has a fixed seed, so
 * every rank and every run makes the same list.
 */
#include "t_matrix.h"

#include <stdlib.h>
#include <string.h>

static const char *const op_names[] = {"write", "read"};
static const char *const how_names[HOWS] = {"all",  "at",     "multi", "seek",
                                            "iall", "iat",    "split", "split_at",
                                            "one",  "one_at", "ione",  "ione_at"};
const t_call t_hows[HOWS] = {{.collective = true},
                             {.collective = true, .at = true},
                             {.collective = true},
                             {.collective = true},
                             {.collective = true, .how = T_START},
                             {.collective = true, .at = true, .how = T_START},
                             {.collective = true, .how = T_BEGIN},
                             {.collective = true, .at = true, .how = T_BEGIN},
                             {.how = T_BLOCK},
                             {.at = true},
                             {.how = T_START},
                             {.at = true, .how = T_START}};
static const char *const fill_names[2][2] = {{"fresh", "filled"}, {"whole", "short"}};
static const char *const open_names[] = {"rdwr", "only"};
static const char *const agg_names[] = {"1", "2", "all"};
static const char *const buf_names[] = {"tiny", "default"};

void t_space_init(t_space *space)
{
    static char none[] = "-";

    memset(space, 0, sizeof(*space));
    space->n[D_PATTERN] = t_pattern_count;
    space->n[D_OP] = 2;
    space->n[D_HOW] = HOW_ONE;
    space->n[D_MEM] = T_MEM_KINDS;
    space->n[D_FILL] = 2;
    space->n[D_OPEN] = 2;
    space->n[D_AGG] = 3;
    space->n[D_BUF] = 2;
    space->n[D_MODE] = 1;
    space->n[D_NP] = 1;
    space->modes[0] = none;
    space->np[0] = t_size;
}

bool t_space_read_modes(t_space *space, const char *path)
{
    FILE *file = fopen(path, "r");
    char line[1024];

    if (NULL == file) {
        return false;
    }
    space->n[D_MODE] = 0;
    while (NULL != fgets(line, sizeof(line), file) && space->n[D_MODE] < MAX_MODES) {
        char *mode = t_alloc(strlen(line) + 2), *to = mode;

        for (char *word = strtok(line, " \t,\r\n"); NULL != word && '#' != *word;
             word = strtok(NULL, " \t,\r\n")) {
            to += sprintf(to, "%s%s", to == mode ? "" : ",", word);
        }
        if (to == mode) {
            free(mode);
            continue;
        }
        space->modes[space->n[D_MODE]++] = mode;
    }
    fclose(file);
    return 0 < space->n[D_MODE];
}

/** What makes no sense: MPI forbids it, or it is the same as another case. */
bool t_case_valid(const t_space *space, const t_case *c)
{
    const t_pattern *p = &t_patterns[c->v[D_PATTERN]];
    int how = c->v[D_HOW];

    if (0 == (p->flags & (OP_WRITE == c->v[D_OP] ? T_WRITE : T_READ))) {
        return false;
    }
    if (OP_READ == c->v[D_OP] && 1 == c->v[D_FILL] && 0 == (p->flags & T_SHORT)) {
        return false;
    }
    if (space->individual && how < HOW_ONE) {
        return false;
    }
    if (0 != (p->flags & T_APPEND)) {
        return 1 == c->v[D_FILL] && HOW_SEEK != how && T_BEGIN != t_hows[how].how
               && !t_hows[how].at;
    }
    if (0 != (p->flags & T_ATOMIC)) {
        return HOW_ALL == how || HOW_AT == how;
    }
    return true;
}

static const char *mode_word(const t_space *space, const t_case *c)
{
    return space->modes[c->v[D_MODE]];
}

void t_case_name(const t_space *space, const t_case *c, char *name, size_t bytes)
{
    snprintf(name, bytes, "%s/%s/%s/%s/%s/%s/agg-%s/%s/%s", t_patterns[c->v[D_PATTERN]].name,
             op_names[c->v[D_OP]], how_names[c->v[D_HOW]], t_mem_names[c->v[D_MEM]],
             fill_names[c->v[D_OP]][c->v[D_FILL]], open_names[c->v[D_OPEN]], agg_names[c->v[D_AGG]],
             buf_names[c->v[D_BUF]], mode_word(space, c));
}

static bool lookup(const char *word, const char *const names[], int n, short *value)
{
    for (int i = 0; i < n; i++) {
        if (0 == strcmp(word, names[i])) {
            *value = (short) i;
            return true;
        }
    }
    return false;
}

bool t_case_parse(t_space *space, const char *name, t_case *c)
{
    char copy[1024], *word[9], *save = NULL;
    const t_pattern *p;
    int n = 0;

    snprintf(copy, sizeof(copy), "%s", name);
    for (char *w = strtok_r(copy, "/", &save); NULL != w && n < 9; w = strtok_r(NULL, "/", &save)) {
        word[n++] = w;
    }
    if (9 != n || NULL == (p = t_pattern_find(word[0])) || 0 != strncmp(word[6], "agg-", 4)) {
        return false;
    }
    memset(c, 0, sizeof(*c));
    c->v[D_PATTERN] = (short) (p - t_patterns);
    if (!lookup(word[1], op_names, 2, &c->v[D_OP])
        || !lookup(word[2], how_names, HOWS, &c->v[D_HOW])
        || !lookup(word[3], t_mem_names, T_MEM_KINDS, &c->v[D_MEM])
        || !lookup(word[4], fill_names[c->v[D_OP]], 2, &c->v[D_FILL])
        || !lookup(word[5], open_names, 2, &c->v[D_OPEN])
        || !lookup(word[6] + 4, agg_names, 3, &c->v[D_AGG])
        || !lookup(word[7], buf_names, 2, &c->v[D_BUF])) {
        return false;
    }
    c->v[D_MODE] = (short) space->n[D_MODE];
    space->modes[space->n[D_MODE]++] = strdup(word[8]);
    return t_case_valid(space, c);
}

void t_cases_add(t_cases *cases, const t_case *c)
{
    if (cases->n == cases->cap) {
        cases->cap = 2 * cases->cap + 256;
        cases->v = realloc(cases->v, cases->cap * sizeof(*cases->v));
        if (NULL == cases->v) {
            abort();
        }
    }
    cases->v[cases->n++] = *c;
}

/** Which pairs are covered: one byte per pair of values of two dimensions. */
typedef struct pairs {
    const t_space *space;
    unsigned char *seen[DIMENSIONS][DIMENSIONS];
} pairs;

static unsigned char *pair(const pairs *p, int a, int b, int x, int y)
{
    return &p->seen[a][b][(size_t) x * (size_t) p->space->n[b] + (size_t) y];
}

static int gain(const pairs *p, const t_case *c)
{
    int fresh = 0;

    for (int a = 0; a < DIMENSIONS; a++) {
        for (int b = a + 1; b < DIMENSIONS; b++) {
            fresh += 0 == *pair(p, a, b, c->v[a], c->v[b]);
        }
    }
    return fresh;
}

static void mark(const pairs *p, const t_case *c)
{
    for (int a = 0; a < DIMENSIONS; a++) {
        for (int b = a + 1; b < DIMENSIONS; b++) {
            *pair(p, a, b, c->v[a], c->v[b]) = 1;
        }
    }
}

/** The best of some random valid cases that hold the pair; false: there is no such case. */
static bool complete(const pairs *p, int a, int b, int x, int y, uint64_t *state, t_case *best)
{
    int best_gain = 0, good = 0;

    for (int tries = 0; tries < 400 && good < 12; tries++) {
        t_case c;
        int g;

        for (int d = 0; d < DIMENSIONS; d++) {
            c.v[d] = (short) (t_random(state) % (uint64_t) p->space->n[d]);
        }
        c.v[a] = (short) x;
        c.v[b] = (short) y;
        if (!t_case_valid(p->space, &c)) {
            continue;
        }
        good++;
        g = gain(p, &c);
        if (g > best_gain) {
            best_gain = g;
            *best = c;
        }
    }
    return 0 < good;
}

void t_cases_pairwise(const t_space *space, t_cases *cases)
{
    pairs p = {space, {{NULL}}};
    uint64_t state = 42;
    t_case c;

    for (int a = 0; a < DIMENSIONS; a++) {
        for (int b = a + 1; b < DIMENSIONS; b++) {
            p.seen[a][b] = calloc((size_t) space->n[a] * (size_t) space->n[b], 1);
        }
    }
    for (int a = 0; a < DIMENSIONS; a++) {
        for (int b = a + 1; b < DIMENSIONS; b++) {
            for (int x = 0; x < space->n[a]; x++) {
                for (int y = 0; y < space->n[b]; y++) {
                    if (0 == *pair(&p, a, b, x, y) && complete(&p, a, b, x, y, &state, &c)) {
                        mark(&p, &c);
                        t_cases_add(cases, &c);
                    }
                }
            }
        }
    }
    for (int a = 0; a < DIMENSIONS; a++) {
        for (int b = a + 1; b < DIMENSIONS; b++) {
            free(p.seen[a][b]);
        }
    }
}

void t_cases_full(const t_space *space, t_cases *cases)
{
    static const int all[] = {D_PATTERN, D_OP, D_AGG, D_BUF, D_MODE, D_NP};
    static const int turn[] = {D_HOW, D_MEM, D_FILL, D_OPEN};
    size_t total = 1;
    uint64_t state = 7;

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        total *= (size_t) space->n[all[i]];
    }
    for (size_t k = 0; k < total; k++) {
        size_t rest = k;
        t_case c;

        for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
            c.v[all[i]] = (short) (rest % (size_t) space->n[all[i]]);
            rest /= (size_t) space->n[all[i]];
        }
        for (int tries = 0; tries < 200; tries++) {
            for (size_t i = 0; i < sizeof(turn) / sizeof(turn[0]); i++) {
                c.v[turn[i]] = (short) (t_random(&state) % (uint64_t) space->n[turn[i]]);
            }
            if (t_case_valid(space, &c)) {
                t_cases_add(cases, &c);
                break;
            }
        }
    }
}

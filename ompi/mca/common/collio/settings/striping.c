/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Striping hints. See striping.h.
 */
#include "settings/striping.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "help/help.h"

enum { BYTES_UNIT = 65536, COUNT_MAX = UINT16_MAX };
#define BYTES_MAX ((INT64_C(4) << 30) - BYTES_UNIT)

/* One hint, with its limits. */
typedef struct rule_t {
    const char *name;  /* name of the hint */
    const char *other; /* another name, or NULL */
    int64_t lowest;    /* lowest allowed value */
    int64_t highest;   /* highest allowed value */
    int64_t unit;      /* allowed values are multiples of the unit */
} rule_t;

static const rule_t factor = {"striping_factor", "stripe_width", -1, COUNT_MAX, 1};
static const rule_t unit = {"striping_unit", "stripe_size", 0, BYTES_MAX, BYTES_UNIT};
static const rule_t device = {"start_iodevice", NULL, 0, INT32_MAX, 1};

/* Returns the value of the first name that is set, if the value is allowed; else `preset`. */
static int64_t number(opal_info_t *info, const char *who, const rule_t *rule, int64_t preset)
{
    const char *name = rule->name;
    char text[64];
    char *end;
    long long found;

    if (!collio_hint_get(info, name, text, sizeof(text))) {
        name = rule->other;
        if (NULL == name || !collio_hint_get(info, name, text, sizeof(text))) {
            return preset;
        }
    }
    errno = 0;
    found = strtoll(text, &end, 10);
    if (0 != errno || end == text || '\0' != *end || found < rule->lowest || found > rule->highest
        || 0 != found % rule->unit) {
        collio_help(who, NULL, COLLIO_HELP_HINT_RANGE, name, text, rule->lowest, rule->highest,
                    rule->unit);
        return preset;
    }
    return found;
}

void collio_striping_wanted(opal_info_t *info, const char *who, collio_stripes_t *wanted)
{
    *wanted = COLLIO_STRIPES_NONE;
    wanted->count = number(info, who, &factor, 0);
    wanted->bytes = number(info, who, &unit, 0);
    wanted->first = number(info, who, &device, -1);
    (void) collio_hint_get(info, "collio_pool", wanted->pool, sizeof(wanted->pool));
}

/* Sets the hint to a value, or removes the hint if the value is below `lowest`. */
static void striping_put(opal_info_t *info, const rule_t *rule, int64_t value, int64_t lowest)
{
    char text[32];

    collio_hint_delete(info, rule->name);
    if (NULL != rule->other) {
        collio_hint_delete(info, rule->other);
    }
    if (value >= lowest) {
        snprintf(text, sizeof(text), "%" PRId64, value);
        collio_hint_set(info, rule->name, text);
    }
}

void collio_striping_publish(opal_info_t *info, const collio_stripes_t *has,
                             const collio_stripes_t *used)
{
    striping_put(info, &factor, has->count, 1);
    striping_put(info, &unit, has->bytes, 1);
    striping_put(info, &device, used->first, 0);
    collio_hint_delete(info, "collio_pool");
    if ('\0' != used->pool[0]) {
        collio_hint_set(info, "collio_pool", used->pool);
    }
}

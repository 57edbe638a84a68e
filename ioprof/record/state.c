/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* What all of the library shares: settings, this rank, its threads, and the clock. */
#include "record/record.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

struct ioprof_settings ioprof_settings;
__thread struct ioprof_thread ioprof_thread __attribute__((tls_model("initial-exec")));
bool ioprof_active;
struct ioprof_rank ioprof_me;
static uint64_t start_mono, start_unix;

static uint64_t read_clock(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (uint64_t) t.tv_sec * 1000000000U + (uint64_t) t.tv_nsec;
}

uint64_t ioprof_now(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

uint64_t ioprof_unix_time(uint64_t mono_ns)
{
    return start_unix + (mono_ns - start_mono);
}

uint64_t ioprof_since_start(uint64_t mono_ns)
{
    if (mono_ns > start_mono) {
        return mono_ns - start_mono;
    }
    return 0;
}

static uint64_t number_setting(const char *variable, uint64_t otherwise)
{
    const char *text = getenv(variable);
    char *end;
    uint64_t value = NULL == text ? 0 : strtoull(text, &end, 10);

    if (0 == value) {
        return otherwise;
    }
    return value;
}

static void read_settings(void)
{
    struct ioprof_settings *s = &ioprof_settings;
    const char *level = getenv("IOPROF_LEVEL");

    s->level = IOPROF_LEVEL_FILES;
    if (NULL != level && 0 == strcmp(level, "totals")) {
        s->level = IOPROF_LEVEL_TOTALS;
    }
    if (NULL != level && 0 == strcmp(level, "events")) {
        s->level = IOPROF_LEVEL_EVENTS;
    }
    s->ranks = getenv("IOPROF_RANKS");
    if (NULL == s->ranks) {
        s->ranks = "0-15";
    }
    s->output = getenv("IOPROF_OUTPUT");
    s->text = getenv("IOPROF_TEXT");
    if (NULL == s->text) {
        s->text = "-";
    }
    s->exclude = getenv("IOPROF_EXCLUDE");
    if (NULL == s->exclude) {
        s->exclude = "/proc:/sys:/dev:/etc:/usr:/lib:/lib64:/bin:/sbin:/run";
    }
    s->max_files = number_setting("IOPROF_MAX_FILES", 4096);
    s->max_events = number_setting("IOPROF_MAX_EVENTS", 200000);
    s->node = 0 != number_setting("IOPROF_NODE", 0);
}

uint64_t ioprof_state_begin(void)
{
    start_mono = ioprof_now();
    start_unix = read_clock(CLOCK_REALTIME);
    memset(ioprof_me.first_ns, 0xff, sizeof(ioprof_me.first_ns));
    read_settings();
    return start_unix;
}

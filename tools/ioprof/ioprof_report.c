/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "ioprof_cli.h"

#include <errno.h>
#include <string.h>

static const char usage[] =
    "usage: ioprof report [--text] [-o FILE] PROFILE...\n"
    "\n"
    "Shows a profile; several are merged: the parts that ranks left when a job ended early\n"
    "(PROFILE.part.*).\n"
    "\n"
    "      --text             the report as text (the default)\n"
    "  -o, --output FILE      write there, not to stdout\n";

/* A format is a function of its own file, and a line here. */
static const struct {
    const char *option;
    int (*write)(const struct ioprof_profile *, FILE *);
} formats[] = {{"--text", ioprof_report_text}};

struct request {
    int (*write)(const struct ioprof_profile *, FILE *);
    const char *output;
    char **paths;
    int npaths;
};

static int find_format(const char *option, struct request *request)
{
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        if (0 == strcmp(option, formats[i].option)) {
            request->write = formats[i].write;
            return 1;
        }
    }
    return 0;
}

/** 0, or the exit code plus 1. */
static int parse(int argc, char **argv, struct request *request)
{
    int i;

    for (i = 1; i < argc && '-' == argv[i][0]; i++) {
        if (0 == strcmp(argv[i], "-h") || 0 == strcmp(argv[i], "--help")) {
            fputs(usage, stdout);
            return 1;
        }
        if ((0 == strcmp(argv[i], "-o") || 0 == strcmp(argv[i], "--output")) && i + 1 < argc) {
            request->output = argv[++i];
        } else if (!find_format(argv[i], request)) {
            fprintf(stderr, "ioprof report: there is no option %s\n%s", argv[i], usage);
            return 3;
        }
    }
    if (i == argc) {
        fprintf(stderr, "ioprof report: which profile?\n%s", usage);
        return 3;
    }
    request->paths = argv + i;
    request->npaths = argc - i;
    return 0;
}

int ioprof_report_main(int argc, char **argv)
{
    struct request request = {formats[0].write, NULL, NULL, 0};
    struct ioprof_profile *profile;
    FILE *out = stdout;
    char why[4352];
    int rc = parse(argc, argv, &request);

    if (0 != rc) {
        return rc - 1;
    }
    if (ioprof_read_all(request.paths, request.npaths, &profile, why, sizeof(why)) < 0) {
        fprintf(stderr, "ioprof report: %s\n", why);
        return 1;
    }
    if (NULL != request.output) {
        out = fopen(request.output, "w");
    }
    rc = NULL == out || request.write(profile, out) < 0;
    if (NULL != out && 0 != (out == stdout ? fflush(out) : fclose(out))) {
        rc = 1;
    }
    if (0 != rc) {
        fprintf(stderr, "ioprof report: %s: %s\n",
                NULL == request.output ? "stdout" : request.output, strerror(errno));
    }
    ioprof_free(profile);
    return rc;
}

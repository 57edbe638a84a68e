/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* The commands that read profiles: ioprof report, ioprof advise and ioprof compare. */
#include "report/report.h"
#include "command/command.h"
#include "page/page.h"
#include "profile/output.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

static const char report_usage[] =
    "usage: ioprof report [--text|--json|--csv[=TABLE]|--html|--trace] [-o FILE] PROFILE...\n"
    "\n"
    "Shows a profile; several are merged: the parts that ranks left when a job ended early\n"
    "(PROFILE.part.*).\n"
    "\n"
    "      --text             the report as text (the default)\n"
    "      --json             everything that is in the profile, for programs\n"
    "      --csv[=TABLE]      a table: functions (the default), ranks, files, time, memory,\n"
    "                         node, events, variables\n"
    "      --html             one page with pictures, for a browser; it needs no network\n"
    "      --trace            recorded calls in the Trace Event format, for ui.perfetto.dev\n"
    "  -o, --output FILE      write there, not to stdout\n"
    "  -h, --help             this text\n";

static const char compare_usage[] =
    "usage: ioprof compare [--text|--html] [-o FILE] A B\n"
    "\n"
    "Shows two profiles side by side, for example before and after a change: what changed in\n"
    "sentences, then figures, functions and files.\n"
    "\n"
    "      --text             as text (the default)\n"
    "      --html             one page with pictures of both, for a browser\n"
    "  -o, --output FILE      write there, not to stdout\n"
    "  -h, --help             this text\n";

static const char advise_usage[] =
    "usage: ioprof advise [-o FILE] PROFILE...\n"
    "\n"
    "Prints the settings that the findings of a profile suggest: a hint file for the parameter\n"
    "common_collio_hints of collio. Parameters and commands are comments in it.\n"
    "\n"
    "  -o, --output FILE      write there, not to stdout\n"
    "  -h, --help             this text\n";

/* A format is a function of its own file, and a line here. */
struct format {
    const char *option;
    int (*report)(struct ioprof_profile *, FILE *);
    int (*compare)(struct ioprof_profile *, struct ioprof_profile *, FILE *);
};

static const struct format report_formats[] = {{"--text", ioprof_report_text, NULL},
                                               {"--json", ioprof_report_json, NULL},
                                               {"--html", ioprof_report_html, NULL},
                                               {"--trace", ioprof_report_trace, NULL},
                                               {"--csv", ioprof_csv_functions, NULL},
                                               {"--csv=functions", ioprof_csv_functions, NULL},
                                               {"--csv=ranks", ioprof_csv_ranks, NULL},
                                               {"--csv=files", ioprof_csv_files, NULL},
                                               {"--csv=time", ioprof_csv_time, NULL},
                                               {"--csv=memory", ioprof_csv_memory, NULL},
                                               {"--csv=node", ioprof_csv_node, NULL},
                                               {"--csv=events", ioprof_csv_events, NULL},
                                               {"--csv=variables", ioprof_csv_variables, NULL},
                                               {NULL, NULL, NULL}};

static const struct format advise_formats[] = {{"--text", ioprof_advise, NULL}, {NULL, NULL, NULL}};

static const struct format compare_formats[] = {{"--text", NULL, ioprof_compare_text},
                                                {"--html", NULL, ioprof_compare_html},
                                                {NULL, NULL, NULL}};

struct command {
    const char *name, *usage;
    const struct format *formats;
    const struct format *format; /* that was asked for */
    const char *output;          /* NULL: stdout */
    char **paths;
    int npaths;
};

static int find_format(struct command *command, const char *option)
{
    for (const struct format *f = command->formats; NULL != f->option; f++) {
        if (0 == strcmp(option, f->option)) {
            command->format = f;
            return 1;
        }
    }
    return 0;
}

static int print_usage_error(const struct command *command, const char *what, const char *option)
{
    fprintf(stderr, "ioprof %s: %s%s\n%s", command->name, what, option, command->usage);
    return IOPROF_EXIT_USAGE + 1;
}

/** 0, or the exit code plus 1. */
static int parse(struct command *command, int argc, char **argv)
{
    int i;

    command->format = command->formats;
    for (i = 1; i < argc && '-' == argv[i][0]; i++) {
        if (0 == strcmp(argv[i], "--")) {
            i++;
            break;
        }
        if (0 == strcmp(argv[i], "-h") || 0 == strcmp(argv[i], "--help")) {
            fputs(command->usage, stdout);
            return 1;
        }
        if (0 == strcmp(argv[i], "-o") || 0 == strcmp(argv[i], "--output")) {
            if (i + 1 == argc) {
                return print_usage_error(command, "no file name after ", argv[i]);
            }
            command->output = argv[++i];
        } else if (0 == strncmp(argv[i], "--output=", 9)) {
            command->output = argv[i] + 9;
        } else if (!find_format(command, argv[i])) {
            return print_usage_error(command, "unknown option ", argv[i]);
        }
    }
    command->paths = argv + i;
    command->npaths = argc - i;
    return 0;
}

static int read_profiles(const struct command *command, char **paths, int n,
                         struct ioprof_profile **profile)
{
    char why[4352];

    if (ioprof_read_all(paths, n, profile, why, sizeof(why)) < 0) {
        fprintf(stderr, "ioprof %s: %s\n", command->name, why);
        return -1;
    }
    return 0;
}

/** Writes the report of `a`, or the comparison with `b`. The exit code. */
static int write_output(const struct command *command, struct ioprof_profile *a,
                        struct ioprof_profile *b)
{
    struct ioprof_output file = {0};
    char unfinished[PATH_MAX];
    FILE *out = stdout;
    int rc = 1, fd;

    if (NULL != command->output) {
        snprintf(unfinished, sizeof(unfinished), "%s.unfinished.%d", command->output,
                 (int) getpid());
        fd = ioprof_output_open(&file, command->output, unfinished);
        out = fd < 0 ? NULL : fdopen(fd, "w");
    }
    if (NULL != out) {
        rc = NULL == b ? command->format->report(a, out) : command->format->compare(a, b, out);
        rc |= 0 != (out == stdout ? fflush(out) : fclose(out));
        rc |= out != stdout && ioprof_output_end(&file, 0 == rc) < 0;
    }
    if (0 != rc) {
        fprintf(stderr, "ioprof %s: cannot write %s: %s\n", command->name,
                NULL == command->output ? "to stdout" : command->output,
                ioprof_output_error(errno));
        return IOPROF_EXIT_FAILED;
    }
    return 0;
}

/** One output from all profiles. */
static int write_one(struct command *command, int argc, char **argv)
{
    struct ioprof_profile *profile;
    int rc = parse(command, argc, argv);

    if (0 == rc && 0 == command->npaths) {
        rc = print_usage_error(command, "no profile given", "");
    }
    if (0 != rc) {
        return rc - 1;
    }
    if (read_profiles(command, command->paths, command->npaths, &profile) < 0) {
        return IOPROF_EXIT_FAILED;
    }
    rc = write_output(command, profile, NULL);
    ioprof_free(profile);
    return rc;
}

int ioprof_report_main(int argc, char **argv)
{
    struct command command = {.name = "report", .usage = report_usage, .formats = report_formats};

    return write_one(&command, argc, argv);
}

int ioprof_advise_main(int argc, char **argv)
{
    struct command command = {.name = "advise", .usage = advise_usage, .formats = advise_formats};

    return write_one(&command, argc, argv);
}

int ioprof_compare_main(int argc, char **argv)
{
    struct command command = {
        .name = "compare", .usage = compare_usage, .formats = compare_formats};
    struct ioprof_profile *runs[2];
    int rc = parse(&command, argc, argv);

    if (0 == rc && 2 != command.npaths) {
        rc = print_usage_error(&command, "two profiles are needed", "");
    }
    if (0 != rc) {
        return rc - 1;
    }
    for (int i = 0; i < 2; i++) {
        if (read_profiles(&command, command.paths + i, 1, &runs[i]) < 0) {
            if (1 == i) {
                ioprof_free(runs[0]);
            }
            return IOPROF_EXIT_FAILED;
        }
    }
    rc = write_output(&command, runs[0], runs[1]);
    ioprof_free(runs[0]);
    ioprof_free(runs[1]);
    return rc;
}

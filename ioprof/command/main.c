/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* ioprof [options] PROGRAM [ARGUMENTS]: runs a rank with libioprof preloaded. Options go to the
 * library in the environment. ioprof report, advise and compare: see command/report.c. */
#include "collio_config.h"
#include "command/command.h"
#include "profile/functions.h"
#include "profile/profile.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "usage: mpirun -np N ioprof [options] PROGRAM [ARGUMENTS]\n"
    "       ioprof report [options] PROFILE...     (ioprof report --help)\n"
    "       ioprof advise PROFILE...               (ioprof advise --help)\n"
    "       ioprof compare [options] A B           (ioprof compare --help)\n"
    "\n"
    "Runs an MPI program and shows what its I/O does. The profile goes to\n"
    "ioprof.PROGRAM.JOB.iop, a report to stderr when MPI_Finalize is called.\n"
    "\n"
    "  -l, --level LEVEL      totals: per function and rank; files (default): also per file;\n"
    "                         events: also every call, on the ranks of --ranks\n"
    "  -r, --ranks LIST       ranks for events, as 0,20-40 (default: 0-15); implies -l events\n"
    "  -o, --output FILE      name of the profile\n"
    "  -t, --text FILE        the report goes there; - is stderr, none: no report\n"
    "  -x, --exclude LIST     path prefixes not counted, separated by colons (default:\n"
    "                         /proc:/sys:/dev:/etc:/usr:/lib:/lib64:/bin:/sbin:/run, but\n"
    "                         /dev/shm is counted); an empty list counts all\n"
    "      --max-files N      files a rank keeps by name (default 4096)\n"
    "      --max-events N     events a rank keeps (default 200000, 64 bytes each)\n"
    "      --node             also CPU, network, disk and Lustre counters of the hosts\n"
    "      --functions        list all functions that are counted, by class\n"
    "  -h, --help             this text\n"
    "  -V, --version\n";

/* An option of a run is a variable of the library; NULL: handled here. */
static const struct option options[] = {{"level", required_argument, NULL, 'l'},
                                        {"ranks", required_argument, NULL, 'r'},
                                        {"output", required_argument, NULL, 'o'},
                                        {"text", required_argument, NULL, 't'},
                                        {"exclude", required_argument, NULL, 'x'},
                                        {"max-files", required_argument, NULL, 'F'},
                                        {"max-events", required_argument, NULL, 'E'},
                                        {"node", no_argument, NULL, 'N'},
                                        {NULL, 0, NULL, 0}};
static const char letters[] = "lrotxFEN";
static const char *const variables[] = {"IOPROF_LEVEL",      "IOPROF_RANKS",   "IOPROF_OUTPUT",
                                        "IOPROF_TEXT",       "IOPROF_EXCLUDE", "IOPROF_MAX_FILES",
                                        "IOPROF_MAX_EVENTS", "IOPROF_NODE"};

static int print_error(const char *format, const char *what)
{
    fprintf(stderr, "ioprof: ");
    fprintf(stderr, format, what);
    fprintf(stderr, "\nTry: ioprof --help\n");
    return -1;
}

static int is_number(const char *text, unsigned long least, unsigned long most)
{
    char *end;
    unsigned long value;

    errno = 0;
    value = strtoul(text, &end, 10);
    return isdigit((unsigned char) *text) && '\0' == *end && 0 == errno && value >= least
           && value <= most;
}

/** LIST is ranks and ranges of ranks, separated by commas. */
static int is_rank_list(const char *text)
{
    for (;;) {
        char *end;
        unsigned long low, high;

        if (!isdigit((unsigned char) *text)) {
            return 0;
        }
        low = high = strtoul(text, &end, 10);
        if ('-' == *end && isdigit((unsigned char) end[1])) {
            high = strtoul(end + 1, &end, 10);
        }
        if (high < low || ('\0' != *end && ',' != *end)) {
            return 0;
        }
        if ('\0' == *end) {
            return 1;
        }
        text = end + 1;
    }
}

static int check_value(int letter, const char *value)
{
    if ('l' == letter && 0 != strcmp(value, "totals") && 0 != strcmp(value, "files")
        && 0 != strcmp(value, "events")) {
        return print_error("the level can be totals, files or events, not '%s'", value);
    }
    if ('r' == letter && !is_rank_list(value)) {
        return print_error("--ranks is a list as 0,20-40, not '%s'", value);
    }
    if (('F' == letter || 'E' == letter) && !is_number(value, 1, 100000000)) {
        return print_error("a limit is a number from 1 to 100000000, not '%s'", value);
    }
    if ('o' == letter && '\0' == *value) {
        return print_error("--output needs a file name%s", "");
    }
    return 0;
}

/** Sets the variables of all options; 0, or -1 if one is wrong. */
static int take_options(int argc, char **argv)
{
    int letter;

    opterr = 0;
    while (-1 != (letter = getopt_long(argc, argv, "+:l:r:o:t:x:", options, NULL))) {
        if (':' == letter) {
            return print_error("%s needs a value", argv[optind - 1]);
        }
        if ('?' == letter) {
            return print_error("unknown option %s", argv[optind - 1]);
        }
        if (check_value(letter, optarg) < 0) {
            return -1;
        }
        setenv(variables[strchr(letters, letter) - letters], 'N' == letter ? "1" : optarg, 1);
        if ('r' == letter) {
            setenv("IOPROF_LEVEL", "events", 1);
        }
    }
    if (optind < argc) {
        return 0;
    }
    return print_error("no program given%s", "");
}

/** libioprof.so: beside this program in a build tree, or where make install put it. */
static int find_library(char *path, size_t bytes)
{
    static const char *const places[] = {".libs", "../lib/ioprof", "../lib64/ioprof"};
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
    const char *folder;

    if (length < 0) {
        return -1;
    }
    self[length] = '\0';
    folder = dirname(self);
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        snprintf(path, bytes, "%s/%s/libioprof.so", folder, places[i]);
        if (0 == access(path, R_OK)) {
            return 0;
        }
    }
    snprintf(path, bytes, "%s/libioprof.so", IOPROF_LIBDIR);
    return access(path, R_OK);
}

/** What is preloaded already stays in front: a sanitizer's library has to be the first. */
static int set_preload(void)
{
    const char *before = getenv("LD_PRELOAD");
    char library[PATH_MAX + 64], list[2 * PATH_MAX + 4096];

    if (find_library(library, sizeof(library)) < 0) {
        return print_error("libioprof.so was not found near this program nor in %s", IOPROF_LIBDIR);
    }
    if (NULL == before || '\0' == *before) {
        snprintf(list, sizeof(list), "%s", library);
    } else if ((size_t) snprintf(list, sizeof(list), "%s:%s", before, library) >= sizeof(list)) {
        return print_error("LD_PRELOAD is too long: %s", before);
    }
    return setenv("LD_PRELOAD", list, 1);
}

static int launch(int argc, char **argv)
{
    if (take_options(argc, argv) < 0) {
        return IOPROF_EXIT_USAGE;
    }
    if (set_preload() < 0) {
        return IOPROF_EXIT_FAILED;
    }
    execvp(argv[optind], argv + optind);
    fprintf(stderr, "ioprof: cannot run %s: %s\n", argv[optind], strerror(errno));
    if (ENOENT == errno) {
        return IOPROF_EXIT_NOT_FOUND;
    }
    return IOPROF_EXIT_CANNOT_RUN;
}

#define SHOW_MPI(name, kind, class)                                          \
    printf("%-34s %-6s %s\n", "MPI_" #name, ioprof_kind_name(IOPROF_##kind), \
           ioprof_class_name(IOPROF_##class));
#define SHOW_POSIX(name, kind) \
    printf("%-34s %-6s POSIX, or <POSIX inside MPI-IO\n", #name, ioprof_kind_name(IOPROF_##kind));

static int show_functions(void)
{
    IOPROF_MPI_FUNCTIONS(SHOW_MPI)
    IOPROF_POSIX_FUNCTIONS(SHOW_POSIX)
    return 0;
}

int main(int argc, char **argv)
{
    const char *command = argc > 1 ? argv[1] : "--help";

    if (0 == strcmp(command, "-h") || 0 == strcmp(command, "--help")) {
        fputs(usage, argc > 1 ? stdout : stderr);
        if (argc > 1) {
            return 0;
        }
        return IOPROF_EXIT_USAGE;
    }
    if (0 == strcmp(command, "-V") || 0 == strcmp(command, "--version")) {
        printf("ioprof %s, profile format %d\n", COLLIO_VERSION, IOPROF_VERSION);
        return 0;
    }
    if (0 == strcmp(command, "--functions")) {
        return show_functions();
    }
    if (0 == strcmp(command, "report")) {
        return ioprof_report_main(argc - 1, argv + 1);
    }
    if (0 == strcmp(command, "advise")) {
        return ioprof_advise_main(argc - 1, argv + 1);
    }
    if (0 == strcmp(command, "compare")) {
        return ioprof_compare_main(argc - 1, argv + 1);
    }
    return launch(argc, argv);
}

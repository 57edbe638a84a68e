/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* The live record of this process, for the wrappers of libioprof.so.
 *
 * Wrappers may run on any thread and in signal handlers: counters are atomic, tables are mapped
 * once and searched without locks, nothing on the way of a call allocates with malloc. */
#ifndef IOPROF_RECORD_RECORD_H
#define IOPROF_RECORD_RECORD_H

#include "record/plain_libc.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "profile/functions.h"
#include "profile/profile.h"

/* A name that is too long for the system must stay too long: cut short it would be another file. */
#define IOPROF_OUTPUT_BYTES (PATH_MAX + 640)

#define IOPROF_EXPORT __attribute__((visibility("default")))

/** The next definition of a function, found once. */
#define IOPROF_NEXT(name)                                              \
    ({                                                                 \
        static __typeof__(&name) next_##name;                          \
        if (NULL == next_##name) {                                     \
            next_##name = (__typeof__(&name)) dlsym(RTLD_NEXT, #name); \
        }                                                              \
        next_##name;                                                   \
    })

#define IOPROF_ADD(field, value) __atomic_fetch_add(&(field), value, __ATOMIC_RELAXED)

static inline void ioprof_to_most(uint64_t *field, uint64_t value)
{
    uint64_t now = __atomic_load_n(field, __ATOMIC_RELAXED);

    while (value > now
           && !__atomic_compare_exchange_n(field, &now, value, true, __ATOMIC_RELAXED,
                                           __ATOMIC_RELAXED)) {
    }
}

static inline void ioprof_to_least(uint64_t *field, uint64_t value)
{
    uint64_t now = __atomic_load_n(field, __ATOMIC_RELAXED);

    while (value < now
           && !__atomic_compare_exchange_n(field, &now, value, true, __ATOMIC_RELAXED,
                                           __ATOMIC_RELAXED)) {
    }
}

enum ioprof_level { IOPROF_LEVEL_TOTALS, IOPROF_LEVEL_FILES, IOPROF_LEVEL_EVENTS };

struct ioprof_settings {
    enum ioprof_level level;
    const char *ranks;   /* list for events */
    const char *output;  /* or NULL */
    const char *text;    /* file of the report, "-", or "none" */
    const char *exclude; /* prefixes */
    uint64_t max_files, max_events;
    bool node; /* counters of hosts */
};
extern struct ioprof_settings ioprof_settings;

/** What this thread is doing. Threads made inside an MPI_File call work for MPI-IO; those made
 *  inside MPI_Init belong to the library: what they do is not the program's I/O. */
struct ioprof_thread {
    int in_mpi_file; /* depth of MPI_File calls, and of waits for their requests */
    int in_library;  /* inside MPI_Init or MPI_Finalize, or ioprof's own work */
    int number;      /* 0: has not made a call yet */
};
extern __thread struct ioprof_thread ioprof_thread __attribute__((tls_model("initial-exec")));

/** False before the library is ready, in forked children, and after the profile is complete. */
extern bool ioprof_active;

uint64_t ioprof_now(void);                     /* ns, monotonic */
uint64_t ioprof_since_start(uint64_t mono_ns); /* ns since the library began; 0 before */
uint64_t ioprof_unix_time(uint64_t mono_ns);   /* the same moment, ns since 1970 */

/** A call that is over. `file` is an index of the file table, or IOPROF_NO_FILE. */
#define IOPROF_NO_FILE (-1)
struct ioprof_call {
    enum ioprof_id id;
    int file;
    bool inside; /* POSIX made by MPI-IO */
    bool failed;
    bool no_event;       /* a test that found nothing complete: counted, but no event */
    bool hidden_time;    /* nonblocking: begin..end is a span, not time in the call */
    uint64_t begin, end; /* ioprof_now() */
    uint64_t offset;     /* IOPROF_UNSET: not known */
    uint64_t bytes;
};
void ioprof_record(const struct ioprof_call *call);
/** Time and one call of a nonblocking or split function, whose bytes and span follow later. */
void ioprof_record_start(enum ioprof_id id, int file, uint64_t begin, uint64_t end, bool failed);
/** A call that is too short to be timed: fgetc and fputc. */
void ioprof_record_untimed(enum ioprof_id id, int file, bool inside, uint64_t bytes);

/* ---- files: record/file_table.c ---- */

/** Index of the record of a path, made if it is new; that of "(other files)" if there is no room;
 *  IOPROF_NO_FILE at level totals. */
int ioprof_file_get(const char *path);
/** The same, but only if the path is known. A relative path is completed. */
int ioprof_file_find(const char *path);
bool ioprof_path_excluded(const char *path);
/** The path, or a relative one below the working directory, in `whole`. */
#define IOPROF_PATH_BYTES 8192
const char *ioprof_whole_path(const char *path, char whole[IOPROF_PATH_BYTES]);
struct ioprof_file *ioprof_file_record(int file); /* NULL for IOPROF_NO_FILE */
/** Counts whether a POSIX transfer follows on the last one of this file. */
void ioprof_file_access(int file, uint64_t offset, uint64_t bytes);
/** The table with all figures that are derived; paths that are NULL are not used. */
struct ioprof_file *ioprof_files_finish(uint64_t rank, size_t *count);
void ioprof_files_init(void);
/** Memory that stays: for paths and hints. */
char *ioprof_keep_string(const char *text);

/* ---- descriptors: record/descriptors.c ---- */

/** An open file description: descriptors made by dup share it. */
struct ioprof_fd {
    int file;
    int refs;
    bool mpi; /* opened by MPI-IO: every call that uses it works for MPI-IO */
    bool append;
    int64_t position;
};
/** The file behind a descriptor, or NULL: not a regular file, excluded, or none of our concern. */
struct ioprof_fd *ioprof_fd_get(int fd);
/** A descriptor that was just opened. NULL as above. */
struct ioprof_fd *ioprof_fd_opened(int fd, int flags);
void ioprof_fd_dup(int from, int to);
/** A descriptor that is about to be closed: its file may have stripes now. */
void ioprof_fd_closing(int fd);
void ioprof_fd_closed(int fd);
void ioprof_fds_init(void);

/** Reads file system and stripes of a file, as far as its record lacks them: record/layout.c. */
void ioprof_layout_read(int fd, struct ioprof_file *file, uint64_t device);

/** Whether a call on this file counts, and as whose. */
bool ioprof_counts(const struct ioprof_fd *fd, bool *inside);

/* ---- the end: record/end.c, record/job.c ---- */

/** The profile of this process as it is now; arrays belong to the live record. */
void ioprof_snapshot(struct ioprof_profile *profile, enum ioprof_end end, uint64_t code);
/** The same, encoded, with facts and events; 0, or -1 without memory. */
int ioprof_encode_rank(struct ioprof_buffer *out, enum ioprof_end end, uint64_t code);
/** Writes the part of this rank, once, if MPI was initialised and no profile was written. */
void ioprof_write_part(enum ioprof_end end, uint64_t code);
/** Arms ioprof_write_part: signals, exit. `output` is the name of the profile. */
void ioprof_end_init(int rank, const char *output);
/** Writes a whole file, around the wrappers (profile/output.h); 0, or -1 with errno. */
int ioprof_write_file(const char *path, const void *data, size_t bytes);
const char *ioprof_part_path(void); /* where this rank writes its part */
void ioprof_set_fact(const char *key, const char *value);
void ioprof_forget(void); /* after the profile is written, or in a forked child */

extern struct ioprof_rank ioprof_me;

/* ---- memory of this process and counters of its host: record/sample.c ---- */

/** Whether the last sample is old enough for a new one. */
bool ioprof_sample_due(uint64_t now);
/** Samples resident memory, and if --node asks for it the counters of the host. The bytes, or 0. */
uint64_t ioprof_sample(uint64_t now);
/** Counts a change of resident memory inside MPI-IO. */
void ioprof_memory_changed(uint64_t before, uint64_t after, uint64_t bytes_read);
uint64_t ioprof_memory_peak(void);
/** Lets this rank sample the counters of its host. */
void ioprof_node_start(void);

/* ---- the time line: record/timeline.c ---- */

extern struct ioprof_timeline ioprof_timeline;
void ioprof_timeline_begin(uint64_t start_unix);
/** Adds a call that lasted from begin to end, in ns since the start, to a row of a layer. */
void ioprof_count_bins(int layer, int row, uint64_t begin, uint64_t end, uint64_t bytes);
/** Adds a sample of memory. */
void ioprof_count_memory(uint64_t now, uint64_t resident);
/** Adds what counters of the host have grown by since the time `last`. */
void ioprof_count_node(uint64_t last, uint64_t now, const uint64_t *more);

/** Reads settings and clock, once; the time, in ns since 1970. */
uint64_t ioprof_state_begin(void);

/** Events of this rank: recorded at level events, on the ranks of --ranks. */
void ioprof_events_start(void);
const struct ioprof_func *ioprof_function(int id, int inside);
void ioprof_event_add(const struct ioprof_call *call, int thread);
void ioprof_events_encode(struct ioprof_buffer *out);
extern bool ioprof_events_on;

#endif /* IOPROF_RECORD_RECORD_H */

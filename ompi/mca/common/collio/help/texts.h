/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_HELP_TEXTS_H
#define COLLIO_HELP_TEXTS_H

/**
 * The catalog of help texts: every line that a user must act on. tools/messages makes
 * docs/messages.md from it. A text has the parts of Open MPI's help texts:
 *
 *   HELP_WHEN     when the text is printed; only in docs/messages.md
 *   HELP_WHAT     what happened, with the cause
 *   HELP_NOW      what happens now
 *   HELP_DO       what the user can do
 *   HELP_SILENCE  how to silence the text; only in docs/messages.md
 *
 * A line begins with the component, the name of the file and the rank, if it has them: see help.h.
 * PER_JOB: printed for the first file of a job only. PER_FILE: printed for each file.
 */
#define HELP_WHEN(text)    ""
#define HELP_WHAT(text)    text
#define HELP_NOW(text)     " " text
#define HELP_DO(text)      " " text
#define HELP_SILENCE(text) ""

/* ---- settings ---- */

#define COLLIO_HELP_HINT_VALUE                                  \
    COLLIO_HELP_PER_JOB,                                        \
        HELP_WHEN("A hint has a value that is not allowed.")    \
            HELP_WHAT("ignoring hint %s=\"%s\" (allowed: %s).") \
                HELP_NOW("Using the parameter %s=%s.") HELP_SILENCE("Correct the hint.")

#define COLLIO_HELP_HINT_VALUE_ONLY                                                            \
    COLLIO_HELP_PER_JOB,                                                                       \
        HELP_WHEN("A hint that has no parameter has a value that is not allowed.")             \
            HELP_WHAT("ignoring hint %s=\"%s\" (allowed: %s).") HELP_NOW("Using the default.") \
                HELP_SILENCE("Correct the hint.")

#define COLLIO_HELP_HINT_UNKNOWN                                  \
    COLLIO_HELP_PER_JOB,                                          \
        HELP_WHEN("No loaded component has a hint of this name.") \
            HELP_WHAT("ignoring unknown hint %s=\"%s\".")         \
                HELP_DO("docs/settings.md lists the hints.") HELP_SILENCE("Remove the hint.")

#define COLLIO_HELP_AGGREGATOR_LIST                                                             \
    COLLIO_HELP_PER_JOB,                                                                        \
        HELP_WHEN("The list names ranks that the communicator of the file does not have.")      \
            HELP_WHAT("ignoring hint collio_aggregator_list=\"%s\" (wrong at \"%s\"; allowed: " \
                      "a list of different ranks of the communicator of the file, such as "     \
                      "0,2,4-7).") HELP_NOW("Using the setting placement.")                     \
                HELP_SILENCE("Correct the hint.")

#define COLLIO_HELP_RACKS                                                                          \
    COLLIO_HELP_PER_JOB,                                                                           \
        HELP_WHEN("The setting racks is not a list of numbers.")                                   \
            HELP_WHAT("ignoring racks=\"%s\" (allowed: the number of nodes in each rack, such as " \
                      "16,9,16).") HELP_NOW("Local aggregators gather inside nodes.")              \
                HELP_SILENCE("Correct the setting.")

#define COLLIO_HELP_HINT_RANGE                                                    \
    COLLIO_HELP_PER_JOB,                                                          \
        HELP_WHEN("A striping hint is outside of what the file system takes.")    \
            HELP_WHAT("ignoring hint %s=\"%s\" (allowed: %" PRId64 " to %" PRId64 \
                      " in steps of %" PRId64 ").")                               \
                HELP_NOW("Using the default of the directory.") HELP_SILENCE("Correct the hint.")

#define COLLIO_HELP_PARAMETER_VALUE                                    \
    COLLIO_HELP_PER_JOB,                                               \
        HELP_WHEN("An MCA parameter has a value that is not allowed.") \
            HELP_WHAT("ignoring parameter %s=\"%s\" (allowed: %s).")   \
                HELP_NOW("Using the default, \"%s\".") HELP_SILENCE("Correct the parameter.")

#define COLLIO_HELP_RANKS_DIFFER                                                                 \
    COLLIO_HELP_PER_JOB,                                                                         \
        HELP_WHEN("Ranks of one file have different hints or parameters, or see different file " \
                  "systems.")                                                                    \
            HELP_WHAT("settings or file system properties differ between ranks: %s (rank %d).")  \
                HELP_NOW("Using the values of rank 0 on all ranks.")                             \
                    HELP_DO("Give all ranks the same hints, and all nodes the same parameter "   \
                            "files and mounts.") HELP_SILENCE("Remove the difference.")

#define COLLIO_HELP_UNUSED_MODE                                                             \
    COLLIO_HELP_PER_JOB,                                                                    \
        HELP_WHEN("A schedule or a transport is named, and the setting exchange is off.")   \
            HELP_WHAT("ignoring %s%s%s: exchange is off.") HELP_NOW("Using direct access.") \
                HELP_SILENCE("Remove the setting, or set exchange to on or auto.")

/* ---- loading ---- */

#define COLLIO_HELP_OPENMPI_VERSION                                                               \
    COLLIO_HELP_PER_JOB,                                                                          \
        HELP_WHEN("Components use internal structs of Open MPI, which differ between releases.")  \
            HELP_WHAT("not loaded: built for Open MPI %s, but running with Open MPI %d.%d.%d%s.") \
                HELP_NOW("Using the stock components.")                                           \
                    HELP_DO("Rebuild collio with ./configure --with-openmpi=PREFIX, or remove "   \
                            "it from the component path.")                                        \
                        HELP_SILENCE("Remove the components from the component path.")

#define COLLIO_HELP_OPENMPI_STRUCTS                                                           \
    COLLIO_HELP_PER_JOB,                                                                      \
        HELP_WHEN("The release is the same, but Open MPI was configured with other options.") \
            HELP_WHAT("not loaded: this Open MPI %s was configured differently from the one " \
                      "that collio was built for (size of %s: %zu bytes, expected %zu; "      \
                      "--enable-debug is a common cause).")                                   \
                HELP_NOW("Using the stock components.")                                       \
                    HELP_DO("Rebuild collio with ./configure --with-openmpi=PREFIX.")         \
                        HELP_SILENCE("Remove the components from the component path.")

#define COLLIO_HELP_TWO_BUILDS                                                                 \
    COLLIO_HELP_PER_JOB,                                                                       \
        HELP_WHEN("The component path has files of two builds of collio.")                     \
            HELP_WHAT("%s not loaded: it comes from a different build than "                   \
                      "libmca_common_collio.so (component: %s; library: %s for Open MPI %s).") \
                HELP_NOW("Using the stock components.")                                        \
                    HELP_DO("Keep only one build of collio in the component path.")            \
                        HELP_SILENCE("Remove the older build.")

/* ---- collective calls ---- */

#define COLLIO_HELP_HANDLE_FAILED                                                               \
    COLLIO_HELP_PER_FILE,                                                                       \
        HELP_WHEN("A process died, or an MPI call of collio returned an error.")                \
            HELP_WHAT("a process died or communication failed (%s).")                           \
                HELP_NOW("This call and all later collective calls on this file handle return " \
                         "an error. The file may be incomplete.")                               \
                    HELP_DO("Close the file, and write it again.")                              \
                        HELP_SILENCE("It cannot be silenced.")

#define COLLIO_HELP_TIMEOUT                                                                        \
    COLLIO_HELP_PER_FILE,                                                                          \
        HELP_WHEN("A rank has waited for longer than the setting timeout in one step of a "        \
                  "collective call.")                                                              \
            HELP_WHAT("call %" PRIu32 " has waited in phase %s for more than %d seconds (setting " \
                      "timeout).")                                                                 \
                HELP_NOW("This call and all later collective calls on this file handle return "    \
                         "an error. The file may be incomplete. Each rank writes where it is.")    \
                    HELP_DO("Run collio-hang with the output of the job, or with the directory "   \
                            "that common_collio_hang names.")                                      \
                        HELP_SILENCE("Increase timeout; 0 is no limit.")

#define COLLIO_HELP_HANG                                                                    \
    COLLIO_HELP_PER_JOB, HELP_WHEN("The parameter common_collio_hang is set.")              \
                             HELP_WHAT("cannot write what ranks are doing on SIGUSR1: %s.") \
                                 HELP_NOW("SIGUSR1 is left as it is.")                      \
                                     HELP_SILENCE("Remove the parameter common_collio_hang.")

#define COLLIO_HELP_AGGREGATORS_DIFFER                                                    \
    COLLIO_HELP_PER_FILE,                                                                 \
        HELP_WHEN("The ranks do not run the same build, or there is an error in collio.") \
            HELP_WHAT("internal error: ranks chose different aggregators.")               \
                HELP_NOW("Collective calls on this file return MPI_ERR_NOT_SAME.")        \
                    HELP_DO("Make sure that every node has the same build of collio.")    \
                        HELP_SILENCE("It cannot be silenced.")

#define COLLIO_HELP_SHARED_MEMORY                                                        \
    COLLIO_HELP_PER_JOB,                                                                 \
        HELP_WHEN("/dev/shm is full or small; containers often have 64 MiB.")            \
            HELP_WHAT("cannot allocate %zu bytes of shared memory on this node (%s).")   \
                HELP_NOW("Using messages instead, which is slower.")                     \
                    HELP_DO("To avoid this, enlarge /dev/shm or reduce cb_buffer_size.") \
                        HELP_SILENCE("Set transport to isend.")

#define COLLIO_HELP_NO_WINDOW                                                              \
    COLLIO_HELP_PER_JOB,                                                                   \
        HELP_WHEN("A one-sided transport is named, and no osc component serves it.")       \
            HELP_WHAT("transport %s is not available: no osc component can create an MPI " \
                      "window.") HELP_NOW("Using transport isend.")                        \
                HELP_DO("Between nodes, --mca osc ucx works, and so does --mca osc pt2pt " \
                        "unless MPI_THREAD_MULTIPLE is used.")                             \
                    HELP_SILENCE("Set transport to isend.")

#define COLLIO_HELP_WRONG_FENCE                                                              \
    COLLIO_HELP_PER_JOB,                                                                     \
        HELP_WHEN("Transport put_fence is named, and osc/ucx serves ranks of one node.")     \
            HELP_WHAT("transport %s is not available: MPI_Win_fence of osc/ucx loses bytes " \
                      "between ranks of a node.") HELP_NOW("Using transport isend.")         \
                HELP_DO("Use transport put_lock, or another osc component (--mca osc).")     \
                    HELP_SILENCE("Set transport to isend.")

#define COLLIO_HELP_TRANSPORT_LIMITED                                                    \
    COLLIO_HELP_PER_JOB, HELP_WHEN("A named transport cannot serve calls of this kind.") \
                             HELP_WHAT("transport %s cannot serve %s.")                  \
                                 HELP_NOW("Using transport isend for these calls.")      \
                                     HELP_SILENCE("Set transport to isend or auto.")

#define COLLIO_HELP_ONE_LAYER                                                      \
    COLLIO_HELP_PER_JOB,                                                           \
        HELP_WHEN("fcoll/tam is named, and a call has no intra-node aggregation.") \
            HELP_WHAT("using one layer: %s.") HELP_SILENCE("Use --mca fcoll overlap.")

#define COLLIO_HELP_FENCE_WINDOWS                                                           \
    COLLIO_HELP_PER_JOB,                                                                    \
        HELP_WHEN("A call of fcoll/tam with transport put_fence covers a very long range.") \
            HELP_WHAT("put_fence supports two layers up to %d windows.")                    \
                HELP_NOW("Using one layer for calls that need more.")                       \
                    HELP_DO("Increase cb_buffer_size, or use another transport.")           \
                        HELP_SILENCE("Set transport to isend or auto.")

/* ---- file access ---- */

#define COLLIO_HELP_ENGINE                                                            \
    COLLIO_HELP_PER_JOB,                                                              \
        HELP_WHEN("The setting engine names an engine that this node does not have.") \
            HELP_WHAT("engine %s is not available: %s.") HELP_NOW("Using threads.")   \
                HELP_SILENCE("Set engine to threads or auto.")

#define COLLIO_HELP_SIEVING                                                                   \
    COLLIO_HELP_PER_JOB,                                                                      \
        HELP_WHEN("romio_ds_write, collio_sieve_write or fbtl_mtpwrite_sieve_write requests " \
                  "data sieving for writes.")                                                 \
            HELP_WHAT("data sieving for writes was requested but is disabled for this file: " \
                      "%s.") HELP_NOW("Each piece is written by itself.")                     \
                HELP_SILENCE("Remove the hint or the parameter.")

#define COLLIO_HELP_REPORT_FILE                                          \
    COLLIO_HELP_PER_JOB,                                                 \
        HELP_WHEN("The file that report_file names cannot be written.")  \
            HELP_WHAT("cannot write the report to report_file=%s (%s).") \
                HELP_NOW("Printing it to stderr instead.") HELP_SILENCE("Correct report_file.")

/* ---- file systems ---- */

#define COLLIO_HELP_NFS_NO_LOCKS                                                           \
    COLLIO_HELP_PER_FILE,                                                                  \
        HELP_WHEN("A file on NFS is opened by several nodes, and locks fail.")             \
            HELP_WHAT("this NFS mount has no byte-range locks, without which nodes would " \
                      "overwrite each other's data.")                                      \
                HELP_NOW("Reads and writes of this file fail.")                            \
                    HELP_DO("Start rpc.statd on this node, or mount with nolock.")         \
                        HELP_SILENCE("It cannot be silenced.")

#define COLLIO_HELP_NFS_LOCAL_LOCKS                                                               \
    COLLIO_HELP_PER_JOB,                                                                          \
        HELP_WHEN("A file on NFS is opened by several nodes, with a stock fbtl component.")       \
            HELP_WHAT("locks of this NFS mount do not reach other nodes (nolock or local_lock).") \
                HELP_NOW("Collective calls are safe, but individual reads and writes through "    \
                         "the stock fbtl component can lose bytes.")                              \
                    HELP_DO("Use --mca fbtl mtpwrite, or mount with locks.")                      \
                        HELP_SILENCE("Use --mca fbtl mtpwrite.")

#define COLLIO_HELP_ATOMICITY                                                                     \
    COLLIO_HELP_PER_FILE,                                                                         \
        HELP_WHEN("Ranks of several nodes request atomic mode.")                                  \
            HELP_WHAT("MPI_File_set_atomicity failed: byte-range locks of this file system do "   \
                      "not reach other nodes, so atomic mode would not keep ranks of different "  \
                      "nodes apart.") HELP_NOW("All ranks return MPI_ERR_UNSUPPORTED_OPERATION.") \
                HELP_DO("Use a mount with locks across nodes (BeeGFS: "                           \
                        "tuneUseGlobalFileLocks=true; NFS: without nolock and local_lock; "       \
                        "Lustre: flock).") HELP_SILENCE("It cannot be silenced.")

#define COLLIO_HELP_NOT_ON_LUSTRE                                                               \
    COLLIO_HELP_PER_FILE,                                                                       \
        HELP_WHEN("--mca fs lustre_lla, and a file that is not on Lustre.")                     \
            HELP_WHAT("cannot open this file: it is not on Lustre, and lustre_lla is the only " \
                      "fs component selected.") HELP_NOW("MPI_File_open returns an error.")     \
                HELP_DO("Use --mca fs lustre_lla,ufs.") HELP_SILENCE("It cannot be silenced.")

#define COLLIO_HELP_NO_LOCKAHEAD                                                           \
    COLLIO_HELP_PER_JOB,                                                                   \
        HELP_WHEN("fs/lustre_lla opens a file for which locks cannot be requested ahead.") \
            HELP_WHAT("lock-ahead is not available for this file: %s.")                    \
                HELP_NOW("Using ordinary locks. Data is not affected.") HELP_SILENCE(      \
                    "Set the hint collio_lockahead=off, or use --mca fs ^lustre_lla.")

#define COLLIO_HELP_LOCKAHEAD_FAILED                                                           \
    COLLIO_HELP_PER_FILE,                                                                      \
        HELP_WHEN("Lustre refuses requests for locks after some were granted.")                \
            HELP_WHAT("repeated lock-ahead requests failed (%s).")                             \
                HELP_NOW("This rank uses ordinary locks for this file. Data is not affected.") \
                    HELP_SILENCE("Set the hint collio_lockahead=off.")

#define COLLIO_HELP_LOCKAHEAD_PIECES                                               \
    COLLIO_HELP_PER_JOB,                                                           \
        HELP_WHEN("An individual access has very many pieces.")                    \
            HELP_WHAT("an access of more than %d pieces requests no locks ahead.") \
                HELP_NOW("Using ordinary locks for it. Data is not affected.")     \
                    HELP_DO("Make the call collective.")                           \
                        HELP_SILENCE("Set the hint collio_lockahead=off.")

#define COLLIO_HELP_NOEXPAND                                                                  \
    COLLIO_HELP_PER_FILE,                                                                     \
        HELP_WHEN("A Lustre server does not support LOCKNOEXPAND for a part of the file.")    \
            HELP_WHAT("an access failed with LOCKNOEXPAND (%s).")                             \
                HELP_NOW("Trying again without it: locks of this rank can grow. Data is not " \
                         "affected.") HELP_DO("To avoid this, set the hint "                  \
                                              "collio_noexpand=false.")                       \
                    HELP_SILENCE("Set the hint collio_noexpand=false.")

#define COLLIO_HELP_STRIPING                                                     \
    COLLIO_HELP_PER_FILE,                                                        \
        HELP_WHEN("Striping hints are given, and the file system refuses them.") \
            HELP_WHAT("striping hints cannot be used (%s%s%s).")                 \
                HELP_NOW("Using the default striping.") HELP_SILENCE("Correct the hints.")

#define COLLIO_HELP_CLOSE                                                             \
    COLLIO_HELP_PER_FILE,                                                             \
        HELP_WHEN("close() of a file on Lustre returns an error on some rank.")       \
            HELP_WHAT("closing the file failed (%s).")                                \
                HELP_NOW("Data written since the last MPI_File_sync may be missing.") \
                    HELP_DO("Write the file again.") HELP_SILENCE("It cannot be silenced.")

#define COLLIO_HELP_SHARED_POINTER                                                              \
    COLLIO_HELP_PER_FILE,                                                                       \
        HELP_WHEN("The small file that holds a shared file pointer cannot be used.")            \
            HELP_WHAT("cannot keep the shared file pointer in %s (%s).")                        \
                HELP_NOW("The call returns an error.")                                          \
                    HELP_DO("Make that directory writable, with working locks, or use another " \
                            "component (--mca sharedfp ^ondemand).")                            \
                        HELP_SILENCE("It cannot be silenced.")

#endif /* COLLIO_HELP_TEXTS_H */

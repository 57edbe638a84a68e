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

#define COLLIO_HELP_HINT_FILE                                                               \
    COLLIO_HELP_PER_JOB,                                                                    \
        HELP_WHEN("Rank 0 of a file cannot read the file that common_collio_hints names.")  \
            HELP_WHAT("ignoring the hint file %s: %s.") HELP_NOW("Files have the hints of " \
                                                                 "the program.")            \
                HELP_SILENCE("Correct or remove the parameter common_collio_hints.")

#define COLLIO_HELP_HINT_FILE_LINE                                                         \
    COLLIO_HELP_PER_JOB,                                                                   \
        HELP_WHEN("A line of the hint file is no hint, or the hints do not fit in 4 KiB.") \
            HELP_WHAT("ignoring line %d of the hint file %s: \"%s\" (lines ignored: %d).") \
                HELP_DO("A line is KEY VALUE, [PATTERN] or a comment that begins with #.") \
                    HELP_SILENCE("Correct the line.")

#define COLLIO_HELP_HINT_FILE_RANK                                                            \
    COLLIO_HELP_PER_JOB,                                                                      \
        HELP_WHEN("Ranks have the parameter common_collio_hints, but rank 0 of a file does "  \
                  "not: set on some nodes only, or for one part of a job.")                   \
            HELP_WHAT("ignoring the parameter common_collio_hints: rank 0 does not have it.") \
                HELP_NOW("Files have the hints of the program.")                              \
                    HELP_SILENCE("Set the parameter on all ranks.")

#define COLLIO_HELP_AGGREGATOR_LIST                                                             \
    COLLIO_HELP_PER_JOB,                                                                        \
        HELP_WHEN("The list names ranks that the communicator of the file does not have.")      \
            HELP_WHAT("ignoring hint collio_aggregator_list=\"%s\" (wrong at \"%s\"; allowed: " \
                      "distinct ranks of the file's communicator, such as "                     \
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

#define COLLIO_HELP_PARAMETER_UNKNOWN                                                       \
    COLLIO_HELP_PER_JOB,                                                                    \
        HELP_WHEN("The environment or the command line of mpirun has a parameter with the " \
                  "name of a loaded component, and the component has no such parameter.")   \
            HELP_WHAT("ignoring unknown parameter %s.") HELP_DO("%s")                       \
                HELP_SILENCE("Correct or remove the parameter.")

#define COLLIO_HELP_RANKS_DIFFER                                                                 \
    COLLIO_HELP_PER_JOB,                                                                         \
        HELP_WHEN("Ranks of one file have different hints or parameters, or see different file " \
                  "systems.") HELP_WHAT("rank %d has %s.")                                       \
            HELP_NOW("All ranks use the values of rank 0.")                                      \
                HELP_DO("Give all ranks the same hints, and all nodes the same parameter "       \
                        "files and mounts.") HELP_SILENCE("Remove the difference.")

#define COLLIO_HELP_UNUSED_MODE                                                         \
    COLLIO_HELP_PER_JOB,                                                                \
        HELP_WHEN("A mode of the exchange is set, and the setting exchange is off.")    \
            HELP_WHAT("ignoring %s: exchange is off.") HELP_NOW("Using direct access.") \
                HELP_SILENCE("Remove the setting, or set exchange to on or auto.")

/* ---- loading ---- */

#define COLLIO_HELP_OPENMPI_VERSION                                                                \
    COLLIO_HELP_PER_JOB,                                                                           \
        HELP_WHEN("Open MPI is of another release than that of the build, and internal structs "   \
                  "differ. MPI_File_open fails if a component is named; the stock components are " \
                  "used if only its priority is raised; otherwise nothing is printed.")            \
            HELP_WHAT("not loaded: built for Open MPI %s, but running with Open MPI %d.%d.%d%s.")  \
                HELP_NOW("%s")                                                                     \
                    HELP_DO("Rebuild collio with ./configure --with-openmpi=PREFIX, or remove "    \
                            "it from the component path.")                                         \
                        HELP_SILENCE("Do not name the components.")

#define COLLIO_HELP_OPENMPI_STRUCTS                                                                \
    COLLIO_HELP_PER_JOB,                                                                           \
        HELP_WHEN("The release is the same, but Open MPI was configured with other options. What " \
                  "follows is the same.")                                                          \
            HELP_WHAT("not loaded: this Open MPI %s was configured differently from the one "      \
                      "that collio was built for (size of %s: %zu bytes, expected %zu; "           \
                      "--enable-debug is a common cause).") HELP_NOW("%s")                         \
                HELP_DO("Rebuild collio with ./configure --with-openmpi=PREFIX.")                  \
                    HELP_SILENCE("Do not name the components.")

#define COLLIO_HELP_TWO_BUILDS                                                                  \
    COLLIO_HELP_PER_JOB,                                                                        \
        HELP_WHEN("The component path has files of two builds of collio.")                      \
            HELP_WHAT("%s not loaded: it comes from a different build than "                    \
                      "libmca_common_collio.so (component: %s, build %08x; library: %s, build " \
                      "%08x, for Open MPI %s).") HELP_NOW("%s")                                 \
                HELP_DO("Keep only one build of collio in the component path.")                 \
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

#define COLLIO_HELP_SHARED_MEMORY                                                                  \
    COLLIO_HELP_PER_JOB,                                                                           \
        HELP_WHEN("/dev/shm is full or small (containers often have 64 MiB), a limit of the "      \
                  "process is too low, or ranks of a node have different /dev/shm.")               \
            HELP_WHAT("cannot share %zu bytes of memory on this node (%s).")                       \
                HELP_NOW("Using messages instead, which is slower.") HELP_DO("To avoid this, %s.") \
                    HELP_SILENCE("Set transport to isend.")

#define COLLIO_HELP_NO_WINDOW                                                              \
    COLLIO_HELP_PER_JOB,                                                                   \
        HELP_WHEN("A one-sided transport is named, and no osc component serves it.")       \
            HELP_WHAT("transport %s is not available: no osc component can create an MPI " \
                      "window.") HELP_NOW("Using transport isend.")                        \
                HELP_DO("Between nodes, --mca osc ucx works, and so does --mca osc pt2pt " \
                        "unless MPI_THREAD_MULTIPLE is used.")                             \
                    HELP_SILENCE("Set transport to isend.")

#define COLLIO_HELP_TRANSPORT_LIMITED                                                    \
    COLLIO_HELP_PER_JOB, HELP_WHEN("A named transport cannot serve calls of this kind.") \
                             HELP_WHAT("transport %s cannot serve %s.")                  \
                                 HELP_NOW("Using transport isend for these calls.")      \
                                     HELP_SILENCE("Set transport to isend or auto.")

#define COLLIO_HELP_ONE_LAYER                                                      \
    COLLIO_HELP_PER_JOB,                                                           \
        HELP_WHEN("A setting of two layers (racks, ...) has no effect on a call.") \
            HELP_WHAT("using one layer: %s.") HELP_SILENCE("Remove the setting.")

/* ---- file access ---- */

#define COLLIO_HELP_ENGINE                                                            \
    COLLIO_HELP_PER_JOB,                                                              \
        HELP_WHEN("The setting engine names an engine that this node does not have.") \
            HELP_WHAT("engine %s is not available: %s.") HELP_NOW("Using threads.")   \
                HELP_SILENCE("Set engine to threads or auto.")

#define COLLIO_HELP_THREADS                                                                       \
    COLLIO_HELP_PER_JOB,                                                                          \
        HELP_WHEN("io_ompio_num_threads or collio_num_threads asks for more threads than a rank " \
                  "has cores.") HELP_WHAT("num_threads is %d; cores that a rank can use: %d.")    \
            HELP_DO("Request fewer threads, or fewer ranks for each node; mpirun --map-by "       \
                    "slot:PE=N gives each rank N cores.")                                         \
                HELP_SILENCE("Set io_ompio_num_threads to the number of cores.")

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

#define COLLIO_HELP_ATOMICITY                                                                   \
    COLLIO_HELP_PER_FILE,                                                                       \
        HELP_WHEN("A job of several nodes requests atomic mode.")                               \
            HELP_WHAT("MPI_File_set_atomicity failed: %s, so atomic mode might not keep ranks " \
                      "of different nodes apart.")                                              \
                HELP_NOW("All ranks return MPI_ERR_UNSUPPORTED_OPERATION.")                     \
                    HELP_DO("Use a mount with locks across nodes (BeeGFS: "                     \
                            "tuneUseGlobalFileLocks=true; NFS: without nolock and local_lock; " \
                            "Lustre: flock). A handle of one node, or one that is open for "    \
                            "reading only, cannot test locks: open a file of this file system " \
                            "on several nodes for writing first.")                              \
                        HELP_SILENCE("It cannot be silenced.")

#define COLLIO_HELP_NO_FS                                                                     \
    COLLIO_HELP_PER_FILE,                                                                     \
        HELP_WHEN("--mca fs names lustre_lla or beegfs alone, which cannot serve this file.") \
            HELP_WHAT("cannot open this file: %s, and %s is the only fs component selected.") \
                HELP_NOW("MPI_File_open returns an error.") HELP_DO("Use --mca fs %s,ufs.")   \
                    HELP_SILENCE("It cannot be silenced.")

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
                HELP_NOW("Trying again without it: the server may expand this rank's locks. " \
                         "Data is not affected.") HELP_DO("To avoid this, set the hint "      \
                                                          "collio_noexpand=false.")           \
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

#define COLLIO_HELP_NOT_SHARED                                                                  \
    COLLIO_HELP_PER_FILE,                                                                       \
        HELP_WHEN("Some nodes can open a file and others cannot, for example because its path " \
                  "is on a local disk of each node.")                                           \
            HELP_WHAT("cannot be opened on %s, while other ranks can open it (%s).")            \
                HELP_NOW("MPI_File_open returns an error on all ranks.")                        \
                    HELP_DO("Use a directory that all nodes of the job share.")                 \
                        HELP_SILENCE("It cannot be silenced.")

#define COLLIO_HELP_SHARED_POINTER                                                                \
    COLLIO_HELP_PER_FILE,                                                                         \
        HELP_WHEN("The small file that holds a shared file pointer cannot be used.")              \
            HELP_WHAT("cannot keep the shared file pointer in %s (%s).")                          \
                HELP_NOW("The call returns an error.")                                            \
                    HELP_DO("Make that directory writable, with working locks, or use another "   \
                            "component (--mca sharedfp ^ondemand). \"Owner died\": a rank was "   \
                            "killed that had its turn; when the job has ended, the file and the " \
                            "directory .turn beside it can be deleted.")                          \
                        HELP_SILENCE("It cannot be silenced.")

#endif /* COLLIO_HELP_TEXTS_H */

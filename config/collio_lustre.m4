dnl Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
dnl
dnl COLLIO_LUSTRE: the header of Lustre's user library, which is loaded at run time. Lockahead needs
dnl headers of 2.11; without them what is needed is declared by ourselves.
dnl The names of advices are enum constants, not macros, so they are compiled. The header of recent
dnl releases uses struct file_handle, which <fcntl.h> declares with _GNU_SOURCE.

AC_DEFUN([COLLIO_LUSTRE], [
    AC_ARG_WITH([lustre],
        [AS_HELP_STRING([--with-lustre@<:@=DIR@:>@],
            [folder with include/ and lib/ of liblustreapi, which is loaded at run time])],
        [collio_with_lustre=$with_lustre], [collio_with_lustre=auto])
    collio_have_lustre='no header (loaded at run time)'
    collio_lustre_folder=
    collio_value=0
    LUSTREAPI_CPPFLAGS=
    LUSTREAPI_LIBS=
    AS_IF([test "x$collio_with_lustre" != xno], [
        collio_save_CPPFLAGS=$CPPFLAGS
        collio_save_LIBS=$LIBS
        AS_CASE([$collio_with_lustre],
            [/*], [LUSTREAPI_CPPFLAGS="-I$collio_with_lustre/include"
                   LUSTREAPI_LIBS="-L$collio_with_lustre/lib"
                   collio_lustre_folder="$collio_with_lustre/lib/"])
        LUSTREAPI_LIBS="$LUSTREAPI_LIBS -llustreapi"
        CPPFLAGS="$CPPFLAGS $LUSTREAPI_CPPFLAGS"
        LIBS="$LUSTREAPI_LIBS $LIBS"
        AC_MSG_CHECKING([for liblustreapi with lockahead])
        AC_LINK_IFELSE([AC_LANG_PROGRAM([[
#include <fcntl.h>
#include <stdbool.h>
#include <lustre/lustreapi.h>
]], [[
struct llapi_lu_ladvise advice = { .lla_advice = LU_LADVISE_LOCKAHEAD };
advice.lla_lockahead_mode = MODE_WRITE_USER;
advice.lla_peradvice_flags = LF_ASYNC;
return llapi_ladvise(0, 0, 1, &advice) + llapi_group_lock(0, 1) + LLAPI_LAYOUT_COMP_USE_FIRST;
]])], [collio_have_lustre=yes
       collio_value=1],
      [LUSTREAPI_CPPFLAGS=
       LUSTREAPI_LIBS=])
        AS_IF([test "x$collio_value" = x1], [AC_MSG_RESULT([yes])], [AC_MSG_RESULT([no])])
        CPPFLAGS=$collio_save_CPPFLAGS
        LIBS=$collio_save_LIBS
        AS_IF([test "x$collio_value" = x0 && test "x$collio_with_lustre" != xauto],
            [AC_MSG_ERROR([--with-lustre was given, but <lustre/lustreapi.h> (2.11 or later) and liblustreapi cannot be used. Give the folder that has include/ and lib/ of it.])])
    ])
    COLLIO_DEFINE([COLLIO_HAVE_LUSTREAPI], [$collio_value], [whether <lustre/lustreapi.h> can be used])
    COLLIO_DEFINE([COLLIO_LUSTREAPI_FOLDER], ["$collio_lustre_folder"],
        [where liblustreapi is looked for first; with a slash, or empty])
    AC_SUBST([LUSTREAPI_CPPFLAGS])
    AC_SUBST([LUSTREAPI_LIBS])
])

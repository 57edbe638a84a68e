dnl Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
dnl
dnl COLLIO_LUSTRE: where Lustre's user library is loaded from at run time. Its header is not needed.

AC_DEFUN([COLLIO_LUSTRE], [
    AC_ARG_WITH([lustre],
        [AS_HELP_STRING([--with-lustre@<:@=DIR@:>@], [load liblustreapi from DIR/lib first])],
        [collio_with_lustre=$with_lustre], [collio_with_lustre=])
    collio_lustre_folder=
    LUSTREAPI_LDFLAGS=
    AS_CASE([$collio_with_lustre], [/*], [
        collio_lustre_folder="$collio_with_lustre/lib/"
        LUSTREAPI_LDFLAGS="-L$collio_with_lustre/lib"
        AS_IF([test ! -d "$collio_lustre_folder"],
            [AC_MSG_ERROR([--with-lustre: there is no directory $collio_lustre_folder])])
    ])
    collio_have_lustre="loaded at run time${collio_lustre_folder:+, first from $collio_lustre_folder}"
    COLLIO_DEFINE([COLLIO_LUSTREAPI_FOLDER], ["$collio_lustre_folder"],
        [where liblustreapi is looked for first; with a slash, or empty])
    AC_SUBST([LUSTREAPI_LDFLAGS])
])

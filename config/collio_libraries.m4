dnl Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
dnl
dnl Optional libraries: used when found; asking for one by name makes it required.

dnl COLLIO_LIBRARY(name, header, library, function, package, MACRO)
AC_DEFUN([COLLIO_LIBRARY], [
    AC_ARG_WITH([$1],
        [AS_HELP_STRING([--with-$1@<:@=DIR@:>@], [use $1 (default: when found)])],
        [], [with_$1=auto])
    collio_have_$1=no
    $6_CPPFLAGS=
    $6_LIBS=
    AS_IF([test "x$with_$1" != xno], [
        collio_save_CPPFLAGS=$CPPFLAGS
        collio_save_LIBS=$LIBS
        AS_CASE([$with_$1],
            [/*], [AS_IF([test ! -f "$with_$1/include/$2"],
                       [AC_MSG_ERROR([--with-$1: there is no file $with_$1/include/$2])])
                   $6_CPPFLAGS="-I$with_$1/include"
                   $6_LIBS="-L$with_$1/lib"])
        CPPFLAGS="$CPPFLAGS $$6_CPPFLAGS"
        LIBS="$$6_LIBS -l$3 $LIBS"
        AC_MSG_CHECKING([for $1])
        AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <$2>]], [[return 0 == (long) &$4;]])],
            [collio_have_$1=yes
             $6_LIBS="$$6_LIBS -l$3"],
            [$6_CPPFLAGS=
             $6_LIBS=])
        AC_MSG_RESULT([$collio_have_$1])
        CPPFLAGS=$collio_save_CPPFLAGS
        LIBS=$collio_save_LIBS
        AS_IF([test "x$collio_have_$1" = xno && test "x$with_$1" != xauto],
            [AC_MSG_ERROR([--with-$1 was given, but <$2> and lib$3 cannot be used. m4_if([$5], [],
                [Give the directory that has include/ and lib/ of it.],
                [On Debian: apt-get install $5])])])
    ])
    AS_IF([test "x$collio_have_$1" = xyes], [collio_value=1], [collio_value=0])
    COLLIO_DEFINE([COLLIO_HAVE_$6], [$collio_value], [whether $1 is used])
    AC_SUBST([$6_CPPFLAGS])
    AC_SUBST([$6_LIBS])
])

AC_DEFUN([COLLIO_LIBRARIES], [
    COLLIO_LIBRARY([libaio], [libaio.h], [aio], [io_submit], [libaio-dev], [LIBAIO])
    COLLIO_LIBRARY([liburing], [liburing.h], [uring], [io_uring_queue_init], [liburing-dev],
        [LIBURING])
    COLLIO_LUSTRE
])

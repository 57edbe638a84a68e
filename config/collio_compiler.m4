dnl Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
dnl
dnl COLLIO_DEFINE(macro, value, comment): a macro of config/collio_config.h
AC_DEFUN([COLLIO_DEFINE], [AC_DEFINE_UNQUOTED([$1], [$2], [$3])])

dnl COLLIO_COMPILER: warnings, sanitizers, and the flags every Makefile.am uses.

AC_DEFUN([COLLIO_COMPILER], [
    AC_ARG_ENABLE([werror],
        [AS_HELP_STRING([--enable-werror], [make every warning an error])],
        [], [enable_werror=no])
    AC_ARG_ENABLE([sanitizers],
        [AS_HELP_STRING([--enable-sanitizers=LIST],
            [build with the compiler's sanitizers, for example address,undefined or thread])],
        [], [enable_sanitizers=no])
    AS_IF([test "x$enable_sanitizers" = xyes], [enable_sanitizers=address,undefined])

    AC_ARG_ENABLE([asserts],
        [AS_HELP_STRING([--enable-asserts],
            [abort where an invariant of the code does not hold; on with --enable-werror or
             --enable-sanitizers])],
        [], [AS_IF([test "x$enable_werror" = xyes || test "x$enable_sanitizers" != xno],
                   [enable_asserts=yes], [enable_asserts=no])])

    collio_warnings='-Wall -Wextra'
    AS_IF([test "x$enable_werror" = xyes], [collio_warnings="$collio_warnings -Werror"])
    AS_IF([test "x$enable_asserts" = xyes], [collio_warnings="$collio_warnings -DCOLLIO_ASSERTS=1"])
    # -fPIC: without it gcc links instrumented programs badly with functions of shared libraries
    AS_IF([test "x$enable_sanitizers" != xno], [
        CFLAGS="$CFLAGS -fsanitize=$enable_sanitizers -fno-omit-frame-pointer -fPIC"
        AC_MSG_CHECKING([whether $CC can use -fsanitize=$enable_sanitizers])
        AC_LINK_IFELSE([AC_LANG_PROGRAM], [AC_MSG_RESULT([yes])], [
            AC_MSG_RESULT([no])
            AC_MSG_ERROR([--enable-sanitizers=$enable_sanitizers: $CC cannot do that])])
    ])

    # functions that a library exports may be inlined inside it, and are called without the linker's table
    collio_calls=-fno-semantic-interposition
    collio_saved=$CFLAGS
    CFLAGS="$CFLAGS -Werror $collio_calls"
    AC_MSG_CHECKING([whether $CC accepts $collio_calls])
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM], [AC_MSG_RESULT([yes])], [
        AC_MSG_RESULT([no])
        collio_calls=])
    CFLAGS=$collio_saved

    COLLIO_CFLAGS="-std=gnu11 -pthread $collio_calls $collio_warnings"
    COLLIO_CORE_CFLAGS="-std=c11 -pedantic $collio_calls $collio_warnings"
    AC_SUBST([COLLIO_CFLAGS])
    AC_SUBST([COLLIO_CORE_CFLAGS])
])

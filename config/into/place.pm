# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
#
# autogen.pl --into=DIR: places the components in a source tree of Open MPI, whose own autogen.pl,
# configure and make then build them like every other component, as DSOs or inside libmpi.
#
# No file of Open MPI is changed. Each component becomes a folder ompi/mca/<framework>/<component>
# with its sources as they are here, and with a Makefile.am and a configure.m4 that are written from
# config/into/*. A later run replaces these folders; deleting them undoes it.

package place;

use strict;
use warnings;
use File::Basename qw(dirname);
use File::Copy qw(copy);
use File::Path qw(make_path remove_tree);

my $mark = "Made by autogen.pl --into";

sub fail {
    die "autogen.pl: " . join('', @_) . "\n";
}

sub read_text {
    my ($path) = @_;
    open(my $in, '<', $path) or fail("cannot read $path: $!");
    local $/ = undef;
    return <$in>;
}

sub write_text {
    my ($path, $text) = @_;
    make_path(dirname($path));
    open(my $out, '>', $path) or fail("cannot write $path: $!");
    print $out $text;
    close($out) or fail("cannot write $path: $!");
}

# The release ("4.1", "5.0", ...) of the tree in $dir; ends the program for any other tree.
sub release_of {
    my ($dir) = @_;
    my $text = -f "$dir/VERSION" ? read_text("$dir/VERSION") : '';
    my ($major) = $text =~ /^major=(\d+)/m;
    my ($minor) = $text =~ /^minor=(\d+)/m;
    fail("--into=$dir: that is not a source tree of Open MPI (it needs VERSION and ompi/mca/fcoll)")
        unless defined $major && defined $minor && -d "$dir/ompi/mca/fcoll";
    fail("--into=$dir: Open MPI $major.$minor; the components work with 4.1, 5.0, and 6.0 or later")
        unless "$major.$minor" eq '4.1' || $major >= 5;
    return "$major.$minor";
}

# The library that Open MPI's internals are in: libmpi, from 6.0 on one beside it.
sub library_of {
    my ($dir) = @_;
    my ($line) = read_text("$dir/ompi/Makefile.am") =~ /^lib_LTLIBRARIES\s*\+?=\s*((?:.*\\\n)*.*)$/m;
    my @libraries = grep { /\.la$/ } split(' ', $line // '');
    my ($internals) = grep { /open_?mpi/i } @libraries;
    return $internals // 'lib@OMPI_LIBMPI_NAME@.la';
}

# A template of config/into with its @WORDS@ replaced.
sub filled {
    my ($name, %words) = @_;
    my $text = read_text("config/into/$name");
    $text =~ s{\@(\w+)\@}{$words{$1} // "\@$1\@"}ge;
    return $text;
}

# A folder is replaced only if it was made here: somebody else's component of that name is kept.
sub clear_folder {
    my ($dir) = @_;
    return unless -e $dir;
    fail("$dir exists and was not made by --into; remove it first")
        unless -f "$dir/Makefile.am" && read_text("$dir/Makefile.am") =~ /\Q$mark\E/;
    remove_tree($dir);
}

sub list {
    return join('', map { " \\\n    $_" } @_);
}

# The template of our configuration header, for AC_CONFIG_FILES: every macro becomes a substitution.
sub config_header {
    my $text = read_text('config/collio_config.h.in');
    my @macros = $text =~ /^#undef (\w+)$/mg;
    my $exports = "/* Open MPI compiles with -fvisibility=hidden; the components need the engine's functions,\n"
        . " * and the linker is told which names leave the library. */\n#pragma GCC visibility push(default)\n\n";
    $text =~ s/^#undef (\w+)$/#define $1 \@$1\@/mg;
    $text =~ s/^(#endif [^\n]*COLLIO_CONFIG_H)/$exports$1/m;
    return ($text, @macros);
}

# What the Makefile.am of a component names besides the flags that all of them have.
sub own_flags {
    my ($dir) = @_;
    my $text = read_text("$dir/Makefile.am");
    my ($cppflags) = $text =~ /^AM_CPPFLAGS = \$\(COLLIO_CPPFLAGS\)(.*)$/m;
    my ($libs) = $text =~ /_la_LIBADD = \$\(COLLIO_COMPONENT_LIBS\)(.*)$/m;
    fail("$dir/Makefile.am: no AM_CPPFLAGS or no LIBADD with the flags of all components")
        unless defined $cppflags && defined $libs;
    return ($cppflags, $libs);
}

# The three numbers of a version such as "0.1.0rc2".
sub numbers_of {
    my ($version) = @_;
    return map { /^(\d+)/ ? $1 : 0 } ((split(/\./, $version), 0, 0, 0)[0 .. 2]);
}

sub place {
    my ($into, $library, $dir, @sources) = @_;
    my (undef, undef, $framework, $component) = split(m{/}, $dir);
    my $common = $framework eq 'common';
    my %words = (MARK => $mark, LIBRARY => $library, FRAMEWORK => $framework, COMPONENT => $component);

    clear_folder("$into/$dir");
    for my $file (@sources, 'owner.txt') {
        make_path(dirname("$into/$dir/$file"));
        copy("$dir/$file", "$into/$dir/$file") or fail("cannot copy $dir/$file to $into: $!");
    }
    if ($common) {
        my ($header, @macros) = config_header();
        write_text("$into/$dir/collio_config.h.in", $header);
        $words{MACROS} = join(' ', @macros);
        chomp($words{VERSION} = read_text('VERSION'));
        @words{'MAJOR', 'MINOR', 'RELEASE'} = numbers_of($words{VERSION});
        $words{LIBRARIES} = join("\n", map { read_text("config/collio_$_.m4") } 'libraries', 'lustre');
    } else {
        @words{'CPPFLAGS', 'LIBS'} = own_flags($dir);
        push(@sources, "${framework}_${component}_init.c");
        write_text("$into/$dir/$sources[-1]", filled('init.c.in', %words));
    }
    $words{SOURCES} = list(@sources);
    my $kind = $common ? 'common' : 'component';
    write_text("$into/$dir/Makefile.am", filled("$kind.am", %words));
    write_text("$into/$dir/configure.m4", filled("$kind.m4", %words));
    print "placed $dir\n";
}

# run(DIR, sources): sources->{folder of a component} = [its .c and .h files]
sub run {
    my ($into, $sources) = @_;
    $into =~ s{/+$}{};
    my $release = release_of($into);

    my $library = library_of($into);
    place($into, $library, $_, @{$sources->{$_}}) for sort keys %$sources;
    print <<"END";

The components are in Open MPI ${release}'s source tree. There:
    ./autogen.pl --force
    ./configure ...                 (--enable-mca-dso=LIST and --enable-mca-static=LIST choose as for
                                     any component; common-collio goes with the rest of them)
    make install && ompi_info | grep -E 'overlap|tam|mtpwrite|lustre_lla|beegfs|ondemand'
END
}

1;

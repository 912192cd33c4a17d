"""stretto-cc, stretto-c++ and stretto-fc are used as mpicc, mpicxx and mpifort are, and link libstretto."""

import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from compile import program, wrappers_environment
from launch import BUILD, ROOT, launch, library, mpis, plugins

HERE = Path(__file__).parent
LLVMS = (16, 19, 22)
# The wrapper, the MPI's own one, the variable that names the compiler, compilers' names, a program
LANGUAGES = {
    "c": ("stretto-cc", "mpicc", "STRETTO_CC", ("clang",), "ring.c"),
    "cxx": ("stretto-c++", "mpicxx", "STRETTO_CXX", ("clang++",), "ring.cpp"),
    "fortran": ("stretto-fc", "mpifort", "STRETTO_FC", ("flang", "flang-new"), "ring.f90"),
}


def compiler_of(language, llvm):
    """The name of the clang or flang of this LLVM, or None where there is none on this machine."""
    names = [f"{name}-{llvm}" for name in LANGUAGES[language][3]]
    return next((name for name in names if shutil.which(name)), None)


# Debian's flang-16 comes without the library that its programs need.
HERE_ARE = [
    (language, llvm)
    for language in LANGUAGES
    for llvm in LLVMS
    if compiler_of(language, llvm) and (language, llvm) != ("fortran", 16)
]
FLANGS = [compiler_of(language, llvm) for language, llvm in HERE_ARE if language == "fortran"]
PLUGINS = [llvm for llvm in LLVMS if str(llvm) in plugins()]
NEEDS_CLANG = pytest.mark.skipif(("c", 19) not in HERE_ARE, reason="clang-19 is not on this machine")
NEEDS_FLANG = pytest.mark.skipif(("fortran", 19) not in HERE_ARE, reason="flang-19 is not on this machine")
# For what is the same under every MPI: one that has all.
ANY = max(mpis(), key=lambda mpi: (library(mpi).exists(), bool(mpis()[mpi]["mpifort"])))


@pytest.fixture(scope="session")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def wrap(cache, tmp_path):
    """Runs a wrapper in tmp_path; variables by keywords."""

    def call(name, *words, folder=BUILD / "bin", input=None, **variables):
        env = wrappers_environment(**{"XDG_CACHE_HOME": str(cache)} | variables)
        command = [folder / name, *map(str, words)]
        return subprocess.run(command, capture_output=True, text=True, timeout=300, env=env, cwd=tmp_path, input=input)

    return call


@pytest.fixture
def fortran_mpi(mpi):
    if not mpis()[mpi]["mpifort"]:
        pytest.skip("this MPI has no Fortran")
    return mpi


@pytest.fixture(scope="session")
def with_plugins(tmp_path_factory):
    """The folder of the wrappers in a tree that has a plugin for LLVM 19 and 22, which says that it was loaded."""
    tree = tmp_path_factory.mktemp("tree")
    shutil.copytree(BUILD / "bin", tree / "bin", symlinks=True)
    libraries = tree / "lib/stretto"
    for llvm, api in ((19, 1), (22, 2)):
        (libraries / f"llvm-{llvm}").mkdir(parents=True)
        plugin = libraries / f"llvm-{llvm}/stretto_pass.so"
        subprocess.run(["cc", "-shared", "-fPIC", f"-DAPI={api}", HERE / "stand_in.c", "-o", plugin], check=True)
    for mpi in mpis():
        if library(mpi).exists():
            (libraries / mpi).symlink_to(library(mpi).parent)
    (tree / "share/stretto").mkdir(parents=True)
    shutil.copy(ROOT / "build/env/mpis.json", tree / "share/stretto")
    return tree / "bin"


def done_well(done):
    assert done.returncode == 0, done.stderr
    return done.stdout


def complains(done, status, *about):
    """In one line that ends nothing else."""
    assert done.returncode == status, done
    assert done.stderr.count("\n") == 1 and done.stderr.startswith("stretto-"), done
    for words in about:
        assert words in done.stderr, done


def source(tmp_path, name):
    shutil.copy(HERE / ("ring.c" if name == "ring.cpp" else name), tmp_path / name)
    return name


def needed(program):
    """The libraries that a program loads, in their order."""
    text = subprocess.run(["readelf", "-d", program], capture_output=True, text=True, check=True).stdout
    return re.findall(r"\(NEEDED\).*\[(.*)\]", text)


def goes_round(mpi, program):
    result = launch(mpi, 2, program, env={"STRETTO_COUNTERS": "1", "STRETTO_FORCE": "1"})
    assert result.rc == 0 and result.stdout.count(": 0 wrong") == 2, result
    return result


def bare_wrappers(tmp_path):
    """The wrappers in a tree that has nothing else."""
    return Path(shutil.copytree(BUILD / "bin", tmp_path / "bare/bin", symlinks=True))


def links(mpi):
    if not library(mpi).exists():
        pytest.skip("libstretto is not built for this MPI")


def fake_mpi(tmp_path, show, headers=None):
    """A folder with an mpicc and an mpifort that answer so, and the list of MPIs that names them."""
    folder = tmp_path / "fake"
    (folder / "include").mkdir(parents=True)
    for name, text in (headers or {}).items():
        (folder / "include" / name).write_text(text)
    wrappers = {}
    for name in ("mpicc", "mpicxx", "mpifort"):
        wrappers[name] = str(folder / name)
        text = f"#!/bin/sh\necho asked >>{folder}/asked\necho '{show.format(include=folder / 'include')}'\n"
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    (folder / "mpis.json").write_text(json.dumps({"openmpi": wrappers | {"library": "/none", "family": "openmpi4"}}))
    return folder


def naming(fake):
    return {"STRETTO_MPIS": str(fake / "mpis.json"), "STRETTO_MPI": "openmpi"}


# --- what the command line becomes


def kinds(words, *wanted):
    return [word for word in words if word.startswith(wanted)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_mpis_own_flags_are_kept_and_libstretto_comes_before_its_library(language, mpi, wrap):
    links(mpi)
    wrapper, own = LANGUAGES[language][:2]
    if not mpis()[mpi][own]:
        return complains(wrap(wrapper, "-show", STRETTO_MPI=mpi), 1, f"this MPI ({mpi}) has no {own}")
    theirs = subprocess.run([mpis()[mpi][own], "-show"], capture_output=True, text=True, check=True).stdout.split()[1:]
    ours = shlex.split(done_well(wrap(wrapper, "-show", "--mpi", mpi)))
    assert "lang" in ours[0]
    if language != "fortran":  # whose folders may hold modules of gfortran
        assert kinds(ours, "-I", "-D") == kinds(theirs, "-I", "-D")
    after = ours[ours.index("-Wl,--pop-state") + 1 :]
    assert after == kinds(theirs, "-L", "-l", "-Wl,", "-pthread")
    assert (
        ours[: len(ours) - len(after)][-4:]
        == [
            f"-L{library(mpi).parent}",
            f"-Wl,-rpath,{library(mpi).parent}",
            "-Wl,--push-state,--no-as-needed",
            "-lstretto",
            "-Wl,--pop-state",
        ][-4:]
    )


@NEEDS_CLANG
@pytest.mark.parametrize(
    "words, compiles, with_libraries",
    [
        (["x.c"], True, True),
        (["x.o", "-o", "x"], True, True),
        (["-c", "x.c"], True, False),
        (["-S", "x.c"], True, False),
        (["-E", "x.c"], True, False),
        (["-M", "x.c"], True, False),
        (["-fsyntax-only", "x.c"], True, False),
        (["-MD", "-MF", "-c", "x.c"], True, True),  # the value of -MF
        (["-x", "c", "-"], True, True),
        (["-shared", "-fPIC", "x.c"], True, True),
        (["-###", "x.c"], True, True),
        (["-o", "x.c"], False, False),
        (["--version"], False, False),
        (["-v"], False, False),
        (["-print-file-name=libm.so"], False, False),
        (["-dumpmachine"], False, False),
    ],
)
def test_flags_are_added_where_they_are_of_use(words, compiles, with_libraries, wrap):
    """As mpicc does: only what compiles or links has them."""
    links(ANY)
    shown = shlex.split(done_well(wrap("stretto-cc", "-show", "-fstretto=off", *words, STRETTO_MPI=ANY)))
    assert shown[1 : 1 + len(words)] == words
    assert bool(kinds(shown, "-I")) == compiles, shown
    assert ("-lstretto" in shown) == bool(kinds(shown, "-lmp")) == with_libraries, shown


@NEEDS_CLANG
def test_every_flag_of_the_user_reaches_the_compiler(wrap):
    flags = [
        "-g",
        "-O0",
        "-O3",
        "-flto=thin",
        "-fopenmp",
        "-fsanitize=address",
        '-DNAME="a b"',
        "-Wl,-z,now",
        "-fstack-usage",
    ]
    words = ["-fstretto=off", *flags, "--mpi", ANY, "-c", "x.c", "-o", "-show", "-show"]
    shown = shlex.split(done_well(wrap("stretto-cc", *words)))
    assert shown[1 : len(flags) + 5] == [*flags, "-c", "x.c", "-o", "-show"]
    assert shlex.split(done_well(wrap("stretto-cc", "-show", "-fstretto=off", f"--mpi={ANY}", "-c", "--", "-x.c")))[
        1:3
    ] == [
        "-c",
        "./-x.c",
    ]


def test_parts_of_the_command_line_are_shown_as_both_families_of_mpi_have_them(mpi, wrap):
    links(mpi)
    whole = shlex.split(done_well(wrap("stretto-cc", "-show", STRETTO_MPI=mpi)))

    def shown(option):
        return shlex.split(done_well(wrap("stretto-cc", option, STRETTO_MPI=mpi)))

    assert whole == [*shown("-showme:command"), *shown("-showme:compile"), *shown("-showme:link")]
    assert shown("-showme") == whole
    assert (shown("-compile_info"), shown("-link_info")) == (shown("-showme:compile"), shown("-showme:link"))
    assert shown("-showme:incdirs") == [word[2:] for word in kinds(whole, "-I")]
    assert shown("-showme:libdirs") == [word[2:] for word in kinds(whole, "-L")]
    assert shown("-showme:libs") == [word[2:] for word in kinds(whole, "-l")]
    complains(wrap("stretto-cc", "-showme:all"), 2, "-showme:command")


# --- compiled, linked, run


@pytest.mark.parametrize("language, llvm", HERE_ARE, ids=[f"{language}-{llvm}" for language, llvm in HERE_ARE])
def test_a_program_is_compiled_and_runs_with_libstretto(language, llvm, mpi, wrap, tmp_path):
    links(mpi)
    wrapper, own, variable, _, name = LANGUAGES[language]
    if not mpis()[mpi][own]:
        pytest.skip(f"this MPI has no {own}")
    settings = {variable: compiler_of(language, llvm), "STRETTO_MPI": mpi}
    words = ["-fstretto=off", "-g", "-Wall", "-Werror", source(tmp_path, name), "-o", "ring"]
    if language == "fortran":
        words.remove("-Wall")  # which flang does not have
    done = wrap(wrapper, *words, **settings)
    assert (done.returncode, done.stderr) == (0, ""), done
    loaded = needed(tmp_path / "ring")
    assert loaded.index("libstretto.so") < min(i for i, name in enumerate(loaded) if name.startswith("libmp")), loaded
    assert goes_round(mpi, tmp_path / "ring").counters["send_framed"] >= 2


@NEEDS_CLANG
def test_a_program_keeps_libstretto_although_it_refers_to_nothing_in_it(mpi, wrap, tmp_path):
    links(mpi)
    (tmp_path / "nothing.c").write_text("int main(void) { return 0; }")
    flags = ["-fstretto=off", "-Wl,--as-needed", "nothing.c", "-o", "nothing"]
    done_well(wrap("stretto-cc", *flags, STRETTO_MPI=mpi))
    assert "libstretto.so" in needed(tmp_path / "nothing")
    subprocess.run([tmp_path / "nothing"], check=True)


@NEEDS_CLANG
def test_objects_preprocessed_text_and_dependencies(mpi, wrap, tmp_path):
    links(mpi)
    name = source(tmp_path, "ring.c")
    common = {"STRETTO_MPI": mpi}
    done_well(wrap("stretto-cc", "-fstretto=off", "-c", name, **common))
    done_well(wrap("stretto-cc", "ring.o", "-o", "ring", **common))  # needs no plugin
    goes_round(mpi, tmp_path / "ring")
    assert "MPI_Isend" in done_well(wrap("stretto-cc", "-E", name, **common))
    assert "mpi.h" in done_well(wrap("stretto-cc", "-M", name, **common))
    done_well(wrap("stretto-cc", "-fstretto=off", "-S", name, **common))
    assert ".text" in (tmp_path / "ring.s").read_text()
    text = (tmp_path / name).read_text()
    done_well(wrap("stretto-cc", "-fstretto=off", "-x", "c", "-", "-o", "again", input=text, **common))
    goes_round(mpi, tmp_path / "again")
    done_well(wrap("stretto-cc", "-fstretto=off", "-shared", "-fPIC", name, "-o", "libring.so", **common))


@NEEDS_CLANG
def test_response_files(wrap, tmp_path):
    links(ANY)
    source(tmp_path, "ring.c")
    (tmp_path / "inner").write_text("-DTEXT='a \"b\"'\n -c")
    (tmp_path / "outer").write_text('"ring.c" @inner -o ring\\ 2.o')
    shown = done_well(wrap("stretto-cc", "-show", "-fstretto=off", "@outer", STRETTO_MPI=ANY))
    assert "@outer -idirafter" in shown and "-lmpi" not in shown  # as it is; the -c in it has been seen
    done_well(wrap("stretto-cc", "-fstretto=off", "@outer", STRETTO_MPI=ANY))
    assert (tmp_path / "ring 2.o").exists()
    (tmp_path / "inner").write_text(f"-fstretto=off --mpi {ANY} -DTEXT='a b' -c")
    shown = shlex.split(done_well(wrap("stretto-cc", "-show", "@outer")))
    assert shown[1:6] == ["ring.c", "-DTEXT=a b", "-c", "-o", "ring 2.o"]
    assert wrap("stretto-cc", "-c", "@nosuch", STRETTO_MPI=ANY, STRETTO_CC="clang-19").returncode == 1


def test_without_words_and_for_itself_the_compiler_answers(wrap):
    done = wrap("stretto-cc")
    assert done.returncode == 1 and "no input files" in done.stderr, done
    assert "version" in done_well(wrap("stretto-cc", "--version"))
    assert "-fstretto=" in done_well(wrap("stretto-cc", "--help"))


# --- which compiler


@NEEDS_CLANG
def test_the_newest_compiler_that_has_a_plugin_is_taken(wrap, with_plugins, tmp_path):
    def taken(folder):
        done = wrap("stretto-cc", "-show", "-c", "x.c", folder=folder, STRETTO_MPI=ANY)
        return shlex.split(done_well(done))[0]

    newest = max(llvm for language, llvm in HERE_ARE if language == "c")
    assert taken(with_plugins) == f"clang-{newest}"
    older = tmp_path / "older"
    shutil.copytree(with_plugins.parent, older, symlinks=True)
    shutil.rmtree(older / "lib/stretto/llvm-22")
    assert taken(older / "bin") == "clang-19"


@NEEDS_CLANG
def test_a_compiler_is_what_it_says_not_what_it_is_called(wrap, with_plugins, tmp_path):
    other = tmp_path / "clang-22"
    other.symlink_to(shutil.which("clang-19"))
    words = ["-show", "-c", "x.c"]
    shown = done_well(wrap("stretto-cc", *words, folder=with_plugins, STRETTO_CC=str(other), STRETTO_MPI=ANY))
    assert shown.startswith(str(other)) and "llvm-19/stretto_pass.so" in shown


@NEEDS_FLANG
def test_flang_is_found_under_either_of_its_names(wrap, tmp_path):
    for name in FLANGS:
        path = only(tmp_path / name, name)
        assert "version" in done_well(wrap("stretto-fc", "--version", PATH=path))


# --- the plugin


@pytest.mark.parametrize("language, llvm", [one for one in HERE_ARE if one[1] != 16])
def test_the_plugin_is_loaded_and_told_what_to_do(language, llvm, wrap, with_plugins, tmp_path):
    wrapper, _, variable, _, name = LANGUAGES[language]
    source(tmp_path, name)

    def loaded(*words, **more):
        settings = {variable: compiler_of(language, llvm), "STRETTO_MPI": ANY} | more
        done = wrap(wrapper, *words, folder=with_plugins, **settings)
        assert done.returncode == 0, done
        return done.stderr

    assert loaded("-O2", "-c", name) == "plugin: no options\n"
    assert loaded("-O2", "-c", name, "-fstretto=all") == "plugin: no options\n"
    assert loaded("-fstretto=send", "-c", name, "-fstretto-check") == "plugin: -stretto-what=send -stretto-check\n"
    assert loaded("-fstretto=receive", "-c", name) == "plugin: -stretto-what=receive\n"
    assert loaded("-fstretto-check", "-c", name, STRETTO_PASS_OPTIONS="-more") == "plugin: -more -stretto-check\n"
    assert loaded("-c", name, STRETTO_PASS_OPTIONS="-more") == "plugin: -more\n"
    assert loaded("-flto=thin", "-c", name).endswith("plugin: no options\n")  # flang warns
    assert loaded("-fstretto=off", "-c", name) == ""
    assert loaded("-E", name) == ""
    shown = wrap(wrapper, "-show", "-fstretto=send", "-c", name, folder=with_plugins, STRETTO_MPI=ANY).stdout
    assert shown.startswith("STRETTO_PASS_OPTIONS=-stretto-what=send ")  # can be typed again


@pytest.mark.skipif(not PLUGINS, reason="no plugin was built: compiler/pass is not there, or no llvm-dev")
@pytest.mark.parametrize("llvm", PLUGINS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_program_compiled_with_the_plugin_gives_the_same(language, llvm, mpi, wrap, tmp_path):
    links(mpi)
    wrapper, own, variable, _, name = LANGUAGES[language]
    if not mpis()[mpi][own] or not compiler_of(language, llvm):
        pytest.skip("no such compiler here, or this MPI has none")
    settings = {variable: compiler_of(language, llvm), "STRETTO_MPI": mpi}
    done_well(wrap(wrapper, "-O2", source(tmp_path, name), "-o", "ring", **settings))
    goes_round(mpi, tmp_path / "ring")


@pytest.mark.skipif(not PLUGINS, reason="no plugin was built: compiler/pass is not there, or no llvm-dev")
@pytest.mark.parametrize("llvm", PLUGINS)
@pytest.mark.parametrize(
    "options", [["-O2"], ["-O3", "-g"], ["-O1", "-fstretto-check"], ["-O2", "-fstretto=off"]], ids=" ".join
)
def test_messages_leave_and_come_inside_the_loops_of_a_plain_program(options, llvm, mpi, wrap, tmp_path):
    links(mpi)
    settings = {"STRETTO_CC": compiler_of("c", llvm), "STRETTO_MPI": mpi}
    done_well(wrap("stretto-cc", *options, HERE / "pair.c", "-o", "pair", **settings))
    plain = launch(mpi, 2, program(mpi, "pair", [HERE / "pair.c"]), transport="tcp")
    result = launch(mpi, 2, tmp_path / "pair", env={"STRETTO_COUNTERS": "1"}, transport="tcp")
    assert result.rc == 0 and result.stdout == plain.stdout, result
    of_a_compiler = 0 if "-fstretto=off" in options else 8
    assert result.counters.get("compiled_send", 0) == result.counters.get("compiled_receive", 0) == of_a_compiler, (
        result
    )


@pytest.mark.skipif(not PLUGINS, reason="no plugin was built: compiler/pass is not there, or no llvm-dev")
@pytest.mark.parametrize("llvm", PLUGINS)
def test_lines_are_known_without_debug_information(llvm, wrap, tmp_path):
    settings = {"STRETTO_CC": compiler_of("c", llvm), "STRETTO_MPI": ANY}
    done_well(wrap("stretto-cc", "-O2", "-S", "-emit-llvm", HERE / "pair.c", "-o", "pair.ll", **settings))
    calls = re.findall(r"^@(stretto\.call\S*)", (tmp_path / "pair.ll").read_text(), re.MULTILINE)
    assert sorted(calls) == ["stretto.call.main.15.13.MPI_Send", "stretto.call.main.18.13.MPI_Recv"]
    said = wrap("stretto-cc", "-O2", "-c", "-Rpass=stretto", HERE / "pair.c", **settings).stderr
    assert "send at line 15 starts inside the loop at line 14" in said and said.count("remark:") == 2, said


# --- the MPI


@NEEDS_CLANG
def test_the_mpi_is_that_of_the_mpicc_in_the_path(mpi, wrap, tmp_path):
    links(mpi)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/mpicc").symlink_to(mpis()[mpi]["mpicc"])
    shown = done_well(wrap("stretto-cc", "-show", PATH=f"{tmp_path}/bin:{os.environ['PATH']}"))
    assert f"-L{library(mpi).parent}" in shown, shown


@NEEDS_CLANG
def test_an_mpi_that_the_set_up_did_not_see_is_known_by_its_library(mpi, wrap, tmp_path):
    links(mpi)
    own = mpis()[mpi]["mpicc"]
    (tmp_path / "bin").mkdir()
    mpicc = tmp_path / "bin/mpicc"
    mpicc.write_text(f'#!/bin/sh\nexec {own} "$@"\n')
    mpicc.chmod(0o755)
    shown = done_well(wrap("stretto-cc", "-show", PATH=f"{tmp_path}/bin:{os.environ['PATH']}"))
    assert f"-L{library(mpi).parent}" in shown, shown


def test_the_mpis_wrapper_is_asked_once_until_it_changes(wrap, tmp_path):
    fake = fake_mpi(tmp_path, "gcc -I{include}")

    def shown():
        return done_well(
            wrap(
                "stretto-cc",
                "-show",
                "-fstretto=off",
                "-c",
                "x.c",
                STRETTO_MPIS=str(fake / "mpis.json"),
                STRETTO_MPI=ANY,
            )
        )

    assert f"-I{fake}/include" in shown() and f"-I{fake}/include" in shown()
    assert (fake / "asked").read_text() == "asked\n"
    (fake / "mpicc").write_text("#!/bin/sh\necho gcc -I/elsewhere\n")
    assert "-I/elsewhere" in shown()


def test_what_is_for_the_mpis_own_compiler_stays_with_it(wrap, tmp_path):
    show = "ccache gcc -O2 -fallow-argument-mismatch -fallow-invalid-boz -DMPI -I {include} -J{include} -Wl,-z,relro -Wl,-rpath -Wl,/lib -L/l -lmpi -pthread"
    fake = fake_mpi(tmp_path, show, {"mpif.h": "      integer mpi_here\n"})
    common = naming(fake)
    shown = shlex.split(done_well(wrap("stretto-cc", "-showme:compile", "-c", **common)))
    assert shown == ["-DMPI", f"-I{fake}/include", "-pthread"]
    if ("fortran", 19) in HERE_ARE:
        words = shlex.split(done_well(wrap("stretto-fc", "-show", "-c", "-fstretto=off", "x.f90", **common)))
        assert kinds(words, "-f", "-J", "-p") == [] and "-DMPI" in words, words


# --- Fortran


@NEEDS_FLANG
def test_the_module_mpi_is_made_once_for_each_flang(fortran_mpi, wrap, tmp_path):
    source(tmp_path, "ring.f90")
    command = f"for i in 1 2 3; do {BUILD}/bin/stretto-fc -fstretto=off -c ring.f90 -o $i.o & done; wait"
    env = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "new"), "STRETTO_MPI": fortran_mpi}
    for name in FLANGS:
        done = subprocess.run(
            ["sh", "-c", command], env=env | {"STRETTO_FC": name}, cwd=tmp_path, capture_output=True, text=True
        )
        assert done.stderr == "" and all((tmp_path / f"{i}.o").exists() for i in (1, 2, 3)), done
    modules = list((tmp_path / "new/stretto/modules").iterdir())
    assert len(modules) == 2 * len(FLANGS)  # mdmp_calls, too, and no drafts
    assert not list(tmp_path.glob("*.mod"))
    flang = tmp_path / "flang"
    flang.write_text(f'#!/bin/sh\necho "$@" >>{tmp_path}/calls\nexec {shutil.which(FLANGS[0])} "$@"\n')
    flang.chmod(0o755)
    for _ in range(2):
        done_well(wrap("stretto-fc", "-fstretto=off", "-c", "ring.f90", STRETTO_FC=str(flang), STRETTO_MPI=fortran_mpi))
    made = [call for call in (tmp_path / "calls").read_text().splitlines() if call.startswith("-fsyntax-only")]
    # Each by one process, though mpi perhaps in several rounds.
    assert len([call for call in set(made) if call.endswith("mpi.f90")]) == 1 and len(set(made)) == 2, made


@NEEDS_FLANG
def test_the_module_mpi_has_procedures_constants_and_functions_by_name(fortran_mpi, wrap, tmp_path):
    links(fortran_mpi)
    names = "MPI_Init, MPI_Comm_size, MPI_COMM_WORLD, MPI_Wtime, MPI_COMM_DUP_FN, MPI_Finalize"
    text = f"program p\n use mpi, only: {names}\n implicit none (type, external)\n integer :: ranks, ierr\n call MPI_Init(ierr)\n"
    text += (
        " call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)\n if (MPI_Wtime() >= 0) print '(i0,a)', ranks, ': 0 wrong'\n"
    )
    (tmp_path / "only.f90").write_text(text + " call MPI_Finalize(ierr)\nend program\n")
    for name in FLANGS:
        settings = {"STRETTO_FC": name, "STRETTO_MPI": fortran_mpi}
        done_well(wrap("stretto-fc", "-fstretto=off", "only.f90", "-o", "only", **settings))
        result = launch(fortran_mpi, 2, tmp_path / "only")
        assert result.rc == 0 and result.stdout.count("2: 0 wrong") == 2, result


@NEEDS_FLANG
def test_mpif_h_can_be_included_as_well(fortran_mpi, wrap, tmp_path):
    (tmp_path / "old.f").write_text("      include 'mpif.h'\n      print *, MPI_COMM_WORLD\n      end\n")
    for name in FLANGS:
        done_well(wrap("stretto-fc", "-fstretto=off", "-c", "old.f", STRETTO_FC=name, STRETTO_MPI=fortran_mpi))


@NEEDS_FLANG
def test_mpi_f08_needs_an_mpi_that_was_built_for_flang(fortran_mpi, wrap, tmp_path):
    (tmp_path / "new.f90").write_text("program p\n  use, non_intrinsic :: mpi_f08\nend program\n")
    done = wrap("stretto-fc", "-fstretto=off", "-c", "new.f90", STRETTO_MPI=fortran_mpi)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("stretto-fc: new.f90 uses the module mpi_f08"), done
    (tmp_path / "mpi_f08.mod").write_text("!mod$ v1 sum:0\n")  # is there, and broken in another way
    assert "stretto-fc" not in wrap("stretto-fc", "-fstretto=off", "-c", "new.f90", STRETTO_MPI=fortran_mpi).stderr


@NEEDS_FLANG
def test_modules_of_an_mpi_that_was_built_for_flang_are_taken_as_they_are(wrap, tmp_path):
    fake = fake_mpi(tmp_path, "flang -I{include}", {"mpif.h": "", "mpi.mod": "!mod$ v1 sum:0\n"})
    words = ["-show", "-c", "-fstretto=off", "x.f90"]
    shown = done_well(wrap("stretto-fc", *words, **naming(fake)))
    folders = kinds(shlex.split(shown), "-I")
    assert folders[0] == f"-I{fake}/include" and len(folders) == 2, folders  # and mdmp_calls


@NEEDS_FLANG
@pytest.mark.parametrize("headers, why", [({}, "no mpif.h"), ({"mpif.h": "      nonsense\n"}, "mpif.h:1")])
def test_an_mpif_h_that_makes_no_module_is_told_where_the_module_is_used(headers, why, wrap, tmp_path):
    fake = fake_mpi(tmp_path, "gcc -I{include}", headers)
    source(tmp_path, "ring.f90")
    (tmp_path / "plain.f90").write_text("end program\n")
    common = naming(fake)
    done_well(wrap("stretto-fc", "-fstretto=off", "-c", "plain.f90", **common))
    for _ in "at first", "from the cache":
        done = wrap("stretto-fc", "-fstretto=off", "-c", "ring.f90", **common)
        last = done.stderr.splitlines()[-1]
        assert done.returncode == 1 and last.startswith("stretto-fc: ring.f90 uses the module mpi") and why in last, (
            done
        )


@NEEDS_FLANG
@pytest.mark.skipif(not mpis().get("openmpi", {}).get("mpifort"), reason="Debian's Open MPI is not here")
def test_what_flang_lacks_of_the_headers_is_left_out_alone(wrap, tmp_path):
    """Open MPI declares MPI_Sizeof for kinds that only some flangs have."""
    text = "program p\n use mpi\n integer :: bytes, ierr\n real(8) :: a(3)\n call MPI_Sizeof(a, bytes, ierr)\nend program\n"
    (tmp_path / "size.f90").write_text(text)
    for name in FLANGS:
        done_well(wrap("stretto-fc", "-fstretto=off", "-c", "size.f90", STRETTO_FC=name, STRETTO_MPI="openmpi"))


# --- packages that know nothing of us


CMAKE = """
cmake_minimum_required(VERSION 3.20)
project(ring {languages})
find_package(MPI REQUIRED)
add_executable(ring {source})
target_link_libraries(ring PRIVATE MPI::MPI_{language})
add_executable(by_itself {source})
"""


@NEEDS_CLANG
@pytest.mark.parametrize("language", ["C", "CXX"])
def test_a_cmake_project(language, mpi, wrap, tmp_path):
    links(mpi)
    file = source(tmp_path, "ring.c" if language == "C" else "ring.cpp")
    (tmp_path / "CMakeLists.txt").write_text(CMAKE.format(languages=language, language=language, source=file))
    # Without a plugin the compiler tests of CMake would fail.
    flags = [f"-DCMAKE_{language}_FLAGS={'' if PLUGINS else '-fstretto=off'}"]
    variable, wrapper = ("CC", "stretto-cc") if language == "C" else ("CXX", "stretto-c++")
    env = {**os.environ, "STRETTO_MPI": mpi, variable: f"{BUILD}/bin/{wrapper}"}
    for command in (["cmake", "-B", "b", *flags], ["cmake", "--build", "b"]):
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    for name in ("ring", "by_itself"):
        assert "libstretto.so" in needed(tmp_path / "b" / name)
        goes_round(mpi, tmp_path / "b" / name)


@NEEDS_CLANG
def test_make_with_mpicc(mpi, tmp_path):
    links(mpi)
    source(tmp_path, "ring.c")
    (tmp_path / "Makefile").write_text(
        "MPICC = mpicc\nring: ring.o\n\t$(MPICC) -o $@ $^ -lm\nring.o: ring.c\n\t$(MPICC) $(CFLAGS) -c $<\n"
    )
    env = {**os.environ, "STRETTO_MPI": mpi, "PATH": f"{BUILD}/bin:{os.environ['PATH']}"}
    flags = [] if PLUGINS else ["CFLAGS=-fstretto=off"]
    subprocess.run(["make", "MPICC=stretto-cc", *flags], cwd=tmp_path, env=env, check=True, capture_output=True)
    goes_round(mpi, tmp_path / "ring")


@NEEDS_CLANG
@pytest.mark.skipif(not shutil.which("autoconf"), reason="autoconf is not on this machine")
def test_configure(mpi, tmp_path):
    links(mpi)
    source(tmp_path, "ring.c")
    (tmp_path / "configure.ac").write_text(
        "AC_INIT([ring], [1])\nAC_PROG_CC\nAC_CHECK_HEADER([mpi.h], [], [AC_MSG_ERROR([no mpi.h])])\n"
        "AC_CHECK_FUNC([MPI_Isend], [], [AC_MSG_ERROR([no MPI])])\nAC_CHECK_SIZEOF([long])\n"
        "AC_CONFIG_FILES([Makefile])\nAC_OUTPUT\n"
    )
    (tmp_path / "Makefile.in").write_text("ring: ring.c\n\t@CC@ @CFLAGS@ -o $@ ring.c\n")
    env = {**os.environ, "STRETTO_MPI": mpi}
    flags = [] if PLUGINS else ["CFLAGS=-fstretto=off"]
    for command in (["autoconf"], ["./configure", f"CC={BUILD}/bin/stretto-cc", *flags], ["make"]):
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    goes_round(mpi, tmp_path / "ring")


# --- what cannot be done


def only(tmp_path, *programs):
    """A $PATH with nothing but these programs."""
    folder = tmp_path / "path"
    folder.mkdir(parents=True)
    for name in programs:
        (folder / name).symlink_to(shutil.which(name))
    return str(folder)


def test_no_compiler(wrap, tmp_path):
    path = only(tmp_path)
    complains(wrap("stretto-cc", "-c", "x.c", PATH=path), 1, "no clang in $PATH", "STRETTO_CC=")
    complains(wrap("stretto-fc", "-c", "x.f90", PATH=path), 1, "no flang in $PATH", "STRETTO_FC=")
    complains(wrap("stretto-cc", "-c", "x.c", STRETTO_CC="/no/clang"), 1, "/no/clang: no such program")
    complains(wrap("stretto-cc", "-c", "x.c", STRETTO_CC="cc"), 1, "cc is no clang", "STRETTO_CC=clang-")


@NEEDS_CLANG
def test_no_plugin_for_this_llvm(wrap, with_plugins, tmp_path):
    bare = bare_wrappers(tmp_path)
    common = {"STRETTO_CC": "clang-19", "STRETTO_MPI": ANY}
    complains(wrap("stretto-cc", "-c", "x.c", folder=bare, **common), 1, "LLVM 19", "llvm-19-dev", "-fstretto=off")
    clang = tmp_path / "clang"  # of an LLVM that has none, beside others that have
    clang.write_text("#!/bin/sh\necho clang version 18.1.0\n")
    clang.chmod(0o755)
    done = wrap("stretto-cc", "-c", "x.c", folder=with_plugins, STRETTO_CC=str(clang))
    complains(done, 1, "LLVM 18", "set STRETTO_CC to clang-", "-fstretto=off")


@NEEDS_CLANG
def test_no_mpi(wrap, tmp_path):
    source(tmp_path, "ring.c")
    path = only(tmp_path, "clang-19")
    words = ["-fstretto=off", "-c", "ring.c"]
    complains(wrap("stretto-cc", *words, PATH=path), 1, "no mpicc in $PATH", "--mpi")
    complains(wrap("stretto-cc", *words, "--mpi", "opnmpi"), 1, "did you mean openmpi?")
    complains(wrap("stretto-cc", *words, STRETTO_MPI="lam"), 1, "no MPI is called 'lam'")
    fake = fake_mpi(tmp_path, "gcc -lfoo")
    complains(wrap("stretto-cc", *words, PATH=f"{fake}:{path}:/bin"), 1, "fake/mpicc is of no MPI that Stretto knows")
    bare = bare_wrappers(tmp_path)
    complains(wrap("stretto-cc", "ring.o", folder=bare, **naming(fake)), 1, "no libstretto was built for openmpi")
    (fake / "mpicc").write_text("#!/bin/sh\nexit 3\n")
    complains(wrap("stretto-cc", *words, **naming(fake)), 1, "mpicc -show")


@pytest.mark.parametrize(
    "words, answer",
    [
        (["-fstretto=snd"], "did you mean -fstretto=send?"),
        (["-fstretto=everything-else"], "one of off, send, receive and all"),
        (["-fstretto-chek"], "-fstretto-check"),
        (["x.c", "--mpi"], "--mpi: which one?"),
    ],
)
def test_a_mistake_in_an_option_of_ours(words, answer, wrap):
    complains(wrap("stretto-cc", *words), 2, answer)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_source_that_does_not_compile(language, wrap, tmp_path):
    if (language, 19) not in HERE_ARE:
        pytest.skip("no compiler here")
    wrapper, _, variable, _, name = LANGUAGES[language]
    (tmp_path / name).write_text("nonsense")
    name_of = compiler_of(language, 19)
    done = wrap(wrapper, "-fstretto=off", "-c", name, STRETTO_MPI=ANY, **{variable: name_of})
    bare = subprocess.run([name_of, "-c", name], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr, done.stdout) == (bare.returncode, bare.stderr, bare.stdout)
    assert done.returncode == 1 and not (tmp_path / "ring.o").exists()


@NEEDS_FLANG
def test_a_cache_that_cannot_be_written(wrap, tmp_path):
    links(ANY)
    (tmp_path / "file").write_text("")
    source(tmp_path, "ring.f90")
    source(tmp_path, "ring.c")
    common = {"STRETTO_MPI": ANY, "XDG_CACHE_HOME": str(tmp_path / "file")}
    complains(
        wrap("stretto-fc", "-fstretto=off", "-c", "ring.f90", **common),
        1,
        "cannot write the module mpi",
        "XDG_CACHE_HOME",
    )
    done_well(wrap("stretto-cc", "-fstretto=off", "-c", "ring.c", **common))  # is only slower

"""Where `stretto run` goes on each launcher's command line."""

import shlex

import command_line
import launchers
import pytest
from launch import BUILD, mpis
from launchers import Unclear

STRETTO = BUILD / "bin/stretto"
HERE = "| "  # where an application begins


def marked(line):
    """The line's words, and the line with `stretto run` where the mark stands."""
    return shlex.split(line.replace(HERE, "")), shlex.split(line.replace(HERE, "S run "))


LINES = [
    "orterun -n 4 | ./app -n 3",
    "mpirun.openmpi -np 4 --bind-to none --mca btl tcp,self -x A=b --oversubscribe | ./app --mca a b",
    "mpirun.openmpi --host=h1,h2 --prtemca plm ssh --map-by ppr:1:node | ./app",
    "mpirun.openmpi -n 1 | ./first a : -n 3 -wdir /tmp | ./second : -n 1 | ./third b",
    "prterun --set-env A=b --prepend-env PATH /opt -n 2 -- | ./app",
    "/opt/mpich/bin/mpiexec.hydra -genv A B -genv C 'd e' -n 2 -ppn 1 -hosts h1,h2 | ./app x",
    "mpiexec.mpich -genvall -n 1 -env A B | ./first : -l -n 3 | ./second",
    "srun -n4 -N 2 --mpi=pmix --cpu-bind cores -lQ --exclusive -K | ./app -n 4",
    "srun -lQn 4 --ntasks-per-node 2 -p debug | numactl -l ./app",
    "env -i -u B A=1 C=2 srun -n 2 | env D=3 ./app",
    "env A=1 mpirun.openmpi -n 2 | ./app",
    "/opt/bin/stretto lab run -n 4 --mpi mpich --env A=b --awake --timeout 30 -- | ./app x",
    "stretto lab run --name wide --mpi openmpi -n2 | ./app",
]


@pytest.mark.parametrize("line", LINES)
def test_stretto_run_stands_before_each_application(line):
    words, expected = marked(line)
    command = command_line.read(words)
    assert command.with_stretto("S", {}) == expected
    assert command.plain() == words


def test_settings_travel_to_the_ranks_with_each_application():
    command = command_line.read(shlex.split("orterun -n 1 ./first : -n 3 ./second"))
    settings = {"STRETTO": "receive", "STRETTO_TRIALS": "off"}
    expected = "orterun -n 1 env {0} S run ./first : -n 3 env {0} S run ./second"
    both = expected.format("STRETTO=receive STRETTO_TRIALS=off")
    assert shlex.join(command.with_stretto("S", settings)) == both


@pytest.mark.parametrize(
    "line, plain, with_stretto",
    [
        ("srun -n 2 stretto run ./app a", "srun -n 2 ./app a", "srun -n 2 env A=b S run ./app a"),
        (
            "unheard-of 4 {known} run --mpi mpich --report=x.html -- ./app run",
            "unheard-of 4 ./app run",
            "unheard-of 4 env A=b {known} run --mpi mpich ./app run",
        ),
        (
            "srun -n 1 stretto run ./first : -n 2 ./second",
            "srun -n 1 ./first : -n 2 ./second",
            "srun -n 1 env A=b S run ./first : -n 2 ./second",
        ),
    ],
)
def test_a_stretto_run_that_is_there_says_the_place(line, plain, with_stretto, monkeypatch):
    """And is used, where it is found: S stands for this installation's."""
    monkeypatch.setenv("PATH", "")
    command = command_line.read(shlex.split(line.format(known=STRETTO)))
    assert shlex.join(command.plain()) == plain
    assert shlex.join(command.with_stretto("S", {"A": "b"})) == with_stretto.format(known=STRETTO)


def test_options_of_stretto_run_follow_those_that_are_there(monkeypatch):
    monkeypatch.setenv("PATH", "")
    command = command_line.read(shlex.split("srun stretto run --report --mpi mpich ./app"))
    assert command.with_stretto("S", {}, "--report=a.html") == shlex.split(
        "srun S run --mpi mpich --report=a.html ./app"
    )


@pytest.mark.parametrize(
    "line, why",
    [
        ("./app -n 4", "./app is no launcher"),
        ("env A=b ./app", "./app is no launcher"),
        ("orterun -n 4 --from-next-year x ./app", "--from-next-year"),
        ("srun -n4 -Y ./app", "-Y"),
        ("orterun --app programs.txt", "names a file that holds the programs"),
        ("mpiexec.hydra -configfile programs.txt", "names a file that holds the programs"),
        ("srun --multi-prog programs.txt", "names a file that holds the programs"),
        ("orterun -n 4", "no program follows"),
        ("orterun -n 4 ./app : -n 2", "no program follows"),
        ("srun -n 4 stretto run --mpi mpich", "no program follows"),
        ("env A=b", "there is no launcher"),
    ],
)
def test_a_place_that_cannot_be_told_is_not_guessed(line, why):
    with pytest.raises(Unclear, match=why):
        command_line.read(shlex.split(line))


def test_launchers_of_one_name_are_told_by_their_version(mpi, monkeypatch):
    found = mpis()[mpi]
    expected = launchers.OPEN_MPI if found["family"].startswith("openmpi") else launchers.HYDRA
    assert launchers.dialect_by_version(found["mpirun"]) is expected


def test_a_launcher_of_that_name_of_somebody_else_is_not_guessed(tmp_path):
    launcher = tmp_path / "mpirun"
    launcher.write_text("#!/bin/sh\necho somebody else\n")
    launcher.chmod(0o755)
    with pytest.raises(Unclear, match="neither Open MPI's nor Hydra's"):
        command_line.read([str(launcher), "-n", "2", "./app"])

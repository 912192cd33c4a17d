import os
import sys

from launch import ROOT, YIELDING, YIELDING_IN_COLLECTIVES

for folder in ("bench/driver", "tools/lab", "tools/try"):
    sys.path.append(str(ROOT / folder))

# Other tests need the cores, too, and no time decides here.
os.environ |= YIELDING | YIELDING_IN_COLLECTIVES | {"OMPI_MCA_mpi_yield_when_idle": "1"}

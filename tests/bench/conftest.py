import sys

from launch import ROOT

for folder in ("bench/driver", "tools/lab"):
    sys.path.append(str(ROOT / folder))

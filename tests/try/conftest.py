"""The modules of `stretto try` are imported as it imports them itself."""

import sys

from launch import ROOT

sys.path.append(str(ROOT / "tools/try"))

"""The MPI standard's own machine-readable API (pympistandard's apis.json): which functions there are, and what their
parameters are called and mean."""

import json
from dataclasses import dataclass
from importlib import resources

# The kinds of the standard that are int in MPI_X and MPI_Count in MPI_X_c, among those that count elements of a message.
COUNTS = {"POLYXFER_NUM_ELEM", "POLYXFER_NUM_ELEM_NNI"}

# Those of MPI_Pack and its like: elements of a datatype, and bytes.
PACKED_COUNTS = {"POLYDTYPE_NUM_ELEM", "POLYDTYPE_NUM_ELEM_NNI"}
PACKED_BYTES = {"POLYNUM_BYTES_NNI", "POLYDTYPE_PACK_SIZE"}

# Memory whose bytes the call may use.
BUFFERS = {"BUFFER", "C_BUFFER", "C_BUFFER2", "C_BUFFER3", "C_BUFFER4"}


# Values that the library hands on, and never follows: functions, and what their caller gives them.
OPAQUE = {
    "FUNCTION",
    "POLYFUNCTION",
    "EVENT_CB_FUNCTION",
    "EVENT_DROP_CB_FUNCTION",
    "EVENT_FREE_CB_FUNCTION",
    "EXTRA_STATE",
    "EXTRA_STATE2",
}
ATTRIBUTES = {"ATTRIBUTE_VAL", "ATTRIBUTE_VAL_10"}

# Addresses of addresses: what they lead to, no argument tells.
NESTED = {"ARGUMENT_LIST", "STRING_ARRAY", "STRING_2DARRAY"}


@dataclass(frozen=True)
class Parameter:
    name: str
    kind: str
    direction: str = "in"
    length: str | list | None = None  # of a list, in elements: a parameter, a constant, "*" where the text alone tells

    @property
    def is_count(self):
        return self.kind in COUNTS

    @property
    def counts_elements(self):
        return self.is_count or self.kind in PACKED_COUNTS

    @property
    def counts_bytes(self):
        return self.kind in PACKED_BYTES

    @property
    def is_displacement(self):
        return self.kind == "POLYDISPLACEMENT"

    @property
    def is_buffer(self):
        return self.kind in BUFFERS

    @property
    def is_opaque(self):
        return self.kind in OPAQUE or (self.kind in ATTRIBUTES and self.direction == "in")

    @property
    def is_nested(self):
        return self.kind in NESTED

    @property
    def is_address_that_comes(self):
        """Not a buffer but where the library puts the address of one."""
        return self.kind in ("C_BUFFER", "C_BUFFER2") and self.direction == "out"

    @property
    def is_string(self):
        return self.kind == "STRING"

    @property
    def is_text(self):
        """A string that ends by itself."""
        return self.is_string and self.direction == "in"


def functions():
    """Name without MPI_ -> parameters as in C. Types of callbacks are no functions and are left out."""
    apis = json.loads((resources.files("pympistandard") / "data" / "apis.json").read_text())
    return {
        api["name"].removeprefix("MPI_"): [
            Parameter(p["name"], p["kind"], p["param_direction"], p["length"])
            for p in api["parameters"]
            if p["kind"] != "VARARGS" and "c_parameter" not in p["suppress"] and p["name"] != "ierror"
        ]
        for api in apis.values()
        if not api["attributes"]["callback"]
    }

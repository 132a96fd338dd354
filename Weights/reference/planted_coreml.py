"""Core ML programs with and without a fault of the module they were made of; see planted_faults.py."""

import io
from contextlib import redirect_stderr, redirect_stdout

import numpy as np

import coreml_reference


def convert(network, inputs):
    """The network as coremltools converts it, without a word."""
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        return coreml_reference.convert(network, inputs, "trace", "float32", "iOS16")[0]


def described(operation, places):
    """What an operation does: its kind, its constants, and which operations gave what it reads."""
    def one(value):
        if isinstance(value, (list, tuple)):
            return tuple(map(one, value))
        if value is None or getattr(value, "val", None) is not None:
            return None if value is None else (np.shape(value.val), np.asarray(value.val).tobytes())
        return places.get(value.name, "input")
    # Of a GRU, which becomes a loop, what is inside.
    inside = tuple(described(inner, {}) for block in operation.blocks for inner in block.operations)
    return operation.op_type, inside, tuple((name, one(value)) for name, value in sorted(operation.inputs.items()) if name != "name")


def faulty_operations(sound, wrong):
    """The names of the operations of `wrong` that do something else than those of `sound`, and of what they give: the one
    in the same place, or, where there are more or fewer, the first that has none like it and those that read it."""
    found, lists = [], []
    for model in (sound, wrong):
        operations = coreml_reference.operations(model)
        places = {output.name: index for index, operation in enumerate(operations) for output in operation.outputs}
        lists.append([(operation, described(operation, places)) for operation in operations])
    if len(lists[0]) == len(lists[1]):
        found = [new for (_, old), (new, text) in zip(*lists) if old != text]
    else:
        first = next(i for i, ((_, old), (_, new)) in enumerate(zip(*lists)) if old != new)
        new = lists[1][first][0]
        found = [new, *(o for o, _ in lists[1][first + 1:] if any(v in new.outputs for v in o.inputs.values()))]
    return {name for operation in found for name in [operation.name, *(output.name for output in operation.outputs)]}

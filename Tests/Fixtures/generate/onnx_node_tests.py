"""Writes the node tests of the ONNX standard as files, in the layout that `apus conformance` reads.

    python onnx_node_tests.py FOLDER

The tests are those that the installed `onnx` package defines: models of one operator, inputs, and the outputs which the
standard asks for. Each becomes a folder with `model.onnx`, `tolerance.json` and `test_data_set_0/input_0.pb`,
`output_0.pb` and so on; an optional input without a value has a message that holds none. `standard.json` says which
version of the standard they are of.
"""

import argparse
import json
import pathlib
import warnings

import numpy as np
import onnx
from onnx import helper, numpy_helper
from onnx.backend.test.loader import load_model_tests


def message(value, declared):
    """A value as the message for what a model declares: a tensor, a sequence or an optional."""
    if hasattr(value, "SerializeToString"):
        return value
    kind = declared.type.WhichOneof("value")
    if kind == "sequence_type":
        return numpy_helper.from_list(value, declared.name)
    if kind == "optional_type":
        return optional(value, declared)
    if kind == "map_type":
        return numpy_helper.from_dict(value, declared.name)
    return tensor(value, declared)


def tensor(value, declared):
    array = np.asarray(value)
    found = numpy_helper.from_array(array, declared.name)
    wanted = declared.type.tensor_type.elem_type
    if found.data_type == wanted:
        return found
    # Types that NumPy has no name for, such as BFLOAT16 made by an older way, come as their bits.
    return helper.make_tensor(declared.name, wanted, array.shape, array.tobytes(), raw=True)


def optional(value, declared):
    if value is not None:
        return numpy_helper.from_optional(value, declared.name)
    element = declared.type.optional_type.elem_type.WhichOneof("value")
    kind = onnx.OptionalProto.SEQUENCE if element == "sequence_type" else onnx.OptionalProto.TENSOR
    return numpy_helper.from_optional(None, declared.name, kind)


def write(test, folder):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(test.model.SerializeToString(deterministic=True))
    (folder / "tolerance.json").write_text(json.dumps({"rtol": test.rtol, "atol": test.atol}))
    for index, (inputs, outputs) in enumerate(test.data_sets):
        data = folder / f"test_data_set_{index}"
        data.mkdir(exist_ok=True)
        graph = test.model.graph
        for kind, values, declared in (("input", inputs, graph.input), ("output", outputs, graph.output)):
            assert len(values) <= len(declared), test.name
            for position, (value, info) in enumerate(zip(values, declared)):
                (data / f"{kind}_{position}.pb").write_bytes(message(value, info).SerializeToString(deterministic=True))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    folder = parser.parse_args().folder
    warnings.simplefilter("ignore")
    tests = sorted(load_model_tests(kind="node"), key=lambda test: test.name)
    assert len({test.name for test in tests}) == len(tests)
    for test in tests:
        write(test, folder / test.name)
    (folder / "standard.json").write_text(json.dumps({"onnx": onnx.__version__}))
    print(f"{folder}: {len(tests)} tests of onnx {onnx.__version__}")


if __name__ == "__main__":
    main()

"""Cases of small ONNX models with expected outputs, written as a ZIP in the layout of the ONNX backend test suite.

A generator makes a `Cases`, adds models, and writes `Tests/Fixtures/onnx/NAME.zip`:

    cases = Cases("elementwise")
    cases.add("relu_empty", one_node("Relu", [x], opset=14), [x], reference)
    cases.write()

Expected outputs come from ONNX Runtime (`runtime`), the standard's reference implementation (`reference`), or are given
as arrays. Nothing here is made by Apus. The file is the same, byte for byte, each time it is written.
"""

import io
import json
import pathlib
import zipfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "onnx"


def value_info(name, value):
    """The declaration of an array, a list of arrays (a sequence) or None (an optional tensor of float)."""
    if isinstance(value, list):
        element = helper.np_dtype_to_tensor_dtype(value[0].dtype) if value else TensorProto.FLOAT
        return helper.make_tensor_sequence_value_info(name, element, None)
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)


def one_node(op_type, inputs, outputs=1, opset=21, domain="", constants=(), names=None, types=None, extra=(), **attributes):
    """A model of one node. `inputs` are arrays; None leaves an input out; positions in `constants` become initialisers.

    `types`: element types of the outputs where they are known; without, the declaration leaves them open by asking the
    reference for nothing: the output is declared with the first input's type.
    """
    names = names or [f"x{i}" for i in range(len(inputs))]
    node_inputs = [name if array is not None else "" for name, array in zip(names, inputs)]
    node_outputs = [f"y{i}" for i in range(outputs)]
    node = helper.make_node(op_type, node_inputs, node_outputs, domain=domain, **attributes)
    first = next((a for a in inputs if a is not None), np.zeros(0, np.float32))
    default = helper.np_dtype_to_tensor_dtype(first.dtype) if not isinstance(first, list) else TensorProto.FLOAT
    types = types or [default] * outputs
    graph = helper.make_graph(
        [node],
        op_type,
        [value_info(n, a) for i, (n, a) in enumerate(zip(names, inputs)) if a is not None and i not in constants],
        [helper.make_tensor_value_info(n, t, None) for n, t in zip(node_outputs, types)],
        [numpy_helper.from_array(inputs[i], names[i]) for i in constants],
    )
    imports = [helper.make_opsetid("", opset)]
    if domain:
        imports.append(helper.make_opsetid(domain, 1))
    return helper.make_model(graph, opset_imports=imports + list(extra), ir_version=8)


def runtime(model, inputs):
    """ONNX Runtime's outputs for `inputs`, a list in the order of the model's inputs. Its graph is not rewritten."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    # Some operators divide what they quantise among threads.
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, {i.name: x for i, x in zip(session.get_inputs(), inputs)})


def reference(model, inputs):
    """The outputs of the standard's reference implementation."""
    from onnx.reference import ReferenceEvaluator

    return ReferenceEvaluator(model).run(None, {i.name: x for i, x in zip(model.graph.input, inputs)})


class Cases:
    def __init__(self, name):
        self.name = name
        self.files = {}

    def add(self, name, model, inputs, expected, rtol=1e-5, atol=1e-6):
        """`inputs` and `expected` in the order of the model's inputs and outputs; `expected` may be a function of the
        model and its inputs, such as `runtime` and `reference`."""
        inputs = [x for x in inputs if x is not None]
        if callable(expected):
            expected = expected(model, inputs)
        assert f"{name}/model.onnx" not in self.files, name
        self.files[f"{name}/model.onnx"] = model.SerializeToString()
        self.files[f"{name}/tolerance.json"] = json.dumps({"rtol": rtol, "atol": atol}).encode()
        for kind, values in (("input", inputs), ("output", expected)):
            for index, value in enumerate(values):
                self.files[f"{name}/test_data_set_0/{kind}_{index}.pb"] = serialized(value)

    def write(self):
        FOLDER.mkdir(exist_ok=True)
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for name in sorted(self.files):
                archive.writestr(zipfile.ZipInfo(name, (2000, 1, 1, 0, 0, 0)), self.files[name], zipfile.ZIP_DEFLATED)
        path = FOLDER / f"{self.name}.zip"
        path.write_bytes(buffer.getvalue())
        cases = sum(name.endswith("model.onnx") for name in self.files)
        print(f"{path}: {cases} cases, {len(buffer.getvalue())} bytes")


def serialized(value):
    """An array, a list of arrays or an onnx message as bytes."""
    if hasattr(value, "SerializeToString"):
        return value.SerializeToString()
    if isinstance(value, list):
        return numpy_helper.from_list(value).SerializeToString()
    if isinstance(value, (str, bytes)):
        value = np.array(value, dtype=object)
    return numpy_helper.from_array(np.asarray(value)).SerializeToString()

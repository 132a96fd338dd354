"""Small files of every kind that the ONNX reader knows, written by the package that defines them.

    python Tests/Fixtures/generate/onnx_files.py

`elements.onnx` holds a tensor of every element type twice, `raw.NAME` in raw_data and `typed.NAME` in the field for its
kind of number. Element i of a floating tensor is (i - 3) * 0.75, of an integer tensor i - 3 (i for unsigned), of a
Boolean tensor i % 3 == 0; of a type of eight bits or fewer the code is 7 * i, cut to its bits.
"""

import pathlib

import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "onnx"
SHAPE = (3, 5)
COUNT = 15

NUMBERS = {
    "FLOAT": np.float32, "DOUBLE": np.float64, "FLOAT16": np.float16, "BFLOAT16": ml_dtypes.bfloat16,
    "INT8": np.int8, "INT16": np.int16, "INT32": np.int32, "INT64": np.int64,
    "UINT8": np.uint8, "UINT16": np.uint16, "UINT32": np.uint32, "UINT64": np.uint64, "BOOL": np.bool_,
}
CODES = {
    "FLOAT8E4M3FN": (ml_dtypes.float8_e4m3fn, 8), "FLOAT8E4M3FNUZ": (ml_dtypes.float8_e4m3fnuz, 8),
    "FLOAT8E5M2": (ml_dtypes.float8_e5m2, 8), "FLOAT8E5M2FNUZ": (ml_dtypes.float8_e5m2fnuz, 8),
    "FLOAT8E8M0": (ml_dtypes.float8_e8m0fnu, 8), "FLOAT4E2M1": (ml_dtypes.float4_e2m1fn, 4),
    "FLOAT6E2M3": (ml_dtypes.float6_e2m3fn, 6), "FLOAT6E3M2": (ml_dtypes.float6_e3m2fn, 6),
    "INT4": (ml_dtypes.int4, 4), "UINT4": (ml_dtypes.uint4, 4),
    "INT2": (ml_dtypes.int2, 2), "UINT2": (ml_dtypes.uint2, 2),
}


def values(name, dtype):
    index = np.arange(COUNT).reshape(SHAPE)
    if name == "BOOL":
        return index % 3 == 0
    if "FLOAT" in name or name == "DOUBLE":
        return ((index - 3) * 0.75).astype(dtype)
    return (index if name.startswith("U") else index - 3).astype(dtype)


def codes(dtype, bits):
    code = (np.arange(COUNT) * 7 % 2**bits).astype(np.uint8)
    # In memory of NumPy a signed narrow integer fills its byte.
    if dtype in (ml_dtypes.int4, ml_dtypes.int2):
        code = (code.astype(np.int8) << (8 - bits) >> (8 - bits)).view(np.uint8)
    return code.view(dtype).reshape(SHAPE)


def tensors():
    yield helper.make_tensor("typed.STRING", TensorProto.STRING, SHAPE, [f"text {i} é".encode() for i in range(COUNT)])
    arrays = {name: values(name, dtype) for name, dtype in NUMBERS.items()}
    arrays |= {name: codes(*kind) for name, kind in CODES.items()}
    for name, array in arrays.items():
        raw = numpy_helper.from_array(array, f"raw.{name}")
        assert raw.HasField("raw_data") and raw.data_type == getattr(TensorProto, name)
        yield raw
        typed = helper.make_tensor(f"typed.{name}", raw.data_type, SHAPE, array.ravel())
        if name == "FLOAT8E8M0":
            # The helper rounds the smallest power up to the next.
            typed.int32_data[:] = array.ravel().view(np.uint8)
        yield typed


def elements():
    graph = helper.make_graph([], "elements", [], [], list(tensors()))
    graph.initializer.append(numpy_helper.from_array(np.array(1.5, np.float32), "scalar"))
    graph.initializer.append(numpy_helper.from_array(np.zeros((0, 4), np.float32), "empty"))
    graph.initializer.append(numpy_helper.from_array(np.zeros(2, np.complex64), "complex"))
    save(graph, "elements.onnx")


def save(graph, name, **options):
    model = helper.make_model(graph, producer_name="apus fixtures", **options)
    (FOLDER / name).write_bytes(model.SerializeToString())


def sparse(name, indices, dims):
    elements = numpy_helper.from_array(np.array([1.5, -2, 3], np.float32), name)
    return helper.make_sparse_tensor(elements, numpy_helper.from_array(np.array(indices, np.int64), ""), dims)


def messages():
    """Every message, and every kind of attribute and type."""
    tensor = numpy_helper.from_array(np.array([1, 2], np.int64), "constant")
    inner = helper.make_graph([helper.make_node("Identity", ["x"], ["y"])], "inner", [], [])
    tensor_type = helper.make_tensor_type_proto(TensorProto.FLOAT, [1, "height", None])
    node = helper.make_node(
        "Everything", ["a", "", "b"], ["c", ""], name="node", domain="test", overload="second", doc_string="a note",
        f=1.5, i=-7, s="text", t=tensor, g=inner, st=sparse("sparse", [0, 2, 5], [2, 3]), tp=tensor_type,
        fs=[0.5, -1.0], js=[1, -2], ss=["one", "two"], ts=[tensor, tensor], gs=[inner, inner],
        sts=[sparse("sparse", [0, 2, 5], [2, 3])], tps=[tensor_type])
    node.metadata_props.add(key="from", value="layer 1")
    function = helper.make_function(
        "test", "Scaled", ["x"], ["y"], [helper.make_node("Mul", ["x", "x"], ["y"])], [helper.make_opsetid("", 20)],
        attributes=["alpha"], attribute_protos=[helper.make_attribute("beta", 2.5)], overload="first")
    reference = onnx.AttributeProto(name="to", ref_attr_name="alpha", type=onnx.AttributeProto.INT)
    function.node[0].attribute.append(reference)
    sequence = helper.make_sequence_type_proto(tensor_type)
    inputs = [
        helper.make_value_info("a", tensor_type),
        helper.make_value_info("sequence", sequence),
        helper.make_value_info("optional", helper.make_optional_type_proto(sequence)),
        helper.make_value_info("map", helper.make_map_type_proto(TensorProto.INT64, tensor_type)),
        helper.make_value_info("sparse", helper.make_sparse_tensor_type_proto(TensorProto.FLOAT, [2])),
        helper.make_tensor_value_info("unranked", TensorProto.INT8, None),
        onnx.ValueInfoProto(name="untyped"),
    ]
    graph = helper.make_graph(
        [node], "messages", inputs, [helper.make_tensor_value_info("c", TensorProto.BOOL, [])], [tensor], "graph note",
        [helper.make_tensor_value_info("between", TensorProto.FLOAT16, [0])],
        sparse_initializer=[
            sparse("linear", [0, 2, 5], [2, 3]), sparse("pairs", [[0, 1], [1, 0], [1, 2]], [2, 3])])
    graph.metadata_props.add(key="graph", value="metadata")
    model = helper.make_model(
        graph, functions=[function], producer_name="apus fixtures", producer_version="1", domain="test.domain",
        model_version=3, doc_string="model note",
        opset_imports=[helper.make_opsetid("", 21), helper.make_opsetid("test", 1)], ir_version=10)
    helper.set_model_props(model, {"key": "value", "ключ": "значение"})
    (FOLDER / "messages.onnx").write_bytes(model.SerializeToString())


def old():
    """The first version of the format: no operator sets, and attributes that do not say what they are."""
    node = helper.make_node("Old", [], [], f=1.5, i=-7, s="text", js=[1, -2], fs=[0.5], ss=["one"],
                            t=numpy_helper.from_array(np.array([1, 2], np.int64)))
    for attribute in node.attribute:
        attribute.ClearField("type")
    model = onnx.ModelProto(ir_version=1, graph=helper.make_graph([node], "old", [], []))
    (FOLDER / "old.onnx").write_bytes(model.SerializeToString())


def external():
    first = numpy_helper.from_array(np.arange(6, dtype=np.float32).reshape(2, 3), "first")
    second = numpy_helper.from_array(np.arange(2048, dtype=np.float32) / 8, "second")
    data = first.raw_data + b"odd" + second.raw_data
    for tensor, offset in ((first, None), (second, len(first.raw_data) + 3)):
        length = len(tensor.raw_data) if offset else None
        onnx.external_data_helper.set_external_data(tensor, "external.bin", offset=offset, length=length)
        tensor.ClearField("raw_data")
    (FOLDER / "external.bin").write_bytes(data)
    save(helper.make_graph([], "external", [], [], [first, second]), "external.onnx")


def value_files():
    arrays = [np.array([1.5, -2], np.float32), np.zeros((0, 2), np.float32)]
    files = {
        "tensor.pb": numpy_helper.from_array(arrays[0], "x"),
        "sequence.pb": numpy_helper.from_list(arrays, "sequence"),
        "nested.pb": numpy_helper.from_list([arrays[:1], arrays], "nested"),
        "empty-sequence.pb": numpy_helper.from_list([], "nothing"),
        "optional.pb": numpy_helper.from_optional(arrays[0], "maybe"),
        "optional-sequence.pb": numpy_helper.from_optional(arrays, "maybe"),
        "none.pb": numpy_helper.from_optional(None, "none", TensorProto.FLOAT),
    }
    for name, message in files.items():
        (FOLDER / name).write_bytes(message.SerializeToString())


def main():
    FOLDER.mkdir(exist_ok=True)
    elements()
    messages()
    old()
    external()
    value_files()


main()

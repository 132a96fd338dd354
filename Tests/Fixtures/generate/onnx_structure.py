"""Cases of operators that move data and steer what runs: shapes, slices, gathers, scatters, orderings, control flow.

Expected values come from ONNX Runtime where it has the operator and type, otherwise from NumPy.
"""

import numpy as np
from onnx import TensorProto, helper, numpy_helper, parser

from onnx_cases import Cases, one_node, reference, runtime

cases = Cases("structure")
random = np.random.default_rng(20250101)
INT64_MIN, INT64_MAX = np.iinfo(np.int64).min, np.iinfo(np.int64).max
TYPES = {
    "float": np.float32, "double": np.float64, "half": np.float16, "int8": np.int8, "int16": np.int16,
    "int32": np.int32, "int64": np.int64, "uint8": np.uint8, "uint16": np.uint16, "uint32": np.uint32,
    "uint64": np.uint64, "bool": np.bool_, "string": object,
}


def array(shape, kind="float"):
    """Small integers of any type; as strings where `kind` is that."""
    numbers = random.integers(-9 if kind[0] not in "ub" else 0, 10, shape)
    if kind == "string":
        return np.array([f"t{n}" for n in numbers.ravel()], dtype=object).reshape(shape)
    return np.asarray(numbers % 2 == 0 if kind == "bool" else numbers).astype(TYPES[kind])


def ints(*values, kind=np.int64):
    return np.array(values, kind)


def add(name, op, inputs, expected=runtime, opset=21, outputs=1, types=None, **attributes):
    """One node; inputs that are lists of axes, sizes and the like are given as arrays."""
    model = one_node(op, inputs, outputs=outputs, opset=opset, types=types, **attributes)
    cases.add(name, model, inputs, expected)


def add_model(name, text, inputs, expected=runtime):
    cases.add(name, parser.parse_model(text), inputs, expected)


# Every element type through one operator of each kind.
def every_movement(kind):
    x, updates = array((2, 3, 4), kind), array((2, 1, 4), kind)
    scattered = x.copy()
    scattered[:, 2] = updates[:, 0]
    steps = [
        ("Transpose", ["x"], {"perm": [2, 0, 1]}, x.transpose(2, 0, 1)),
        ("Gather", ["x", ints(2, -3, 0)], {"axis": 1}, x[:, [2, 0, 0]]),
        ("Slice", ["x", ints(-1, 0), ints(-9, 3), ints(2, 1), ints(-2, 2)], {}, x[:, 0:3:2, ::-2]),
        ("Concat", ["x", "updates"], {"axis": -2}, np.concatenate([x, updates], 1)),
        ("ScatterElements", ["x", np.full((2, 1, 4), -1), "updates"], {"axis": 1}, scattered),
        ("Unique", ["x"], {}, np.unique(x).astype(x.dtype)),
        ("NonZero", ["x"], {}, np.stack(np.nonzero(x if kind != "string" else x != "")).astype(np.int64)),
        ("Pad", ["x", ints(0, 1, -1, 1, 0, 2), "value"], {},
         np.pad(x[:, :, 1:], [(0, 1), (1, 0), (0, 2)], constant_values=x[0, 0, 0])),
        ("Expand", ["updates", ints(3, 2, 2, 4)], {}, np.broadcast_to(updates, (3, 2, 2, 4))),
        ("Tile", ["updates", ints(1, 2, 2)], {}, np.tile(updates, (1, 2, 2))),
        ("Compress", ["x", np.array([True, False, True])], {"axis": 1}, x[:, [0, 2]]),
    ]
    nodes, constants, outputs = [], [], []
    for index, (op, inputs, attributes, y) in enumerate(steps):
        names = []
        for place, value in enumerate(inputs):
            names.append(value if isinstance(value, str) else f"c{index}_{place}")
            if not isinstance(value, str):
                constants.append(numpy_helper.from_array(value, names[-1]))
        nodes.append(helper.make_node(op, names, [f"y{index}"], **attributes))
        outputs.append(helper.make_tensor_value_info(f"y{index}", helper.np_dtype_to_tensor_dtype(y.dtype), None))
    values = {"x": x, "updates": updates, "value": x[0, 0, 0].reshape(()) if kind != "string" else x[0, 0,
        :1].reshape(())}
    declared = [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(v.dtype), v.shape)
                for n, v in values.items()]
    graph = helper.make_graph(nodes, kind, declared, outputs, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=8)
    cases.add(f"every_movement_{kind}", model, list(values.values()), [np.ascontiguousarray(s[3]) for s in steps])


for kind in TYPES:
    every_movement(kind)

# Reshape and its kin.
add("reshape_attribute", "Reshape", [array((2, 6))], opset=1, shape=[3, -1])
add("reshape_strings", "Reshape", [array((2, 6), "string"), ints(3, -1)])
add("reshape_keeps_and_infers", "Reshape", [array((2, 3, 4)), ints(0, -1)])
add("reshape_zero_extent", "Reshape", [array((0, 3, 4)), ints(3, 0, 4)], opset=14, allowzero=1)
add("reshape_infers_beside_zero", "Reshape", [array((0, 3, 4)), ints(0, -1)], [array((0, 12))])
add("reshape_to_scalar", "Reshape", [array((1, 1)), ints()])
add("flatten_all", "Flatten", [array((2, 3, 4))], axis=3)
add("flatten_scalar", "Flatten", [array(())], lambda m, i: [i[0].reshape(1, 1)], axis=0)
add("squeeze_11", "Squeeze", [array((1, 3, 1))], opset=11, axes=[-1])
add("squeeze_all", "Squeeze", [array((1, 3, 1))], opset=13)
add("unsqueeze_11", "Unsqueeze", [array((3, 2))], opset=11, axes=[-1, 0])
add("unsqueeze_scalar", "Unsqueeze", [array(()), ints(0, -1)])
add("transpose_default_5", "Transpose", [array((2, 3, 1, 4, 2), "int16")])
add("transpose_moves_ones", "Transpose", [array((1, 3, 1, 4))], perm=[1, 2, 3, 0])
add("transpose_empty", "Transpose", [array((2, 0, 3))])
add("identity_string", "Identity", [array((2, 2), "string")])

# Concat and Split.
add("concat_one", "Concat", [array((2, 3))], lambda m, i: i, opset=1)
add("concat_channels", "Concat", [array((1, 16, 2, 3)), array((1, 32, 2, 3)), array((1, 5, 2, 3))], axis=1)
add("split_attribute", "Split", [array((7, 2))], opset=2, outputs=3, split=[1, 0, 6])
add("split_equal_11", "Split", [array((2, 6))], opset=11, outputs=3, axis=-1)
add("split_18_uneven", "Split", [array((7,), "int32")], opset=18, outputs=3, num_outputs=3)
add("split_strings", "Split", [array((2, 5), "string"), ints(2, 3)], opset=13, outputs=2, axis=1)
add("split_18_left_over", "Split", [array((5,))], lambda m, i: np.split(i[0], [2, 4, 5]),
    opset=18, outputs=4, num_outputs=4)

# Slice.
add("slice_attributes", "Slice", [array((4, 5))], opset=1, starts=[1, -3], ends=[1000, -1], axes=[0, 1])
add("slice_default_axes", "Slice", [array((4, 5)), ints(1, 0), ints(3, INT64_MAX)], opset=10)
add("slice_to_the_front", "Slice", [array((5,)), ints(-1), ints(INT64_MIN), ints(0), ints(-1)])
add("slice_backwards_from_far", "Slice", [array((5,)), ints(INT64_MAX), ints(1), ints(0), ints(-2)])
add("slice_huge_step", "Slice", [array((5,)), ints(1), ints(5), ints(0), ints(INT64_MAX)])
add("slice_nothing", "Slice", [array((5, 2)), ints(3), ints(2)])
add("slice_int32_bounds", "Slice", [array((5, 2)), ints(1, kind=np.int32), ints(4, kind=np.int32), ints(0,
    kind=np.int32)])
add("slice_empty_backwards", "Slice", [array((0, 2)), ints(-1), ints(-9), ints(0), ints(-1)])
add("slice_batch_backwards", "Slice", [array((3, 16, 2, 2)), ints(-1), ints(-4), ints(0), ints(-1)])

# Pad.
add("pad_1", "Pad", [array((2, 3))], lambda m, i: [np.pad(i[0], [(0, 1), (2, 0)])], opset=1,
    paddings=[0, 2, 1, 0])
add("pad_2_value", "Pad", [array((2, 3))], opset=2, pads=[0, 2, 1, 0], value=1.5)
add("pad_2_value_double", "Pad", [array((2, 3), "double")], opset=2, pads=[1, 0, 0, 1], value=0.25, mode="constant")
add("pad_reflect", "Pad", [array((1, 2, 4, 5)), ints(0, 0, 3, 2, 0, 0, 1, 4)], opset=11, mode="reflect")
add("pad_reflect_more_than_once", "Pad", [array((3,)), ints(7, 9)],
    lambda m, i: [np.pad(i[0], (7, 9), mode="reflect")], mode="reflect")
add("pad_reflect_single", "Pad", [array((1, 2)), ints(2, 0, 1, 0)],
    lambda m, i: [np.pad(i[0], [(2, 1), (0, 0)], mode="edge")], mode="reflect")
add("pad_edge_negative", "Pad", [array((4, 5), "int32"), ints(-1, 2, 1, -2)], opset=13, mode="edge")
add("pad_axes", "Pad", [array((2, 3, 4)), ints(1, 2), np.array(7, np.float32), ints(-1)], opset=18)
add("pad_wrap_twice", "Pad", [array((2, 3)), ints(0, 4, 1, 7)],
    lambda m, i: [np.pad(i[0], [(0, 1), (4, 7)], mode="wrap")], opset=19, mode="wrap")
add("pad_empty_axis", "Pad", [array((0, 3)), ints(2, 0, 0, 1)], opset=13)
add("center_crop_pad_odd", "CenterCropPad", [array((5, 4, 7)), ints(2, 7, 3)], reference, opset=18)
add("center_crop_pad_axes", "CenterCropPad", [array((5, 4, 7), "int64"), ints(8, 2)], reference, opset=18, axes=[-1, 0])
add("center_crop_pad_strings", "CenterCropPad", [array((3,), "string"), ints(5)],
    lambda m, i: [np.array(["", *i[0], ""], object)], opset=18)

# Expand and Tile.
add("expand_smaller", "Expand", [array((3, 1)), ints(1)])
add("expand_more_axes", "Expand", [array((3, 1), "bool"), ints(2, 1, 4)])
add("expand_to_nothing", "Expand", [array((3, 1), "int64"), ints(3, 0)])
add("expand_strings", "Expand", [array((2, 1), "string"), ints(2, 3)],
    lambda m, i: [np.broadcast_to(i[0], (2, 3)).copy()])
add("tile_int8", "Tile", [array((2, 3), "int8"), ints(2, 3)], lambda m, i: [np.tile(i[0], (2, 3))])
add("tile_none", "Tile", [array((2, 3)), ints(0, 3)])
add("tile_strings", "Tile", [array((2,), "string"), ints(3)])

# Gathers.
add("gather_scalar_index", "Gather", [array((3, 4), "double"), np.array(-1, np.int32)], axis=1)
add("gather_matrix_of_indices", "Gather", [array((3, 4)), ints(0, 2, 1, 1).reshape(2, 2)], axis=0)
add("gather_nothing", "Gather", [array((3, 4)), np.zeros((0, 2), np.int64)], axis=1)
add("gather_elements_fewer", "GatherElements", [array((3, 4), "uint8"), ints(3, -1, 0).reshape(1, 3)], axis=-1)
add("gather_elements_first", "GatherElements", [array((3, 4, 2), "string"), random.integers(-3, 3, (5, 4, 1))], axis=0)
add("gather_nd_slices", "GatherND", [array((3, 4, 2)), ints(0, -1, 2, 1).reshape(2, 1, 2)])
add("gather_nd_batches", "GatherND", [array((2, 3, 4, 2), "int64"), ints(1, -1, 0, 3, 2, 2, 0, 0).reshape(2, 2, 2)],
    batch_dims=1)
add("gather_nd_two_batch_axes", "GatherND", [array((2, 3, 4)), random.integers(0, 4, (2, 3, 5, 1))], batch_dims=2)
add("gather_nd_strings", "GatherND", [array((3, 2), "string"), ints(-1, 0).reshape(2, 1)])

# Scatters.
add("scatter_9", "Scatter", [array((3, 4)), ints(1, -1).reshape(1, 2), array((1, 2))], opset=9, axis=1)
for reduction in ("add", "mul", "max", "min"):
    for kind in ("float", "half", "int64", "uint8"):
        x, updates = array((3, 4), kind), array((3, 5), kind)
        indices = random.integers(-4, 4, (3, 5))
        y = x.copy()
        operation = {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}[reduction]
        for i in range(3):
            operation.at(y[i], indices[i], updates[i])
        add(f"scatter_elements_{reduction}_{kind}", "ScatterElements", [x, indices, updates], [y], opset=18, axis=1,
            reduction=reduction)
x, indices, updates = array((4, 3)), ints(1, -1, 1).reshape(3, 1), array((3, 3))
for reduction in ("none", "add", "mul", "max", "min"):
    add(f"scatter_nd_{reduction}", "ScatterND", [x, indices, updates], opset=18, reduction=reduction)
add("scatter_nd_strings", "ScatterND", [array((4, 3), "string"), ints(1, -1, 3, 0).reshape(2, 2), array((2,),
    "string")],
    opset=13)
add("scatter_nd_whole", "ScatterND", [array((2, 3)), np.zeros((1, 0), np.int64), array((1, 2, 3))],
    lambda m, i: [i[2][0]], opset=18)
nans = np.array([1, np.nan, 3, np.nan], np.float32)
for reduction, operation in (("max", np.maximum), ("min", np.minimum)):
    add(f"scatter_elements_{reduction}_nan", "ScatterElements",
        [nans, ints(0, 1, 2, 3), np.array([np.nan, 2, 5, np.nan], np.float32)],
        [operation(nans, np.array([np.nan, 2, 5, np.nan], np.float32))], opset=18, reduction=reduction)
truth = np.array([True, False, True, False])
for reduction, expected in (("add", truth | True), ("mul", truth & True)):
    add(f"scatter_elements_{reduction}_bool", "ScatterElements", [truth, ints(0, 1, 2, 3), np.ones(4, bool)],
        [expected],
        opset=18, reduction=reduction)

# Selections.
add("one_hot_float_indices", "OneHot",
    [np.array([0.9, -1, 2, 5], np.float32), ints(3, kind=np.int32), np.array([2, 7], np.int64)],
    lambda m, i: [np.array([[7, 2, 2, 2], [2, 2, 2, 2], [2, 7, 7, 2]])], types=[TensorProto.INT64], axis=0)
add("one_hot_strings", "OneHot", [ints(1, 0, -2), ints(2), np.array(["off", "on"], object)],
    [np.array([["off", "on"], ["on", "off"], ["on", "off"]], object)], types=[TensorProto.STRING])
add("one_hot_nothing", "OneHot", [np.zeros((2, 0), np.int64), ints(3), array((2,), "bool")],
    [np.zeros((2, 0, 3), bool)], types=[TensorProto.BOOL])
add("nonzero_signs", "NonZero", [np.array([[0.0, -0.0, np.nan], [1, 0, -1]], np.float64)],
    lambda m, i: [np.stack(np.nonzero(i[0]))], types=[TensorProto.INT64])
add("nonzero_half_signs", "NonZero", [np.array([0.0, -0.0, np.nan, 1], np.float16)], [ints(2, 3).reshape(1, 2)],
    types=[TensorProto.INT64])
add("nonzero_scalar", "NonZero", [np.array(3, np.float32)], [np.zeros((0, 1), np.int64)], types=[TensorProto.INT64])
add("compress_short", "Compress", [array((3, 4), "string"), np.array([True, False, True])], axis=-1)
add("compress_all", "Compress", [array((3, 4), "int8"), np.array([True] * 3 + [False] * 3)],
    lambda m, i: [i[0].ravel()[:3]])

# Orderings.
values = np.array([[3, np.nan, 1, 3, -np.inf], [0, -0.0, 2, 2, np.inf]], np.float32)
for largest in (0, 1):
    order = np.argsort(values if not largest else -values, axis=1, kind="stable")
    if largest:  # NaN is the greatest of all
        order = np.stack([np.concatenate([np.flatnonzero(np.isnan(r)), o[~np.isnan(r[o])]])
                          for r, o in zip(values, order)])
    add(f"top_k_nan_{largest}", "TopK", [values, ints(4)],
        [np.take_along_axis(values, order, 1)[:, :4], order[:, :4].astype(np.int64)], outputs=2,
        types=[TensorProto.FLOAT, TensorProto.INT64], largest=largest)
add("top_k_1", "TopK", [array((3, 5))], opset=1, outputs=2, types=[TensorProto.FLOAT, TensorProto.INT64], k=2)
add("top_k_10", "TopK", [array((6, 3), "double"), ints(4)], opset=10, outputs=2, axis=0,
    types=[TensorProto.DOUBLE, TensorProto.INT64])
for kind, size in (("int64", 90), ("int32", 20), ("float", 90)):
    x = random.integers(-20, 20, (2, size, 2)).astype(TYPES[kind])
    for k in (1, 7, size):
        add(f"top_k_{kind}_{k}_of_{size}", "TopK", [x, ints(k)], outputs=2, axis=1, largest=k % 2,
            types=[helper.np_dtype_to_tensor_dtype(x.dtype), TensorProto.INT64])
big = np.array([2**63, 1, 2**64 - 1, 0, 2**63 - 1], np.uint64)
add("top_k_uint64", "TopK", [big, ints(3)], [big[[2, 0, 4]], ints(2, 0, 4)], outputs=2,
    types=[TensorProto.UINT64, TensorProto.INT64])
add("top_k_none", "TopK", [array((2, 3)), ints(0)], outputs=2, types=[TensorProto.FLOAT, TensorProto.INT64])
uniques = [TensorProto.FLOAT] + [TensorProto.INT64] * 3
add("unique_unsorted", "Unique", [np.array([[2, 1], [2, 3], [0, 1]], np.float32)], outputs=4, types=uniques, sorted=0)
add("unique_axis", "Unique", [np.array([[2, 1, 2], [2, 3, 2], [0, 1, 0]], np.float32)], outputs=4, types=uniques,
    axis=1)
add("unique_axis_unsorted", "Unique", [np.array([[2, 1], [0, 5], [2, 1], [0, 5], [0, 4]], np.float32)], outputs=4,
    types=uniques, axis=-2, sorted=0)
add("unique_nan", "Unique", [np.array([np.nan, 1, np.nan, -0.0, 0.0], np.float32)],
    [np.array([0, 1, np.nan], np.float32), ints(3, 1, 0), ints(2, 1, 2, 0, 0), ints(2, 1, 2)], outputs=4, types=uniques)
texts = np.array(["b", "é", "a", "b", "", "\u00e9", "e\u0301"], object)
add("unique_strings", "Unique", [texts], [np.array(sorted(set(texts)), object), *(
    u.astype(np.int64) for u in np.unique(texts.astype(str), return_index=True, return_inverse=True,
                                          return_counts=True)[1:])], outputs=4,
                                              types=[TensorProto.STRING] + uniques[1:])
add("unique_nothing", "Unique", [array((0,))], [array((0,))] + [np.zeros(0, np.int64)] * 3, outputs=4, types=uniques)

# Shapes and constants.
add("shape_strings", "Shape", [array((2, 0, 3), "string")], types=[TensorProto.INT64])
add("shape_scalar", "Shape", [array(())], types=[TensorProto.INT64])
add("size_empty", "Size", [array((2, 0), "bool")], types=[TensorProto.INT64])
sparse = helper.make_sparse_tensor(
    numpy_helper.from_array(np.array([1.5, -2], np.float32), "v"),
    numpy_helper.from_array(ints(0, 1, 2, 0).reshape(2, 2)), [3, 2])
for name, attributes, expected in (
    ("float", {"value_float": 1.5}, np.float32(1.5)), ("floats", {"value_floats": [1.0, 2.0]}, np.float32([1, 2])),
    ("int", {"value_int": -3}, np.int64(-3)), ("ints", {"value_ints": [1, 2]}, ints(1, 2)),
    ("string", {"value_string": "é"}, np.array("é", object)),
    ("strings", {"value_strings": ["a", ""]}, np.array(["a", ""], object)),
    ("sparse", {"sparse_value": sparse}, np.float32([[0, 1.5], [0, 0], [-2, 0]])),
    ("tensor", {"value": numpy_helper.from_array(array((2, 2), "int16"))}, None),
):
    expected = numpy_helper.to_array(attributes["value"]) if expected is None else np.asarray(expected)
    add(f"constant_{name}", "Constant", [], [expected], opset=13, types=[
        TensorProto.STRING if expected.dtype == object else helper.np_dtype_to_tensor_dtype(expected.dtype)],
            **attributes)
for kind in ("bool", "int8", "double", "uint16"):
    value = numpy_helper.from_array(np.array([1]).astype(TYPES[kind]))
    add(f"constant_of_shape_{kind}", "ConstantOfShape", [ints(2, 3)], types=[value.data_type], value=value)
add("constant_of_shape_default", "ConstantOfShape", [ints()], types=[TensorProto.FLOAT])
for kind, (start, limit, delta) in (
    ("double", (1, 2.05, 0.1)), ("float", (5, -1, -0.75)), ("int16", (3, 20, 4)), ("int64", (10, -5, -4)),
    ("int32", (3, 3, 1)), ("int64_backwards", (0, 5, -1)),
):
    parts = [np.array(v, TYPES[kind.split("_")[0]]) for v in (start, limit, delta)]
    add(f"range_{kind}", "Range", parts, opset=11)
add("reverse_sequence_strings", "ReverseSequence", [array((4, 3, 2), "string"), ints(4, 1, 0)],
    lambda m, i: [np.stack([np.concatenate([i[0][:n, b][::-1], i[0][n:, b]]) for b, n in enumerate(i[1])], 1)])
add("reverse_sequence_batch_first", "ReverseSequence", [array((2, 5), "int64"), ints(3, 5)], batch_axis=0, time_axis=1)

# Control flow: values from around, two levels up, and names that hide others.
add_model("if_reads_two_levels_up", """<ir_version: 8, opset_import: ["": 18]>
g (float[3] x, bool a, bool b) => (float[N] y) {
  r = Relu(x)
  y = If (a) <
    then_branch = outer () => (float[N] t) {
      t = If (b) <then_branch = inner () => (float[N] u) { u = Concat<axis = 0>(r, x) },
                  else_branch = other () => (float[N] v) { v = Identity(r) }>
    },
    else_branch = plain () => (float[N] w) { w = Identity(x) }
  >
}""", [np.float32([-1, 2, -3]), np.array(True), np.array(True)])
add_model("if_branches_of_other_shapes", """<ir_version: 8, opset_import: ["": 18]>
g (float[2,3] x, bool a) => (float[M] y, int64[N] z) {
  y, z = If (a) <
    then_branch = p () => (float[M] s, int64[N] t) { n = Constant<value_ints = [-1]>() s = Reshape(x, n) t = Shape(x) },
    else_branch = q () => (float[M] u, int64[N] v) { i = Constant<value_int = 0>() u = Gather(x, i) v = Shape(u) }
  >
}""", [array((2, 3)), np.array(False)])
add_model("if_gives_initialiser_and_capture", """<ir_version: 8, opset_import: ["": 18]>
g (float[2] x, bool a) => (float[2] y) <float[2] k = {5, 6}> {
  y = If (a) <then_branch = p () => (float[2] k) { }, else_branch = q () => (float[2] x) { }>
}""", [np.float32([1, 2]), np.array(True)], [np.float32([5, 6])])

LOOP = """<ir_version: 8, opset_import: ["": 18]>
g (int64 m, float[2] x) => (float[2] last, float[N, 2] all, int64[N] turns) {
  cond = Constant<value = bool {1}>()
  last, all, turns = Loop (m, cond, x) <
    body = b (int64 i, bool go, float[2] state) => (bool again, float[2] next, float[2] each, int64 turn) {
      places = Constant<value_ints = [0, 1]>()
      next = ScatterElements<reduction = "add">(state, places, x)
      each = Identity(state)
      turn = Identity(i)
      again = Identity(go)
    }>
}"""
add_model("loop_adds_a_captured_value", LOOP, [np.array(4), np.float32([1, -2])])
add_model("loop_of_no_turns", LOOP, [np.array(0), np.float32([1, -2])])
add_model("loop_of_negative_turns", LOOP, [np.array(-3), np.float32([1, -2])])
add_model("loop_ends_by_condition", """<ir_version: 8, opset_import: ["": 18]>
g (bool[5] flags, bool first) => (int64[N] turns) {
  turns = Loop ("", first) <
    body = b (int64 i, bool go) => (bool again, int64 turn) { again = Gather(flags, i) turn = Identity(i) }>
}""", [np.array([True, True, False, True, True]), np.array(True)])
add_model("loop_without_condition_minds_none", """<ir_version: 8, opset_import: ["": 18]>
g (int64 m) => (int64[N] turns) {
  turns = Loop (m, "") <
    body = b (int64 i, bool go) => (bool again, int64 turn) {
      again = Constant<value = bool {0}>() turn = Identity(i)
    }>
}""", [np.array(3)], [ints(0, 1, 2)])
add_model("loop_in_loop_hides_names", """<ir_version: 8, opset_import: ["": 18]>
g (int64 m, int64[1] x) => (int64[N, M] all) {
  all = Loop (m, "") <
    body = b (int64 i, bool go) => (bool again, int64[M] row) {
      again = Constant<value = bool {1}>()
      zero = Constant<value_ints = [0]>()
      start = Unsqueeze(i, zero)
      inner = Loop (m, "", start) <
        body = c (int64 j, bool on, int64[K] state) => (bool more, int64[L] longer) {
          more = Identity(on)
          own = Unsqueeze(j, zero)
          longer = Concat<axis = 0>(state, own, start, x)
        }>
      row = Identity(inner)
    }>
}""", [np.array(2), ints(7)])
add_model("loop_grows_its_state", """<ir_version: 8, opset_import: ["": 18]>
g (int64 m, string[N] x) => (string[M] y) {
  y = Loop (m, "", x) <
    body = b (int64 i, bool go, string[K] s) => (bool again, string[L] t) {
      again = Identity(go) t = Concat<axis = 0>(s, x)
    }>
}""", [np.array(3), np.array(["a", "b"], object)], [np.array(["a", "b"] * 4, object)])
add_model("loop_carries_a_sequence", """<ir_version: 8, opset_import: ["": 18]>
g (int64 m, float[2] x) => (float[N] y) {
  empty = SequenceEmpty<dtype = 1>()
  s = Loop (m, "", empty) <
    body = b (int64 i, bool go, seq(float[2]) s) => (bool again, seq(float[2]) t) {
      again = Identity(go) t = SequenceInsert(s, x)
    }>
  y = ConcatFromSequence<axis = 0>(s)
}""", [np.array(3), np.float32([1, 2])], [np.float32([1, 2] * 3)])

SCAN = """<ir_version: 8, opset_import: ["": 18]>
g (float[2] s, float[2,4] x, float[4,3] z) => (float[2] last, float[A,B] states, float[C,D] rows) {
  last, states, rows = Scan <num_scan_inputs = 2, scan_input_axes = [-1, 0], scan_input_directions = [1, 0],
      scan_output_axes = [-1, 1], scan_output_directions = [0, 1],
      body = b (float[2] state, float[2] column, float[3] row) => (float[2] next, float[2] each, float[3] copy) {
        places = Constant<value_ints = [1, 0]>()
        next = ScatterElements<reduction = "max">(state, places, column)
        each = Identity(next)
        copy = Relu(row)
      }> (s, x, z)
}"""
add_model("scan_two_inputs", SCAN, [array((2,)), array((2, 4)), array((4, 3))])
add_model("scan_of_nothing", SCAN.replace("2,4", "2,N").replace("4,3", "N,3"),
          [array((2,)), array((2, 0)), array((0, 3))],
          lambda m, i: [i[0], np.zeros((2, 0), np.float32), np.zeros((3, 0), np.float32)])
add_model("scan_reads_around_it", """<ir_version: 8, opset_import: ["": 11]>
g (float[3,2] x, float[2] k) => (float[A,B] y) {
  y = Scan <num_scan_inputs = 1, body = b (float[2] e) => (float[4] both) { both = Concat<axis = 0>(e, k) }> (x)
}""", [array((3, 2)), array((2,))])
SCAN_8 = """<ir_version: 8, opset_import: ["": 8]>
g (%sfloat[B,2] s, float[B,T,2] x) => (float[B,2] last, float[B,T,4] y) {
  last, y = Scan <num_scan_inputs = 1, directions = [%d],
    body = b (float[2] state, float[2] e) => (float[2] next, float[4] both) {
      next = Relu(e)
      both = Concat<axis = 0>(state, e)
    }> (%s, s, x)
}"""
add_model("scan_8", SCAN_8 % ("", 0, '""'), [array((2, 2)), array((2, 3, 2))])
add_model("scan_8_lengths", SCAN_8 % ("int64[B] n, ", 0, "n"), [ints(1, 3), array((2, 2)), array((2, 3, 2))])
add_model("scan_8_lengths_backwards", SCAN_8 % ("int64[B] n, ", 1, "n"), [ints(2, 3), array((2, 2)), array((2, 3, 2))])

# Sequences and optionals.
pieces = [array((2,)), array((3,)), array((1,))]
for position in (-3, -1, 0, 2):
    add(f"sequence_at_{position + 3}", "SequenceAt", [pieces, np.array(position)], opset=12)
for name, position in (("last", None), ("first", np.array(0)), ("second_last", np.array(-2))):
    model = one_node("SequenceErase", [pieces, position] if position is not None else [pieces], opset=12)
    output = helper.make_tensor_sequence_value_info("y0", TensorProto.FLOAT, None)
    model.graph.output[0].CopyFrom(output)
    cases.add(f"sequence_erase_{name}", model, [pieces, position], runtime)
add_model("sequence_round", """<ir_version: 8, opset_import: ["": 18]>
g (float[5,2] x, int64 n) => (seq(float[A,2]) s, float[B] y, int64 count, float[5,2,1] z) {
  s = SplitToSequence<axis = 0>(x, n)
  count = SequenceLength(s)
  minus = Constant<value_int = -1>()
  t = SequenceAt(s, minus)
  all = Constant<value_ints = [-1]>()
  y = Reshape(t, all)
  rows = SplitToSequence<axis = 1, keepdims = 0>(x)
  back = ConcatFromSequence<axis = -1, new_axis = 1>(rows)
  last = Constant<value_ints = [2]>()
  z = Unsqueeze(x, last)
}""", [array((5, 2)), np.array(2)])
add_model("sequence_stacked", """<ir_version: 8, opset_import: ["": 18]>
g (float[5,2] x) => (float[A,B] y) {
  rows = SplitToSequence<axis = 1, keepdims = 0>(x)
  y = ConcatFromSequence<axis = -1, new_axis = 1>(rows)
}""", [array((5, 2))])
add_model("sequence_map_captures", """<ir_version: 8, opset_import: ["": 18]>
g (float[4,2] x, float[1,2] k) => (float[N,2] y) {
  s = SplitToSequence<axis = 0>(x)
  t = SequenceMap (s, k) <
    body = b (float[1,2] e, float[1,2] o) => (float[M,2] r) { r = Concat<axis = 0>(e, o, k) }>
  y = ConcatFromSequence<axis = 0>(t)
}""", [array((4, 2)), array((1, 2))],
    lambda m, i: [np.concatenate([p for row in i[0] for p in (row[None], i[1], i[1])])])

if __name__ == "__main__":
    cases.write()

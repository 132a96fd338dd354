"""Core ML models with inputs and right answers: Tests/Fixtures/coreml/<name>/ as docs/coreml.md describes a test.

    python coreml_models.py          # coremltools 9.0, numpy

The answers are NumPy's, written out below; nothing here runs a model.
"""
import json
import shutil
import warnings
from pathlib import Path

warnings.filterwarnings("ignore")

import coremltools as ct
import numpy as np
from coremltools.converters.mil.mil import Builder as mb, types
from coremltools.models import datatypes
from coremltools.models.neural_network import NeuralNetworkBuilder
from coremltools.proto import Model_pb2, NeuralNetwork_pb2

OUT = Path(__file__).resolve().parents[1] / "coreml"
random = np.random.default_rng(20)


def normal(*shape):
    return random.standard_normal(shape).astype(np.float32)


def write(name, model, calls, precision="fp32", **info):
    """`calls`: pairs of inputs and expected outputs by name."""
    folder = OUT / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if isinstance(model, Model_pb2.Model):
        (folder / "model.mlmodel").write_bytes(model.SerializeToString(deterministic=True))
    else:
        model.save(str(folder / "model.mlpackage"))
    for index, (inputs, expected) in enumerate(calls):
        suffix = f"_{index}" if index else ""
        np.savez_compressed(folder / f"inputs{suffix}.npz", **inputs)
        np.savez_compressed(folder / f"expected{suffix}.npz", **expected)
    if len(calls) > 1:
        info["calls"] = len(calls)
    (folder / "test.json").write_text(json.dumps({"precision": precision, **info}, indent=1) + "\n")


def convert(program, target=ct.target.iOS18, precision=ct.precision.FLOAT32, **options):
    return ct.convert(
        program, convert_to="mlprogram", minimum_deployment_target=target, compute_precision=precision,
        skip_model_load=True, **options)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def convolution(x, w, b, pads, stride):
    """x [N, C, H, W], w [O, C, h, w]; pads top, bottom, left, right."""
    x = np.pad(x, ((0, 0), (0, 0), pads[:2], pads[2:]))
    height = (x.shape[2] - w.shape[2]) // stride + 1
    width = (x.shape[3] - w.shape[3]) // stride + 1
    y = np.zeros((x.shape[0], w.shape[0], height, width))
    for i in range(height):
        for j in range(width):
            window = x[:, :, i * stride:i * stride + w.shape[2], j * stride:j * stride + w.shape[3]]
            y[:, :, i, j] = np.einsum("nchw,ochw->no", window, w) + b
    return y


def layers():
    w, b, dense, bias = normal(4, 3, 3, 3), normal(4), normal(5, 4), normal(5)

    def make():
        @mb.program(input_specs=[mb.TensorSpec((1, 3, 7, 7))], opset_version=ct.target.iOS15)
        def program(x):
            y = mb.conv(x=x, weight=w, bias=b, strides=[2, 2], pad_type="same", name="conv")
            y = mb.relu(x=y, name="relu")
            y = mb.reduce_mean(x=y, axes=[2, 3], name="mean")
            y = mb.linear(x=y, weight=dense, bias=bias, name="linear")
            return mb.softmax(x=y, axis=-1, name="probabilities")
        return program

    x = normal(1, 3, 7, 7)
    y = np.maximum(convolution(x, w, b, (1, 1, 1, 1), 2), 0).mean((2, 3))
    expected = softmax(y @ dense.T + bias)
    call = [({"x": x}, {"probabilities": expected})]
    write("program-layers", convert(make(), ct.target.iOS15), call)
    write("program-layers-half", convert(make(), ct.target.iOS15, ct.precision.FLOAT16), call, "fp16")


def control_flow():
    @mb.program(input_specs=[mb.TensorSpec((3,)), mb.TensorSpec((1,))], opset_version=ct.target.iOS17)
    def program(x, limit):
        stop = mb.squeeze(x=limit, axes=[0])
        def condition(total, turn):
            return mb.less(x=mb.reduce_sum(x=total, axes=[0]), y=stop)
        def body(total, turn):
            return mb.add(x=total, y=x), mb.add(x=turn, y=1.0)
        total, turns = mb.while_loop(_cond=condition, _body=body, loop_vars=(x, np.float32(0)))
        is_long = mb.greater(x=turns, y=2.0)
        return mb.cond(
            pred=is_long, _true_fn=lambda: mb.mul(x=total, y=10.0), _false_fn=lambda: mb.identity(x=total),
            name="result")

    calls = []
    x = np.array([1, 2, 3], np.float32)
    for limit in (7.0, 40.0):
        total, turns = x.copy(), 0
        while total.sum() < limit:
            total, turns = total + x, turns + 1
        calls.append(({"x": x, "limit": np.array([limit], np.float32)}, {"result": total * 10 if turns > 2 else total}))
    model = convert(program, ct.target.iOS17)
    write("program-while", model, calls)


def state():
    @mb.program(
        input_specs=[mb.TensorSpec((2, 3), dtype=types.fp16), mb.StateTensorSpec((2, 3), dtype=types.fp16)],
        opset_version=ct.target.iOS18)
    def program(x, total):
        sum = mb.add(x=mb.read_state(input=total), y=x)
        new = mb.coreml_update_state(state=total, value=sum)
        return mb.mul(x=new, y=np.float16(2), name="twice")

    total, calls = np.zeros((2, 3)), []
    for step in range(3):
        x = random.integers(-8, 8, (2, 3)).astype(np.float16)
        total = total + x
        calls.append(({"x": x}, {"twice": total * 2}))
    write("program-state", convert(program, precision=ct.precision.FLOAT16), calls, "fp16")


def state_blocks():
    """States that blocks write: one of two branches the first, a loop the second, which reads both."""
    @mb.program(
        input_specs=[mb.TensorSpec((2,)), mb.TensorSpec((1,)), mb.StateTensorSpec((2,), types.fp16),
                     mb.StateTensorSpec((2,), types.fp16)],
        opset_version=ct.target.iOS18)
    def program(x, flag, total, last):
        half = mb.cast(x=x, dtype="fp16")

        def add():
            return mb.coreml_update_state(state=total, value=mb.add(x=mb.read_state(input=total), y=half))

        def leave():
            return mb.mul(x=mb.read_state(input=total), y=np.float16(2))

        def turn(i):
            sum = mb.add(x=mb.read_state(input=last), y=mb.read_state(input=total))
            mb.coreml_update_state(state=last, value=sum)
            return mb.add(x=i, y=np.int32(1))

        number = mb.squeeze(x=flag, axes=[0])
        chosen = mb.cond(pred=mb.greater(x=number, y=np.float32(0)), _true_fn=add, _false_fn=leave)
        turns = mb.while_loop(
            _cond=lambda i: mb.less(x=i, y=np.int32(3)), _body=turn, loop_vars=(mb.cast(x=number, dtype="int32"),))
        outputs = {"chosen": chosen, "sum": mb.read_state(input=last), "turns": turns}
        return tuple(mb.cast(x=value, dtype="fp32", name=name) for name, value in outputs.items())

    random = np.random.default_rng(23)
    total, last, calls = np.zeros(2), np.zeros(2), []
    for flag in (1, -1, 2, 3, 0):
        x = random.integers(-8, 8, 2).astype(np.float32)
        total = total + x if flag > 0 else total
        chosen = total if flag > 0 else total * 2
        last = last + total * max(0, 3 - flag)
        calls.append(({"x": x, "flag": np.array([flag], np.float32)},
                      {"chosen": chosen, "sum": last, "turns": np.float32(max(3, flag))}))
    write("program-state-blocks", convert(program), calls)


def compressed():
    x = normal(2, 8)
    lut = normal(1, 1, 4, 1)
    indices = random.integers(0, 4, (6, 8)).astype(types.np_uint2_dtype if hasattr(types, "np_uint2_dtype") else np.uint8)
    data = random.integers(-8, 8, (6, 8)).astype(np.int8)
    scale, offset = np.abs(normal(6, 2)) + 0.1, random.integers(-3, 3, (6, 2)).astype(np.int8)
    mask = random.integers(0, 2, (6, 8)).astype(np.uint8)
    values = normal(int(mask.sum()))
    from coremltools.converters.mil.mil.types.type_mapping import nptype_from_builtin, string_to_builtin
    uint2, int4, uint1 = (nptype_from_builtin(string_to_builtin(t)) for t in ("uint2", "int4", "uint1"))

    @mb.program(input_specs=[mb.TensorSpec((2, 8))], opset_version=ct.target.iOS18)
    def program(x):
        a = mb.constexpr_lut_to_dense(indices=indices.astype(uint2), lut=lut)
        b = mb.constexpr_blockwise_shift_scale(data=data.astype(int4), scale=scale, offset=offset.astype(int4))
        c = mb.constexpr_sparse_to_dense(nonzero_data=values, mask=mask.astype(uint1))
        return (
            mb.linear(x=x, weight=a, name="looked_up"), mb.linear(x=x, weight=b, name="scaled"),
            mb.linear(x=x, weight=c, name="sparse"))

    dense = np.zeros((6, 8), np.float32)
    dense[mask == 1] = values
    scaled = np.repeat(scale, 4, 1) * (data.astype(np.float32) - np.repeat(offset, 4, 1))
    looked = lut.reshape(-1)[indices.astype(int)]
    write("program-compressed", convert(program), [
        ({"x": x}, {"looked_up": x @ looked.T, "scaled": x @ scaled.T, "sparse": x @ dense.T})])

    q, point = random.integers(0, 256, (6, 8)).astype(np.uint8), np.uint8(120)
    palette, packed = normal(16), random.integers(0, 256, 24).astype(np.uint8)

    @mb.program(input_specs=[mb.TensorSpec((2, 8))], opset_version=ct.target.iOS16)
    def older(x):
        a = mb.constexpr_affine_dequantize(quantized_data=q, zero_point=point, scale=np.float32(0.02), axis=0)
        b = mb.constexpr_lut_to_dense(indices=packed, lut=palette, shape=np.array([6, 8], np.uint32))
        return mb.linear(x=x, weight=a, name="affine"), mb.linear(x=x, weight=b, name="looked_up")

    codes = np.stack([packed & 15, packed >> 4], 1).reshape(6, 8)
    affine = 0.02 * (q.astype(np.float32) - point)
    write("program-compressed-older", convert(older, ct.target.iOS16), [
        ({"x": x}, {"affine": x @ affine.T, "looked_up": x @ palette[codes].T})])


def network():
    w, b, dense = normal(3, 2, 3, 3), normal(3), normal(4, 3)
    builder = NeuralNetworkBuilder(
        [("x", datatypes.Array(2, 5, 5))], [("y", datatypes.Array(4))], disable_rank5_shape_mapping=False)
    builder.add_convolution("conv", 2, 3, 3, 3, 1, 1, "valid", 1, np.transpose(w, (2, 3, 1, 0)), b, True, input_name="x",
                            output_name="maps")
    builder.add_activation("relu", "LEAKYRELU", "maps", "positive", params=[0.1])
    builder.add_pooling("pool", 3, 3, 1, 1, "AVERAGE", "VALID", "positive", "pooled", is_global=True)
    builder.add_inner_product("dense", dense, None, 3, 4, False, "pooled", "scores")
    builder.add_softmax("softmax", "scores", "y")
    x = normal(2, 5, 5)
    maps = convolution(x[None], w, b, (0, 0, 0, 0), 1)
    y = softmax(np.where(maps > 0, maps, 0.1 * maps).mean((2, 3)) @ dense.T)[0]
    spec = builder.spec
    write("network-layers", spec, [({"x": x}, {"y": y})])

    # The axes as they are, and a name that is given twice.
    builder = NeuralNetworkBuilder(
        [("x", datatypes.Array(2, 3))], [("y", datatypes.Array(2, 3))], disable_rank5_shape_mapping=True)
    builder.add_unary("square", "x", "y", "power", alpha=2)
    builder.add_elementwise("add", ["y", "x"], "y", "ADD")
    x = normal(2, 3)
    write("network-names", builder.spec, [({"x": x}, {"y": x * x + x})])


def feature(description, name, kind, shape=None, output=False):
    feature = (description.output if output else description.input).add()
    feature.name = name
    if kind == "array":
        feature.type.multiArrayType.shape.extend(shape)
        feature.type.multiArrayType.dataType = ct.proto.FeatureTypes_pb2.ArrayFeatureType.DOUBLE
    else:
        getattr(feature.type, kind).SetInParent()
    return feature


def classic():
    # A pipeline: two numbers joined, scaled, and classified by a linear model.
    model = Model_pb2.Model(specificationVersion=1)
    for name in ("a", "b"):
        feature(model.description, name, "doubleType")
    feature(model.description, "label", "stringType", output=True)
    feature(model.description, "shares", "dictionaryType", output=True).type.dictionaryType.stringKeyType.SetInParent()
    model.description.predictedFeatureName, model.description.predictedProbabilitiesName = "label", "shares"
    models = model.pipelineClassifier.pipeline.models
    join, scale, glm = models.add(), models.add(), models.add()
    for part in (join, scale, glm):
        part.specificationVersion = 1
    for name in ("a", "b"):
        feature(join.description, name, "doubleType")
        column = join.featureVectorizer.inputList.add()
        column.inputColumn, column.inputDimensions = name, 1
    feature(join.description, "joined", "array", [2], output=True)
    feature(scale.description, "joined", "array", [2])
    feature(scale.description, "scaled", "array", [2], output=True)
    scale.scaler.shiftValue.extend([1, -2])
    scale.scaler.scaleValue.extend([0.5, 2])
    feature(glm.description, "scaled", "array", [2])
    feature(glm.description, "label", "stringType", output=True)
    feature(glm.description, "shares", "dictionaryType", output=True).type.dictionaryType.stringKeyType.SetInParent()
    glm.description.predictedFeatureName, glm.description.predictedProbabilitiesName = "label", "shares"
    weights, offset = np.array([[0.5, -1.0], [1.5, 0.25]]), np.array([0.1, -0.3])
    for row in weights:
        glm.glmClassifier.weights.add().value.extend(row)
    glm.glmClassifier.offset.extend(offset)
    labels = ["cat", "dog", "fox"]
    glm.glmClassifier.stringClassLabels.vector.extend(labels)
    x = random.standard_normal((5, 2))
    scaled = (x + [1, -2]) * [0.5, 2]
    shares = softmax(np.concatenate([np.zeros((5, 1)), scaled @ weights.T + offset], 1))
    write("classic-pipeline", model, [(
        {"a": x[:, 0], "b": x[:, 1]},
        {"label": np.array(labels)[shares.argmax(1)], "shares.keys": np.array(labels), "shares.values": shares})], rows=5)

    # Two trees of two leaves and one of one, added up.
    model = Model_pb2.Model(specificationVersion=1)
    feature(model.description, "x", "array", [2])
    feature(model.description, "y", "doubleType", output=True)
    model.description.predictedFeatureName = "y"
    ensemble = model.treeEnsembleRegressor.treeEnsemble
    ensemble.numPredictionDimensions = 1
    ensemble.basePredictionValue.append(0.5)
    def leaf(tree, number, value):
        node = ensemble.nodes.add(treeId=tree, nodeId=number, nodeBehavior=6)
        node.evaluationInfo.add(evaluationIndex=0, evaluationValue=value)
    for tree, (index, threshold, below, above) in enumerate([(0, 0.2, 1.5, -2), (1, -0.4, 0.25, 3)]):
        ensemble.nodes.add(
            treeId=tree, nodeId=0, nodeBehavior=tree, branchFeatureIndex=index, branchFeatureValue=threshold,
            trueChildNodeId=1, falseChildNodeId=2)
        leaf(tree, 1, below)
        leaf(tree, 2, above)
    leaf(2, 0, 0.125)
    x = np.array([[0.2, 1], [0.3, -0.4], [-1, -0.5], [5, 5]])
    y = 0.5 + np.where(x[:, 0] <= 0.2, 1.5, -2) + np.where(x[:, 1] < -0.4, 0.25, 3) + 0.125
    write("classic-trees", model, [({"x": x}, {"y": y})], rows=4)


def pictures():
    """Two pictures of declared sizes, and one of several: planes in their orders, scales and biases of the file."""
    from coremltools.models.neural_network import flexible_shape_utils
    random = np.random.default_rng(21)
    builder = NeuralNetworkBuilder(
        [("photo", datatypes.Array(3, 4, 6)), ("mask", datatypes.Array(1, 3, 5)), ("tile", datatypes.Array(3, 2, 2))],
        [("blue", None), ("shade", None), ("sum", None)], disable_rank5_shape_mapping=True)
    # Weights that tell planes from each other.
    builder.add_reduce_sum("photo_planes", "photo", "blue", axes=[-2, -1], keepdims=False)
    builder.add_activation("shaded", "LINEAR", "mask", "shade", params=[2, 1])
    builder.add_reduce_sum("tile_planes", "tile", "sum", axes=[-2, -1], keepdims=False)
    builder.set_pre_processing_parameters(
        image_input_names=["photo", "mask", "tile"], is_bgr={"photo": True, "mask": False, "tile": False},
        red_bias={"photo": -1, "mask": 0, "tile": -1}, green_bias={"photo": -2, "mask": 0, "tile": -2},
        blue_bias={"photo": -3, "mask": 0, "tile": -3}, gray_bias={"photo": 0, "mask": 5, "tile": 0},
        image_scale={"photo": 0.5, "mask": 0.25, "tile": 1.0})
    spec = builder.spec
    space = ct.proto.FeatureTypes_pb2.ImageFeatureType.ColorSpace
    for name, width, height, color in (("photo", 6, 4, "BGR"), ("mask", 5, 3, "GRAYSCALE"), ("tile", 2, 2, "RGB")):
        kind = next(feature.type for feature in spec.description.input if feature.name == name)
        kind.imageType.width, kind.imageType.height = width, height
        kind.imageType.colorSpace = space.Value(color)
    for feature, shape in zip(spec.description.output, ([1, 3], [1, 1, 3, 5], [1, 3])):
        feature.type.multiArrayType.dataType = ct.proto.FeatureTypes_pb2.ArrayFeatureType.FLOAT32
        del feature.type.multiArrayType.shape[:]
        feature.type.multiArrayType.shape.extend(shape)
    spec.neuralNetwork.imageInputShapeMapping = 1
    spec.specificationVersion = 4
    flexible_shape_utils.add_enumerated_image_sizes(
        spec, "tile", [flexible_shape_utils.NeuralNetworkImageSize(height=h, width=w) for h, w in ((2, 2), (3, 5))])
    photo, mask, tile = (
        random.integers(0, 256, shape).astype(np.uint8) for shape in ((4, 6, 3), (3, 5), (3, 5, 3)))
    bgr = photo[..., ::-1].astype(np.float64) * 0.5 + [-3, -2, -1]
    rgb = tile.astype(np.float64) + [-1, -2, -3]
    write("network-pictures", spec, [(
        {"photo": photo, "mask": mask, "tile": tile},
        {"blue": bgr.sum((0, 1))[None], "shade": ((mask * 0.25 + 5) * 2 + 1)[None, None],
         "sum": rgb.sum((0, 1))[None]})])


def classes():
    """A classifier of a small picture, with a hundred and twenty classes."""
    random = np.random.default_rng(22)
    weights = random.standard_normal((120, 3)).astype(np.float32)
    builder = NeuralNetworkBuilder(
        [("image", datatypes.Array(3, 4, 4))], [("shares", None)], mode="classifier", disable_rank5_shape_mapping=True)
    builder.add_reduce_mean("planes", "image", "means", axes=[-2, -1], keepdims=False)
    builder.add_inner_product("dense", weights, None, 3, 120, False, "means", "scores")
    builder.add_softmax_nd("softmax", "scores", "shares", axis=-1)
    labels = [f"breed {index}" for index in range(120)]
    builder.set_class_labels(labels, "label", "shares")
    builder.set_pre_processing_parameters(
        image_input_names=["image"], is_bgr=False, red_bias=-1, green_bias=-1, blue_bias=-1, image_scale=2 / 255)
    spec = builder.spec
    image = random.integers(0, 256, (4, 4, 3)).astype(np.uint8)
    shares = softmax((image.astype(np.float64) * 2 / 255 - 1).mean((0, 1)) @ weights.T)
    write("network-classes", spec, [(
        {"image": image},
        {"label": np.array(labels[shares.argmax()]), "shares.keys": np.array(labels), "shares.values": shares})])


def loops():
    """Loops that a layer leaves, or whose turn it ends, within branches and within each other."""
    def body(spec):
        return NeuralNetworkBuilder(input_features=None, output_features=None, spec=None, nn_spec=spec)

    builder = NeuralNetworkBuilder(
        [("x", datatypes.Array(1)), ("limit", datatypes.Array(1))], [("sum", None), ("turns", None), ("pairs", None)],
        disable_rank5_shape_mapping=True)
    for name in ("sum", "turns", "pairs"):
        builder.add_load_constant_nd(name, name, np.zeros(1), [1])
    # Adds x, x + 1, …, but no number whose third part is whole, until the sum is beyond the limit.
    builder.add_copy("start", "x", "number")
    outer = body(builder.add_loop("outer", max_iterations=50).loop.bodyNetwork)
    outer.add_activation("count", "LINEAR", "turns", "turns_next", [1.0, 1.0])
    outer.add_copy("counted", "turns_next", "turns")
    outer.add_copy("this", "number", "this")
    outer.add_activation("next", "LINEAR", "number", "number_next", [1.0, 1.0])
    outer.add_copy("nexted", "number_next", "number")
    outer.add_load_constant_nd("three", "three", np.full(1, 3.0), [1])
    outer.add_mod_broadcastable("rest", ["this", "three"], "rest")
    outer.add_less_than("is_multiple", ["rest"], "is_multiple", alpha=0.5)
    body(outer.add_branch("skip", "is_multiple").branch.ifBranch).add_loop_continue("continue")
    outer.add_add_broadcastable("sum_next", ["sum", "this"], "sum_next")
    outer.add_copy("summed", "sum_next", "sum")
    outer.add_greater_than("is_beyond", ["sum", "limit"], "is_beyond")
    body(outer.add_branch("stop", "is_beyond").branch.ifBranch).add_loop_break("break")
    # Within it a loop whose own exit does not end the outer one.
    outer.add_load_constant_nd("zero", "steps", np.zeros(1), [1])
    inner = body(outer.add_loop("inner", max_iterations=10).loop.bodyNetwork)
    inner.add_activation("step", "LINEAR", "steps", "steps_next", [1.0, 1.0])
    inner.add_copy("stepped", "steps_next", "steps")
    inner.add_activation("pair", "LINEAR", "pairs", "pairs_next", [1.0, 1.0])
    inner.add_copy("paired", "pairs_next", "pairs")
    inner.add_greater_than("enough", ["steps", "sum"], "enough")
    body(inner.add_branch("leave", "enough").branch.ifBranch).add_loop_break("inner_break")

    calls = []
    for x, limit in ((1.0, 20.0), (3.0, 4.0), (2.0, 1.0)):
        sum, turns, pairs, number = 0.0, 0, 0, x
        for _ in range(50):
            turns, this, number = turns + 1, number, number + 1
            if this % 3 < 0.5:
                continue
            sum += this
            if sum > limit:
                break
            for steps in range(1, 11):
                pairs += 1
                if steps > sum:
                    break
        values = (("sum", sum), ("turns", turns), ("pairs", pairs))
        calls.append((
            {"x": np.array([x], np.float32), "limit": np.array([limit], np.float32)},
            {name: np.array([value], np.float32) for name, value in values}))
    operations = ["loop", "branch", "loopContinue", "loopBreak", "copy", "activation.linear", "modBroadcastable"]
    write("network-loops", builder.spec, calls, ops=operations)


def resized(x, rows, columns):
    """Bilinear samples of the last two axes of x at places along them."""
    for axis, place in enumerate((rows, columns), x.ndim - 2):
        low = np.floor(place).astype(int)
        high = np.minimum(low + 1, x.shape[axis] - 1)
        share = (place - low).reshape([-1 if a == axis else 1 for a in range(x.ndim)])
        x = np.take(x, low, axis) * (1 - share) + np.take(x, high, axis) * share
    return x


def layer_kinds():
    """Layers that the tests of coremltools which are picked for the repository do not have."""
    builder = NeuralNetworkBuilder(
        [("a", datatypes.Array(2, 3, 4)), ("b", datatypes.Array(2, 3, 4)), ("boxes", datatypes.Array(1, 6, 4)),
         ("scores", datatypes.Array(1, 6, 2))], [("average", None)], disable_rank5_shape_mapping=True)
    a, b = normal(2, 3, 4), normal(2, 3, 4)
    boxes, scores = boxes_and_scores()
    expected = {}

    def layer(kind, name, answer, *arguments, inputs=("a", "b"), **options):
        getattr(builder, "add_" + kind)(name, inputs[0] if len(inputs) == 1 else list(inputs), name, *arguments, **options)
        expected[name] = np.asarray(answer, np.float32)

    truths = a > 0, b > 0
    for name, values in (("is_a", "a"), ("is_b", "b")):
        builder.add_greater_than(name, [values], name, alpha=0.0)
    for mode, of in (("OR", np.logical_or), ("XOR", np.logical_xor), ("AND", np.logical_and)):
        layer("logical", f"logical{mode.title()}", of(*truths), mode, inputs=("is_a", "is_b"))
    layer("elementwise", "average", (a + b) / 2, "AVE")
    layer("elementwise", "max", np.maximum(a, b), "MAX")
    layer("elementwise", "dot", (a * b).sum(0, keepdims=True), "DOT")
    layer("mod_broadcastable", "modBroadcastable", np.mod(a, b))
    layer("min_broadcastable", "minBroadcastable", np.minimum(a, b))
    layer("max_broadcastable", "maxBroadcastable", np.maximum(a, b))
    layer("floor_div_broadcastable", "floorDivBroadcastable", np.floor_divide(a, b))
    layer("asinh", "asinh", np.arcsinh(a), inputs="a")
    builder.add_unary("beyond_one", "a", "beyond_one", "exp")
    builder.add_activation("beyond", "LINEAR", "beyond_one", "beyond", [1.0, 1.0])
    layer("acosh", "acosh", np.arccosh(np.exp(a) + 1), inputs=("beyond",))
    layer("constant_pad", "constantPad", np.pad(a, ((0, 0), (1, 2), (0, 1)), constant_values=5), 5.0, False,
          [0, 0, 1, 2, 0, 1], inputs=("a",))
    layer("resize_bilinear", "resizeBilinear",
          resized(a, np.arange(5) * 2 / 4, np.arange(7) * 3 / 6), 5, 7, "STRICT_ALIGN_ENDPOINTS_MODE", inputs=("a",))
    operations = [*expected, "greaterThan", "NonMaximumSuppression"]
    builder.add_nms("nms", ["boxes", "scores"], ["kept", "kept_scores", "indices", "count"], 0.3, 0.2, 4, True)
    indices, count = suppressed(boxes, scores, 0.3, 0.2, 4, True)
    expected.update(indices=indices[None].astype(np.float32), count=np.array([count], np.float32))
    spec = builder.spec
    del spec.description.output[:]
    for name in expected:
        feature(spec.description, name, "array", [], output=True)
    inputs = {"a": a, "b": b, "boxes": boxes[None], "scores": scores[None]}
    write("network-kinds", spec, [(inputs, expected)], ops=operations)

    # Axes of the older kind: sequence, batch, channel, height, width.
    builder = NeuralNetworkBuilder([("a", datatypes.Array(2, 3, 4))], [("reduce", None)])
    expected = {}
    builder.add_reduce("reduce", "a", "reduce", "CHW", "sumsquare")
    expected["reduce"] = np.square(a).sum().reshape(1)
    builder.add_flatten("flatten", 1, "a", "flatten")
    expected["flatten"] = a.transpose(1, 2, 0).reshape(24)
    builder.add_permute("permute", [0, 3, 1, 2], "a", "permute")
    expected["permute"] = a.transpose(2, 0, 1)
    builder.add_sequence_repeat("sequenceRepeat", 3, "a", "sequenceRepeat")
    expected["sequenceRepeat"] = np.broadcast_to(a, (3, 2, 3, 4))
    spec = builder.spec
    del spec.description.output[:]
    for name in expected:
        feature(spec.description, name, "array", [], output=True)
    write("network-axes", spec, [({"a": a}, expected)], ops=list(expected), compare="flattened")


def boxes_and_scores():
    """Six boxes, of which some cover others, with scores of two classes."""
    boxes = np.concatenate([random.uniform(0, 3, (6, 2)), random.uniform(1, 2, (6, 2))], 1)
    return boxes.astype(np.float32), random.uniform(0, 1, (6, 2)).astype(np.float32)


def suppressed(boxes, scores, iou, least, most, per_class):
    """Boxes (x, y, width, height of their middles) in descending order of their best scores; -1 where there is none."""
    low, high = boxes[:, :2] - boxes[:, 2:] / 2, boxes[:, :2] + boxes[:, 2:] / 2
    kept = []
    for index in np.argsort(-scores.max(1), kind="stable"):
        if scores[index].max() < least or len(kept) == most:
            continue
        for other in kept:
            sides = np.maximum(np.minimum(high[index], high[other]) - np.maximum(low[index], low[other]), 0)
            common = sides.prod()
            together = boxes[index, 2:].prod() + boxes[other, 2:].prod() - common
            same = not per_class or scores[index].argmax() == scores[other].argmax()
            if same and common / together > iou:
                break
        else:
            kept.append(index)
    count = len(kept)
    indices = np.full(most, -1)
    indices[:count] = kept
    return indices, count


def operation_kinds():
    """Operations that the tests of coremltools which are picked for the repository do not have."""
    codes = random.integers(0, 256, (2, 3, 3, 3)).astype(np.uint8)
    scale, shift, least = np.float32(0.02), np.float32(-2), np.float32(0.2)

    @mb.program(
        input_specs=[mb.TensorSpec((2, 3)), mb.TensorSpec((2, 3)), mb.TensorSpec((1, 6, 4)), mb.TensorSpec((1, 6, 2)),
                     mb.TensorSpec((1, 3, 5, 5))],
        opset_version=ct.target.iOS15)
    def program(a, b, boxes, scores, maps):
        yes, no = mb.greater(x=a, y=0.0), mb.greater(x=b, y=0.0)
        def number(x, name):
            return mb.cast(x=x, dtype="fp32", name=name)
        kept = mb.non_maximum_suppression(
            boxes=boxes, scores=scores, iou_threshold=0.3, score_threshold=least, max_boxes=4, name="suppressed")
        return (
            number(mb.logical_and(x=yes, y=no), "and"), number(mb.logical_or(x=yes, y=no), "or"),
            number(mb.logical_xor(x=yes, y=no), "xor"), number(mb.logical_not(x=yes), "not"),
            mb.minimum(x=a, y=b, name="minimum"), mb.mod(x=mb.abs(x=a), y=mb.abs(x=b), name="mod"),
            mb.pow(x=mb.abs(x=a), y=b, name="pow"), mb.reduce_sum_square(x=a, axes=[1], name="squares"),
            mb.reduce_sum(x=a, axes=[0], keep_dims=True, name="sums"), mb.identity(x=kept[2], name="indices"),
            mb.identity(x=kept[3], name="count"),
            mb.conv_quantized(x=maps, weight=codes, quantization_type="linear", quant_scale=np.full(2, scale),
                              quant_bias=np.full(2, shift), name="maps_of_codes"))

    a, b = normal(2, 3), normal(2, 3)
    boxes, scores = boxes_and_scores()
    indices, count = suppressed(boxes, scores, 0.3, least, 4, False)
    maps = normal(1, 3, 5, 5)
    convolved = convolution(maps, codes * scale + shift, np.zeros(2), (0, 0, 0, 0), 1)
    write("program-kinds", convert(program, ct.target.iOS15), [(
        {"a": a, "b": b, "boxes": boxes[None], "scores": scores[None], "maps": maps},
        {"and": (a > 0) & (b > 0), "or": (a > 0) | (b > 0), "xor": (a > 0) ^ (b > 0), "not": ~(a > 0),
         "minimum": np.minimum(a, b), "mod": np.mod(np.abs(a), np.abs(b)), "pow": np.abs(a) ** b,
         "squares": np.square(a).sum(1), "sums": a.sum(0, keepdims=True), "indices": indices[None].astype(np.int32),
         "count": np.array([count], np.int32), "maps_of_codes": convolved})],
        ops=["logical_and", "logical_or", "logical_xor", "logical_not", "minimum", "mod", "pow", "reduce_sum_square",
             "reduce_sum", "non_maximum_suppression", "conv_quantized"])


def operations():
    from coremltools.converters.mil.mil.ops.registry import SSAOpRegistry
    names = sorted(name for name in SSAOpRegistry.core_ops if not name.startswith("_"))
    (OUT / "operations.txt").write_text("\n".join(names) + "\n")
    layers = NeuralNetwork_pb2.NeuralNetworkLayer.DESCRIPTOR.oneofs_by_name["layer"].fields
    (OUT / "layers.txt").write_text("\n".join(sorted(field.name for field in layers)) + "\n")


OUT.mkdir(exist_ok=True)
for make in (
        operations, layers, control_flow, state, state_blocks, compressed, network, classic, pictures, classes, loops, layer_kinds,
        operation_kinds):
    make()

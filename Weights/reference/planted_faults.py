"""Plants faults in exported networks, and counts how often `apus parity` names the node that has it.

    python Weights/reference/planted_faults.py --apus .build/release/apus [--output FOLDER] [--json FILE] [--formats onnx coreml torch]

Six small networks (a CNN with batch normalisation, one with residual sums, a transformer, an LSTM with a GRU, depthwise convolutions, a
quantised one) are exported by torch.onnx.export, by dynamo=False and dynamo=True; the quantised one is made by ONNX Runtime's
quantiser. Of each, twelve kinds of faults are planted where its nodes have what the kind is about:

    weight          one weight off by a tenth of the largest          kernel     a kernel with height and width exchanged
    bias            a bias of zeros                                   scale      a quantised tensor's scale off by a tenth
    epsilon         a normalisation's epsilon a thousand times it     overflow   a weight rounded as FLOAT16, its large ones at 65504
    axis            another axis, or another order of axes            mask       what masks attention left out
    padding         a kernel one place off                            channels   two channels of a weight exchanged
    mode            align_corners in place of half_pixel              activation gelu by tanh, or Relu in place of another

Each faulty file is judged by the values that torch_reference.py recorded of the sound network (quantised: that ONNX Runtime computed of
the sound file), and as a model against the sound one of the other exporter. A fault counts as *named* where the first
node that the verdict names is the one it was planted in, or the verdict names several that are judged together and it is
among them; as *seen* where the exit code is 1. A fault without an effect on any output that ONNX Runtime computes is no fault, and left
out. All sound files must be judged equal.

Into Core ML files faults come with the PyTorch module: it is changed (planted_modules.py), and coremltools converts it. Which operation
then has the fault is what differs between the two converted programs; so a fault in a normalisation that the converter folded into
a convolution is the convolution's. The judges are what coreml_reference.py recorded of the sound module under the names of the
faulty file, and the sound module's ONNX file. coremltools 9.0 converts attention with NumPy up to 2.3 alone, which
requirements.txt has; what it refuses is named. Into .pt2 programs they come the same way, by torch.export; the judges are what
the sound program's own nodes give, and the sound module's ONNX file.
"""

import argparse
import copy
import io
import json
import subprocess
import sys
import tempfile
import warnings
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from onnx import helper, numpy_helper
from torch import nn

import onnx_reference
import planted_modules
import reference_file
import torch_reference

warnings.filterwarnings("ignore")


def normalised(norm):
    norm.running_mean.normal_(0, 0.3)
    norm.running_var.uniform_(0.5, 2)
    nn.init.uniform_(norm.weight, 0.5, 1.5)
    nn.init.normal_(norm.bias, 0, 0.3)
    return norm


class CNN(nn.Module):
    shape = (2, 3, 12, 12)

    def __init__(self):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(3, 8, 3, padding=1), normalised(nn.BatchNorm2d(8))
        self.conv2, self.bn2 = nn.Conv2d(8, 8, (3, 3), stride=2, padding=1), normalised(nn.BatchNorm2d(8))
        self.up = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=False)
        self.gelu, self.relu, self.fc = nn.GELU(), nn.ReLU(), nn.Linear(8, 10)

    def forward(self, x):
        x = self.relu(self.bn1(self.conv1(x)))
        x = self.up(self.gelu(self.bn2(self.conv2(x))))
        return self.fc(x.mean((2, 3)))


class Residual(nn.Module):
    shape = (2, 3, 10, 10)

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, padding=1)
        self.blocks = nn.ModuleList(
            nn.Sequential(nn.Conv2d(8, 8, 3, padding=1, bias=False), normalised(nn.BatchNorm2d(8)), nn.SiLU(),
                          nn.Conv2d(8, 8, 3, padding=1), nn.GroupNorm(2, 8)) for _ in range(2))
        self.pool, self.head = nn.AvgPool2d(3, stride=2, padding=1), nn.Linear(8, 6)

    def forward(self, x):
        x = self.stem(x)
        for block in self.blocks:
            x = x + block(x)
        return self.head(self.pool(x).amax((2, 3)))


class Transformer(nn.Module):
    shape = (2, 9, 16)

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(16, 2, 32, batch_first=True, norm_first=True, activation=nn.GELU()) for _ in range(2))
        self.norm, self.head = nn.LayerNorm(16), nn.Linear(16, 7)
        self.register_buffer("mask", torch.triu(torch.full((9, 9), -1e4), diagonal=1))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x, src_mask=self.mask)
        return torch.softmax(self.head(self.norm(x)), -1)


class Recurrent(nn.Module):
    shape = (2, 8, 6)

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(6, 8, num_layers=2, bidirectional=True, batch_first=True)
        self.norm, self.gru, self.head = nn.LayerNorm(16), nn.GRU(16, 8, batch_first=True), nn.Linear(8, 5)

    def forward(self, x):
        x, _ = self.lstm(x)
        x, _ = self.gru(self.norm(x))
        return self.head(x)


class Depthwise(nn.Module):
    shape = (2, 3, 12, 12)

    def __init__(self):
        super().__init__()
        def block(a, b, stride):
            return nn.Sequential(
                nn.Conv2d(a, a, 3, stride, 1, groups=a, bias=False), normalised(nn.BatchNorm2d(a)), nn.ReLU6(),
                nn.Conv2d(a, b, 1, bias=False), normalised(nn.BatchNorm2d(b)), nn.Hardswish())
        self.features = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), block(8, 8, 1), block(8, 12, 2))
        self.head = nn.Linear(12, 9)

    def forward(self, x):
        return self.head(self.features(x).mean((2, 3)))


SMALL = {"cnn": CNN, "residual": Residual, "transformer": Transformer, "recurrent": Recurrent, "depthwise": Depthwise}


def make(name):
    torch.manual_seed(7)
    network = SMALL[name]().eval()
    return network, {"x": torch.randn(network.shape)}


def export(network, inputs, path, dynamo):
    options = {"external_data": False, "verbose": False} if dynamo else {"opset_version": 20}
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        torch.onnx.export(network, tuple(inputs.values()), path, dynamo=dynamo, input_names=["x"], output_names=["y"], **options)


def quantized(source, inputs, path):
    from onnxruntime.quantization import CalibrationDataReader, QuantType, quantize_static

    class Samples(CalibrationDataReader):
        def __init__(self):
            self.rows = iter([{"x": inputs["x"].numpy()}])

        def get_next(self):
            return next(self.rows, None)

    quantize_static(source, path, Samples(), activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8, per_channel=False)


# Faults. Each takes a model and gives copies of it with the fault, each with the name of the node that has it.

def initializer(model, name):
    return next((tensor for tensor in model.graph.initializer if tensor.name == name), None)


def attribute(node, name):
    return next((a for a in node.attribute if a.name == name), None)


def set_attribute(node, name, value):
    kept = [a for a in node.attribute if a.name != name]
    del node.attribute[:]
    node.attribute.extend([*kept, helper.make_attribute(name, value)])


def with_constant(model, index, position, change):
    """A copy in which node `index` reads a changed constant of its own; None where it reads none there, or it stays the same."""
    node = model.graph.node[index]
    if position >= len(node.input) or not (tensor := initializer(model, node.input[position])):
        return None
    old = numpy_helper.to_array(tensor)
    new = change(old.copy())
    if new is None or new.shape == old.shape and np.array_equal(new, old):
        return None
    model = copy.deepcopy(model)
    model.graph.node[index].input[position] = "planted"
    model.graph.initializer.append(numpy_helper.from_array(np.array(new, dtype=old.dtype, order="C"), "planted"))
    return model


def on_nodes(operators, body):
    def plant(model):
        for index, node in enumerate(model.graph.node):
            if node.op_type in operators:
                for result in body(model, index, node):
                    if result is not None:
                        yield result, index
    return plant


def weights(change, position=1, operators=("Conv", "Gemm", "MatMul", "LSTM", "GRU")):
    return on_nodes(operators, lambda model, index, node: [with_constant(model, index, position, change)])


def one_weight(array):
    array.flat[array.size // 2] += 0.1 * np.abs(array).max()
    return array


def attributes(operators, *changes):
    def body(model, index, node):
        for name, change in changes:
            value = change(node)
            if value is None:
                continue
            changed = copy.deepcopy(model)
            set_attribute(changed.graph.node[index], name, value)
            yield changed
    return on_nodes(operators, body)


def epsilon(node):
    old = attribute(node, "epsilon")
    return (old.f if old else 1e-5) * 1000


def moved_pads(node):
    pads = attribute(node, "pads")
    if not pads or not any(pads.ints):
        return None
    half = len(pads.ints) // 2
    return [p + 1 for p in pads.ints[:half]] + [p - 1 for p in pads.ints[half:]]


def swapped(node):
    perm = attribute(node, "perm")
    if not perm or len(perm.ints) < 3:
        return None
    return [perm.ints[1], perm.ints[0], *perm.ints[2:]]


def other_axis(node):
    axis = attribute(node, "axis")
    return (0 if axis and axis.i not in (0,) else 1) if node.op_type == "Softmax" else None


def exchanged(array):
    if array.ndim < 2 or array.shape[0] < 2:
        return None
    array[[0, 1]] = array[[1, 0]]
    return array


def kernel(array):
    return array.swapaxes(-1, -2) if array.ndim == 4 and array.shape[-1] == array.shape[-2] > 1 else None


def overflowed(array):
    if array.dtype != np.float32:
        return None
    large = array * (3e5 / np.abs(array).max())
    return None if np.abs(array).max() == 0 else np.clip(large, -65504, 65504) / (3e5 / np.abs(array).max())


def without_mask(model):
    for index, node in enumerate(model.graph.node):
        if node.op_type != "Add":
            continue
        for position in range(2):
            tensor = initializer(model, node.input[position])
            if tensor is not None and (numpy_helper.to_array(tensor) < -1e3).any():
                changed = with_constant(model, index, position, np.zeros_like)
                if changed:
                    yield changed, index


def activations(model):
    for index, node in enumerate(model.graph.node):
        changed = copy.deepcopy(model)
        other = changed.graph.node[index]
        if node.op_type == "Gelu":
            set_attribute(other, "approximate", "tanh")
        elif node.op_type in ("Erf", "HardSwish"):
            del other.attribute[:]
            other.op_type = {"Erf": "Tanh", "HardSwish": "Relu"}[node.op_type]
        elif node.op_type == "Sigmoid":
            other.op_type = "HardSigmoid"
        else:
            continue
        yield changed, index


def zeros(array):
    return np.zeros_like(array)


FAULTS = {
    "weight": weights(one_weight),
    "bias": weights(zeros, 2, ("Conv", "Gemm")),
    "epsilon": attributes(("LayerNormalization", "InstanceNormalization", "BatchNormalization", "GroupNormalization"), ("epsilon", epsilon)),
    "axis": lambda model: [*attributes(("Softmax",), ("axis", other_axis))(model), *attributes(("Transpose",), ("perm", swapped))(model)],
    "padding": attributes(("Conv", "AveragePool", "MaxPool"), ("pads", moved_pads)),
    "mode": attributes(("Resize",), ("coordinate_transformation_mode", lambda node: "align_corners")),
    "activation": activations,
    "kernel": weights(kernel, operators=("Conv",)),
    "scale": lambda model: [
        *weights(lambda a: a * np.float32(1.1), 1, ("QuantizeLinear", "DequantizeLinear"))(model)],
    "overflow": weights(overflowed),
    "mask": without_mask,
    "channels": weights(exchanged),
}


class Suite:
    def __init__(self, apus, folder):
        self.apus, self.folder, self.rows = apus, folder, []

    def parity(self, *arguments):
        run = subprocess.run([self.apus, "parity", *map(str, arguments), "--json"], capture_output=True, text=True)
        if run.returncode not in (0, 1):
            return run.returncode, run.stderr.strip(), None
        return run.returncode, "", json.loads(run.stdout)["data_sets"]

    def sound(self, name, *arguments):
        status, message, _ = self.parity(*arguments)
        self.rows.append({"network": name, "fault": "none", "equal": status == 0, "status": status})
        if status:
            print(f"NOT SOUND {name}: {status} {message}: {' '.join(map(str, arguments))}")

    def fault(self, name, kind, nodes, how, *arguments):
        """`nodes`: the names by which the report may call the node with the fault."""
        status, message, sets = self.parity(*arguments)
        seen, named, found, together = status == 1, False, message, 0
        different = next((s for s in sets or [] if not s["equal"]), None)
        if different:
            found = different.get("first_difference", "")
            first = next((n for n in different["nodes"] if n["name"] == found), {})
            # A linear layer of Core ML is several nodes: `linear_1`, `linear_1/MatMul_2`.
            said = [found, *first.get("suspects", [])]
            named = any(name == node or name.startswith(f"{node}/") for name in said for node in nodes)
            together = len(first.get("suspects", []))
        self.rows.append({"network": name, "fault": kind, "node": sorted(nodes)[0], "how": how, "seen": seen, "named": named,
                          "together": together})
        if not (seen and named):
            print(f"{'MISNAMED' if seen else 'NOT SEEN'} {name} {kind} by {how}: planted in {sorted(nodes)}, found {found}")

    def run(self, name, model, inputs, reference, other, most):
        """`most`: how many places a kind is planted in at most, spread over the network."""
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        feed = {session.get_inputs()[0].name: inputs["x"].numpy()}
        right = session.run(None, feed)[0]
        given = self.folder / "inputs.npz"
        np.savez(given, **feed)
        for kind, plant in FAULTS.items():
            for changed, index in planted_modules.spread(plant(model), most):
                node = model.graph.node[index].name
                path = self.folder / "faulty.onnx"
                onnx.save(changed, path)
                try:
                    quiet = onnxruntime.SessionOptions()
                    quiet.log_severity_level = 4
                    wrong = onnxruntime.InferenceSession(str(path), quiet, providers=["CPUExecutionProvider"]).run(None, feed)[0]
                except Exception:
                    continue  # shapes no longer fit: no runtime would take it
                if not planted_modules.shows(wrong, right):
                    continue
                self.fault(name, kind, {node}, "values", path, "--inputs", given, "--expected", reference)
                if other:
                    self.fault(name, kind, {node}, "model", path, other, "--inputs", given)


    def run_coreml(self, name, network, inputs, most):
        import coreml_reference
        import planted_coreml as planted

        sound = self.folder / f"{name}.mlpackage"
        try:
            model = planted.convert(network, inputs)
        except Exception as error:
            print(f"NOT CONVERTED {name} (Core ML): {type(error).__name__}: {str(error).splitlines()[0][:100]}")
            return
        model.save(str(sound))
        reference, other, given = sound.with_suffix(".safetensors"), self.folder / f"{name}-other.onnx", self.folder / "inputs.npz"
        coreml_reference.write_reference(network, inputs, model, reference)
        export(network, inputs, other, False)
        np.savez(given, x=inputs["x"].numpy())
        self.sound(f"{name} (Core ML)", sound, "--expected", reference)
        self.sound(f"{name} (Core ML)", sound, other, "--samples", 3)
        for kind, changed in planted_modules.faults(network, inputs, most):
            wrong, path = planted.convert(changed, inputs), self.folder / "faulty.mlpackage"
            wrong.save(str(path))
            nodes = planted.faulty_operations(model, wrong)
            if not nodes:
                print(f"NOT LOCATED {name} {kind}: the two programs are the same")
                continue
            # What the sound module gives, under the names that this file has for it.
            coreml_reference.write_reference(network, inputs, wrong, reference)
            self.fault(name, kind, nodes, "values (Core ML)", path, "--expected", reference)
            self.fault(name, kind, nodes, "model (Core ML)", path, other, "--inputs", given)

    def run_torch(self, name, network, inputs, most):
        import planted_torch as planted

        sound = self.folder / f"{name}.pt2"
        program = planted.export(network, inputs, sound)
        reference, other, given = sound.with_suffix(".safetensors"), self.folder / f"{name}-other.onnx", self.folder / "inputs.npz"
        feed = {program.graph_signature.user_inputs[0]: inputs["x"].numpy()}
        reference_file.write(reference, {**planted.values(program, inputs), **feed})
        export(network, inputs, other, False)
        np.savez(given, **feed)
        self.sound(f"{name} (.pt2)", sound, "--expected", reference)
        self.sound(f"{name} (.pt2)", sound, other, "--samples", 3)
        for kind, changed in planted_modules.faults(network, inputs, most):
            path = self.folder / "faulty.pt2"
            nodes = planted.faulty_nodes(program, planted.export(changed, inputs, path))
            self.fault(name, kind, nodes, "values (.pt2)", path, "--expected", reference)
            self.fault(name, kind, nodes, "model (.pt2)", path, other, "--inputs", given)


def named_nodes(path):
    model = onnx.load(path)
    for index, node in enumerate(model.graph.node):
        node.name = node.name or f"{node.op_type}_{index}"
    onnx.save(model, path)
    return model


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--apus", default=".build/release/apus", help="the command")
    parser.add_argument("--output", type=Path, help="a folder that keeps the files")
    parser.add_argument("--json", type=Path, help="every result")
    parser.add_argument("--most", type=int, default=3, help="places of a kind in a network")
    parser.add_argument("--formats", nargs="+", choices=["onnx", "coreml", "torch"], default=["onnx", "coreml", "torch"])
    parser.add_argument("--networks", nargs="+", default=[*SMALL, "quantized"])
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.output or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        suite = Suite(arguments.apus, folder)
        for name in arguments.networks:
            network, inputs = make("cnn" if name == "quantized" else name)
            if "coreml" in arguments.formats and name != "quantized":
                suite.run_coreml(name, network, inputs, arguments.most)
            if "torch" in arguments.formats and name != "quantized":
                suite.run_torch(name, network, inputs, arguments.most)
            if "onnx" not in arguments.formats:
                continue
            paths = {dynamo: folder / f"{name}-{'dynamo' if dynamo else 'script'}.onnx" for dynamo in (False, True)}
            for dynamo, path in paths.items():
                export(network, inputs, path, dynamo)
            if name == "quantized":
                path = folder / "quantized.onnx"
                quantized(str(paths[False]), inputs, str(path))
                model = named_nodes(path)
                values, _ = onnx_reference.run(model, {"x": inputs["x"].numpy()})
                reference = folder / "quantized.safetensors"
                reference_file.write(reference, {**values, "x": inputs["x"].numpy()})
                suite.sound(name, path, "--expected", reference)
                suite.run(name, model, inputs, reference, None, arguments.most)
                continue
            for dynamo, path in paths.items():
                model = named_nodes(path)
                reference = path.with_suffix(".safetensors")
                torch_reference.write_reference(network, inputs, path, reference)
                suite.sound(path.stem, path, "--expected", reference)
                suite.sound(path.stem, path, paths[not dynamo], "--samples", 3)
                suite.run(path.stem, model, inputs, reference, paths[not dynamo], arguments.most)
        report(suite.rows)
        if arguments.json:
            arguments.json.write_text(json.dumps(suite.rows))


def report(rows):
    sound = [row for row in rows if row["fault"] == "none"]
    print(f"sound: {sum(row['equal'] for row in sound)} of {len(sound)} judged equal")
    for how in ("values", "model", "values (Core ML)", "model (Core ML)", "values (.pt2)", "model (.pt2)"):
        faults = [row for row in rows if row.get("how") == how]
        if not faults:
            continue
        alone = sum(row["named"] and row["together"] == 0 for row in faults)
        print(f"by {how}: {len(faults)} faults, {sum(r['seen'] for r in faults)} seen, {sum(r['named'] for r in faults)} named, "
              f"{alone} of them alone; the others with {max((r['together'] for r in faults), default=0)} nodes at most")
        for kind in FAULTS:
            own = [row for row in faults if row["fault"] == kind]
            if own:
                print(f"  {kind:<10} {len(own):>3}, seen {sum(r['seen'] for r in own):>3}, named {sum(r['named'] for r in own):>3}")


if __name__ == "__main__":
    main()

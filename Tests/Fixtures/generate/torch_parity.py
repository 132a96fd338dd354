"""A network whose normalisations an exporter folds, beside values that were recorded without knowing of it.

`Tests/Fixtures/parity/folded.onnx` is what `torch.onnx.export(dynamo=False)` makes of two convolutions with batch normalisation,
a residual sum and two matrices: the file has no normalisation left. `folded.safetensors` is what plain forward hooks of PyTorch
give under its names:

    conv1, conv2   what the convolutions gave before their normalisations
    fc1            what the ReLU made of its output in place, for it was not copied

Neither fits the file, and the file is right. `folded_weight.onnx` has one weight of conv2 off by 0.05, and `folded_matrix.onnx` one of
fc2, which is wrong indeed. `renamed.onnx` is the same network as torch.onnx.export(dynamo=True) writes it, `channels_last.onnx` with
its picture and its maps as NHWC inside, both with other names for everything. `hooked.safetensors` is what Weights/reference/torch_reference.py writes, which knows all of it.
"""

import pathlib
import sys

import numpy as np
import onnx
import torch
from onnx import helper, numpy_helper
from torch import nn

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "Weights" / "reference"))
import reference_file  # noqa: E402
import torch_reference  # noqa: E402

FOLDER = ROOT / "Tests" / "Fixtures" / "parity"


class Folded(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.bn1, self.relu1 = nn.Conv2d(3, 6, 3, padding=1), nn.BatchNorm2d(6), nn.ReLU()
        self.conv2, self.bn2, self.silu = nn.Conv2d(6, 6, 3, padding=1), nn.BatchNorm2d(6), nn.SiLU()
        self.fc1, self.relu2, self.drop, self.fc2 = nn.Linear(6, 8), nn.ReLU(inplace=True), nn.Dropout(), nn.Linear(8, 5)
        for norm in (self.bn1, self.bn2):
            norm.running_mean.normal_(0, 0.5)
            norm.running_var.uniform_(0.5, 2)
            nn.init.uniform_(norm.weight, 0.5, 2)
            nn.init.normal_(norm.bias)

    def forward(self, image):
        x = self.relu1(self.bn1(self.conv1(image)))
        x = x + self.silu(self.bn2(self.conv2(x)))
        return self.fc2(self.drop(self.relu2(self.fc1(x.mean((2, 3))))))


def naive(module, image, model):
    """What hooks record that copy nothing, under the name of the last node whose path has the module's name."""
    records = {}
    for name, submodule in module.named_modules():
        if name:
            submodule.register_forward_hook(lambda _, __, output, name=name: records.__setitem__(name, output))
    with torch.no_grad():
        output = module(image)
    values = {"image": image.numpy(), model.graph.output[0].name: output.numpy()}
    for name, tensor in records.items():
        nodes = [node for node in model.graph.node if node.name.startswith(f"/{name}/")]
        if nodes:
            values[nodes[-1].output[0]] = tensor.numpy()
    return values


def changed(model, name, index, by):
    model = onnx.ModelProto.FromString(model.SerializeToString())
    node = next(node for node in model.graph.node if node.name == name)
    tensor = next(tensor for tensor in model.graph.initializer if tensor.name == node.input[1])
    array = numpy_helper.to_array(tensor).copy()
    array[index] += by
    tensor.CopyFrom(numpy_helper.from_array(array, tensor.name))
    return model


def channels_last(model):
    """The model with every convolution between transposes, so that what lies between convolutions is NHWC; all names are new."""
    model = onnx.ModelProto.FromString(model.SerializeToString())
    graph, nodes, names = model.graph, [], {}

    def name(old):
        return names.setdefault(old, f"t{len(names)}")

    for node in graph.node:
        if node.op_type == "Conv":
            before, after = name(f"before {node.name}"), name(f"after {node.name}")
            nodes.append(helper.make_node("Transpose", [name(node.input[0])], [before], perm=[0, 3, 1, 2]))
            conv = helper.make_node("Conv", [before, *(name(i) for i in node.input[1:])], [after])
            conv.attribute.extend(node.attribute)
            nodes += [conv, helper.make_node("Transpose", [after], [name(node.output[0])], perm=[0, 2, 3, 1])]
            continue
        new = helper.make_node(node.op_type, [name(i) for i in node.input], [name(o) for o in node.output])
        new.attribute.extend(node.attribute)
        for attribute in new.attribute:
            if node.op_type == "ReduceMean" and attribute.name == "axes":
                attribute.ints[:] = [1, 2]
        nodes.append(new)
    for tensor in graph.initializer:
        tensor.name = name(tensor.name)
    for value in [*graph.input, *graph.output]:
        value.name = name(value.name)
    shape = graph.input[0].type.tensor_type.shape.dim
    for dim, size in zip(shape, (1, 6, 6, 3)):
        dim.dim_value = size
    del graph.node[:], graph.value_info[:]
    graph.node.extend(nodes)
    onnx.checker.check_model(model)
    return model


def main():
    torch.manual_seed(20261123)
    module, image = Folded().eval(), torch.randn(1, 3, 6, 6)
    path = FOLDER / "folded.onnx"
    torch.onnx.export(module, (image,), path, dynamo=False, input_names=["image"], output_names=["scores"], opset_version=17)
    model = onnx.load(path)
    onnx.save(changed(model, "/conv2/Conv", (2, 3, 1, 1), 0.05), FOLDER / "folded_weight.onnx")
    with torch.no_grad():
        # A weight of what the ReLU lets through.
        hidden = []
        handle = module.relu2.register_forward_hook(lambda _, __, output: hidden.append(output.clone()))
        module(image)
        handle.remove()
    onnx.save(changed(model, "/fc2/Gemm", (2, int(hidden[0].argmax())), 0.05), FOLDER / "folded_matrix.onnx")
    onnx.save(channels_last(model), FOLDER / "channels_last.onnx")
    torch.onnx.export(
        module, (image,), FOLDER / "renamed.onnx", dynamo=True, input_names=["picture"], output_names=["result"], external_data=False,
        verbose=False)
    for name, reason in torch_reference.write_reference(module, {"image": image}, path, FOLDER / "hooked.safetensors").items():
        print(f"note: {name}: {reason}")
    reference_file.write(FOLDER / "folded.safetensors", naive(module, image.clone(), model))


if __name__ == "__main__":
    main()

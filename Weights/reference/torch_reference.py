"""Runs a PyTorch module and writes the outputs of its submodules under the value names of the exported ONNX model.

As a library:

    from torch_reference import write_reference
    write_reference(module, {"image": image}, "model.onnx", "reference.safetensors")

or from the shell, for a function that returns `(module, inputs)`, inputs being a dictionary by the ONNX model's names:

    python Weights/reference/torch_reference.py my_package.my_file:make MODEL.onnx --output reference.safetensors
    apus parity MODEL.onnx --expected reference.safetensors

A forward hook on every submodule records its output. The matching value of the ONNX model is found in this order:

1. `--names FILE.json`, a dictionary from module names (`encoder.0.norm`) to ONNX value names;
2. the scopes that the exporter left: `pkg.torch.onnx.name_scopes` in a node's metadata (torch.export), or a node's name,
   `/encoder/encoder.0/norm/Add` (TorchScript). The last node within a module's scope gives its output;
3. a value of the model that is named as the module is.

A match is kept only if the shapes agree, where the ONNX model states them. Modules that run more than once, that do not
return a single tensor, or whose output has no name in the file are omitted, with a note. The model's outputs are always there.

`--float64` computes in float64: the true value, against which both float32 runtimes can be judged. What is written stays
float64, and `apus parity` compares with it in the model's own tolerances.
"""

import argparse
import ast
import importlib
import json
import re
import sys
from pathlib import Path

import onnx
import torch

import reference_file

SCOPES = "pkg.torch.onnx.name_scopes"


def record(module, inputs, names):
    """The output of each submodule in `names` in one run, and of the module; None for submodules that ran repeatedly."""
    records, handles = {}, []

    def hook_for(name):
        def hook(_, __, output):
            records[name] = None if name in records or not torch.is_tensor(output) else output.detach().clone()
        return hook

    for name, submodule in module.named_modules():
        if name and name in names:
            handles.append(submodule.register_forward_hook(hook_for(name)))
    try:
        with torch.no_grad():
            result = module(**inputs) if isinstance(inputs, dict) else module(*inputs)
    finally:
        for handle in handles:
            handle.remove()
    return records, result


def node_scopes(node, modules):
    """The module names around a node, outermost first."""
    for entry in node.metadata_props:
        if entry.key == SCOPES:
            return [scope for scope in ast.literal_eval(entry.value)[:-1] if scope]
    # `/a/a.0/norm/Add`: the members of a list carry its name. A module that runs again gets a number: `norm_1`.
    scopes, path, previous = [], "", ""
    for part in node.name.split("/")[1:-1]:
        parent = path[: len(path) - len(previous)] if previous and part.startswith(previous + ".") else f"{path}." if path else ""
        path = parent + part
        if path not in modules and re.search(r"_\d+$", part):
            part = re.sub(r"_\d+$", "", part)
            path = parent + part
        previous = part
        scopes.append(path)
    return scopes


def value_names(model, modules):
    """The ONNX value that is the output of each module, where the file identifies it."""
    found, known = {}, {output for node in model.graph.node for output in node.output}
    for node in model.graph.node:
        for scope in node_scopes(node, modules):
            if scope in modules and node.output:
                found[scope] = node.output[0]
    for name in modules:
        if name not in found and name in known:
            found[name] = name
    return found


def shapes(model):
    """The shapes of the values whose shapes are fully known."""
    try:
        model = onnx.shape_inference.infer_shapes(model)
    except Exception:  # names alone are enough
        pass
    result = {}
    for value in [*model.graph.value_info, *model.graph.output]:
        dims = value.type.tensor_type.shape.dim
        if value.type.tensor_type.HasField("shape") and all(dim.HasField("dim_value") for dim in dims):
            result[value.name] = [dim.dim_value for dim in dims]
    return result


def write_reference(module, inputs, onnx_path, path, names=None, float64=False):
    """Writes inputs, outputs and module outputs; returns the names of the modules that were omitted, with reasons.

    `inputs`: a dictionary by parameter names of `forward`, or a tuple; either way in the order of the ONNX inputs.
    """
    model = onnx.load(onnx_path, load_external_data=False)
    modules = {name for name, _ in module.named_modules() if name}
    mapping = {**value_names(model, modules), **(names or {})}
    arguments = list(inputs.values()) if isinstance(inputs, dict) else list(inputs)
    defaults = {tensor.name for tensor in model.graph.initializer}
    input_names = [value.name for value in model.graph.input if value.name not in defaults]
    arrays = {name: tensor.detach().numpy() for name, tensor in zip(input_names, arguments)}
    if float64:
        module = module.double()
        arguments = [tensor.double() if tensor.is_floating_point() else tensor for tensor in arguments]
    records, result = record(module.eval(), tuple(arguments), set(mapping))
    known, skipped = shapes(model), {}
    for name, tensor in records.items():
        target = mapping[name]
        if tensor is None:
            skipped[name] = "it runs more than once, or returns no single tensor"
        elif target in known and known[target] != list(tensor.shape):
            skipped[name] = f"its output is {list(tensor.shape)}, '{target}' is {known[target]}"
        else:
            arrays[target] = array(tensor)
    for name in modules - set(mapping):
        skipped[name] = "the file does not tell which value it gives"
    results = list(result.values()) if isinstance(result, dict) else result
    results = [results] if torch.is_tensor(results) else list(results)
    for value, tensor in zip(model.graph.output, results):
        arrays[value.name] = array(tensor)
    metadata = {"made by": "Weights/reference/torch_reference.py", "torch": torch.__version__}
    for name in reference_file.write(path, arrays, metadata):
        skipped[name] = "the file format has no such element type"
    return skipped


def array(tensor):
    tensor = tensor.detach().cpu().contiguous()
    if tensor.dtype == torch.bfloat16:
        import ml_dtypes

        return tensor.view(torch.int16).numpy().view(ml_dtypes.bfloat16)
    return tensor.numpy()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("function", metavar="MODULE:FUNCTION", help="returns the module and its inputs")
    parser.add_argument("model", metavar="MODEL.onnx", type=Path)
    parser.add_argument("--output", metavar="FILE", type=Path, required=True, help=".safetensors or .npz")
    parser.add_argument("--names", metavar="FILE.json", type=Path, help="ONNX value names by module names")
    parser.add_argument("--float64", action="store_true", help="compute in float64")
    arguments = parser.parse_args()
    sys.path.insert(0, "")
    package, _, function = arguments.function.partition(":")
    module, inputs = getattr(importlib.import_module(package), function)()
    names = json.loads(arguments.names.read_text()) if arguments.names else None
    skipped = write_reference(module, inputs, arguments.model, arguments.output, names, arguments.float64)
    for name, reason in sorted(skipped.items()):
        print(f"omitted: {name}: {reason}")
    print(f"{arguments.output}: {arguments.output.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()

"""Runs a PyTorch module and writes the outputs of its submodules under the value names of the exported ONNX model.

As a library:

    from torch_reference import write_reference
    write_reference(module, {"image": image}, "model.onnx", "reference.safetensors")

or from the shell, for a function that returns `(module, inputs)`, inputs being a dictionary by the ONNX model's names:

    python Weights/reference/torch_reference.py my_package.my_file:make MODEL.onnx --output reference.safetensors
    apus parity MODEL.onnx --expected reference.safetensors

A forward hook on every submodule records what each of its calls returns, copied at once: what overwrites it in place later does
not matter. The matching value of the ONNX model is found in this order:

1. `--names FILE.json`, a dictionary from module names (`encoder.0.norm`) to ONNX value names;
2. the scopes that the exporter left: `pkg.torch.onnx.name_scopes` in a node's metadata (torch.export), or a node's name,
   `/encoder/encoder.0/norm/Add` (TorchScript). The last node within a module's scope gives its output;
3. a value of the model that is named as the module is.

- A module that is called several times has a group of nodes for each call, in the order of the calls.
- Of a module that returns several tensors, `lstm` for example, they are `lstm.0`, `lstm.1.0`, ...: each is paired with the value
  that leaves the module's nodes with its shape. The LSTM, GRU and RNN nodes inside are paired with their layers as well.
- Exporters fold and fuse. Where no node is left of a module that reads what another gave (a batch normalisation folded into
  a convolution), the value of the other's node is what comes after both. Where it is not known to be folded, the value is omitted.

A match is kept only if the shapes agree, where the ONNX model states them. What is omitted is noted. The model's outputs are
always there.

Modules run as in evaluation, which is what exporters write; that a module was in training mode, or that the file still
normalises by its batch, is noted.

`--float64` computes in float64: the true value, against which both float32 runtimes can be judged. What is written stays
float64, and `apus parity` compares with it in the model's own tolerances.
"""

import argparse
import ast
import importlib
import json
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

import onnx
import torch

import reference_file

SCOPES = "pkg.torch.onnx.name_scopes"
#: What a tensor's Python object carries while the module runs: the calls that returned it.
GIVEN_BY = "_calls_that_gave_it"
NORMALISATIONS = (torch.nn.modules.batchnorm._BatchNorm,)


@dataclass
class Call:
    """One call of a submodule."""

    module: str
    index: int  # among the module's calls
    outputs: dict  # copies of what it returned: "" of a tensor, ".0", ".1.0" of what is within tuples
    read: list = field(default_factory=list)  # the calls that gave what it was given


def leaves(value, path=""):
    """The tensors within tuples, lists and dictionaries, by the path to each."""
    if torch.is_tensor(value):
        return {path: value}
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, (tuple, list)) else ()
    return {p: tensor for key, inner in items for p, tensor in leaves(inner, f"{path}.{key}").items()}


def record(module, inputs):
    """All calls of submodules in one run, in the order in which they ended, and what the module returned."""
    calls, counts, handles = [], {}, []

    def hook_for(name):
        def hook(_, arguments, output):
            read = [call for tensor in leaves(arguments).values() for call in getattr(tensor, GIVEN_BY, [])]
            given = leaves(output)
            call = Call(name, counts.get(name, 0), {p: t.detach().clone() for p, t in given.items()}, read)
            counts[name] = call.index + 1
            calls.append(call)
            for tensor in given.values():
                setattr(tensor, GIVEN_BY, [*getattr(tensor, GIVEN_BY, []), call])
        return hook

    for name, submodule in module.named_modules():
        if name:
            handles.append(submodule.register_forward_hook(hook_for(name)))
    # Fused attention in place of submodules would leave their hooks out.
    fast = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        with torch.no_grad():
            result = module(**inputs) if isinstance(inputs, dict) else module(*inputs)
    finally:
        torch.backends.mha.set_fastpath_enabled(fast)
        for handle in handles:
            handle.remove()
    return calls, result


def evaluated(module, inputs):
    """`record` with the module as in evaluation, and a note on modules that were, or are still, training."""
    notes = {}
    modes = {submodule: submodule.training for submodule in module.modules()}
    names = {submodule: name or "the module" for name, submodule in module.named_modules()}
    if module.training:
        notes[names[module]] = "it was in training mode, and ran as in evaluation, which is what exporters write"
    module.eval()
    for submodule in modes:
        if submodule.training:
            notes[names[submodule]] = "it stays in training mode: what it gives depends on the batch, or on chance"
    try:
        calls, result = record(module, inputs)
    finally:
        for submodule, mode in modes.items():
            submodule.training = mode
    return calls, result, notes


def node_scopes(node, modules):
    """The modules around a node, outermost first, each with what distinguishes the call, as far as the file says it."""
    for entry in node.metadata_props:
        if entry.key == SCOPES:
            return [(scope, scope) for scope in ast.literal_eval(entry.value)[:-1] if scope]
    # `/a/a.0/norm/Add`: the members of a list carry its name. A module that runs again gets a number: `norm_1`.
    scopes, path, previous, raw = [], "", "", ""
    for part in node.name.split("/")[1:-1]:
        raw += "/" + part
        parent = path[: len(path) - len(previous)] if previous and part.startswith(previous + ".") else f"{path}." if path else ""
        path = parent + part
        if path not in modules and re.search(r"_\d+$", part):
            part = re.sub(r"_\d+$", "", part)
            path = parent + part
        previous = part
        scopes.append((path, raw))
    return scopes


def groups(model, modules, counts):
    """The nodes of each call of each module, as far as the file distinguishes them: `{(module, index): [node, ...]}`."""
    found = {}
    for node in model.graph.node:
        for scope, raw in node_scopes(node, modules):
            if scope in modules and node.output:
                found.setdefault(scope, {}).setdefault(raw, []).append(node)
    result = {}
    for scope, by_path in found.items():
        parts, count = list(by_path.values()), counts.get(scope, 0)
        if len(parts) == 1 and count > 1:
            nodes, length = parts[0], len(parts[0]) // count
            parts = [nodes[i : i + length] for i in range(0, len(nodes), length)] if length else []
            if len({tuple(node.op_type for node in part) for part in parts}) != 1:
                continue
        if len(parts) == count:
            result.update({(scope, index): part for index, part in enumerate(parts)})
    return result


def exits(nodes, model):
    """The values of a group of nodes that others read, or that the model gives."""
    inside = {id(node) for node in nodes}
    wanted = {output.name for output in model.graph.output}
    for node in model.graph.node:
        if id(node) not in inside:
            wanted.update(node.input)
    return [value for node in nodes if node.op_type != "Constant" for value in node.output if value in wanted]


def shapes(model):
    """The shapes of the values whose shapes are fully known."""
    try:
        model = onnx.shape_inference.infer_shapes(model, data_prop=True)
    except Exception:  # names alone are enough
        pass
    result = {}
    for value in [*model.graph.value_info, *model.graph.output]:
        dims = value.type.tensor_type.shape.dim
        if value.type.tensor_type.HasField("shape") and all(dim.HasField("dim_value") for dim in dims):
            result[value.name] = [dim.dim_value for dim in dims]
    return result


def recurrent_values(module, call, nodes):
    """What the LSTM, GRU and RNN nodes of a call give, layer by layer, made from what the module returned."""
    if not isinstance(module, torch.nn.RNNBase) or "" in call.outputs or getattr(module, "proj_size", 0):
        return {}
    layers = [node for node in nodes if node.op_type in ("LSTM", "GRU", "RNN")]
    directions = 2 if module.bidirectional else 1
    output = call.outputs.get(".0")
    states = [state for path, state in call.outputs.items() if path != ".0"]
    if len(layers) != module.num_layers or output is None or output.dim() != 3:
        return {}
    # ONNX: [time, directions, batch, hidden], and of each layer [directions, batch, hidden].
    output = output.transpose(0, 1) if module.batch_first else output
    time, batch, _ = output.shape
    values = {}
    for index, node in enumerate(layers):
        own = [state[index * directions : (index + 1) * directions] for state in states]
        if index == len(layers) - 1:
            own = [output.reshape(time, batch, directions, -1).transpose(1, 2), *own]
        else:
            own = [None, *own]
        values.update({name: value for name, value in zip(node.output, own) if name and value is not None})
    return values


def paired_leaves(call, nodes, model, known, skipped):
    """Several tensors of one call with the values of that shape that leave its nodes, in their order."""
    values = {}
    left = exits(nodes, model)
    for path, tensor in call.outputs.items():
        shape = list(tensor.shape)
        alike = [p for p, other in call.outputs.items() if list(other.shape) == shape]
        fitting = [name for name in left if known.get(name) == shape]
        if len(fitting) == len(alike):
            values[fitting[alike.index(path)]] = tensor
        elif fitting:
            skipped[call.module + path] = f"{len(alike)} of its outputs and {len(fitting)} of the file's values are {shape}"
        else:
            skipped[call.module + path] = f"no value of the file that leaves it is {shape}"
    return values


def absorbed(calls, found, modules, model, skipped):
    """What the calls' values are once a call that no node is left of is taken to be folded into the one that it reads.

    Changes `found`, values by call. Returns the calls whose value is not known.
    """
    readers = {}
    for node in model.graph.node:
        for name in node.input:
            readers.setdefault(name, []).append(node)
    unknown = set()
    for call in calls:
        if id(call) in found or "" not in call.outputs or not call.read:
            continue
        source = next((given for given in reversed(call.read) if id(given) in found and "" in given.outputs), None)
        if source is None:
            continue
        before, after = source.outputs[""], call.outputs[""]
        if before.shape == after.shape and torch.equal(before, after):
            found[id(call)] = found[id(source)]  # it does nothing: dropout, identity
            continue
        name = found[id(source)]
        normalised = [node for node in readers.get(name, []) if node.op_type == "BatchNormalization"]
        if isinstance(modules[call.module], NORMALISATIONS) and normalised:
            found[id(call)] = normalised[0].output[0]  # it is there, and lost its name
        elif isinstance(modules[call.module], NORMALISATIONS) and before.shape == after.shape:
            found[id(call)] = name
            unknown.add(id(source))
            skipped[source.module] = f"'{call.module}' was folded into it; '{name}' is the value after both"
        elif not list(modules[call.module].children()):
            unknown.add(id(source))
            skipped[source.module] = f"no node is left of '{call.module}' after it, which may have been fused with it"
    return unknown


def values_of_calls(module, calls, model, names, skipped):
    """The file's values by name, from the records."""
    modules = dict(module.named_modules())
    counts = {}
    for call in calls:
        counts[call.module] = counts.get(call.module, 0) + 1
    known = shapes(model)
    nodes_of = groups(model, set(modules) - {""}, counts)
    made = {output for node in model.graph.node for output in node.output}
    found, values = {}, {}
    for call in calls:
        nodes = nodes_of.get((call.module, call.index))
        if "" not in call.outputs:
            if nodes:
                values.update(recurrent_values(modules[call.module], call, nodes))
                values.update(paired_leaves(call, nodes, model, known, skipped))
            continue
        if call.module in names and counts[call.module] == 1:
            found[id(call)] = names[call.module]
        elif nodes:
            computing = [node for node in nodes if node.op_type != "Constant"] or nodes
            found[id(call)] = computing[-1].output[0]
        elif counts[call.module] == 1 and call.module in made:
            found[id(call)] = call.module
    unknown = absorbed(calls, found, modules, model, skipped)
    # Where several calls end with one value, the last to end is the one that it comes after.
    for call in calls:
        name = found.get(id(call))
        if name is None or id(call) in unknown:
            continue
        tensor = call.outputs[""]
        if name in known and known[name] != list(tensor.shape):
            skipped[call.module] = f"its output is {list(tensor.shape)}, '{name}' is {known[name]}"
        else:
            values[name] = tensor
    matched = {call.module for call in calls if id(call) in found or "" not in call.outputs and nodes_of.get((call.module, call.index))}
    for name in set(modules) - matched - {""}:
        skipped.setdefault(
            name, "the file does not tell which value it gives" if name in counts else "it is not called as a module")
    # What is not known of one call is not known of the value, unless a later one ended with it.
    for call in calls:
        name = found.get(id(call))
        if id(call) in unknown and not any(found.get(id(c)) == name and id(c) not in unknown for c in calls):
            values.pop(name, None)
    return values


def batch_statistics(model):
    """The nodes of a file that depend on their batch, or on chance: it was exported in training mode."""
    for node in model.graph.node:
        training = any(a.name == "training_mode" and a.i for a in node.attribute)
        if node.op_type == "BatchNormalization" and training or node.op_type == "Dropout" and len(node.input) > 2 and node.input[2]:
            yield node.name or node.output[0]


def write_reference(module, inputs, onnx_path, path, names=None, float64=False):
    """Writes inputs, outputs and module outputs; returns the names of the modules that were omitted, with reasons.

    `inputs`: a dictionary by parameter names of `forward`, or a tuple; either way in the order of the ONNX inputs.
    """
    model = onnx.load(onnx_path, load_external_data=False)
    arguments = list(inputs.values()) if isinstance(inputs, dict) else list(inputs)
    defaults = {tensor.name for tensor in model.graph.initializer}
    input_names = [value.name for value in model.graph.input if value.name not in defaults]
    # Copies: a module may overwrite what it is given.
    arrays = {name: array(tensor.detach().clone()) for name, tensor in zip(input_names, arguments)}
    if float64:
        module = module.double()
        arguments = [tensor.double() if tensor.is_floating_point() else tensor for tensor in arguments]
    calls, result, skipped = evaluated(module, tuple(arguments))
    for name in batch_statistics(model):
        skipped[name] = "the file was exported in training mode: this node depends on its batch, or on chance"
    for name, tensor in values_of_calls(module, calls, model, names or {}, skipped).items():
        arrays[name] = array(tensor)
    for value, tensor in zip(model.graph.output, leaves(result).values()):
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
        print(f"note: {name}: {reason}")
    print(f"{arguments.output}: {arguments.output.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()

"""Runs a PyTorch module and writes what is inside it, under the names that a model which coremltools converted has for it.

As a library, where the module is converted:

    from coreml_reference import write_reference
    model = coremltools.convert(torch.jit.trace(module, image), ...)
    model.save("Model.mlpackage")
    write_reference(module, {"image": image}, model, "reference.safetensors")

or from the shell, which converts as well, for a function that returns `(module, inputs)`, inputs being a dictionary in the
order of `forward`'s parameters:

    python Weights/reference/coreml_reference.py my_package.my_file:make Model.mlpackage --output reference.safetensors
    apus parity Model.mlpackage --expected reference.safetensors

coremltools records where each operation of a converted program came from. The record is in the model that `convert` returns
and not in the file, so that it must be asked there:

- of a TorchScript trace the path of modules, `blocks.0.norm`. A forward hook on every submodule records what it returns, and
  the last operation that came from within a module gives that value;
- of `torch.export` the operations have the names that the program's nodes have. Every node is recorded, not modules alone;
  `write_reference` takes the exported program in place of the module then.

A match is kept only if the shapes agree, as far as they are known. Modules that run more than once, that return no single tensor, or that no operation is
left of (a convolution whose normalisation was folded into it) are omitted, with a note. Inputs and outputs are always there.

`--float64` computes in float64: the true value. What is written stays float64.
"""

import argparse
import importlib
import sys
from pathlib import Path

import numpy as np
import torch
from coremltools.converters.mil.mil.scope import ScopeSource
from coremltools.converters.mil.mil.types.symbolic import is_symbolic

import reference_file
from torch_reference import array, evaluated, leaves

#: What descriptions call arrays of sixteen bits.
FLOAT16 = 65552


def operations(model):
    """The operations of the converted program that came from the module, outermost block."""
    program = model._mil_program
    if program is None:
        raise SystemExit("the model has no record of where its operations came from; it must be the one that convert gave")
    return [operation for operation in program.functions["main"].operations if operation.op_type != "const"]


def traced_names(module):
    """The names of submodules by those that a trace has for them: lists of modules are not called, and not in it."""
    lists = {name for name, part in module.named_modules() if isinstance(part, (torch.nn.ModuleList, torch.nn.ModuleDict))}
    names = {}
    for name, _ in module.named_modules():
        if name and name not in lists:
            parts = name.split(".")
            kept = [part for end, part in enumerate(parts, 1) if ".".join(parts[:end]) not in lists]
            names.setdefault(".".join(kept), []).append(name)
    return names


def module_names(model, module, skipped):
    """The operation whose output is that of each module: the last that came from within it."""
    traced, found = traced_names(module), {}
    for operation in operations(model):
        path = operation.scopes.get(ScopeSource.TORCHSCRIPT_MODULE_NAME)
        # The last part is the value's own name.
        for end in range(1, len(path or [])):
            names = traced.get(".".join(path[:end]), [])
            if len(names) == 1:
                found[names[0]] = operation.outputs[0]
            skipped.update({name: "the trace does not tell the members of two lists apart" for name in names[1:] and names})
    return found


class Recorder(torch.fx.Interpreter):
    """Runs a program of torch.export, and keeps what each node gives."""

    def __init__(self, program):
        super().__init__(program.module())
        self.records = {}

    def run_node(self, node):
        result = super().run_node(node)
        first = result[0] if isinstance(result, (tuple, list)) and result else result
        if node.op in ("call_function", "call_method", "call_module") and torch.is_tensor(first):
            self.records[node.name] = first.detach().clone()
        return result


def values_of_modules(module, arguments, model, skipped):
    """Pairs of values of the program and what modules gave for them; and what the whole module gave."""
    found = module_names(model, module, skipped)
    calls, result, notes = evaluated(module, arguments)
    skipped.update(notes)
    for name in sum(traced_names(module).values(), []):
        if name not in found:
            skipped.setdefault(name, "no operation is left that came from it")
    pairs = []
    for call in calls:
        if call.module not in found:
            continue
        if len(call.outputs) != 1 or sum(other.module == call.module for other in calls) > 1:
            skipped[call.module] = "it runs more than once, or returns no single tensor"
        else:
            pairs.append((call.module, found[call.module], *call.outputs.values()))
    return pairs, result


def values_of_program(program, arguments, model, skipped):
    recorder = Recorder(program)
    with torch.no_grad():
        result = recorder.run(*arguments)
    known = {operation.outputs[0].name: operation.outputs[0] for operation in operations(model)}
    # Of a program in float16, and of what passes wrote anew, names have endings.
    pairs = []
    for name, tensor in recorder.records.items():
        value = known.get(name) or known.get(f"{name}_cast_fp16")
        if value is None:
            skipped[name] = "no operation has its name"
        else:
            pairs.append((name, value, tensor))
    return pairs, result


def write_reference(module, inputs, model, path, float64=False, given=None):
    """Writes inputs, outputs and what is between; returns the names that were omitted, with reasons.

    `module`: what was traced, or the program of torch.export. `inputs`: a dictionary in the order of `forward`'s parameters,
    or a tuple. `given`: what goes into the Core ML model, by its names, where that is something else: pixels, of an image that
    the model scales itself.
    """
    description = model.get_spec().description
    arguments = list(inputs.values()) if isinstance(inputs, dict) else list(inputs)
    names = [feature.name for feature in description.input]
    # Inputs that the model takes in sixteen bits are rounded for both sides.
    halves = {feature.name for feature in description.input if feature.type.multiArrayType.dataType == FLOAT16}
    rounded = [tensor.half() if name in halves else tensor for name, tensor in zip(names, arguments)]
    arrays = {name: narrowed(array(tensor)) for name, tensor in zip(names, rounded)}
    arrays.update(given or {})
    arguments = [new.to(old.dtype) for new, old in zip(rounded, arguments)]
    exported = isinstance(module, torch.export.ExportedProgram)
    if float64:
        if exported:
            raise SystemExit("a program of torch.export has its types fixed; export the module in float64")
        module = module.double()
        arguments = [tensor.double() if tensor.is_floating_point() else tensor for tensor in arguments]
    skipped = {}
    values = values_of_program if exported else values_of_modules
    pairs, result = values(module, tuple(arguments), model, skipped)
    for name, value, tensor in pairs:
        if not agrees(value.shape, tensor.shape):
            skipped[name] = f"its output is {list(tensor.shape)}, '{value.name}' is {list(value.shape)}"
        else:
            arrays[value.name] = narrowed(array(tensor))
    for feature, tensor in zip(description.output, leaves(result).values()):
        arrays[feature.name] = narrowed(array(tensor))
    metadata = {"made by": "Weights/reference/coreml_reference.py", "torch": torch.__version__}
    for name in reference_file.write(path, arrays, metadata):
        skipped[name] = "the file format has no such element type"
    return skipped


def agrees(declared, shape):
    """Whether a value may have the shape: extents that are open are no numbers."""
    return len(declared) == len(shape) and all(is_symbolic(a) or a == b for a, b in zip(declared, shape))


def narrowed(values):
    """Integers as Core ML has them."""
    return values.astype(np.int32) if values.dtype == np.int64 else values


def convert(module, inputs, dialect, precision, target):
    """The module as coremltools converts it, and what to run for the reference."""
    import coremltools as ct

    arguments = tuple(inputs.values())
    module = module.eval()
    options = {
        "minimum_deployment_target": getattr(ct.target, target), "skip_model_load": True,
        "compute_precision": ct.precision.FLOAT32 if precision == "float32" else ct.precision.FLOAT16,
    }
    if dialect == "export":
        program = torch.export.export(module, arguments).run_decompositions({})
        return ct.convert(program, **options), program
    def kind(tensor):
        return np.int32 if not tensor.is_floating_point() else np.float32
    types = [ct.TensorType(name, shape=tensor.shape, dtype=kind(tensor)) for name, tensor in inputs.items()]
    # Fused attention is one operation that coremltools does not know, and is not taken every time.
    fast = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        traced = torch.jit.trace(module, arguments)
    finally:
        torch.backends.mha.set_fastpath_enabled(fast)
    return ct.convert(traced, inputs=types, **options), module


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("function", metavar="MODULE:FUNCTION", help="returns the module and its inputs")
    parser.add_argument("model", metavar="MODEL.mlpackage", type=Path, help="where the converted model goes")
    parser.add_argument("--output", metavar="FILE", type=Path, required=True, help=".safetensors or .npz")
    parser.add_argument("--dialect", choices=["trace", "export"], default="trace", help="torch.jit.trace, or torch.export")
    parser.add_argument("--precision", choices=["float32", "float16"], default="float32", help="of the converted model")
    parser.add_argument("--target", default="iOS16", help="the system that the model is for: iOS15 to iOS18")
    parser.add_argument("--float64", action="store_true", help="compute the reference in float64")
    arguments = parser.parse_args()
    sys.path.insert(0, "")
    package, _, function = arguments.function.partition(":")
    module, inputs = getattr(importlib.import_module(package), function)()
    model, runnable = convert(module, inputs, arguments.dialect, arguments.precision, arguments.target)
    model.save(str(arguments.model))
    skipped = write_reference(runnable, inputs, model, arguments.output, arguments.float64)
    for name, reason in sorted(skipped.items()):
        print(f"note: {name}: {reason}")
    print(f"{arguments.output}: {arguments.output.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()

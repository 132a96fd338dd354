"""Tests of ApusTorch: PyTorch's own samples of its operators, one operator to an archive of torch.export.

    python torch_operators.py FOLDER [--filter NAME] [--samples 12] [--core]
    apus conformance FOLDER

A test is a folder as docs/torch.md describes it: `model.pt2`, `inputs.npz`, `expected.npz`, `test.json`. Samples are those that
PyTorch tests its operators with (`torch.testing._internal.common_methods_invocations.op_db`, which imports `expecttest`), float32 on the processor, and
the expected values are what PyTorch gives for them. Left out are samples of complex or sparse tensors, those that depend on
chance, and those that torch.export refuses. `--core` decomposes each program to core ATen first.
"""
import argparse
import inspect
import json
import re
import shutil
import sys
import warnings
from pathlib import Path

import numpy
import torch
from torch.utils import _pytree as pytree

warnings.filterwarnings("ignore")

RANDOM = re.compile(r"rand|dropout|bernoulli|multinomial|normal_|empty|uniform|exponential|cauchy|geometric|rrelu|log_normal")


class Operator(torch.nn.Module):
    """One operator, called with the tensors of a sample; what else the sample has is part of the program."""

    def __init__(self, function, spec, leaves):
        super().__init__()
        self.function, self.spec, self.leaves = function, spec, leaves

    def forward(self, *tensors):
        rest = iter(tensors)
        leaves = [next(rest) if isinstance(leaf, torch.Tensor) else leaf for leaf in self.leaves]
        args, kwargs = pytree.tree_unflatten(leaves, self.spec)
        result = self.function(*args, **kwargs)
        return tuple(leaf for leaf in pytree.tree_leaves(result) if isinstance(leaf, torch.Tensor))


def samples(operator):
    for sample in operator.sample_inputs("cpu", torch.float32, requires_grad=False):
        leaves, spec = pytree.tree_flatten(((sample.input, *sample.args), sample.kwargs))
        tensors = [leaf.contiguous() for leaf in leaves if isinstance(leaf, torch.Tensor)]
        if any(tensor.is_complex() or tensor.is_sparse or tensor.layout != torch.strided for tensor in tensors):
            continue
        if any(name.startswith("dropout") and value for name, value in sample.kwargs.items()):
            continue
        if not tensors or sum(tensor.numel() for tensor in tensors) > 200_000:
            continue
        yield tensors, spec, leaves


def write(folder, name, operator, tensors, spec, leaves, core):
    module = Operator(operator.op, spec, [torch.empty(0) if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]).eval()
    with torch.no_grad():
        program = torch.export.export(module, tuple(tensors))
        if core:
            program = program.run_decompositions()
        expected = module(*[tensor.clone() for tensor in tensors])
    if not expected or any(tensor.is_complex() for tensor in expected):
        return None
    for node in program.graph.nodes:
        node.meta.pop("stack_trace", None)      # which is most of an archive
    targets = sorted({str(node.target).rsplit(".", 1)[0] for node in program.graph.nodes
                      if node.op == "call_function" and hasattr(node.target, "overloadpacket")})
    test = folder / name
    test.mkdir(parents=True)
    torch.export.save(program, test / "model.pt2")
    inputs = [spec.arg.name for spec in program.graph_signature.input_specs if spec.kind.name == "USER_INPUT"]
    numpy.savez(test / "inputs.npz", **{key: tensor.numpy() for key, tensor in zip(inputs, tensors)})
    numpy.savez(test / "expected.npz", **{f"{place}": tensor.detach().numpy() for place, tensor in enumerate(expected)})
    (test / "test.json").write_text(json.dumps({"operator": operator.name, "ops": targets}, indent=1))
    return targets


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--filter", default="")
    parser.add_argument("--samples", type=int, default=12, help="at most so many of an operator")
    parser.add_argument("--core", action="store_true", help="decompose to core ATen")
    arguments = parser.parse_args()
    from torch.testing._internal.common_methods_invocations import op_db

    torch.manual_seed(0)
    written = refused = 0
    for operator in op_db:
        if RANDOM.search(operator.name) or arguments.filter not in operator.name:
            continue
        if torch.float32 not in operator.dtypes:
            continue
        title = re.sub(r"\W+", "_", operator.name + ("_" + operator.variant_test_name if operator.variant_test_name else ""))
        try:
            found = list(samples(operator))
        except Exception as error:
            print(f"{title}: no samples: {error}", file=sys.stderr)
            continue
        # Spread over all that there are.
        step = max(1, len(found) // arguments.samples)
        for index, (tensors, spec, leaves) in enumerate(found[::step][: arguments.samples]):
            name = f"{title}_{index:02}"
            shutil.rmtree(arguments.folder / name, ignore_errors=True)
            try:
                written += write(arguments.folder, name, operator, tensors, spec, leaves, arguments.core) is not None
            except Exception as error:
                shutil.rmtree(arguments.folder / name, ignore_errors=True)
                refused += 1
                print(f"{name}: torch.export: {str(error).splitlines()[0][:120] if str(error) else type(error).__name__}", file=sys.stderr)
    print(f"{written} tests, {refused} samples that torch.export refuses")


if __name__ == "__main__":
    main()

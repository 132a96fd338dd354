"""Faults for Core ML files, planted in the PyTorch module before coremltools converts it; see planted_faults.py."""

import copy
import io
from contextlib import redirect_stderr, redirect_stdout

import numpy as np
import torch
from torch import nn

import coreml_reference

#: Layers that multiply by a weight, and where it is.
PRODUCTS = {nn.Conv2d: "weight", nn.Linear: "weight", nn.LSTM: "weight_ih_l0", nn.GRU: "weight_ih_l0"}
NORMALISATIONS = (nn.LayerNorm, nn.BatchNorm2d, nn.InstanceNorm2d, nn.GroupNorm)


def modules(network, kinds):
    return [name for name, module in network.named_modules() if isinstance(module, tuple(kinds))]


def planted(network, kinds, change):
    """Copies of a network, each with one module changed; `change` says whether it did."""
    for name in modules(network, kinds):
        changed = copy.deepcopy(network)
        with torch.no_grad():
            if change(changed.get_submodule(name)):
                yield changed


def replaced(network, kinds, make):
    """Copies of a network, each with another module in the place of one."""
    for name in modules(network, kinds):
        changed = copy.deepcopy(network)
        parent, _, last = name.rpartition(".")
        new = make(changed.get_submodule(name))
        if new is not None:
            setattr(changed.get_submodule(parent), last, new.eval())
            yield changed


def on_weight(kinds, change):
    def body(module):
        weight = getattr(module, next(name for kind, name in PRODUCTS.items() if isinstance(module, kind)))
        old = weight.clone()
        change(weight)
        return not torch.equal(old, weight)
    return lambda network: planted(network, kinds, body)


def one_weight(weight):
    weight.flatten()[weight.numel() // 2] += 0.1 * weight.abs().max()


def exchanged(weight):
    if len(weight) > 1:
        weight[[0, 1]] = weight[[1, 0]]


def kernel(weight):
    if weight.shape[-1] == weight.shape[-2] > 1:
        weight.copy_(weight.transpose(-1, -2).clone())


def overflowed(weight):
    factor = 3e5 / weight.abs().max()
    weight.copy_((weight * factor).clamp(-65504, 65504) / factor)


def without_bias(module):
    had = module.bias is not None and bool(module.bias.abs().max() > 0)
    if had:
        module.bias.zero_()
    return had


def epsilon(module):
    module.eps *= 1000
    return True


def scaled(module):
    module.weight.mul_(1.1)
    return True


def moved(module):
    """The kernel one place off."""
    high, wide = module.padding if isinstance(module.padding, tuple) else (module.padding,) * 2
    if not high or not wide:
        return None
    shifted = copy.deepcopy(module)
    shifted.padding = (0, 0) if isinstance(module, nn.Conv2d) else 0
    return nn.Sequential(nn.ZeroPad2d((wide + 1, wide - 1, high + 1, high - 1)), shifted)


def aligned(module):
    return nn.Upsample(scale_factor=module.scale_factor, mode=module.mode, align_corners=True)


def activation(module):
    return {nn.GELU: nn.GELU("tanh"), nn.SiLU: nn.Hardswish(), nn.Hardswish: nn.ReLU()}[type(module)]


def without_mask(network):
    if hasattr(network, "mask"):
        changed = copy.deepcopy(network)
        changed.mask.zero_()
        yield changed


FAULTS = {
    "weight": on_weight(PRODUCTS, one_weight),
    "bias": lambda network: planted(network, (nn.Conv2d, nn.Linear), without_bias),
    "epsilon": lambda network: planted(network, NORMALISATIONS, epsilon),
    "padding": lambda network: replaced(network, (nn.Conv2d,), moved),
    "mode": lambda network: replaced(network, (nn.Upsample,), aligned),
    "activation": lambda network: replaced(network, (nn.GELU, nn.SiLU, nn.Hardswish), activation),
    "kernel": on_weight((nn.Conv2d,), kernel),
    "scale": lambda network: planted(network, (nn.Linear, *NORMALISATIONS), scaled),
    "overflow": on_weight((nn.Conv2d, nn.Linear), overflowed),
    "mask": without_mask,
    "channels": on_weight(PRODUCTS, exchanged),
}


def convert(network, inputs):
    """The network as coremltools converts it, without a word."""
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        return coreml_reference.convert(network, inputs, "trace", "float32", "iOS16")[0]


def described(operation, places):
    """What an operation does: its kind, its constants, and which operations gave what it reads."""
    def one(value):
        if isinstance(value, (list, tuple)):
            return tuple(map(one, value))
        if value is None or getattr(value, "val", None) is not None:
            return None if value is None else (np.shape(value.val), np.asarray(value.val).tobytes())
        return places.get(value.name, "input")
    # Of a GRU, which becomes a loop, what is inside.
    inside = tuple(described(inner, {}) for block in operation.blocks for inner in block.operations)
    return operation.op_type, inside, tuple((name, one(value)) for name, value in sorted(operation.inputs.items()) if name != "name")


def faulty_operations(sound, wrong):
    """The names of the operations of `wrong` that do something else than those of `sound`, and of what they give: the one
    in the same place, or, where there are more or fewer, the first that has none like it and those that read it."""
    found, lists = [], []
    for model in (sound, wrong):
        operations = coreml_reference.operations(model)
        places = {output.name: index for index, operation in enumerate(operations) for output in operation.outputs}
        lists.append([(operation, described(operation, places)) for operation in operations])
    if len(lists[0]) == len(lists[1]):
        found = [new for (_, old), (new, text) in zip(*lists) if old != text]
    else:
        first = next(i for i, ((_, old), (_, new)) in enumerate(zip(*lists)) if old != new)
        new = lists[1][first][0]
        found = [new, *(o for o, _ in lists[1][first + 1:] if any(v in new.outputs for v in o.inputs.values()))]
    return {name for operation in found for name in [operation.name, *(output.name for output in operation.outputs)]}


def effect(network, inputs):
    with torch.no_grad():
        return network(*inputs.values()).numpy()

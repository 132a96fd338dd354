"""Faults planted in a PyTorch module, before a converter or torch.export makes a file of it; see planted_faults.py."""

import copy

import numpy as np
import torch
from torch import nn

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


def effect(network, inputs):
    with torch.no_grad():
        return network(*inputs.values()).numpy()


def spread(changes, most):
    """At most so many of the changes, spread over all of them."""
    changes = list(changes)
    return changes[::max(1, len(changes) // most)][:most]


def shows(wrong, right):
    """Whether a fault is more than a rounding of the answer."""
    return wrong.shape != right.shape or not np.abs(wrong - right).max() <= 2e-3 * np.abs(right).max()


def faults(network, inputs, most):
    """Kinds of faults and copies of a network that have one, each kind in at most so many places; those that show."""
    right = effect(network, inputs)
    for kind, plant in FAULTS.items():
        for changed in spread(plant(network), most):
            if shows(effect(changed, inputs), right):
                yield kind, changed

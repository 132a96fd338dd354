"""Golden file of the functions of one operand: activations and elementary functions."""

import torch
import torch.nn.functional as F

from golden import SEEDS, GoldenFile, normal

SHAPE = (2, 43)
# Rounded once at most, or not at all: two seeds show as much as eight.
EXACT = ("relu", "relu6", "leakyReLU", "hardTanh", "negate", "abs", "sign", "floor", "ceil", "round", "clamp")


def ordinary(generator):
    return {"x": normal(generator, *SHAPE)}


def wide(generator):
    """Also where exponentials are far from 1."""
    return {"x": normal(generator, *SHAPE, scale=4.0)}


def positive(generator):
    return {"x": normal(generator, *SHAPE, scale=2.0).exp()}


FUNCTIONS = {
    "relu": F.relu,
    "relu6": F.relu6,
    "leakyReLU": lambda x: F.leaky_relu(x, 0.1),
    "elu": F.elu,
    "eluAlpha": lambda x: F.elu(x, alpha=0.5),
    "sigmoid": torch.sigmoid,
    "logSigmoid": F.logsigmoid,
    "tanh": torch.tanh,
    "silu": F.silu,
    "gelu": F.gelu,
    "geluTanh": lambda x: F.gelu(x, approximate="tanh"),
    "mish": F.mish,
    "softplus": F.softplus,
    "softplusBeta": lambda x: F.softplus(x, beta=2.0, threshold=5.0),
    "hardSigmoid": F.hardsigmoid,
    "hardSwish": F.hardswish,
    "hardTanh": lambda x: F.hardtanh(x, -0.5, 0.75),
}

MATH = {
    "negate": (ordinary, torch.neg),
    "abs": (ordinary, torch.abs),
    "sign": (ordinary, torch.sign),
    "reciprocal": (ordinary, torch.reciprocal),
    "square": (ordinary, torch.square),
    "sqrt": (positive, torch.sqrt),
    "rsqrt": (positive, torch.rsqrt),
    "floor": (wide, torch.floor),
    "ceil": (wide, torch.ceil),
    "round": (wide, torch.round),
    "exp": (ordinary, torch.exp),
    "expm1": (ordinary, torch.expm1),
    "log": (positive, torch.log),
    "log1p": (positive, torch.log1p),
    "erf": (ordinary, torch.erf),
    "powCube": (ordinary, lambda x: torch.pow(x, 3)),
    "powHalf": (positive, lambda x: torch.pow(x, 0.5)),
    "powReal": (positive, lambda x: torch.pow(x, 1.7)),
    "clamp": (ordinary, lambda x: torch.clamp(x, -0.25, 1.25)),
}



def of_x(function):
    """`function` of the input that the golden file calls x."""
    return lambda x: function(x)


def seeds(name):
    return range(2) if name in EXACT else SEEDS


golden = GoldenFile("activation", __file__)
for name, function in FUNCTIONS.items():
    golden.case(f"activation.{name}", ordinary, of_x(function), seeds=seeds(name))
    if name in ("sigmoid", "tanh", "silu", "gelu", "geluTanh", "mish", "softplus", "elu", "hardSwish"):
        golden.case(f"activation.{name}.wide", wide, of_x(function))
for name, (inputs, function) in MATH.items():
    golden.case(f"math.{name}", inputs, of_x(function), seeds=seeds(name))
golden.write()

"""Golden file of arithmetic with broadcasting."""

import torch

from golden import GoldenFile, normal

SHAPES = {
    "same": ((3, 5, 7), (3, 5, 7)),
    "row": ((4, 3, 9), (9,)),
    "channel": ((2, 5, 3, 4), (5, 1, 1)),
    "scalar": ((3, 7), ()),
    "scalarFirst": ((), (3, 7)),
    "outer": ((6, 1), (1, 11)),
    "crossed": ((3, 1, 5, 1), (1, 4, 1, 6)),
    "prefix": ((7,), (2, 3, 7)),
}
OPERATIONS = {
    "add": torch.add,
    "subtract": torch.subtract,
    "multiply": torch.multiply,
    "divide": torch.divide,
    "maximum": torch.maximum,
    "minimum": torch.minimum,
}

golden = GoldenFile("arithmetic", __file__)
for shapes, (a, b) in SHAPES.items():
    for name, function in OPERATIONS.items():
        golden.case(
            f"{name}.{shapes}",
            lambda generator: {"a": normal(generator, a), "b": normal(generator, b)},
            lambda a, b: function(a, b),
            seeds=range(3),
        )
golden.case(
    "pow.row",
    lambda generator: {"a": normal(generator, (4, 9)).abs() + 0.1, "b": normal(generator, (9,))},
    lambda a, b: torch.pow(a, b),
)
golden.write()

"""Golden file of the reductions."""

import torch

from golden import GoldenFile, normal

SHAPES = {
    "row": ((2, 67), (1,)),
    "column": ((19, 5), (0,)),
    "middle": ((2, 9, 4), (1,)),
    "ends": ((3, 4, 5), (0, 2)),
    "all": ((3, 4, 7), (0, 1, 2)),
}
OPERATIONS = {
    "sum": lambda x, dim: torch.sum(x, dim),
    "mean": lambda x, dim: torch.mean(x, dim),
    "amax": lambda x, dim: torch.amax(x, dim),
    "amin": lambda x, dim: torch.amin(x, dim),
    "variance": lambda x, dim: torch.var(x, dim),
    "variance0": lambda x, dim: torch.var(x, dim, correction=0),
    "standardDeviation": lambda x, dim: torch.std(x, dim),
    "logSumExp": lambda x, dim: torch.logsumexp(x, dim),
}


def product(x, dim, keep):
    """torch.prod takes one axis at a time."""
    for axis in sorted(dim, reverse=True):
        x = torch.prod(x, axis, keepdim=keep)
    return x


golden = GoldenFile("reduction", __file__)
for name, (shape, dim) in SHAPES.items():
    for operation, function in OPERATIONS.items():
        # Reductions to one number give one error a seed; so few are luck.
        golden.case(
            f"{operation}.{name}",
            lambda generator: {"x": normal(generator, *shape, scale=2.0, shift=0.5)},
            lambda x: function(x, dim),
            {"axes": list(dim)},
            seeds=range(2) if operation in ("amax", "amin") else range(8 if name != "all" else 24),
        )
    for keep in (False, True):
        golden.case(
            f"product.{name}.{keep}",
            lambda generator: {"x": normal(generator, *shape, scale=0.1, shift=1.0)},
            lambda x: product(x, dim, keep),
            {"axes": list(dim), "keepDims": keep},
        )
for shape, dim in (((5, 33), 1), ((40, 3), 0), ((2, 17, 3), 1)):
    for operation, function in (("argmax", torch.argmax), ("argmin", torch.argmin)):
        golden.case(
            f"{operation}.{'x'.join(map(str, shape))}",
            # Few different values, so that there are ties.
            lambda generator: {"x": torch.randint(-9, 9, shape, generator=generator).float()},
            lambda x: function(x, dim),
            {"axis": dim},
            seeds=range(3),
        )
golden.write()

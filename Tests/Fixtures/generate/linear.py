"""Golden file of affine maps and matrix products."""

import torch
import torch.nn.functional as F

from golden import GoldenFile, normal

golden = GoldenFile("linear", __file__)


def long(generator, *shape, scale=1.0):
    """Operands of long sums are stored as float16, which they fit exactly."""
    return normal(generator, *shape, scale=scale).half()


for rows, inputs, outputs, bias in (
    (1, 7, 5, True), (5, 33, 17, True), (3, 64, 9, False), (2, 600, 4, True), (2, 1600, 6, True), (1, 6400, 2, True)
):
    draw = long if inputs > 500 else normal
    golden.case(
        f"linear.{rows}x{inputs}x{outputs}",
        lambda generator: {
            "x": draw(generator, rows, inputs),
            "weight": draw(generator, outputs, inputs, scale=inputs**-0.5),
        }
        | ({"bias": normal(generator, outputs)} if bias else {}),
        lambda x, weight, bias=None: F.linear(x, weight, bias),
    )

for a, b in (((2, 3, 5), (2, 5, 4)), ((3, 1, 4, 33), (2, 33, 6)), ((7, 130), (130, 9))):
    golden.case(
        f"matmul.{'x'.join(map(str, a))}.{'x'.join(map(str, b))}",
        lambda generator: {"a": normal(generator, *a), "b": normal(generator, *b)},
        lambda a, b: torch.matmul(a, b),
    )
golden.write()

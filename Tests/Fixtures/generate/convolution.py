"""Golden file of convolutions and transposed convolutions."""

import torch.nn.functional as F

from golden import GoldenFile, normal

golden = GoldenFile("convolution", __file__)


def long(generator, *shape, scale=1.0):
    """Operands of long sums are stored as float16, which they fit exactly."""
    return normal(generator, *shape, scale=scale).half()


def convolution(function, name, shape, weight, bias=True, seeds=range(8), **attributes):
    keys = {"outputPadding": "output_padding"}
    arguments = {keys.get(key, key): tuple(v) if isinstance(v, list) else v for key, v in attributes.items()}
    transposed = "Transpose" in name
    draw = long if shape[1] >= 64 else normal
    fan = weight[0 if transposed else 1] * (weight[2] * (weight[3] if len(weight) == 4 else 1))
    outputs = weight[1] * attributes.get("groups", 1) if transposed else weight[0]
    golden.case(
        f"{name}.{'x'.join(map(str, shape))}.{'x'.join(map(str, weight))}"
        + "".join(f".{k[0]}{'x'.join(map(str, v)) if isinstance(v, list) else v}" for k, v in sorted(attributes.items())),
        lambda generator: {
            "x": draw(generator, *shape),
            "weight": draw(generator, *weight, scale=fan**-0.5),
        }
        | ({"bias": normal(generator, outputs)} if bias else {}),
        lambda x, weight, bias=None: function(x, weight, bias, **arguments),
        attributes,
        seeds=seeds,
    )


convolution(F.conv1d, "conv1d", (2, 3, 11), (5, 3, 3), padding=[1])
convolution(F.conv1d, "conv1d", (1, 16, 21), (16, 16, 5), stride=[2], padding=[2])
convolution(F.conv1d, "conv1d", (1, 6, 13), (4, 3, 3), bias=False, dilation=[2], groups=2)
convolution(F.conv2d, "conv2d", (1, 3, 9, 7), (16, 3, 3, 3), stride=[2, 2], padding=[1, 1])
convolution(F.conv2d, "conv2d", (1, 16, 5, 6), (16, 16, 3, 3), padding=[1, 1])
convolution(F.conv2d, "conv2d", (1, 32, 3, 5), (21, 32, 1, 1))
convolution(F.conv2d, "conv2d", (1, 19, 6, 5), (19, 1, 3, 3), padding=[1, 1], groups=19)
convolution(F.conv2d, "conv2d", (1, 8, 7, 6), (6, 4, 2, 3), bias=False, stride=[1, 2], padding=[2, 1], dilation=[2, 1], groups=2)
# Long sums, where the order of additions tells.
convolution(F.conv2d, "conv2d", (1, 64, 4, 4), (4, 64, 3, 3), padding=[1, 1])
convolution(F.conv2d, "conv2d", (1, 256, 3, 3), (2, 256, 3, 3), padding=[1, 1])

convolution(F.conv_transpose1d, "convTranspose1d", (1, 4, 7), (4, 3, 4), stride=[2], padding=[1])
convolution(F.conv_transpose1d, "convTranspose1d", (2, 6, 5), (6, 2, 3), stride=[3], outputPadding=[2], dilation=[2], groups=3)
convolution(F.conv_transpose2d, "convTranspose2d", (1, 16, 4, 3), (16, 8, 2, 2), stride=[2, 2])
convolution(F.conv_transpose2d, "convTranspose2d", (1, 3, 4, 5), (3, 2, 3, 3), bias=False, stride=[2, 1], padding=[1, 2], outputPadding=[1, 0])
convolution(F.conv_transpose2d, "convTranspose2d", (1, 64, 3, 2), (64, 3, 3, 3), padding=[1, 1])
golden.write()

"""Golden file of maxima and averages over windows."""

import torch.nn.functional as F

from golden import GoldenFile, normal

golden = GoldenFile("pooling", __file__)

SEEDS = range(2)  # Maxima are exact.


def label(shape, attributes):
    return "x".join(map(str, shape)) + "." + ".".join(
        f"{key[0]}{'x'.join(map(str, value)) if isinstance(value, list) else int(value)}"
        for key, value in sorted(attributes.items())
    )


def maximum(shape, **attributes):
    keys = {"kernel": "kernel_size", "ceilMode": "ceil_mode"}
    arguments = {keys.get(key, key): tuple(v) if isinstance(v, list) else v for key, v in attributes.items()}
    function = F.max_pool1d if len(shape) == 3 else F.max_pool2d
    golden.case(
        f"maxPool{len(shape) - 2}d.{label(shape, attributes)}",
        lambda generator: {"x": normal(generator, *shape)},
        lambda x: function(x, **arguments),
        attributes,
        seeds=SEEDS,
    )


def average(shape, **attributes):
    keys = {"kernel": "kernel_size", "ceilMode": "ceil_mode", "countIncludePad": "count_include_pad"}
    arguments = {keys.get(key, key): tuple(v) if isinstance(v, list) else v for key, v in attributes.items()}
    function = F.avg_pool1d if len(shape) == 3 else F.avg_pool2d
    golden.case(
        f"averagePool{len(shape) - 2}d.{label(shape, attributes)}",
        lambda generator: {"x": normal(generator, *shape)},
        lambda x: function(x, **arguments),
        attributes,
    )


maximum((2, 3, 17), kernel=[3])
maximum((1, 16, 19), kernel=[4], stride=[3], padding=[2], dilation=[2], ceilMode=True)
maximum((1, 16, 9, 11), kernel=[2, 2])
maximum((2, 3, 8, 13), kernel=[3, 3], stride=[2, 2], padding=[1, 1])
maximum((1, 32, 7, 6), kernel=[5, 5], stride=[1, 1], padding=[2, 2])
maximum((1, 5, 10, 7), kernel=[3, 2], stride=[2, 3], padding=[1, 0], dilation=[2, 1], ceilMode=True)

average((2, 3, 17), kernel=[3])
average((1, 16, 19), kernel=[4], stride=[3], padding=[2], ceilMode=True, countIncludePad=False)
average((1, 16, 9, 7), kernel=[2, 2])
average((1, 3, 8, 13), kernel=[3, 3], stride=[2, 2], padding=[1, 1])
average((1, 3, 8, 13), kernel=[3, 3], stride=[2, 2], padding=[1, 1], countIncludePad=False)
average((1, 5, 10, 7), kernel=[3, 2], stride=[2, 3], padding=[1, 1], ceilMode=True)
average((1, 16, 6, 9), kernel=[5, 3], stride=[2, 2], padding=[2, 1], ceilMode=True, countIncludePad=False)

for shape, output in (
    ((2, 3, 17), [5]), ((1, 16, 11), [1]), ((1, 16, 9, 7), [4, 3]), ((2, 3, 5, 8), [1, 1]), ((1, 4, 3, 5), [7, 5]),
    ((1, 16, 20, 13), [1, 1]),
):
    kind = f"{len(shape) - 2}d"
    name = "x".join(map(str, shape)) + ".o" + "x".join(map(str, output))
    maxima, averages = (
        (F.adaptive_max_pool1d, F.adaptive_avg_pool1d) if len(output) == 1
        else (F.adaptive_max_pool2d, F.adaptive_avg_pool2d)
    )
    golden.case(
        f"adaptiveMaxPool{kind}.{name}", lambda generator: {"x": normal(generator, *shape)},
        lambda x: maxima(x, output), {"output": output}, seeds=SEEDS)
    golden.case(
        f"adaptiveAveragePool{kind}.{name}", lambda generator: {"x": normal(generator, *shape)},
        lambda x: averages(x, output), {"output": output})
golden.write()

"""Golden file of interpolation: nearest, linear and bilinear."""

import torch.nn.functional as F

from golden import GoldenFile, normal

golden = GoldenFile("resize", __file__)

for shape, target in (
    ((1, 3, 7), {"size": [16]}),
    ((1, 16, 9), {"size": [4]}),
    ((2, 2, 5), {"scale": [2.5]}),
    ((1, 16, 3, 2), {"scale": [2.0, 2.0]}),
    ((1, 3, 5, 7), {"size": [9, 4]}),
    ((1, 3, 6, 4), {"scale": [1.7, 2.3]}),
    ((1, 16, 2, 3), {"size": [5, 4]}),
    ((2, 1, 8, 6), {"scale": [0.4, 0.75]}),
    ((1, 2, 1, 3), {"size": [4, 1]}),
):
    linear = "linear" if len(shape) == 3 else "bilinear"
    suffix = "size" if "size" in target else "scale"
    name = "x".join(map(str, shape)) + f".{suffix}" + "x".join(str(v).replace(".", "_") for v in target[suffix])
    arguments = {"size": target.get("size"), "scale_factor": tuple(target["scale"]) if "scale" in target else None}
    attributes = target
    if "scale" in target:
        attributes = dict(zip(("scaleHeight", "scaleWidth")[-len(target["scale"]):], target["scale"]))
    golden.case(
        f"nearest.{name}", lambda generator: {"x": normal(generator, *shape)},
        lambda x: F.interpolate(x, mode="nearest", **arguments), attributes, seeds=range(2))
    for align in (False, True):
        golden.case(
            f"linear.{name}.{'corners' if align else 'centres'}",
            lambda generator: {"x": normal(generator, *shape)},
            lambda x: F.interpolate(x, mode=linear, align_corners=align, **arguments),
            attributes | {"alignCorners": align})
golden.write()

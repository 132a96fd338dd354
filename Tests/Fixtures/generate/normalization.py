"""Golden file of softmax and the normalisations."""

import torch
import torch.nn.functional as F

from golden import GoldenFile, normal

golden = GoldenFile("normalization", __file__)

for shape, axis in (((5, 21), -1), ((1, 100), 1), ((2, 7, 5), 1), ((4, 3, 5), 0)):
    name = "x".join(map(str, shape)) + f".{axis % len(shape)}"
    for function, operator in (("softmax", F.softmax), ("logSoftmax", F.log_softmax)):
        golden.case(
            f"{function}.{name}",
            lambda generator: {"x": normal(generator, *shape, scale=3.0)},
            lambda x: operator(x, dim=axis),
            {"axis": axis},
        )


def affine(generator, *shape):
    return {"weight": normal(generator, *shape, scale=0.5, shift=1.0), "bias": normal(generator, *shape)}


for shape, count, epsilon in (((2, 37), 1, 1e-5), ((1, 2, 64), 1, 1e-12), ((3, 5, 7), 2, 1e-3)):
    normalized = shape[-count:]
    for kind in ("plain", "affine", "shifted"):
        golden.case(
            f"layerNorm.{'x'.join(map(str, shape))}.{kind}",
            lambda generator: {"x": normal(generator, *shape, scale=2.0, shift=20.0 if kind == "shifted" else 0.5)}
            | (affine(generator, *normalized) if kind != "plain" else {}),
            lambda x, weight=None, bias=None: F.layer_norm(x, normalized, weight, bias, epsilon),
            {"normalizedShape": list(normalized), "epsilon": epsilon},
        )

for shape, groups in (((2, 6, 5), 3), ((1, 32, 3), 8), ((3, 8), 2), ((1, 5, 4, 3), 1)):
    for kind in ("plain", "affine"):
        golden.case(
            f"groupNorm.{'x'.join(map(str, shape))}.{groups}.{kind}",
            lambda generator: {"x": normal(generator, *shape, scale=1.5, shift=-0.5)}
            | (affine(generator, shape[1]) if kind != "plain" else {}),
            lambda x, weight=None, bias=None: F.group_norm(x, groups, weight, bias),
            {"groups": groups},
        )

for shape in ((2, 16, 3), (2, 5, 3, 4), (4, 19), (1, 32, 3, 2)):
    for kind in ("plain", "affine"):
        golden.case(
            f"batchNorm.{'x'.join(map(str, shape))}.{kind}",
            lambda generator: {
                "x": normal(generator, *shape, scale=2.0, shift=1.0),
                "mean": normal(generator, shape[1]),
                "variance": torch.rand(shape[1], generator=generator) * 3 + 0.05,
            }
            | (affine(generator, shape[1]) if kind != "plain" else {}),
            lambda x, mean, variance, weight=None, bias=None: F.batch_norm(x, mean, variance, weight, bias, eps=1e-3),
            {"epsilon": 1e-3},
        )
golden.write()

"""Golden file of normalising layers and embeddings, with their parameters as in the state dictionary."""

import torch
import torch.nn as nn

from golden import GoldenFile, normal

golden = GoldenFile("normalization_layers", __file__)


def case(name, make_layer, shape, attributes):
    reference = make_layer()
    names = {name: value.shape for name, value in reference.state_dict().items() if value.is_floating_point()}

    def make(generator):
        operands = {"x": normal(generator, *shape, scale=2.0, shift=0.5)}
        for key, size in names.items():
            if key == "running_var":
                operands[f"parameter.{key}"] = torch.rand(*size, generator=generator) * 3 + 0.05
            else:
                operands[f"parameter.{key}"] = normal(
                    generator, *size, scale=0.5, shift=1.0 if key == "weight" else 0.0)
        return operands

    def run(x, **parameters):
        layer = make_layer().to(x.dtype).eval()
        layer.load_state_dict({k.removeprefix("parameter."): v for k, v in parameters.items()}, strict=False)
        return layer(x)

    golden.case(f"{name}.{'x'.join(map(str, shape))}", make, run, attributes)


case("layerNorm", lambda: nn.LayerNorm([7, 5]), (2, 3, 7, 5), {"shape": [7, 5], "epsilon": 1e-5})
case("layerNorm", lambda: nn.LayerNorm(33, eps=1e-3), (4, 33), {"shape": [33], "epsilon": 1e-3})
case("layerNorm", lambda: nn.LayerNorm(19, bias=False), (2, 19), {"shape": [19], "epsilon": 1e-5})
case("groupNorm", lambda: nn.GroupNorm(3, 12), (2, 12, 5), {"groups": 3, "channels": 12, "epsilon": 1e-5})
case("groupNorm", lambda: nn.GroupNorm(4, 16, eps=1e-4), (1, 16, 3, 4), {"groups": 4, "channels": 16, "epsilon": 1e-4})
case("batchNorm1d", lambda: nn.BatchNorm1d(9), (3, 9, 4), {"channels": 9, "epsilon": 1e-5})
case("batchNorm1d", lambda: nn.BatchNorm1d(16), (5, 16), {"channels": 16, "epsilon": 1e-5})
case("batchNorm2d", lambda: nn.BatchNorm2d(16, eps=1e-3), (2, 16, 3, 5), {"channels": 16, "epsilon": 1e-3})
case("batchNorm2d", lambda: nn.BatchNorm2d(5), (1, 5, 4, 3), {"channels": 5, "epsilon": 1e-5})

golden.case(
    "embedding.11x6",
    lambda generator: {
        "indices": torch.randint(0, 11, (2, 3), generator=generator),
        "weight": normal(generator, 11, 6),
    },
    lambda indices, weight: nn.functional.embedding(indices, weight),
    seeds=range(2),
)
golden.write()

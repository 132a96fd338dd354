"""Golden file of operators that only move elements: their results must be exact."""

import torch
import torch.nn.functional as F

from golden import GoldenFile, normal


def counting(*shape):
    """1, 2, 3, …: every element is different, and none is the zero of padding."""
    count = torch.tensor(shape).prod().item() if shape else 1
    return lambda generator: {"x": torch.arange(1.0, count + 1).reshape(shape)}


def case(name, inputs, function, attributes=None):
    golden.case(name, inputs, function, attributes, seeds=range(1))


golden = GoldenFile("movement", __file__)

for shape, axes in (((2, 3, 4), (2, 0, 1)), ((2, 3, 4, 5), (0, 2, 3, 1)), ((4, 1, 7), (1, 2, 0)), ((33, 18), (1, 0)),
                    ((2, 3, 2, 3, 2), (4, 2, 0, 1, 3))):
    case(f"permute.{'x'.join(map(str, shape))}", counting(*shape), lambda x: x.permute(axes), {"axes": list(axes)})

for amounts, mode, value in (((1, 2), "constant", 0.0), ((0, 3, 2, 1), "constant", 1.5), ((-1, 2, 1, -2), "constant", 9.0),
                             ((2, 1), "reflect", 0.0), ((1, 3, 2, 2), "reflect", 0.0), ((1, 4, 3, 5), "replicate", 0.0),
                             ((-1, 2, 2, 0), "replicate", 0.0), ((1, 5, 4, 2), "circular", 0.0),
                             ((3, 0), "circular", 0.0)):
    # PyTorch's other modes want pairs for exactly the last two of four axes.
    pairs = amounts + (0,) * (4 - len(amounts)) if mode != "constant" else amounts
    case(f"pad.{mode}.{'_'.join(map(str, amounts))}", counting(2, 3, 4, 5),
         lambda x: F.pad(x, pairs, mode=mode, value=value if mode == "constant" else None),
         {"amounts": list(amounts), "mode": mode, "value": value})

for start, end, step in ((1, 4, 1), (0, 7, 2), (-4, -1, 1), (1, 100, 3), (5, 2, 1)):
    case(f"slice.{start}.{end}.{step}", counting(3, 7, 2), lambda x: x[:, start:end:step],
         {"start": start, "end": end, "step": step})

case("flip", counting(3, 4, 5), lambda x: x.flip((0, 2)), {"axes": [0, 2]})
case("expand", counting(3, 1, 5), lambda x: x.expand(2, 3, 4, 5), {"shape": [2, 3, 4, 5]})
case("tile", counting(2, 3), lambda x: x.repeat(2, 3, 2), {"counts": [2, 3, 2]})
case("select", counting(3, 4, 5), lambda x: x.select(1, -2), {"axis": 1, "index": -2})
for axis in (0, 1, -1):
    case(f"concatenate.{axis}",
         lambda generator: {"a": normal(generator, 2, 3, 4), "b": normal(generator, 2, 3, 4), "c": normal(generator, 2, 3, 4)},
         lambda a, b, c: torch.cat([a, b, c], axis), {"axis": axis})
    case(f"stack.{axis}", lambda generator: {"a": normal(generator, 2, 3), "b": normal(generator, 2, 3)},
         lambda a, b: torch.stack([a, b], axis), {"axis": axis})
case("embedding", lambda generator: {"weight": normal(generator, 11, 6),
                                     "indices": torch.randint(0, 11, (3, 5), generator=generator)},
     lambda weight, indices: F.embedding(indices, weight))
for axis in (0, 1, 2):
    case(f"indexSelect.{axis}", lambda generator: counting(3, 4, 5)(generator) | {"indices": torch.tensor([2, 0, 2, 1])},
         lambda x, indices: torch.index_select(x, axis, indices), {"axis": axis})
    case(f"gather.{axis}", lambda generator: counting(3, 4, 5)(generator)
         | {"indices": torch.randint(0, 3, (2, 3, 4) if axis != 1 else (3, 7, 2), generator=generator)},
         lambda x, indices: torch.gather(x, axis, indices), {"axis": axis})
case("chunk", counting(2, 7), lambda x: {str(i): part for i, part in enumerate(x.chunk(3, 1))}, {"count": 3})
golden.write()

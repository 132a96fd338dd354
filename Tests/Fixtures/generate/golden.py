"""Golden files: inputs, and what PyTorch makes of them in float64 and in float32.

A golden file is a safetensors file that holds several cases, each over several seeds:

    CASE/SEED/input.NAME      the operands, exact in float32 (floating operands are stored as float32)
    CASE/SEED/output.NAME     the result of float64 arithmetic on them: the reference
    CASE/SEED/output32.NAME   the result of PyTorch's float32 arithmetic: the peer whose error ours is measured against

The metadata says what made it, and `case.CASE` holds the case's attributes as JSON.
"""

import json
import pathlib
import platform

import torch
from safetensors.torch import save_file

FIXTURES = pathlib.Path(__file__).resolve().parent.parent
SEEDS = range(8)


class GoldenFile:
    def __init__(self, name, script):
        self.path = FIXTURES / f"{name}.safetensors"
        self.tensors = {}
        self.metadata = {
            "generator": f"Tests/Fixtures/generate/{pathlib.Path(script).name}",
            "torch": torch.__version__.split("+")[0],
            "python": platform.python_version(),
            "seeds": str(len(SEEDS)),
        }

    def case(self, name, make_inputs, function, attributes=None, seeds=SEEDS):
        """Records `function(**inputs)` over `seeds`.

        `make_inputs(generator)` returns a dictionary of tensors; `function` is called once with the floating ones in
        float64 and once in float32, and returns a tensor or a dictionary of tensors.
        """
        self.metadata[f"case.{name}"] = json.dumps(attributes or {}, sort_keys=True)
        for seed in seeds:
            inputs = make_inputs(torch.Generator().manual_seed(1000 * seed + 17))
            for key, value in inputs.items():
                self.tensors[f"{name}/{seed}/input.{key}"] = narrow(value)
            for prefix, dtype in (("output", torch.float64), ("output32", torch.float32)):
                cast = {k: v.float().to(dtype) if v.is_floating_point() else v for k, v in inputs.items()}
                with torch.no_grad():
                    result = function(**cast)
                if torch.is_tensor(result):
                    result = {"y": result}
                for key, value in result.items():
                    self.tensors[f"{name}/{seed}/{prefix}.{key}"] = value

    def write(self):
        tensors = {key: value.detach().clone().contiguous() for key, value in self.tensors.items()}
        save_file(tensors, self.path, metadata=self.metadata)
        print(f"{self.path.name}: {len(tensors)} tensors, {self.path.stat().st_size / 1024:.0f} KiB")


def narrow(value):
    return value.float() if value.dtype in (torch.float32, torch.float64) else value


def normal(generator, *shape, scale=1.0, shift=0.0):
    """Normally distributed values, exact in float32."""
    return torch.randn(*shape, generator=generator) * scale + shift

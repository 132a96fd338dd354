"""Writes the golden files of the networks in this folder: `Weights/reference/golden/NAME.safetensors`.

    python Weights/reference/golden.py [NAME...] [--check]

Weights are generated (see parity.py). Before anything is written, the network must behave as a trained one would: the
RMS of every module's output lies within 0.1 and 10, and a change of one token or one patch changes distant outputs by
5 % at least. A network whose signals vanish, explode or do not mix would hide errors.

A file holds inputs, outputs and some activations, in float64 (the reference) and in PyTorch's float32 (whose error Apus' is
compared with). Of tensors with more than 4096 elements, every n-th one is stored.
"""

import argparse
import json
import sys

import torch
from safetensors.torch import save_file

from parity import GOLDEN, GeneratedImage, all_networks, call, to_json

LIMIT = 4096


def hooked(module, paths, keep):
    """Calls `keep(path, output)` for the modules at `paths`; returns the handles of the hooks."""
    modules = dict(module.named_modules())
    missing = [path for path in paths if path not in modules]
    if missing:
        raise SystemExit(f"no modules named {missing}")

    def hook(path):
        def report(_, __, output):
            while isinstance(output, (tuple, list)):
                output = output[0]
            if isinstance(output, dict):
                return
            keep(path, output)
        return report

    return [modules[path].register_forward_hook(hook(path)) for path in paths]


def check_magnitudes(network, module):
    found = {}
    paths = [path for path, _ in module.named_modules() if path and path not in network.unchecked]
    handles = hooked(module, paths, lambda path, x: found.__setitem__(path, float(x.double().pow(2).mean().sqrt())))
    with torch.no_grad():
        call(module, network.inputs(next(iter(network.samples))), torch.float32)
    for handle in handles:
        handle.remove()
    bad = {path: rms for path, rms in found.items() if not 0.1 <= rms <= 10}
    for path, rms in bad.items():
        print(f"  {network.name}: the RMS of {path} is {rms:.3g}", file=sys.stderr)
    print(f"  RMS of {len(found)} modules: {min(found.values()):.2f} to {max(found.values()):.2f}")
    return not bad


def check_sensitivity(network, module):
    if network.sensitivity is None:
        return True
    with torch.no_grad():
        changes = network.sensitivity(module, network.inputs(next(iter(network.samples))))
    for what, change in changes:
        print(f"  {what}: {change:.1%}" + ("" if change >= 0.05 else "  TOO LITTLE"))
    return all(change >= 0.05 for _, change in changes)


def run(network, module, sample, dtype):
    """Outputs and activations by name."""
    results = {}
    handles = hooked(module, network.activations, lambda path, x: results.__setitem__(path, x))
    with torch.no_grad():
        outputs = call(module, network.inputs(sample), dtype)
    for handle in handles:
        handle.remove()
    return results | outputs


def stride(count):
    """Odd, so that it covers all channels and columns of maps with even sides."""
    step = -(-count // LIMIT)
    return step if step <= 1 else step | 1


def write(network):
    print(network.name)
    tensors, images, strides = {}, {}, {}
    module = network.module()
    if not (check_magnitudes(network, module) & check_sensitivity(network, module)):
        return False
    for sample, value in network.samples.items():
        if "." in sample:
            raise SystemExit(f"{network.name}: the sample {sample} has a dot in its name")
        if isinstance(value, GeneratedImage):
            images[sample] = {"shape": value.shape, "cell": value.cell}
        else:
            for key, tensor in network.inputs(sample).items():
                tensors[f"input.{key}.{sample}" if key else f"input.{sample}"] = tensor
    for prefix, dtype in (("output32", torch.float32), ("output", torch.float64)):
        module = module.to(dtype)
        for sample in network.samples:
            for key, value in run(network, module, sample, dtype).items():
                step = strides.setdefault(key, stride(value.numel()))
                value = value.flatten()[::step] if step > 1 else value
                tensors[f"{prefix}.{key}.{sample}"] = value.detach().clone().contiguous()
    error, magnitude = 0.0, 0.0
    for key, value in tensors.items():
        if key.startswith("output."):
            peer = tensors["output32." + key.removeprefix("output.")]
            error = max(error, float((peer.double() - value).abs().max() / value.abs().max()))
            magnitude = max(magnitude, float(value.abs().max()))
    print(f"  largest relative error of PyTorch's float32: {error:.1e}; largest value {magnitude:.3g}")
    parameters = [[name, *rest] for name, rest in network.parameters().items()]
    metadata = {
        "model": network.name, "configuration": to_json(network.configuration), "parameters": to_json(parameters),
        "generator": "Weights/reference/golden.py", "torch": torch.__version__.split("+")[0],
    }
    if images:
        metadata["images"] = to_json(images)
    strides = {key: step for key, step in strides.items() if step > 1}
    if strides:
        metadata["strides"] = to_json(strides)
    GOLDEN.mkdir(exist_ok=True)
    path = GOLDEN / f"{network.name}.safetensors"
    save_file(tensors, path, metadata=metadata)
    sort_metadata(path)
    print(f"  {path.name}: {len(tensors)} tensors, {path.stat().st_size / 1024:.0f} KiB, "
          f"{sum(torch.Size(rest[0]).numel() for rest in network.parameters().values()) / 1e6:.1f} million parameters")
    return True


def sort_metadata(path):
    """`save_file` writes metadata in an order that differs from run to run."""
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8:8 + length])
    header["__metadata__"] = dict(sorted(header["__metadata__"].items()))
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text = text.ljust(-(-len(text) // 8) * 8)
    path.write_bytes(len(text).to_bytes(8, "little") + text + data[8 + length:])
    path.chmod(0o644)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="networks (default: all)")
    parser.add_argument("--check", action="store_true", help="only check magnitudes and sensitivity")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    networks = all_networks()
    unknown = [name for name in arguments.names if name not in networks]
    if unknown:
        parser.error(f"no networks named {', '.join(unknown)}; there are {', '.join(networks)}")
    good = True
    for network in (networks[name] for name in arguments.names or networks):
        if arguments.check:
            print(network.name)
            module = network.module()
            good &= check_magnitudes(network, module) & check_sensitivity(network, module)
        else:
            good &= write(network)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()

"""A MobileBERT of full size as Core ML, in float16 and with tables of sixteen weights, and how often Apus names the same words.

    python Weights/reference/coreml_mobilebert.py make FOLDER [--prompts 100]
    python Weights/reference/coreml_mobilebert.py count FOLDER [--apus .build/release/apus]

`make` converts the network "mobilebert" of this folder (24 layers of 512 with bottlenecks of 128, generated weights) with
coremltools: FOLDER/float16.mlpackage, and FOLDER/lut4.mlpackage, whose weights coremltools.optimize palettises to four bits. For prompts
of up to 32 random tokens, with a mask at a random place, FOLDER/NAME.npz has what the models read and the five likeliest pieces
at the mask: those of PyTorch in float32 with the weights that the model holds, rounded to float16, or those of its tables.
FOLDER/float32.onnx is the same network for `apus bench` to run beside them. No weights are stored in the repository: the models have
81, 21 and 161 MB.

`count` runs `apus run` for each prompt and counts the masks whose five likeliest pieces are the same as a set, and whose
likeliest is.
"""

import argparse
import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import torch

LENGTH = 32
MASK, CLASS, SEPARATOR = 103, 101, 102
INPUTS = ("input_ids", "attention_mask", "token_type_ids")


class Logits(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, ids, mask, types):
        # The mask as it is added: what transformers makes of one itself, coremltools cannot convert.
        added = (1 - mask[:, None, None, :].float()) * -1e4
        return self.model(input_ids=ids, attention_mask=added, token_type_ids=types)["logits"]


def prompts(count, vocabulary):
    """`(inputs, place of the mask)` of each prompt; unlike lengths, the rest is padding."""
    random = np.random.default_rng(1)
    for _ in range(count):
        length = random.integers(6, LENGTH + 1)
        ids = np.zeros((1, LENGTH), np.int32)
        ids[0, :length] = random.integers(1000, vocabulary, length)
        place = random.integers(1, length - 1)
        ids[0, [0, length - 1, place]] = CLASS, SEPARATOR, MASK
        mask = (np.arange(LENGTH) < length).astype(np.int32)[None]
        yield dict(zip(INPUTS, (ids, mask, np.zeros_like(ids)))), place


def decompressed(module, model):
    """The module with the weights of a compressed model, which are found by what they are near to."""
    import coremltools.optimize.coreml as cto

    stored = cto.get_weights_metadata(cto.decompress_weights(model), weight_threshold=2048)
    head = module.model.cls.predictions
    # The table of words, which the head shares and the model has once more, joined with another matrix.
    head.decoder.weight = torch.nn.Parameter(head.decoder.weight.detach().clone())
    joined = torch.cat([head.decoder.weight, head.dense.weight.T], dim=1)
    state = {name: own for name, own in module.named_parameters() if own is not head.decoder.weight}
    taken = set()
    with torch.no_grad():
        for name, weight in stored.items():
            value = torch.from_numpy(np.asarray(weight.val, dtype=np.float32))
            # Of the table of places the model has what so many pieces look up.
            value = value[0] if value.ndim == 3 else value
            if value.shape == joined.shape:
                first, second = value.split([head.decoder.weight.shape[1], head.dense.weight.shape[0]], dim=1)
                head.decoder.weight.copy_(first)
                head.dense.weight.copy_(second.T)
                taken.add("cls.predictions.dense.weight")
                continue
            near = {}
            for parameter, own in state.items():
                for turned in (False, True)[:value.ndim]:
                    part = (own.T if turned else own)[:len(value)]
                    if part.shape == value.shape:
                        near[parameter, turned] = float((part - value).norm() / part.norm())
            if not near:
                raise SystemExit(f"{name} {tuple(value.shape)} is no parameter of the network")
            (parameter, turned), distance = min(near.items(), key=lambda item: item[1])
            if distance > 0.3:
                raise SystemExit(f"{name} is {distance:.2f} away from {parameter}, the nearest parameter")
            if parameter in taken:
                raise SystemExit(f"{name} and another weight are {parameter}")
            taken.add(parameter)
            (state[parameter].T if turned else state[parameter])[:len(value)] = value
    print(f"{len(taken)} of {len(state)} parameters from tables")
    return module


def rounded(module):
    """The module with its weights rounded to float16."""
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(parameter.half().float())
    return module


def write(path, module, all_prompts):
    rows = {name: [] for name in (*INPUTS, "place", "best")}
    with torch.no_grad():
        for inputs, place in all_prompts:
            logits = module(*(torch.from_numpy(inputs[name]) for name in INPUTS))[0, place]
            for name in INPUTS:
                rows[name].append(inputs[name])
            rows["place"].append(place)
            rows["best"].append(logits.topk(5).indices.numpy())
    np.savez_compressed(path, **{name: np.stack(value) for name, value in rows.items()})


def make(folder, count):
    import coremltools as ct
    import coremltools.optimize.coreml as cto
    from parity import all_networks

    folder.mkdir(parents=True, exist_ok=True)
    module = Logits(all_networks()["mobilebert"].module().float().eval())
    all_prompts = list(prompts(count, 30522))
    example = tuple(torch.from_numpy(value) for value in all_prompts[0][0].values())
    with torch.no_grad():
        trace = torch.jit.trace(module, example, strict=False)
    model = ct.convert(
        trace, inputs=[ct.TensorType(name, shape=(1, LENGTH), dtype=np.int32) for name in INPUTS],
        outputs=[ct.TensorType("logits")], minimum_deployment_target=ct.target.iOS16,
        compute_precision=ct.precision.FLOAT16, skip_model_load=True)
    model.save(str(folder / "float16.mlpackage"))
    options = cto.OptimizationConfig(cto.OpPalettizerConfig(mode="kmeans", nbits=4))
    compressed = cto.palettize_weights(model, options)
    compressed.save(str(folder / "lut4.mlpackage"))
    torch.onnx.export(
        module, example, str(folder / "float32.onnx"), input_names=list(INPUTS), output_names=["logits"], dynamo=False)
    module.eval()  # the exporter leaves parts of it in training
    write(folder / "float16.npz", rounded(module), all_prompts)
    write(folder / "lut4.npz", decompressed(module, compressed), all_prompts)


def count(folder, apus):
    for name in ("float16", "lut4"):
        wanted = np.load(folder / f"{name}.npz")
        same = first = 0
        for index in range(len(wanted["place"])):
            with tempfile.TemporaryDirectory() as scratch:
                np.savez(f"{scratch}/inputs.npz", **{key: wanted[key][index] for key in INPUTS})
                found = subprocess.run(
                    [apus, "run", str(folder / f"{name}.mlpackage"), "--input", f"{scratch}/inputs.npz", "--output",
                     f"{scratch}/out", "--json"], check=True, capture_output=True, text=True)
                logits = np.load(json.loads(found.stdout)["outputs"][0]["file"])[0, wanted["place"][index]]
            best = np.argsort(-logits.astype(np.float64), kind="stable")[:5]
            same += set(best) == set(wanted["best"][index])
            first += best[0] == wanted["best"][index][0]
        total = len(wanted["place"])
        print(f"{name}: the five likeliest are the same for {same} of {total} masks, the likeliest for {first}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    for command in ("make", "count"):
        sub = commands.add_parser(command)
        sub.add_argument("folder", metavar="FOLDER", type=Path)
        if command == "make":
            sub.add_argument("--prompts", type=int, default=100)
        else:
            sub.add_argument("--apus", default=".build/release/apus")
    arguments = parser.parse_args()
    if arguments.command == "make":
        make(arguments.folder, arguments.prompts)
    else:
        count(arguments.folder, arguments.apus)


if __name__ == "__main__":
    main()

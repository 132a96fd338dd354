"""Compares how long Apus takes with a network as a program of torch.export, and as the ONNX file that PyTorch exports of it.

    python3 Benchmarks/compare_programs.py FOLDER [NAME …] [--apus PROGRAM] [--rounds N]

FOLDER gets each network three times, where it lacks them: NAME.onnx, NAME.pt2, and NAME.core.pt2, which is decomposed to core
ATen. They run by turns, one thread, `exact`; ratios are of the least times. The networks, and what has to be installed for
them, are those of export_image_models.py, without a NAME some of each kind.
"""

import argparse
import contextlib
import io
import json
import logging
import pathlib
import statistics
import subprocess
import sys

import numpy
import torch
from export_image_models import Nothing, network

NAMES = """
coat_tiny convnext_pico davit_tiny densenet121 edgenext_x_small efficientformer_l1 efficientnet_b0 fastvit_t8 gcvit_xxtiny
ghostnet_050 lcnet_050 maxvit_tiny_rw_224 mixer_s32_224 mixnet_s mobilenetv3_small_050 mobilenetv4_conv_small mobilevit_xs
regnety_004 repghostnet_050 repvgg_a0 res2net50d resnest14d resnet18 swinv2_cr_tiny_ns_224 visformer_tiny
vit_tiny_patch16_224 xcit_nano_12_p8_224
""".split()
KINDS = [".onnx", ".pt2", ".core.pt2"]


def file(folder, name, kind):
    return folder / (name + kind)


def inputs(folder, name, kind):
    return folder / (name + kind + ".npz")


def export(folder, name):
    model, picture = network(name)
    # Exporters print what they do.
    with torch.no_grad(), contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        program = torch.export.export(model, (picture,))
        for kind, written in [(".pt2", program), (".core.pt2", program.run_decompositions())]:
            torch.export.save(written, file(folder, name, kind))
            numpy.savez(inputs(folder, name, kind), **{written.graph_signature.user_inputs[0]: picture.numpy()})
        written = torch.onnx.export(model, (picture,), dynamo=True, verbose=False)
        written.save(file(folder, name, ".onnx"))
        numpy.savez(inputs(folder, name, ".onnx"), **{written.model.graph.inputs[0].name: picture.numpy()})


def least(apus, folder, name, kind, runs):
    """Milliseconds of the fastest of some runs."""
    arguments = ["--input", inputs(folder, name, kind), "--threads", "1", "--warmup", "2", "--repeat", str(runs), "--json"]
    result = subprocess.run([apus, "run", file(folder, name, kind), *arguments], capture_output=True, text=True)
    if result.returncode:
        raise SystemExit(f"{name + kind}: {result.stderr.strip()}")
    return min(json.loads(result.stdout)["latency_ms"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--apus", type=pathlib.Path, default=pathlib.Path(".build/release/apus"))
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)
    sys.meta_path.insert(0, Nothing())
    options.folder.mkdir(parents=True, exist_ok=True)
    ratios = {kind: [] for kind in KINDS[1:]}
    print(f"{'network':28} {'.onnx':>9} {'.pt2':>6} {'core':>6}")
    for name in options.names or NAMES:
        if not inputs(options.folder, name, ".onnx").exists():
            export(options.folder, name)
        first = least(options.apus, options.folder, name, ".onnx", 3)
        runs = max(3, min(200, int(300 / first)))
        times = {
            kind: min(least(options.apus, options.folder, name, kind, runs) for _ in range(options.rounds)) for kind in KINDS
        }
        for kind in ratios:
            ratios[kind].append(times[kind] / times[".onnx"])
        shares = " ".join(f"{values[-1]:6.2f}" for values in ratios.values())
        print(f"{name:28} {times['.onnx']:6.2f} ms {shares}", flush=True)
    means = " ".join(f"{statistics.geometric_mean(values):6.2f}" for values in ratios.values())
    print(f"{'geometric mean':28} {'':>9} {means}")


if __name__ == "__main__":
    main()

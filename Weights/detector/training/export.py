"""Exports a checkpoint of `train.py` as the shipped float16 weights, or as an ONNX file with Ultralytics-style metadata.

    python Weights/detector/training/export.py checkpoint.pt [--onnx FILE]
"""

import argparse
import json
import pathlib

import torch
from safetensors.torch import save_file

import train
from render import CLASSES

CONFIGURATION = {"generation": "v8", "size": "p", "classes": 3, "keypoints": {"count": 17, "dimensions": 3}}
# Input side. Training pictures are 640 pixels long; a slightly larger input finds more bar ends of about fifteen pixels
# (README.md), at 20 % more computation.
SIDE = 704


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).parents[1] / "shipped/model.safetensors")
    parser.add_argument("--onnx", type=pathlib.Path)
    options = parser.parse_args()
    stored = torch.load(options.checkpoint, weights_only=True)
    state = {name: value.half().contiguous() for name, value in stored["average"].items()
             if value.dtype.is_floating_point}
    if options.onnx:
        net = train.network()
        net.load_state_dict({name: value.float() for name, value in state.items()}, strict=False)
        write_onnx(net.eval(), options.onnx)
        return
    save_file(state, options.out, metadata={
        "configuration": json.dumps(CONFIGURATION), "names": json.dumps(dict(enumerate(CLASSES))), "imgsz": str(SIDE),
        "keypoint_classes": json.dumps(CLASSES[2:]),
        "made_by": "Weights/detector: rendered gyms only", "pictures_seen": str(stored["seen"]),
    })
    print(f"{options.out}: {sum(v.numel() for v in state.values())} numbers, {options.out.stat().st_size} bytes, "
          f"trained on {stored['seen']} pictures")


def write_onnx(net, path):
    import onnx

    with torch.no_grad():
        torch.onnx.export(net, torch.zeros(1, 3, SIDE, SIDE), str(path), input_names=["images"],
                          output_names=["output0"], opset_version=17, dynamo=False)
    model = onnx.load(path)
    facts = {"task": "pose", "stride": "32", "imgsz": f"[{SIDE}, {SIDE}]", "names": repr(dict(enumerate(CLASSES))),
             "kpt_shape": "[17, 3]", "keypoint_classes": repr(list(CLASSES[2:]))}
    for key, value in facts.items():
        model.metadata_props.add(key=key, value=value)
    onnx.save(model, path)


if __name__ == "__main__":
    main()

"""Writes what Polygraphy saves of a model's inputs and of ONNX Runtime's outputs: parity/polygraphy-*.json.

    pip install polygraphy==0.53.6 onnx onnxruntime safetensors
    python Tests/Fixtures/generate/polygraphy_values.py
"""

import subprocess
from pathlib import Path

from polygraphy.json import save_json
from safetensors.numpy import load_file

FOLDER = Path(__file__).resolve().parent.parent / "parity"

image = load_file(FOLDER / "reference.safetensors")["image"]
save_json([{"image": image}, {"image": image[..., ::-1].copy()}], str(FOLDER / "polygraphy-inputs.json"))
subprocess.run(
    ["polygraphy", "run", FOLDER / "right.onnx", "--onnxrt", "--load-inputs", FOLDER / "polygraphy-inputs.json",
     "--onnx-outputs", "norm", "probabilities", "--save-outputs", FOLDER / "polygraphy-outputs.json"], check=True)

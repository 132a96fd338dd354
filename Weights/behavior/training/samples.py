"""Writes the sample clips: Weights/behavior/samples/<name>.jsonl and samples.json.

    python Weights/behavior/training/samples.py

Each clip is generated from one seed of sample_seeds.json, with bodies, viewpoints and tempos from the whole range (training
and held out), ordinary detector jitter, 1280 x 720 pixels, ten frames per second. Points outside the frame are null.
"""

import json

import numpy as np

import sensor
from generate import clip
from labels import FRAMES_PER_SECOND, HERE, SAMPLES

WIDTH, HEIGHT = 1280, 720
CLIPS = json.loads((HERE / "sample_seeds.json").read_text())["clips"]


def _seen(rng, kind, frames):
    seen = np.ones((frames, 24), bool)
    if kind in sensor.ADAPTER_GAPS:
        seen[:, sensor.ADAPTER_GAPS[kind]] = False
    elif kind == "scattered":
        seen &= rng.random((frames, 24)) >= 0.08
        for _ in range(4):
            start = rng.integers(0, frames - 30)
            seen[start:start + rng.integers(10, 31), rng.integers(24)] = False
        seen[rng.integers(0, frames, 2)] = False
    return seen


def make(entry):
    """Pixel coordinates [frames, 24, 2] rounded to hundredths, and which points are seen."""
    rng = np.random.default_rng(entry["seed"])
    change = (entry["then"], entry["change_frame"], True) if "then" in entry else None
    frames, aspect = clip(rng, entry["label"], 1, entry["frames"], split="any", change=change, aspect=WIDTH / HEIGHT)
    frames = sensor.jitter(rng, frames, aspect)
    _, seen = sensor.missing_to_zero(frames, _seen(rng, entry.get("missing"), entry["frames"])[None])
    return np.round(frames[0].astype(np.float64) * (WIDTH, HEIGHT), 2), seen[0]


def write(entry):
    pixels, seen = make(entry)
    lines = []
    for number, (points, visible) in enumerate(zip(pixels.tolist(), seen.tolist())):
        lines.append(json.dumps({
            "t": number / FRAMES_PER_SECOND, "width": WIDTH, "height": HEIGHT, "space": "pixel",
            "keypoints": [point if there else None for point, there in zip(points, visible)],
        }, separators=(",", ":")))
    (SAMPLES / f"{entry['name']}.jsonl").write_text("\n".join(lines) + "\n")
    listed = {"file": f"{entry['name']}.jsonl", **{k: v for k, v in entry.items() if k != "name"}}
    return {"name": entry["name"], **listed}


def read(name):
    """Windows of a written clip as the network's input, [1, 48, frames] float32: missing points are (0, 0)."""
    rows = [json.loads(line) for line in (SAMPLES / f"{name}.jsonl").read_text().splitlines()]
    values = [
        [c for p in row["keypoints"] for c in ((p[0] / row["width"], p[1] / row["height"]) if p else (0.0, 0.0))]
        for row in rows
    ]
    return np.array(values, dtype=np.float64).T[None].astype(np.float32)


if __name__ == "__main__":
    SAMPLES.mkdir(exist_ok=True)
    listing = {
        "note": "Synthetic motion, one seed a clip, seeds fixed before training. 'label' is the behaviour of the first "
                "100 frames, 'then' that of the last 100.",
        "frames_per_second": FRAMES_PER_SECOND, "clips": [write(entry) for entry in CLIPS],
    }
    (SAMPLES / "samples.json").write_text(json.dumps(listing, indent=2) + "\n")
    print(f"{len(CLIPS)} clips written")

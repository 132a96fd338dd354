"""Generates the sample recording of two arms, and its ground truth: samples/recording.jsonl and samples/truth.json.

    python Weights/arms/sample.py

Twelve seconds at 15 frames per second of a person who faces the camera with both arms held out. The subject's left arm
stays 2 degrees above the horizontal. The right one starts level, sinks smoothly by 16 degrees between second 4 and second 9,
and stays there. Shoulders, elbows and wrists have Gaussian noise of 0.6 pixels, as from a keypoint detector; in every
40th frame a wrist is missing.
"""

import json
import math
import pathlib
import random

SAMPLES = pathlib.Path(__file__).parent / "samples"
WIDTH, HEIGHT, RATE, SECONDS = 640, 480, 15, 12
UPPER_ARM, FOREARM, NOISE = 92.0, 84.0, 0.6
SHOULDERS = {"left": (366.0, 212.0), "right": (274.0, 212.0)}
SINKS_BY, SINKS_FROM, SINKS_TO = 16.0, 4.0, 9.0


def angle(side, time):
    """Degrees below the horizontal."""
    if side == "left":
        return -2.0
    part = min(max((time - SINKS_FROM) / (SINKS_TO - SINKS_FROM), 0), 1)
    return SINKS_BY * (1 - math.cos(math.pi * part)) / 2


def main():
    noise = random.Random(20261122)
    lines = []
    for frame in range(RATE * SECONDS + 1):
        time = frame / RATE
        points = {"nose": (320.0, 140.0), "left_hip": (350.0, 376.0), "right_hip": (290.0, 376.0)}
        for side, (x, y) in SHOULDERS.items():
            outwards = 1 if side == "left" else -1
            radians = math.radians(angle(side, time))
            for name, length in [("shoulder", 0), ("elbow", UPPER_ARM), ("wrist", UPPER_ARM + FOREARM)]:
                points[f"{side}_{name}"] = (
                    x + outwards * length * math.cos(radians), y + length * math.sin(radians))
        if frame % 40 == 20:
            del points["right_wrist"]
        keypoints = {
            name: {"x": round(x + noise.gauss(0, NOISE), 1), "y": round(y + noise.gauss(0, NOISE), 1),
                   "confidence": round(noise.uniform(0.8, 0.99), 2)}
            for name, (x, y) in points.items()}
        lines.append(json.dumps({"t": round(time, 4), "width": WIDTH, "height": HEIGHT, "coordinate_space": "pixel",
                                 "keypoints": keypoints}, separators=(",", ":")))
    (SAMPLES / "recording.jsonl").write_text("\n".join(lines) + "\n")
    arms = {side: {"drop_deg_start": round(angle(side, 0), 2), "drop_deg_end": round(angle(side, SECONDS), 2)}
            for side in SHOULDERS}
    (SAMPLES / "truth.json").write_text(json.dumps(arms) + "\n")


if __name__ == "__main__":
    main()

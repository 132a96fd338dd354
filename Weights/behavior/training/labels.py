"""Names shared by every script: the 24 keypoints and the 21 labels (read from labels.json)."""

import json
from pathlib import Path

HERE = Path(__file__).resolve().parent
SHIPPED = HERE.parent / "shipped"
SAMPLES = HERE.parent / "samples"
REFERENCE = HERE.parents[1] / "reference"

KEYPOINTS = [
    "nose", "left_eye", "right_eye", "left_ear", "right_ear", "throat", "withers",
    "left_front_shoulder", "left_front_elbow", "left_front_paw",
    "right_front_shoulder", "right_front_elbow", "right_front_paw", "center",
    "left_hip", "left_knee", "left_back_paw", "right_hip", "right_knee", "right_back_paw",
    "tail_base", "tail_mid_1", "tail_mid_2", "tail_tip",
]

_TABLE = json.loads((HERE / "labels.json").read_text())["labels"]
LABELS = [entry["name"] for entry in _TABLE]
SEPARABLE = [entry["name"] for entry in _TABLE if entry["separable"]]
INDEX = {name: index for index, name in enumerate(LABELS)}

FRAMES_PER_SECOND = 10
WINDOW = 100

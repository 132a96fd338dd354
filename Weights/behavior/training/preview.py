"""Draws stick-figure contact sheets of synthetic clips, one PNG per label, for visual inspection.

    python Weights/behavior/training/preview.py OUTPUT_FOLDER [label ...]
"""

import sys
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from generate import clip
from labels import INDEX, SEPARABLE

BONES = [
    (0, 1), (0, 2), (1, 3), (2, 4), (0, 5), (5, 6), (6, 13), (13, 20), (20, 21), (21, 22), (22, 23),
    (6, 7), (7, 8), (8, 9), (6, 10), (10, 11), (11, 12), (20, 14), (14, 15), (15, 16), (20, 17), (17, 18), (18, 19),
]
LEFT, RIGHT, MIDDLE = (200, 60, 40), (40, 80, 200), (40, 40, 40)


def _colour(a, b):
    for group, colour in (({7, 8, 9, 14, 15, 16}, LEFT), ({10, 11, 12, 17, 18, 19}, RIGHT)):
        if a in group or b in group:
            return colour
    return MIDDLE


def sheet(label, rows=5, columns=10, cell=(160, 120)):
    frames, _ = clip(np.random.default_rng([99, INDEX[label]]), label, rows, aspect=cell[0] / cell[1])
    image = Image.new("RGB", (columns * cell[0], rows * cell[1]), "white")
    pen = ImageDraw.Draw(image)
    for row in range(rows):
        step = 10 if row >= 2 else 1  # two rows of successive frames, then the whole ten seconds
        for column in range(columns):
            points = frames[row, 40 + column if step == 1 else column * step] * cell
            points = points + np.array([column * cell[0], row * cell[1]])
            for a, b in BONES:
                pen.line([tuple(points[a]), tuple(points[b])], fill=_colour(a, b), width=2)
    return image


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[2:] or SEPARABLE:
        sheet(name).save(folder / f"{name}.png")

"""The ranges of body, viewpoint and speed for training, and those held out for testing.

Each factor runs over the unit interval. `HELD_OUT` lists the bands of it that training never sees; a test split draws
one factor (or all of them) from its bands, and the rest from the training ranges.
"""

import numpy as np

HELD_OUT = {
    # Leg length 0.50-1.10 trunk lengths: the shortest tenth, an inner band (0.77-0.86), the longest tenth.
    "leg": [(0.0, 0.10), (0.45, 0.60), (0.90, 1.0)],
    # Camera azimuth |a| 0-180 degrees from the nose: 35-55 and 125-145 degrees.
    "azimuth": [(0.195, 0.305), (0.695, 0.805)],
    # Camera elevation 0-35 degrees: 12-17 degrees, and everything above 31.
    "elevation": [(0.343, 0.486), (0.886, 1.0)],
    # Tempo 0.80-1.25: the slowest tenth, an inner band (1.00-1.07), the fastest tenth.
    "speed": [(0.0, 0.10), (0.45, 0.60), (0.90, 1.0)],
}

SPANS = {"leg": (0.50, 1.10), "elevation": (0.0, 35.0), "speed": (0.80, 1.25)}

SPLITS = {
    "train": (),
    "body": ("leg",),
    "view": ("azimuth", "elevation"),
    "speed": ("speed",),
    "all": ("leg", "azimuth", "elevation", "speed"),
    "any": None,  # both training ranges and held-out ones: for the sample clips
}


def _complement(bands):
    edges, start = [], 0.0
    for low, high in sorted(bands):
        if low > start:
            edges.append((start, low))
        start = high
    if start < 1.0:
        edges.append((start, 1.0))
    return edges


def draw(rng, factor, count, split):
    """`count` values in [0, 1] of `factor`, as `split` prescribes, shaped [count, 1]."""
    held = SPLITS[split]
    if held is None:
        return rng.random((count, 1))
    bands = HELD_OUT[factor] if factor in held else _complement(HELD_OUT[factor])
    bands = np.array(bands)
    widths = bands[:, 1] - bands[:, 0]
    which = rng.choice(len(bands), size=count, p=widths / widths.sum())
    return (bands[which, 0] + widths[which] * rng.random(count))[:, None]


def scaled(factor, unit):
    low, high = SPANS[factor]
    return low + (high - low) * unit

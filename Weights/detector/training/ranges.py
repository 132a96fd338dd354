"""The ranges of camera, light, room, colour and body for training, and those held out for evaluation.

Each continuous factor runs over the unit interval and is scaled to its span. `HELD_OUT` lists the bands of it that
training never sees. A held-out picture takes every factor from its bands, so it differs from training in all of them.
"""

import numpy as np

SPANS = {
    "side": (0.0, 42.0),        # degrees between the camera and the bar's axis, views from the side
    "front": (58.0, 90.0),      # the same, views from the front or the back
    "height": (0.3, 1.9),       # of the camera, metres
    "distance": (2.2, 6.0),     # from the camera to the bar, metres
    "focal": (0.75, 1.5),       # focal length over the longer side of the picture
    "light": (0.0, 360.0),      # where the light comes from, degrees around the vertical
    "hue": (0.0, 1.0),          # of everything painted or dyed: walls, floors, plates, clothes
    "stature": (1.52, 1.98),    # metres
    "legs": (0.92, 1.08),       # length of the legs, over the average for the stature
    "girth": (0.80, 1.30),      # thickness of limbs and trunk, over the average
}

HELD_OUT = {
    "side": [(0.25, 0.40), (0.85, 1.0)],        # 10.5-16.8 and 35.7-42 degrees
    "front": [(0.40, 0.60)],                    # 70.8-77.2 degrees
    "height": [(0.30, 0.45), (0.90, 1.0)],      # 0.78-1.02 and 1.74-1.90 m
    "distance": [(0.35, 0.50), (0.92, 1.0)],    # 3.53-4.10 and 5.70-6.00 m
    "focal": [(0.30, 0.45)],                    # 0.975-1.088
    "light": [(0.15, 0.25), (0.60, 0.70)],      # 54-90 and 216-252 degrees
    "hue": [(0.10, 0.16), (0.45, 0.53), (0.78, 0.86)],  # amber, cyan, purple
    "stature": [(0.0, 0.08), (0.45, 0.58), (0.93, 1.0)],
    "legs": [(0.40, 0.60)],
    "girth": [(0.0, 0.08), (0.45, 0.60), (0.92, 1.0)],
}

ROOMS = {"train": ("mats", "concrete", "planks", "painted", "panels", "garage"), "held": ("bricks", "checks", "loft")}

SPLITS = ("train", "held")


def bands(factor, split):
    """The parts of the unit interval that a split may draw `factor` from."""
    held = sorted(HELD_OUT[factor])
    if split == "held":
        return held
    edges, start = [], 0.0
    for low, high in held:
        if low > start:
            edges.append((start, low))
        start = high
    if start < 1.0:
        edges.append((start, 1.0))
    return edges


def draw(rng, factor, split):
    """A value of `factor` within its span, as `split` prescribes."""
    allowed = np.array(bands(factor, split))
    widths = allowed[:, 1] - allowed[:, 0]
    which = rng.choice(len(allowed), p=widths / widths.sum())
    low, high = SPANS[factor]
    return float(low + (high - low) * (allowed[which, 0] + widths[which] * rng.random()))


def room(rng, split):
    return str(rng.choice(ROOMS[split]))

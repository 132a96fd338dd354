"""Synthetic clips: a behaviour, a body, a camera, a detector. Run it to print the generator's speed."""

import time

import numpy as np

import actions
import camera
import locomotion
import postures
import sensor
from labels import INDEX, SEPARABLE, WINDOW
from motion import Scene
from skeleton import blend, keypoints, path

BEHAVIORS = {
    name: getattr(module, name)
    for module in (postures, locomotion, actions) for name in SEPARABLE if hasattr(module, name)
}
#: Behaviours with a fixed course from start to end: no other behaviour is blended in.
WHOLE = ("come", "fetch")
CHANGEABLE = [name for name in SEPARABLE if name not in WHOLE]


def clip(rng, label, count, frames=WINDOW, split="train", change=None, aspect=None):
    """`count` clips of `label` as frame coordinates [count, frames, 24, 2] without noise, and their aspect ratios.

    `change` = (label, start, at_end): another behaviour fills the frames from `start` on (or up to it), blended over
    0.8 seconds; `start` is [count, 1] or a number.
    """
    scene = Scene(rng, count, frames, split)
    pose = BEHAVIORS[label](scene)
    mode = camera.MODES.get(label, camera.STAY)
    if change is not None:
        other, start, at_end = change
        s = np.clip((np.arange(frames)[None, :] - start + 4) / 8, 0, 1)
        weight = (s * s * (3 - 2 * s)).astype(np.float32)
        pose = blend(pose, BEHAVIORS[other](scene), weight if at_end else 1 - weight)
    heading, x, y = path(pose, scene.uniform(-np.pi, np.pi))
    points = keypoints(scene.body, pose, heading, x, y)
    return camera.project(scene, mode, points, heading, x, y, aspect)


def windows(rng, label, count, split="train", changed=0.25, damaged=True):
    """`count` windows [count, 48, 100] of `label`; in a fraction `changed` of them, up to 30 frames show another behaviour."""
    parts = []
    mixed = int(round(count * changed)) if label in CHANGEABLE else 0
    groups = [(count - mixed, None)]
    for size in (len(part) for part in np.array_split(np.arange(mixed), max(1, min(6, mixed // 4)))):
        if size:
            other = CHANGEABLE[rng.integers(len(CHANGEABLE))]
            at_end = bool(rng.integers(2))
            length = rng.integers(5, 31, (size, 1))
            groups.append((size, (other, WINDOW - length if at_end else length, at_end)))
    for size, change in groups:
        frames, aspect = clip(rng, label, size, split=split, change=change)
        frames = sensor.jitter(rng, frames, aspect)
        seen = sensor.dropout(rng, size, WINDOW, complete=0.35 if damaged else 1.0)
        frames, _ = sensor.missing_to_zero(frames, seen)
        parts.append(frames.reshape(size, WINDOW, 48).transpose(0, 2, 1))
    return np.concatenate(parts).astype(np.float32)


def dataset(seed, per_label, split="train", changed=0.25, damaged=True, labels=SEPARABLE):
    """Windows and class indices, `per_label` of each label, reproducible by seed."""
    inputs, targets = [], []
    for label in labels:
        rng = np.random.default_rng([seed, INDEX[label]])
        done = 0
        while done < per_label:
            size = min(200, per_label - done)
            inputs.append(windows(rng, label, size, split, changed, damaged))
            done += size
        targets.append(np.full(per_label, INDEX[label]))
    return np.concatenate(inputs), np.concatenate(targets)


if __name__ == "__main__":
    for name in SEPARABLE:
        begun = time.perf_counter()
        sample = windows(np.random.default_rng(1), name, 200)
        print(f"{name:10s} {1000 * (time.perf_counter() - begun) / 200:.2f} ms a window, "
              f"finite {np.isfinite(sample).all()}, missing {(sample == 0).mean():.3f}")

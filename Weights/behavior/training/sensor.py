"""Simulates a keypoint detector: jitter, outliers and missing points."""

import numpy as np

# Points that the two keypoint adapters of the Swift package leave empty.
ADAPTER_GAPS = {"dog-pose-24": (7, 10, 13, 21, 22), "vision-25": (6, 7, 10, 13, 21)}
_LOOSE = np.ones(24, np.float32)
_LOOSE[[3, 4, 7, 9, 10, 12, 13, 14, 16, 17, 19, 22, 23]] = 1.4


def jitter(rng, frames, aspect):
    """Adds white and slowly varying noise proportional to the dog's size in each frame."""
    n, t = frames.shape[:2]
    square = frames * np.stack([aspect, np.ones_like(aspect)], axis=-1)[:, :, None, :]
    size = np.hypot(np.ptp(square[..., 0], axis=2), np.ptp(square[..., 1], axis=2))
    sigma = (size * rng.uniform(0.003, 0.013, (n, 1)).astype(np.float32) + 0.0005)[..., None, None] * _LOOSE[:, None]
    white = rng.standard_normal((n, t, 24, 2), dtype=np.float32)
    knots = rng.standard_normal((n, t // 5 + 2, 24, 2), dtype=np.float32)
    at = np.arange(t) / 5
    low, part = at.astype(int), (at % 1)[None, :, None, None].astype(np.float32)
    slow = knots[:, low] * (1 - part) + knots[:, low + 1] * part
    wild = 1 + 7 * (rng.random((n, t, 24, 1), dtype=np.float32) < 0.002)
    noisy = square + sigma * (0.8 * white * wild + 0.6 * slow)
    return noisy / np.stack([aspect, np.ones_like(aspect)], axis=-1)[:, :, None, :]


def dropout(rng, n, t, complete=0.35):
    """Visibility mask, [clips, frames, 24]: a fraction of clips is complete; the others have scattered and bursty misses,
    points that are always missing, and single empty frames."""
    damaged = rng.random((n, 1, 1)) >= complete
    rate = np.where(rng.random((n, 1, 1)) < 0.7, rng.uniform(0, 0.03, (n, 1, 1)), rng.uniform(0.03, 0.12, (n, 1, 1)))
    seen = rng.random((n, t, 24), dtype=np.float32) >= rate
    frame = np.arange(t)[None, :, None]
    for _ in range(2):  # bursts: one point lost for half a second to three seconds
        start, length = rng.integers(0, t, (n, 1, 1)), rng.integers(5, 31, (n, 1, 1))
        point = np.arange(24)[None, None, :] == rng.integers(0, 24, (n, 1, 1))
        burst = (frame >= start) & (frame < start + length) & point & (rng.random((n, 1, 1)) < 0.6)
        seen &= ~burst
    empty = (frame == rng.integers(0, t, (n, 1, 1))) & (rng.random((n, 1, 1)) < 0.2)
    seen &= ~empty
    style = rng.random(n)
    gaps = np.zeros((n, 24), bool)
    gaps[np.ix_(style < 0.10, ADAPTER_GAPS["dog-pose-24"])] = True
    gaps[np.ix_((style >= 0.10) & (style < 0.20), ADAPTER_GAPS["vision-25"])] = True
    one = (style >= 0.20) & (style < 0.35)
    gaps[one, rng.integers(0, 24, n)[one]] = True
    seen &= ~gaps[:, None, :]
    return seen | ~damaged


def missing_to_zero(frames, seen):
    """Sets points that are missing or outside the frame to (0, 0)."""
    inside = ((frames >= 0) & (frames <= 1)).all(axis=-1)
    seen = seen & inside
    return np.where(seen[..., None], frames, np.float32(0)), seen

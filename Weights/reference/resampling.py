"""Resizing a picture to a network's input: a straightforward reference for Apus."""

import numpy as np


def bilinear(picture, width, height):
    """Bilinear interpolation between pixel centres, clamped at the edges; rounds to the nearest byte, halves up.

    In integer arithmetic, since exact halves are common: one value in a hundred at a scale of 0.8.
    """
    def taps(size, count):
        # Positions in parts of 2 * count.
        at = np.clip((2 * np.arange(count, dtype=np.int64) + 1) * size - count, 0, 2 * count * (size - 1))
        first = at // (2 * count)
        return first, np.minimum(first + 1, size - 1), at - first * 2 * count

    picture = picture.astype(np.int64)
    y0, y1, fy = taps(picture.shape[0], height)
    x0, x1, fx = taps(picture.shape[1], width)
    fy, fx = fy[:, None, None], fx[None, :, None]
    rows = picture[y0] * (2 * height - fy) + picture[y1] * fy
    whole = 4 * width * height
    return (2 * (rows[:, x0] * (2 * width - fx) + rows[:, x1] * fx) + whole) // (2 * whole)

"""How a picture is brought to a network's input: a plain reading to hold Apus against."""

import numpy as np


def bilinear(picture, width, height):
    """Two taps an axis, between the centres of pixels, nothing beyond the edges; the nearest byte, of halves the upper one.

    In integers, for halves are common: at 0.8 of a side one value in a hundred is one.
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

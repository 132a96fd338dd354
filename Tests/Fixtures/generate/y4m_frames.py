"""YUV4MPEG2 streams, and their frames by the formulas of BT.601 and BT.709 in float64.

    python Tests/Fixtures/generate/y4m_frames.py

Colours are interpolated by a general function of the places where they are, which knows nothing of the shortcuts of the
reader. `y4m/frames.safetensors` holds

    CASE.file    the bytes of the stream: two frames
    CASE.pixels  [frames, height, width, channels], float32, before rounding, within 0…255
"""

import pathlib

import numpy as np
from safetensors.numpy import save_file

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "media" / "y4m"
# Steps and the place of the first number of colour, in pixels, across and down.
LAYOUTS = {
    "": (2, 0.5, 2, 0.5), "420": (2, 0.5, 2, 0.5), "420jpeg": (2, 0.5, 2, 0.5), "420mpeg2": (2, 0.0, 2, 0.5),
    "420paldv": (2, 0.0, 2, 0.0), "422": (2, 0.0, 1, 0.0), "444": (1, 0.0, 1, 0.0), "mono": None,
}
SHARES = {"bt601": (0.299, 0.114), "bt709": (0.2126, 0.0722)}


def interpolated(values, axis, count, step, first):
    """Linear interpolation of `values` at 0…count-1; they stand at first, first + step, …, and are held at the ends."""
    places = first + step * np.arange(values.shape[axis])
    return np.apply_along_axis(lambda line: np.interp(np.arange(count), places, line), axis, values)


def rgb(y, cb, cr, layout, full, matrix):
    height, width = y.shape
    luma = y / 255 if full else (y - 16) / 219
    if layout is None:
        return np.clip(luma[..., None] * 255, 0, 255)
    step_x, first_x, step_y, first_y = layout
    planes = []
    for plane in (cb, cr):
        plane = interpolated(interpolated(plane, 0, height, step_y, first_y), 1, width, step_x, first_x)
        planes.append((plane - 128) / (255 if full else 224))
    red_share, blue_share = SHARES[matrix]
    red = luma + 2 * (1 - red_share) * planes[1]
    blue = luma + 2 * (1 - blue_share) * planes[0]
    green = (luma - red_share * red - blue_share * blue) / (1 - red_share - blue_share)
    return np.clip(np.stack([red, green, blue], axis=2) * 255, 0, 255)


def main():
    generator = np.random.default_rng(2)
    tensors = {}
    for kind, layout in LAYOUTS.items():
        for height, width in ((1, 1), (2, 3), (5, 8), (6, 7)):
            for full in (False, True):
                for matrix in SHARES if (height, width) == (6, 7) else ("bt601",):
                    words = [f"YUV4MPEG2 W{width} H{height} F30000:1001 Ip A1:1"]
                    words += [f"C{kind}"] if kind else []
                    words += ["XYSCSS=ANYTHING"] + (["XCOLORRANGE=FULL"] if full else ["XCOLORRANGE=LIMITED"])
                    file, frames = (" ".join(words) + "\n").encode(), []
                    for number in range(2):
                        y = generator.integers(0, 256, (height, width))
                        cb = cr = np.zeros((0, 0), int)
                        if layout:
                            size = (-(-height // layout[2]), -(-width // layout[0]))
                            cb, cr = generator.integers(0, 256, (2, *size))
                        file += b"FRAME\n" if number == 0 else b"FRAME Xnote\n"
                        file += b"".join(plane.astype(np.uint8).tobytes() for plane in (y, cb, cr))
                        frames.append(rgb(y, cb, cr, layout, full, matrix))
                    name = f"{kind or 'none'}.{height}x{width}.{matrix}" + ".full" * full
                    tensors[f"{name}.file"] = np.frombuffer(file, np.uint8)
                    tensors[f"{name}.pixels"] = np.stack(frames).astype(np.float32)
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / "frames.safetensors"
    save_file(tensors, path, metadata={"generator": "Tests/Fixtures/generate/y4m_frames.py"})
    print(f"{path.name}: {len(tensors) // 2} streams, {path.stat().st_size / 1024:.0f} KiB")


if __name__ == "__main__":
    main()

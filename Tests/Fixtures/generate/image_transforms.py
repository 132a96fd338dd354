"""Golden file of what is done to pictures before a network sees them: letterboxes, resizing, normalisation.

Pictures are made by `pattern`, which the tests know too, so that the file holds results only.

    letterbox                       [n, 11] rows of width, height, target width, target height, kind, and what the usual
                                    Python makes of them: content width, content height, left, top, width, height
    letterbox.scale                 [n] the scale, float64
    normalization.unit|imagenet     what all 256 bytes become in NumPy's float32
    bilinear.W.H.C.w.h              PyTorch's bilinear interpolation of the pattern in float64
    float.FILTER.W.H.C.w.h          PyTorch's interpolation of the pattern divided by 255, computed in float64
    pillow.FILTER.W.H.C.w.h         Pillow's; with .BOX the part of the picture that it was made of
    crc.FILTER.W.H.C.w.h            the CRC-32 of Pillow's, where that is large

Needs torch 2.13, numpy 2.4 and Pillow 13.0.
"""

import pathlib
import zlib

import numpy as np
import PIL
import torch
import torch.nn.functional as F
from PIL import Image
from safetensors.numpy import save_file

FIXTURES = pathlib.Path(__file__).resolve().parent.parent
tensors = {}


def pattern(width, height, channels):
    """Slopes, edges and something that looks like noise, the same in every language."""
    y, x, c = np.meshgrid(np.arange(height), np.arange(width), np.arange(channels), indexing="ij")
    noise = ((x * 7919 + y * 104729 + c * 1299709) * 2654435761 % 2**32) >> 26
    value = (x * 5 + y * 3 + c * 40 + noise + np.where((x // 6 + y // 4) % 2 == 1, 120, 0)) & 255
    return value.astype(np.uint8)


def letterbox(w, h, W, H, kind):
    """What YOLOv5's `letterbox` computes (kinds 0 to 2), and YOLOX's `preproc` (kind 3)."""
    r = min(H / h, W / w)
    if kind == 3:
        return r, (int(w * r), int(h * r), 0, 0, W, H)
    if kind == 1:
        r = min(r, 1.0)
    new = round(w * r), round(h * r)
    dw, dh = W - new[0], H - new[1]
    if kind == 2:
        dw, dh = dw % 32, dh % 32
    dw, dh = dw / 2, dh / 2
    top, bottom = round(dh - 0.1), round(dh + 0.1)
    left, right = round(dw - 0.1), round(dw + 0.1)
    return r, (new[0], new[1], left, top, new[0] + left + right, new[1] + top + bottom)


rows, scales = [], []
generator = np.random.default_rng(5)
sizes = [(640, 640), (1280, 720), (720, 1280), (1920, 1080), (1, 1), (639, 641), (500, 375), (333, 500), (4000, 3000)]
sizes += [tuple(int(v) for v in generator.integers(8, 3000, 2)) for _ in range(26)]
for w, h in sizes:
    for W, H in ((640, 640), (416, 416), (320, 640), (1280, 736)):
        for kind in range(4):
            scale, row = letterbox(w, h, W, H, kind)
            if row[0] > 0 and row[1] > 0:
                rows.append((w, h, W, H, kind, *row))
                scales.append(scale)
tensors["letterbox"] = np.array(rows, np.int16)
tensors["letterbox.scale"] = np.array(scales, np.float64)

unit = np.arange(256, dtype=np.uint8).astype(np.float32) / np.float32(255)
tensors["normalization.unit"] = unit
tensors["normalization.imagenet"] = np.stack([
    (unit - np.float32(mean)) / np.float32(deviation)
    for mean, deviation in zip((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))])


def interpolate(array, w, h, **arguments):
    x = torch.from_numpy(array.astype(np.float64)).permute(2, 0, 1)[None]
    return F.interpolate(x, size=(h, w), **arguments)[0].permute(1, 2, 0).numpy()


BILINEAR = [(1, 1, 3, 7, 5), (33, 17, 3, 70, 31), (64, 48, 1, 23, 19), (50, 41, 3, 50, 20), (5, 90, 3, 40, 2)]
for W, H, C, w, h in BILINEAR:
    exact = interpolate(pattern(W, H, C), w, h, mode="bilinear", align_corners=False)
    tensors[f"bilinear.{W}.{H}.{C}.{w}.{h}"] = exact.astype(np.float32)

# Torch's filters by their names here. Of numbers as networks see them: 0 to 1.
TORCH = {
    "bilinear": {"mode": "bilinear"}, "cubic": {"mode": "bicubic"},
    "antialias": {"mode": "bilinear", "antialias": True}, "bicubic": {"mode": "bicubic", "antialias": True},
}
for name, arguments in TORCH.items():
    for W, H, C, w, h in ((1, 1, 1, 4, 3), (29, 17, 3, 12, 31), (40, 70, 3, 9, 11)):
        result = interpolate(pattern(W, H, C) / 255.0, w, h, align_corners=False, **arguments)
        tensors[f"float.{name}.{W}.{H}.{C}.{w}.{h}"] = result.astype(np.float32)

MODES = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}
PILLOW = {"nearest": 0, "box": 4, "antialias": 2, "bicubic": 3, "lanczos": 1}
SIZES = [(1, 1, 7, 5), (33, 17, 61, 40), (70, 50, 13, 29), (5, 64, 31, 7), (300, 201, 23, 23), (64, 48, 64, 21)]
# Boxes in quarters of a pixel.
BOXES = [(50, 40, 20, 30, (40, 20, 120, 100)), (50, 40, 11, 7, (3, 9, 198, 121)), (50, 40, 25, 15, (40, 40, 140, 100))]
LARGE = [(33, 17, 299, 299), (640, 480, 299, 299), (1000, 701, 300, 257), (3, 700, 299, 5)]
for name, resample in PILLOW.items():
    def pillow(W, H, C, w, h, box=None):
        array = pattern(W, H, C)
        image = Image.fromarray(array if C > 1 else array[:, :, 0], MODES[C])
        x0, y0, x1, y1 = box or (0, 0, W, H)
        if name == "nearest":
            return np.asarray(image.resize((w, h), resample, box=(x0, y0, x1, y1))).reshape(h, w, C)
        # Rows first: version 13.0 begins with the columns of some pictures.
        if C % 2 == 0:
            image = image.convert("La" if C == 2 else "RGBa")
        image = image.resize((w, H), resample, box=(x0, 0, x1, H)).resize((w, h), resample, box=(0, y0, w, y1))
        if C % 2 == 0:
            image = image.convert(MODES[C])
        return np.asarray(image).reshape(h, w, C)

    for index, (W, H, w, h) in enumerate(SIZES):
        C = 3 if index % 2 == 0 else 1
        tensors[f"pillow.{name}.{W}.{H}.{C}.{w}.{h}"] = pillow(W, H, C, w, h)
    for W, H, w, h, box in BOXES:
        suffix = ".".join(map(str, box))
        tensors[f"pillow.{name}.{W}.{H}.3.{w}.{h}.{suffix}"] = pillow(W, H, 3, w, h, tuple(v / 4 for v in box))
    for C in (2, 4):
        tensors[f"pillow.{name}.31.22.{C}.12.17"] = pillow(31, 22, C, 12, 17)
    for C in (1, 2, 3, 4):
        for W, H, w, h in LARGE:
            crc = zlib.crc32(pillow(W, H, C, w, h).tobytes())
            tensors[f"crc.{name}.{W}.{H}.{C}.{w}.{h}"] = np.array([crc], np.uint32)

metadata = {
    "generator": "Tests/Fixtures/generate/image_transforms.py",
    "torch": torch.__version__.split("+")[0],
    "numpy": np.__version__,
    "pillow": PIL.__version__,
}
path = FIXTURES / "media" / "transform.safetensors"
path.parent.mkdir(exist_ok=True)
save_file({name: np.ascontiguousarray(value) for name, value in tensors.items()}, path, metadata=metadata)
print(f"{path.name}: {len(tensors)} tensors, {path.stat().st_size / 1024:.0f} KiB")

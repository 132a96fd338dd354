"""JPEG files of every kind that is read, and what Pillow makes of them.

    python3 jpeg_images.py [FOLDER]

Writes `*.jpg` and `expected.npz`: the pixels, as Pillow with libjpeg-turbo decodes them, and how well Pillow's encoder
does. Needs numpy, Pillow of at least 11.3, and the programs cjpeg and jpegtran (Debian:
libjpeg-turbo-progs) for what Pillow does not write.
"""

import io
import pathlib
import subprocess
import sys
import tempfile

import numpy
from PIL import Image, ImageOps

folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1] / "media/jpeg")
folder.mkdir(parents=True, exist_ok=True)
for old in folder.glob("*.jpg"):
    old.unlink()
expected = {}


def picture(width, height, channels=3, seed=0):
    """Slopes, edges, a circle and some grain."""
    random = numpy.random.default_rng(seed)
    y, x = numpy.mgrid[0:height, 0:width].astype(numpy.float64)
    planes = []
    for channel in range(channels):
        plane = 128 + 90 * numpy.sin((x * (channel + 1) + y * 2) / 17 + channel) + 30 * numpy.cos(y / (3 + channel))
        plane[(x // 9 + y // 7) % 5 == channel] += 60
        plane[(x - width / 2) ** 2 + (y - height / 2) ** 2 < (min(width, height) / 4) ** 2] -= 50 * (channel - 1)
        planes.append(plane + random.normal(0, 4, plane.shape))
    pixels = numpy.clip(numpy.stack(planes, -1), 0, 255).astype(numpy.uint8)
    return Image.fromarray(pixels[..., 0] if channels == 1 else pixels, {1: "L", 3: "RGB", 4: "CMYK"}[channels])


def add(name, data):
    (folder / f"{name}.jpg").write_bytes(data)
    image = Image.open(io.BytesIO(data))
    expected[name] = numpy.asarray(image if image.mode == "L" else image.convert("RGB"))


def pillow(image, **options):
    file = io.BytesIO()
    image.save(file, "JPEG", **options)
    return file.getvalue()


def program(name, data, *arguments):
    return subprocess.run([name, *arguments], input=data, capture_output=True, check=True).stdout


def cjpeg(image, *arguments):
    file = io.BytesIO()
    image.save(file, "PPM")
    return program("cjpeg", file.getvalue(), *arguments)


def scans(text):
    file = tempfile.NamedTemporaryFile("w", suffix=".txt", delete=False)
    file.write(text)
    file.close()
    return ["-scans", file.name]


# Sides around the borders of blocks and units.
for size in [(1, 1), (2, 2), (3, 5), (5, 1), (1, 9), (7, 9), (8, 8), (16, 16), (17, 33), (33, 17), (65, 50)]:
    add("420_%dx%d" % size, pillow(picture(*size), quality=85, subsampling=2))
for size in [(4, 3), (5, 5), (17, 33), (65, 50)]:
    add("422_%dx%d" % size, pillow(picture(*size), quality=85, subsampling=1))
for size in [(1, 1), (17, 33), (33, 20)]:
    add("444_%dx%d" % size, pillow(picture(*size), quality=90, subsampling=0))
    add("gray_%dx%d" % size, pillow(picture(*size, channels=1), quality=80))

photo = picture(60, 41, seed=1)
add("quality_3", pillow(photo, quality=3))
add("quality_100", pillow(photo, quality=100, subsampling=0))
add("optimized", pillow(photo, quality=75, optimize=True))
add("restart_blocks", pillow(photo, quality=75, restart_marker_blocks=3))
add("restart_rows", pillow(photo, quality=75, restart_marker_rows=1, subsampling=1))
add("rgb", pillow(photo, quality=85, keep_rgb=True))
add("words_quantization", pillow(photo, qtables=[[8 + 5 * i for i in range(64)], [3 + 6 * i for i in range(64)]]))
for sampling in range(3):
    add(f"progressive_{sampling}", pillow(photo, quality=85, progressive=True, subsampling=sampling))
add("progressive_gray", pillow(photo.convert("L"), quality=85, progressive=True))
add("progressive_restart", pillow(photo, quality=75, progressive=True, restart_marker_blocks=2))
add("progressive_100", pillow(photo, quality=100, progressive=True))

# Four inks, as they are and as luminance and colour.
inks = picture(35, 22, channels=4)
cmyk = pillow(inks, quality=85)
add("cmyk", cmyk)
add("cmyk_progressive", pillow(inks, quality=85, progressive=True))
adobe = cmyk.index(b"Adobe")
add("ycck", cmyk[: adobe + 11] + b"\x02" + cmyk[adobe + 12 :])
add("cmyk_bare", cmyk[: adobe - 4] + cmyk[adobe + 12 :])

# Components without a word on their colours.
bare = pillow(photo, quality=85)
jfif = bare.index(b"JFIF")
bare = bare[: jfif - 4] + bare[jfif + 14 :]
add("bare", bare)

# What Pillow does not write.
small = picture(37, 29, seed=2)
for sampling in ["1x2", "4x1", "4x2", "1x4", "2x4", "3x1", "1x3", "3x2", "4x4", "2x2,1x2,1x2", "2x2,2x1,1x2", "2x1,1x2,1x1",
                 "1x1,2x2,1x1", "1x2,1x2,1x1", "4x1,2x1,1x1"]:
    name = "sampling_" + sampling.replace(",", "_")
    factors = [tuple(map(int, f.split("x"))) for f in sampling.split(",")]
    blocks = sum(a * b for a, b in factors) + 3 - len(factors)
    # A unit of more than ten blocks must not be interleaved.
    extra = scans("0;1;2;") if blocks > 10 else []
    add(name, cjpeg(small, "-quality", "85", "-sample", sampling, *extra))
add("sampling_1x2_narrow", cjpeg(picture(2, 21), "-sample", "1x2"))
add("sampling_1x2_progressive", cjpeg(small, "-sample", "1x2", "-progressive"))
add("sampling_4x1_progressive", cjpeg(small, "-sample", "4x1", "-progressive"))
add("separate_scans", cjpeg(small, *scans("0;1;2;")))
add("separate_scans_mixed", cjpeg(small, "-restart", "2B", *scans("1 2;0;")))
add("progressive_odd_scans", cjpeg(small, "-quality", "95", *scans(
    "0 1 2: 0-0, 0, 2; 0: 1-63, 0, 3; 1: 1-9, 0, 1; 2: 1-63, 0, 0; 1: 10-63, 0, 1; 0 1 2: 0-0, 2, 1; 0: 1-63, 3, 2;"
    "0: 1-20, 2, 1; 0: 21-63, 2, 1; 0 1 2: 0-0, 1, 0; 0: 1-63, 1, 0; 1: 1-63, 1, 0;")))
add("transcoded", program("jpegtran", pillow(photo, quality=60), "-progressive", "-restart", "5B"))

# Each way a picture can be held.
flag = picture(13, 6, seed=3)
for orientation in range(1, 9):
    exif = Image.Exif()
    exif[274] = orientation
    name = f"orientation_{orientation}"
    data = pillow(flag, quality=90, exif=exif)
    add(name, data)
    turned = ImageOps.exif_transpose(Image.open(io.BytesIO(data)))
    expected[f"{name}_turned"] = numpy.asarray(turned)

# What an encoder reaches: a picture, Pillow's PSNR and bytes.
y, x = numpy.mgrid[0:90, 0:116]
waves = numpy.stack(
    [
        128 + 100 * numpy.sin(x / 11) * numpy.cos(y / 13),
        128 + 90 * numpy.sin((x + 2 * y) / 19),
        60 + x + (y // 16 + x // 20) % 2 * 40,
    ], -1)
waves = numpy.clip(numpy.floor(waves), 0, 255).astype(numpy.uint8)
expected["waves"] = waves


def measure(name, pixels, **options):
    """The file, and how near its pixels come: PSNR and bytes."""
    data = pillow(Image.fromarray(pixels), **options)
    error = pixels.astype(float) - numpy.asarray(Image.open(io.BytesIO(data)))
    expected[f"encoded_{name}"] = numpy.array([10 * numpy.log10(255**2 / (error**2).mean()), len(data)])
    return data


for level in [1, 10, 50, 75, 90, 100]:
    measure(f"gray_{level}", waves[..., 0], quality=level)
    for sampling, name in enumerate(["yuv444", "yuv422", "yuv420"]):
        data = measure(f"{name}_{level}", waves, quality=level, subsampling=sampling)
        if level == 75:
            (folder / f"encoded_{name}.jpg").write_bytes(data)
odd = expected["420_33x17"]
(folder / "encoded_odd.jpg").write_bytes(pillow(Image.fromarray(odd), quality=90, subsampling=2))

numpy.savez_compressed(folder / "expected.npz", **expected)

"""PNG files of every colour type, depth and interlacing, and what is in them.

    python Tests/Fixtures/generate/png_images.py

The files are written here, by an encoder of few lines that takes another filter for each row, since Pillow writes
neither interlaced files nor all depths. What they hold is known from the arrays that they are made of; what Pillow reads
from them must agree, where Pillow keeps all bits. One safetensors file, `png/images.safetensors`, holds

    CASE.file    the bytes of the file
    CASE.pixels  [height, width, channels], 8 or 16 bits: grey, grey and opacity, RGB or RGBA
"""

import io
import pathlib
import struct
import zlib

import numpy as np
from PIL import Image
from safetensors.numpy import save_file

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "media" / "png"
GRAY, RGB, PALETTE, GRAY_ALPHA, RGBA = 0, 2, 3, 4, 6
CHANNELS = {GRAY: 1, RGB: 3, PALETTE: 1, GRAY_ALPHA: 2, RGBA: 4}
DEPTHS = {GRAY: (1, 2, 4, 8, 16), RGB: (8, 16), PALETTE: (1, 2, 4, 8), GRAY_ALPHA: (8, 16), RGBA: (8, 16)}
ADAM7 = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))


def chunk(name, data=b""):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def packed(row, depth):
    """The bytes of a row of numbers."""
    flat = row.reshape(-1)
    if depth == 16:
        return flat.astype(">u2").tobytes()
    if depth == 8:
        return flat.astype(np.uint8).tobytes()
    bits = (flat[:, None] >> np.arange(depth - 1, -1, -1)) & 1
    return np.packbits(bits.reshape(-1)).tobytes()


def filtered(rows, distance, generator):
    """The rows of one pass, each after the number of its filter."""
    result = b""
    above = np.zeros(len(rows[0]) + distance, int)
    for row in rows:
        x = np.concatenate([np.zeros(distance, int), np.frombuffer(row, np.uint8).astype(int)])
        a, b, c = x[:-distance], above[distance:], above[:-distance]
        p = a + b - c
        near = np.stack([abs(p - a), abs(p - b), abs(p - c)])
        paeth = np.choose(near.argmin(axis=0), [a, b, c])
        kind = int(generator.integers(5))
        predicted = [np.zeros_like(a), a, b, (a + b) // 2, paeth][kind]
        result += bytes([kind]) + ((x[distance:] - predicted) & 255).astype(np.uint8).tobytes()
        above = x
    return result


def png(pixels, kind, depth, generator, interlaced=False, palette=None, transparency=None, pieces=1, extra=b""):
    """The bytes of a PNG file; `pixels` are [height, width, channels] as they are stored."""
    height, width, _ = pixels.shape
    distance = max(1, CHANNELS[kind] * depth // 8)
    data = b""
    for x, y, step_x, step_y in ADAM7 if interlaced else ((0, 0, 1, 1),):
        part = pixels[y::step_y, x::step_x]
        if part.size:
            data += filtered([packed(row, depth) for row in part], distance, generator)
    compressed = zlib.compress(data, int(generator.integers(10)))
    cuts = np.linspace(0, len(compressed), pieces + 1).astype(int)
    header = struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, int(interlaced))
    file = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + extra
    if palette is not None:
        file += chunk(b"PLTE", palette.astype(np.uint8).tobytes())
    if transparency is not None:
        file += chunk(b"tRNS", transparency)
    file += b"".join(chunk(b"IDAT", compressed[a:b]) for a, b in zip(cuts, cuts[1:]))
    return file + chunk(b"tEXt", b"Comment\0after the pixels") + chunk(b"IEND")


def expected(pixels, kind, depth, palette, transparency):
    """What a reader should make of the stored numbers."""
    full = 65535 if depth == 16 else 255
    if kind == PALETTE:
        colors = palette[pixels[..., 0]]
        if transparency is None:
            return colors.astype(np.uint8)
        alpha = np.full(len(palette), 255)
        alpha[: len(transparency)] = np.frombuffer(transparency, np.uint8)
        return np.concatenate([colors, alpha[pixels[..., 0]][..., None]], axis=2).astype(np.uint8)
    scaled = pixels * (255 // (2**depth - 1)) if depth < 8 else pixels
    if transparency is not None:
        key = np.frombuffer(transparency, ">u2").astype(int) & (2**depth - 1)
        alpha = np.where((pixels == key).all(axis=2, keepdims=True), 0, full)
        scaled = np.concatenate([scaled, alpha], axis=2)
    return scaled.astype(np.uint16 if depth == 16 else np.uint8)


def compare_with_pillow(name, file, pixels, kind, depth, transparency):
    image = Image.open(io.BytesIO(file))
    if depth == 16:
        if kind == GRAY:  # the only one that Pillow keeps whole
            assert (np.asarray(image) == pixels[..., 0]).all(), name
            return
        if transparency is not None:  # compared by Pillow after the lower bits are gone
            return
        pixels = pixels >> 8
    if transparency is not None and kind == GRAY and depth < 8:
        return  # Pillow takes the number in tRNS for one of 0…255
    mode = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}[pixels.shape[2]]
    if mode == "LA":  # not every mode has a way to LA
        assert (np.asarray(image.convert("RGBA"))[..., [0, 3]] == pixels).all(), name
    else:
        read = np.asarray(image.convert(mode))
        assert (read.reshape(pixels.shape) == pixels).all(), name


def main():
    generator = np.random.default_rng(11)
    tensors, number = {}, 0

    def add(name, stored, kind, depth, palette=None, transparency=None, **options):
        file = png(stored, kind, depth, generator, palette=palette, transparency=transparency, **options)
        pixels = expected(stored, kind, depth, palette, transparency)
        compare_with_pillow(name, file, pixels, kind, depth, transparency)
        tensors[f"{name}.file"] = np.frombuffer(file, np.uint8)
        tensors[f"{name}.pixels"] = np.ascontiguousarray(pixels)

    def numbers(height, width, kind, depth, top=None):
        """Noise on a slope, so that filters and repetitions have something to do."""
        top = 2**depth if top is None else top
        slope = np.arange(width)[None, :, None] * 3 + np.arange(height)[:, None, None] * 5
        noise = generator.integers(0, max(1, top // 8) + 1, (height, width, CHANNELS[kind]))
        return (slope * max(1, top // 256) + noise) % top

    sizes = [(1, 1), (2, 3), (1, 7), (7, 1), (4, 5), (9, 8), (9, 33), (19, 11)]
    for kind, depths in DEPTHS.items():
        for depth in depths:
            for interlaced in (False, True):
                for transparent in (False, True):
                    if transparent and kind in (GRAY_ALPHA, RGBA):
                        continue
                    number += 1
                    for height, width in [sizes[number % 6], sizes[6 + number % 2]]:
                        palette, transparency, top = None, None, None
                        if kind == PALETTE:
                            count = min(2**depth, 200)
                            palette, top = generator.integers(0, 256, (count, 3)), count
                            if transparent:
                                transparency = generator.integers(0, 256, (count + 1) // 2).astype(np.uint8).tobytes()
                        stored = numbers(height, width, kind, depth, top)
                        if transparent and kind != PALETTE:
                            key = stored[height // 2, width // 2]
                            stored[0, 0] = key
                            # Bits beyond the depth do not count.
                            high = 0 if depth == 16 or number % 4 < 2 else 0x100
                            if high and kind == RGB:
                                high = 0
                            transparency = (key + high).astype(">u2").tobytes()
                        label = {GRAY: "gray", RGB: "rgb", PALETTE: "palette", GRAY_ALPHA: "gray-alpha", RGBA: "rgba"}
                        name = f"{label[kind]}{depth}.{height}x{width}"
                        name += ".interlaced" * interlaced + ".transparent" * transparent
                        add(name, stored, kind, depth, palette, transparency, interlaced=interlaced)
    # Every size that leaves some passes of an interlaced picture empty.
    for height in range(1, 9):
        for width in range(1, 9):
            if (height * 3 + width) % 4 == 0:
                add(f"passes.{height}x{width}", numbers(height, width, GRAY, 8), GRAY, 8, interlaced=True)
    add("pieces", numbers(12, 10, RGB, 8), RGB, 8, pieces=7)
    add("proposed-palette", numbers(3, 4, RGB, 8), RGB, 8, palette=generator.integers(0, 256, (5, 3)))
    exif = b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0"
    add("chunks", numbers(3, 2, RGB, 8), RGB, 8, extra=chunk(b"gAMA", struct.pack(">I", 45455))
        + chunk(b"eXIf", exif) + chunk(b"zTXt", b"bomb\0\0" + zlib.compress(bytes(100_000))) + chunk(b"prVt", b"?"))
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / "images.safetensors"
    save_file(tensors, path, metadata={"generator": "Tests/Fixtures/generate/png_images.py"})
    print(f"{path.name}: {len(tensors) // 2} pictures, {path.stat().st_size / 1024:.0f} KiB")


if __name__ == "__main__":
    main()

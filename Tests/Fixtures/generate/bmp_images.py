"""BMP files of every kind that is read, and what is in them; Pillow must agree wherever it reads them.

    python Tests/Fixtures/generate/bmp_images.py

`bmp/images.safetensors` holds `CASE.file` and `CASE.pixels`, as the script of the PNG files describes it.
"""

import io
import pathlib
import struct

import numpy as np
from PIL import Image
from safetensors.numpy import save_file

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "media" / "bmp"


def rows(pixels, bits, top_down):
    """[height, width] numbers of `bits` bits as bytes, rows filled up to four bytes."""
    result = b""
    for row in pixels if top_down else pixels[::-1]:
        if bits < 8:
            row = np.packbits(((row[:, None] >> np.arange(bits - 1, -1, -1)) & 1).reshape(-1))
            data = row.astype(np.uint8).tobytes()
        else:
            data = b"".join(int(v).to_bytes(bits // 8, "little") for v in row)
        result += data + bytes(-len(data) % 4)
    return result


def bmp(width, height, bits, data, size=40, compression=0, palette=None, masks=None, colors=0):
    entry = 3 if size == 12 else 4
    table = b""
    if palette is not None:
        table = b"".join(bytes([b, g, r]) + bytes(entry - 3) for r, g, b in palette.tolist())
    if size == 12:
        header = struct.pack("<IHHHH", size, width, height, 1, bits)
    else:
        header = struct.pack("<IiiHHIIiiII", size, width, height, 1, bits, compression, len(data), 2835, 2835, colors, 0)
        fields = b"" if masks is None else struct.pack(f"<{len(masks)}I", *masks)
        header += fields
        header += bytes(max(0, size - len(header)))
    start = 14 + len(header) + len(table)
    return b"BM" + struct.pack("<IHHI", start + len(data), 0, 0, start) + header + table + data


def runs(pixels, bits, generator):
    """Runs of every kind: repeated, literal, ends of rows, jumps. Rows from below."""
    height, width = pixels.shape
    result = b""
    for y in range(height - 1, -1, -1):
        row, x = pixels[y].tolist(), 0
        while x < width:
            if bits == 8:
                end = x + 1
                while end < width and row[end] == row[x]:
                    end += 1
                if end - x >= 2 or generator.integers(2):
                    result += bytes([end - x, row[x]])
                    x = end
                    continue
            count = min(width - x, int(generator.integers(3, 9)))
            part = row[x:x + count]
            if bits == 4:
                part = part + [0]
                data = bytes(part[i] << 4 | part[i + 1] for i in range(0, count, 2))
                if len(set(row[x:x + count:2])) == 1 and len(set(row[x + 1:x + count:2])) <= 1:
                    result += bytes([count, data[0]])
                    x += count
                    continue
            else:
                data = bytes(part)
            if count < 3:
                for i in range(count):
                    result += bytes([1, row[x + i] << 4 if bits == 4 else row[x + i]])
            else:
                result += bytes([0, count]) + data + bytes(len(data) % 2)
            x += count
        result += bytes([0, 0])
    return result + bytes([0, 1])


def main():
    generator = np.random.default_rng(5)
    tensors = {}

    def add(name, file, pixels, pillow=True):
        pixels = np.ascontiguousarray(pixels.astype(np.uint8))
        if pillow:
            image = Image.open(io.BytesIO(file))
            mode = {1: "L", 3: "RGB", 4: "RGBA"}[pixels.shape[2]]
            read = np.asarray(image.convert(mode)).reshape(pixels.shape)
            assert (read == pixels).all(), name
        tensors[f"{name}.file"], tensors[f"{name}.pixels"] = np.frombuffer(file, np.uint8), pixels

    for number, (bits, width, height) in enumerate(
            [(1, 13, 5), (1, 1, 1), (2, 7, 3), (4, 5, 4), (4, 9, 2), (8, 6, 5), (8, 3, 7)]):
        count = min(2**bits, 100)
        palette = generator.integers(0, 256, (count, 3))
        pixels = generator.integers(0, count, (height, width))
        for size in (12, 40, 64, 108, 124):
            # The palette of the oldest header is always whole.
            table = np.vstack([palette, np.zeros((2**bits - count, 3), int)]) if size == 12 else palette
            colors = 0 if count == 2**bits or size == 12 else count
            for top_down in (False, True) if size >= 40 and number % 2 else (False,):
                file = bmp(width, -height if top_down else height, bits, rows(pixels, bits, top_down), size,
                           palette=table, colors=colors)
                # Pillow knows no pixels of two bits, and takes the old headers' colours otherwise.
                add(f"palette{bits}.{height}x{width}.{size}" + ".top-down" * top_down, file, palette[pixels],
                    pillow=bits != 2)
    gray = np.repeat(np.arange(256)[:, None], 3, axis=1)[::-1]
    pixels = generator.integers(0, 256, (4, 6))
    add("gray", bmp(6, 4, 8, rows(pixels, 8, False), palette=gray), gray[pixels][..., :1])

    for bits, height, width in ((8, 9, 20), (8, 5, 3), (4, 6, 21), (4, 3, 4)):
        palette = generator.integers(0, 256, (16, 3))
        pixels = np.repeat(generator.integers(0, 16, (height, (width + 2) // 3)), 3, axis=1)[:, :width]
        noise = generator.integers(0, 16, (height, width))
        pixels = np.where(generator.random((height, width)) < 0.3, noise, pixels)
        file = bmp(width, height, bits, runs(pixels, bits, generator), compression=1 if bits == 8 else 2,
                   palette=palette, colors=16)
        add(f"runs{bits}.{height}x{width}", file, palette[pixels])
    # A jump of two to the right and one up leaves colour 0.
    jump = np.zeros((3, 5), int)
    jump[2, :2], jump[1, 4], jump[0, :] = 3, 5, 6
    data = bytes([2, 3, 0, 2, 2, 1, 1, 5, 0, 0, 5, 6, 0, 1])
    palette = generator.integers(0, 256, (256, 3))
    add("runs8.jump", bmp(5, 3, 8, data, compression=1, palette=palette), palette[jump])

    for size in (12, 40, 108):
        pixels = generator.integers(0, 256, (5, 7, 3))
        flat = pixels[..., 0] << 16 | pixels[..., 1] << 8 | pixels[..., 2]
        add(f"rgb24.{size}", bmp(7, 5, 24, rows(flat, 24, False), size), pixels)
        if size > 12:
            add(f"rgb24.{size}.top-down", bmp(7, -5, 24, rows(flat, 24, True), size), pixels)

    def masked(name, bits, masks, size, compression, write=True, pillow=True):
        pixels = generator.integers(0, 2**bits, (4, 7))
        channels = []
        for mask in masks:
            shift = (mask & -mask).bit_length() - 1
            channels.append((pixels & mask) >> shift)
            channels[-1] = channels[-1] * 255 // (mask >> shift)
        file = bmp(7, 4, bits, rows(pixels, bits, False), size, compression, masks=masks if write else None)
        add(name, file, np.stack(channels, axis=2), pillow)

    masked("rgb555", 16, (0x7C00, 0x3E0, 0x1F), 40, 0, write=False)
    masked("rgb565", 16, (0xF800, 0x7E0, 0x1F), 40, 3)
    masked("rgb444", 16, (0xF00, 0xF0, 0xF), 40, 3, pillow=False)
    masked("rgbx", 32, (0xFF0000, 0xFF00, 0xFF), 40, 0, write=False)
    masked("rgba.124", 32, (0xFF0000, 0xFF00, 0xFF, 0xFF000000), 124, 3)
    masked("rgba.108", 32, (0xFF000000, 0xFF0000, 0xFF00, 0xFF), 108, 3)
    masked("rgba.40", 32, (0xFF0000, 0xFF00, 0xFF, 0xFF000000), 40, 6, pillow=False)
    masked("rgb10", 32, (0x3FF00000, 0xFFC00, 0x3FF), 40, 3, pillow=False)
    masked("bgr", 32, (0xFF, 0xFF00, 0xFF0000), 52, 3, pillow=False)
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / "images.safetensors"
    save_file(tensors, path, metadata={"generator": "Tests/Fixtures/generate/bmp_images.py"})
    print(f"{path.name}: {len(tensors) // 2} pictures, {path.stat().st_size / 1024:.0f} KiB")


if __name__ == "__main__":
    main()

"""Netpbm files of every kind, and what is in them; Pillow must agree wherever it reads them.

    python Tests/Fixtures/generate/netpbm_images.py

`netpbm/images.safetensors` holds `CASE.file` and `CASE.pixels`, as the script of the PNG files describes it.
"""

import io
import pathlib

import numpy as np
from PIL import Image
from safetensors.numpy import save_file

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "media" / "netpbm"


def main():
    generator = np.random.default_rng(3)
    tensors = {}

    def add(name, file, stored, maximum):
        full = 255 if maximum < 256 else 65535
        pixels = ((stored.astype(np.int64) * full + maximum // 2) // maximum).astype(
            np.uint8 if full == 255 else np.uint16)
        if maximum < 256:
            image = Image.open(io.BytesIO(file))
            read = np.asarray(image.convert({1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}[pixels.shape[2]]))
            # Pillow rounds halves to even numbers.
            assert abs(read.reshape(pixels.shape).astype(int) - pixels).max() <= (maximum not in (1, 255)), name
        tensors[f"{name}.file"], tensors[f"{name}.pixels"] = np.frombuffer(file, np.uint8), pixels

    def text(pixels):
        return "\n".join(" ".join(map(str, row.reshape(-1))) for row in pixels).encode()

    for height, width in ((1, 1), (3, 5), (4, 17)):
        bits = generator.integers(0, 2, (height, width, 1))
        lines = "\n".join("".join(map(str, row.reshape(-1))) for row in bits).encode()
        add(f"P1.{height}x{width}", f"P1\n# a comment\n{width} {height}\n".encode() + lines + b"\n", 1 - bits, 1)
        packed = np.packbits(bits[..., 0], axis=1).tobytes()
        add(f"P4.{height}x{width}", f"P4 {width} {height}\n".encode() + packed, 1 - bits, 1)
        for channels, plain, raw in ((1, "P2", "P5"), (3, "P3", "P6")):
            for maximum in (1, 10, 100, 255, 256, 1000, 65535):
                stored = generator.integers(0, maximum + 1, (height, width, channels))
                name = f"{height}x{width}.{maximum}"
                add(f"{plain}.{name}", f"{plain} {width}\t{height} # sides\n{maximum}\n".encode() + text(stored), stored,
                    maximum)
                data = stored.astype(np.uint8 if maximum < 256 else ">u2").tobytes()
                add(f"{raw}.{name}", f"{raw}\n#\n# two comments\r{width}\n{height}\n{maximum}\n".encode() + data, stored,
                    maximum)
    # A comment sign among the pixels is a pixel.
    stored = np.frombuffer(b"#1\n ", np.uint8).reshape(2, 2, 1)
    add("P5.signs", b"P5 2 2 255\n#1\n ", stored, 255)
    for kind, channels in (("GRAYSCALE", 1), ("GRAYSCALE_ALPHA", 2), ("RGB", 3), ("RGB_ALPHA", 4)):
        for maximum in (255, 1000):
            stored = generator.integers(0, maximum + 1, (3, 4, channels))
            header = f"P7\nWIDTH 4\nHEIGHT 3\n# note\nDEPTH {channels}\nMAXVAL {maximum}\nTUPLTYPE {kind}\nENDHDR\n"
            file = header.encode() + stored.astype(np.uint8 if maximum < 256 else ">u2").tobytes()
            full = 255 if maximum < 256 else 65535
            tensors[f"P7.{kind}.{maximum}.file"] = np.frombuffer(file, np.uint8)
            tensors[f"P7.{kind}.{maximum}.pixels"] = ((stored * full + maximum // 2) // maximum).astype(
                np.uint8 if full == 255 else np.uint16)
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / "images.safetensors"
    save_file(tensors, path, metadata={"generator": "Tests/Fixtures/generate/netpbm_images.py"})
    print(f"{path.name}: {len(tensors) // 2} pictures, {path.stat().st_size / 1024:.0f} KiB")


if __name__ == "__main__":
    main()

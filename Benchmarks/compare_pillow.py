#!/usr/bin/env python3
"""Compares the decoding of JPEG files with Pillow, alternately.

    swift build -c release --product bench
    python3 Benchmarks/compare_pillow.py [--photo FILE] [--threads 1,2] [--rounds N] [--json FILE]

The photograph, or a picture that is made here, is scaled to 1 and to 12 megapixels and written with Pillow in several
ways. A `bench --serve` process and Pillow then decode the files from memory, one call each alternately. Pillow uses one
thread. The table shows the median times, and the ratio of the least ones. Needs numpy and Pillow.
"""

import argparse
import io
import json
import os
import pathlib
import statistics
import tempfile
import time

import numpy as np
from PIL import Image

from apus_process import Apus, executable


def synthetic():
    random = np.random.default_rng(0)
    y, x = np.mgrid[0:864, 0:1152]
    waves = 60 * np.sin(x[..., None] / [37, 41, 53]) * np.cos(y[..., None] / [29, 31, 43])
    edges = ((x // 61 + y // 47) % 5 * 24)[..., None]
    pixels = 90 + waves + edges + random.normal(0, 8, (*x.shape, 1))
    return Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))


def pillow_seconds(data):
    start = time.perf_counter()
    Image.open(io.BytesIO(data)).load()
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--photo", metavar="FILE", help="a photograph to make the files of")
    parser.add_argument("--threads", default="1,2", help="thread counts of Apus (default: 1,2)")
    parser.add_argument("--rounds", type=int, default=20, help="calls of each side (default: 20)")
    parser.add_argument("--bench", metavar="PATH", help="the executable (default: .build/release/bench)")
    parser.add_argument("--json", metavar="FILE", help="also write the results to FILE")
    arguments = parser.parse_args()
    photo = Image.open(arguments.photo).convert("RGB") if arguments.photo else synthetic()
    bench = executable(arguments.bench)
    threads = [int(count) for count in arguments.threads.split(",")]
    results = []
    with tempfile.TemporaryDirectory() as folder:
        files = {}
        for name, size in {"1mp": (1152, 864), "12mp": (4000, 3000)}.items():
            scaled = photo.resize(size, Image.LANCZOS)
            # A scaled picture is smoother than one that a sensor took.
            grain = np.random.default_rng(0).normal(0, 3, (size[1], size[0], 1))
            pixels = np.clip(np.asarray(scaled) + grain, 0, 255).astype(np.uint8)
            for kind, options in {
                "420": {}, "422": {"subsampling": 1}, "444": {"subsampling": 0}, "420-progressive": {"progressive": True},
            }.items():
                path = pathlib.Path(folder) / f"{name}-{kind}.jpg"
                Image.fromarray(pixels).save(path, quality=85, **options)
                files[path] = path.read_bytes()
            path = pathlib.Path(folder) / f"{name}-gray.jpg"
            Image.fromarray(pixels).convert("L").save(path, quality=85)
            files[path] = path.read_bytes()
        extra = [word for path in files for word in ("--picture", os.fspath(path))]
        apus = {count: Apus(bench, threads=count, extra=extra) for count in threads}
        print(f"{'milliseconds':24}{'Pillow':>10}" + "".join(f"{f'Apus, {c}':>10}{'ratio':>8}" for c in threads))
        for path, data in files.items():
            times = {side: [] for side in ["pillow", *threads]}
            for process in apus.values():
                process.seconds(f"picture/{path.name}", 2)
            pillow_seconds(data)
            for _ in range(arguments.rounds):
                times["pillow"].append(pillow_seconds(data))
                for count, process in apus.items():
                    times[count].append(process.seconds(f"picture/{path.name}", 1)[1])
            line = f"{path.stem:24}{statistics.median(times['pillow']) * 1e3:10.2f}"
            for count in threads:
                ratio = min(times[count]) / min(times["pillow"])
                line += f"{statistics.median(times[count]) * 1e3:10.2f}{ratio:8.2f}"
            print(line, flush=True)
            results.append({"file": path.stem, "bytes": len(data), **{str(side): times[side] for side in times}})
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()

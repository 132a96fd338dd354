"""Renders pictures with ground truth into shards for training and evaluation.

    python Weights/detector/training/generate.py FOLDER --split train --count 8000

A shard is an `.npz` of up to 200 pictures: `bytes` and `ends` (JPEG files one after the other), and for all objects of all
pictures `boxes`, `classes`, `ignore`, `centres`, `keypoints`, with `counts` per picture. The seed of each picture is its
index, so that results do not depend on how the work is split among processes.
"""

import argparse
import io
import pathlib

import numpy as np

import render

SHARD = 200
FIELDS = ("boxes", "classes", "ignore", "centres", "keypoints")


def encoded(picture, optics):
    """The picture after the simulated camera's compression, as a high-quality JPEG file."""
    picture = optics.jpeg(picture)[0]
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", quality=95, subsampling=0)
    return buffer.getvalue()


def shard(folder, split, number, count, longest):
    files, truths = [], []
    for seed in range(number * SHARD, number * SHARD + count):
        picture, truth, optics = render.sample(seed, split, longest)
        files.append(encoded(picture, optics))
        truths.append(truth)
    arrays = {field: np.concatenate([truth[field] for truth in truths]) for field in FIELDS}
    path = folder / f"{split}-{number:04}.npz"
    part = path.with_suffix(".part")
    with open(part, "wb") as file:
        np.savez(file, bytes=np.frombuffer(b"".join(files), np.uint8), ends=np.cumsum([len(f) for f in files]),
                 counts=[len(truth["classes"]) for truth in truths], **arrays)
    part.rename(path)


def load(path):
    """The pictures of a shard, as pairs of JPEG bytes and ground truth."""
    stored = np.load(path)
    data, ends, counts = stored["bytes"].tobytes(), stored["ends"], stored["counts"]
    fields = {field: stored[field] for field in FIELDS}
    start = first = 0
    for end, count in zip(ends, counts):
        yield data[start:end], {field: values[first:first + count] for field, values in fields.items()}
        start, first = end, first + count


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--split", default="train", choices=["train", "held"])
    parser.add_argument("--count", type=int, default=8000)
    parser.add_argument("--longest", type=int, default=512)
    parser.add_argument("--part", type=int, nargs=2, default=(0, 1), help="index of this process and number of processes")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    shards = -(-options.count // SHARD)
    for number in range(options.part[0], shards, options.part[1]):
        if not (options.folder / f"{options.split}-{number:04}.npz").exists():
            shard(options.folder, options.split, number, min(SHARD, options.count - number * SHARD), options.longest)
            print(f"{options.split} {number + 1} of {shards}", flush=True)


if __name__ == "__main__":
    main()

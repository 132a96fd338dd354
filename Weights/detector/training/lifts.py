"""Checks `apus barpath` end to end on rendered clips with known ground truth.

    python Weights/detector/training/lifts.py --apus PATH [--clips FOLDER] [--seeds 7 11] [--kinds plain 24 …] [--model FILE]

A clip of two or three squats is rendered for each kind: 24, 30 and 60 frames per second, uneven frame times, 20 % of
detections dropped (`dropped`), and a mirror that shows a second bar. Each must give the right number of repetitions, every
range of motion within 2 % of the rendered one, and every mean concentric velocity within 3 %. Clips are rendered once and
kept in FOLDER.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

import clip

KINDS = {
    "plain": {}, "24": {"fps": 24}, "60": {"fps": 60}, "variable": {"variable": True}, "dropped": {},
    "mirror": {"mirror": True},
}
RANGE, VELOCITY, DROPPED = 0.02, 0.03, 0.2


def rendered(folder, seed, fps=30, variable=False, mirror=False, reps=2):
    """The archive of a clip, rendered if necessary, and its ground truth."""
    path = folder / f"squat-{seed}-{'variable' if variable else fps}{'-mirror' if mirror else ''}.zip"
    truth = path.with_suffix(".json")
    if not truth.exists():
        clip.write(path, seed, fps, variable, mirror, reps, 320)
    return path, json.loads(truth.read_text())


def found(apus, path, truth, kind, seed, more):
    """The analysis by Apus."""
    pace = ["--fps", str(truth["fps"])] if truth["fps"] else ["--timestamps", str(path.with_suffix(".txt"))]
    frames = [str(path), *pace, *more]
    if kind != "dropped":
        return run(apus, "barpath", *frames, "--json")
    lines = run(apus, "detect", *frames, "--confidence", "0.2", "--round", "plate", "--json", lines=True)
    rng = np.random.default_rng(seed)
    kept = path.with_name(f"{path.stem}-dropped.jsonl")
    with open(kept, "w") as file:
        for line in lines:
            line["detections"] = [d for d in line["detections"] if rng.random() >= DROPPED]
            file.write(json.dumps(line) + "\n")
    return run(apus, "barpath", "--detections", str(kept), "--json")


def run(*command, lines=False):
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [json.loads(line) for line in text.splitlines()] if lines else json.loads(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--apus", required=True)
    parser.add_argument("--clips", type=pathlib.Path)
    parser.add_argument("--seeds", type=int, nargs="+", default=[7])
    parser.add_argument("--model", help="weights to use instead of the shipped ones")
    parser.add_argument("--size", help="network input size to use instead of the default")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    options = parser.parse_args()
    more = [part for name, value in (("--model", options.model), ("--size", options.size)) if value
            for part in (name, value)]
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.clips or pathlib.Path(temporary)
        failures = 0
        for seed in options.seeds:
            for kind in options.kinds:
                path, truth = rendered(folder, seed, **KINDS[kind])
                reps = found(options.apus, path, truth, kind, seed, more)["reps"]
                wanted = truth["reps"]
                off = [
                    max((abs(ours[mine] / theirs[name] - 1) for ours, theirs in zip(reps, wanted)), default=0)
                    for mine, name in (("rom_cm", "rom_cm"),
                                       ("mean_concentric_velocity", "mean_concentric_velocity_cm_s"))]
                good = len(reps) == len(wanted) and off[0] <= RANGE and off[1] <= VELOCITY
                failures += not good
                print(f"{'ok  ' if good else 'FAIL'} squat {seed} {kind:9} {len(reps)} of {len(wanted)} repetitions, "
                      f"largest error: range {off[0]:.1%}, velocity {off[1]:.1%}", flush=True)
    if failures:
        sys.exit(f"{failures} clips failed")


if __name__ == "__main__":
    main()

"""Renders a clip of squats with ground truth: a ZIP archive of JPEG frames, and a .json file beside it.

    python Weights/detector/training/clip.py --seed 3 --out squat.zip [--fps 60] [--variable] [--mirror] [--reps 3]

The bar's height follows half periods of a cosine: down in 1.4 to 1.9 s, up in 1.0 to 1.4 s, with a rest between; it drifts a
little sideways. The camera stands still, at about the bar's height and nearly in line with its axis. The ground truth is
computed from the motion and the camera, never from pixels. The frame times of a clip with uneven times are in a .txt file.
"""

import argparse
import json
import pathlib
import zipfile

import numpy as np

import gym
import people
import render
from optics import Optics
from scene import Scene
from solids import Solids

PLATE = 0.225  # radius of the large plates, metres


class Motion:
    """The bar's height over time, and the times of the repetitions."""

    def __init__(self, rng, top, travel, count):
        self.top, self.reps = top, []
        at = 1.0
        for _ in range(count):
            down, up = rng.uniform(1.4, 1.9), rng.uniform(1.0, 1.4)
            reach = travel * rng.uniform(0.94, 1.0)
            self.reps.append({"start": at, "bottom": at + down, "end": at + down + up, "travel": reach})
            at += down + up + rng.uniform(0.7, 1.1)
        self.duration = at + 0.3
        self.phase = rng.uniform(0, 2 * np.pi, 2)

    def height(self, t):
        for rep in self.reps:
            if rep["start"] <= t <= rep["bottom"]:
                part = (t - rep["start"]) / (rep["bottom"] - rep["start"])
            elif rep["bottom"] <= t <= rep["end"]:
                part = (rep["end"] - t) / (rep["end"] - rep["bottom"])
            else:
                continue
            return self.top - rep["travel"] * (1 - np.cos(np.pi * part)) / 2
        return self.top

    def sway(self, t):
        """Lateral drift, in metres along y."""
        return 0.008 * np.sin(1.1 * t + self.phase[0]) + 0.004 * np.sin(2.3 * t + self.phase[1])


def times(motion, fps, variable, rng):
    """Frame times in seconds; `variable` drops and shifts frames as phones do."""
    if not variable:
        return np.arange(int(motion.duration * fps)) / fps
    steps = rng.choice([1.0, 1.0, 1.0, 2.0], int(motion.duration * fps)) / fps + rng.uniform(-0.1, 0.1) / fps
    moments = np.concatenate([[0], np.cumsum(steps)])
    return moments[moments < motion.duration].round(6)


def prepared(seed, mirror):
    """A scene of a squat, seen from the side."""
    rng = np.random.default_rng([seed, 7])
    scene = Scene(rng, "train", lift="squat", view="side", mirror=mirror, aspect=4 / 3, crowd=0.4)
    station = scene.main
    station.tilt = station.twist = 0.0
    while not station.bar.plates or max(plate.radius for plate, _ in station.bar.plates) < PLATE - 1e-6:
        station.bar = gym.Bar(rng, scene.dye)
    # The near post of a rack would hide the plate.
    side = np.sign(scene.eye[0])
    angle = np.radians(rng.uniform(3, 8)) * rng.choice([-1, 1])
    distance = rng.uniform(3.4, 3.9)
    scene.eye = np.array([side * distance * np.cos(angle), distance * np.sin(angle), rng.uniform(1.05, 1.2)])
    scene.target = np.array([0, 0, 1.05])
    scene.focal, scene.roll = 1.05, 0.0
    return scene, rng


def rendered(seed, fps, variable, mirror, reps, longest=320):
    """Yields the frames as JPEG bytes, and finally the ground truth."""
    scene, rng = prepared(seed, mirror)
    station = scene.main
    pose = lambda depth: station.pose(depth)[1][2]
    depths = np.linspace(0, 1, 201)
    heights = np.array([pose(depth) for depth in depths])
    motion = Motion(rng, heights[0], heights[0] - heights.min(), reps)
    width, height = render.sizes(scene.aspect, longest)
    optics = Optics(np.random.default_rng([seed, 8]), calm=True)
    optics.noise, optics.grain, optics.quality = 0.4, 0.0, 62
    frames = []
    for index, t in enumerate(times(motion, fps, variable, rng)):
        depth = np.interp(-motion.height(t), -heights, depths)
        moving, before = Solids(), len(scene.labels.things)
        centre, _ = station.moving(moving, scene.labels, depth, shift=(0, motion.sway(t), 0))
        picture, ids, cameras, drawn = render.draw(scene, moving, width, height)
        facts = render.truth(scene.labels, ids, cameras, drawn, longest)
        plate = face(station, scene, centre)
        ring, _ = cameras[0].project(rim(plate))
        middle = cameras[0].project(plate[None])[0][0] / render.OVER
        diameter = float(np.ptp(ring[:, 1]) / render.OVER)
        person = scene.labels.things[before]["points"]
        joints = cameras[0].project(np.asarray(person))[0] / render.OVER
        del scene.labels.things[before:]
        frames.append({
            "frame": index, "t": round(float(t), 6), "bar": rounded(middle), "plate_diameter_px": round(diameter, 3),
            "height_cm": round(float(centre[2] * 100), 3),
            "left_wrist": rounded(joints[9]), "right_wrist": rounded(joints[10]),
            "boxes": [{"class": render.CLASSES[kind], "box": rounded(box)}
                      for kind, box, ignore in zip(facts["classes"], facts["boxes"], facts["ignore"]) if not ignore],
        })
        yield optics.jpeg(render.finish(picture, ids, width, height, optics, np.random.default_rng([seed, 9, index])))[1]
    first = frames[0]
    yield {
        "made_by": "Weights/detector/training/clip.py", "seed": seed, "width": width, "height": height,
        "fps": None if variable else fps, "lift": "squat", "plate_diameter_cm": 2 * PLATE * 100,
        "pixels_per_cm": round(first["plate_diameter_px"] / (2 * PLATE * 100), 5),
        "reps": [{
            "start": round(rep["start"], 4), "bottom": round(rep["bottom"], 4), "end": round(rep["end"], 4),
            "rom_cm": round(rep["travel"] * 100, 3),
            "mean_concentric_velocity_cm_s": round(rep["travel"] * 100 / (rep["end"] - rep["bottom"]), 3),
            "peak_concentric_velocity_cm_s": round(rep["travel"] * 50 * np.pi / (rep["end"] - rep["bottom"]), 3),
        } for rep in motion.reps],
        "frames": frames,
    }


def face(station, scene, centre):
    """Centre of the outer face of the outermost large plate on the camera's side."""
    side = np.sign(scene.eye[0])
    axis = np.array([side, 0.0, 0.0])
    plate, at = max(((plate, at) for plate, at in station.bar.plates if plate.radius >= PLATE - 1e-6), key=lambda p: p[1])
    return centre + axis * (at + plate.thick / 2)


def rim(middle):
    angles = np.arange(360) * np.pi / 180
    return middle + PLATE * np.stack([np.zeros(360), np.cos(angles), np.sin(angles)], 1)


def rounded(values):
    return [round(float(value), 3) for value in values]


def write(path, *what):
    """Writes the archive `path` and the files beside it; returns the numbers of frames and of repetitions."""
    path.parent.mkdir(parents=True, exist_ok=True)
    *pictures, truth = rendered(*what)
    with zipfile.ZipFile(path, "w") as archive:
        for index, picture in enumerate(pictures):
            # ZipInfo without a timestamp makes the file reproducible.
            archive.writestr(zipfile.ZipInfo(f"{index:04}.jpg"), picture)
    if truth["fps"] is None:
        path.with_suffix(".txt").write_text("".join(f"{frame['t']}\n" for frame in truth["frames"]))
    text = json.dumps(truth, separators=(",", ":")).replace("},{\"frame\"", "},\n{\"frame\"")
    path.with_suffix(".json").write_text(text + "\n")
    return len(pictures), len(truth["reps"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--fps", type=float, default=30)
    parser.add_argument("--variable", action="store_true", help="frames at uneven times")
    parser.add_argument("--mirror", action="store_true", help="with a mirror behind the lifter")
    parser.add_argument("--reps", type=int, default=3)
    parser.add_argument("--longest", type=int, default=320)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    options = parser.parse_args()
    frames, reps = write(options.out, options.seed, options.fps, options.variable, options.mirror, options.reps,
                         options.longest)
    print(f"{options.out}: {frames} frames, {reps} repetitions")


if __name__ == "__main__":
    main()

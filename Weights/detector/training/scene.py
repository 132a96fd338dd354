"""Composes a scene: lifter, equipment, surroundings and camera."""

import numpy as np

import people
import ranges
from gym import (Bar, Labels, Palette, Room, add_ball, add_bar, add_bench, add_dumbbells, add_kettlebell, add_loose,
                 add_rack, add_tree, shadow)
from solids import Camera, Light, Solids

LIFTS = {"squat": people.squat, "deadlift": people.deadlift, "press": people.press, "hold": people.hold,
         "bench": people.bench}


def body(rng, split):
    return people.Body(*(ranges.draw(rng, factor, split) for factor in ("stature", "legs", "girth")))


class Station:
    """A lifter with a bar, optionally in a rack, facing +y or -y."""

    def __init__(self, rng, dye, split, at, lift, yaw=0.0):
        self.at, self.lift, self.yaw = np.array([*at, 0.0]), lift, yaw
        self.body, self.clothes = body(rng, split), people.Clothes(rng, dye)
        self.bar = Bar(rng, dye)
        self.grip = float(rng.uniform(0.26, 0.45)) if lift != "deadlift" else float(rng.uniform(0.24, 0.32))
        self.spread = float(rng.uniform(0.12, 0.3)) if lift != "deadlift" else float(rng.uniform(0.1, 0.18))
        self.tilt, self.twist = rng.normal(0, 0.012), rng.normal(0, 0.02)
        self.empty = lift == "rack"
        self.furniture = int(rng.integers(1 << 30))
        self.rack = self.empty or lift in ("squat", "press", "bench") and rng.random() < 0.7
        self.full = rng.random() < 0.6
        self.dye = dye

    def pose(self, depth):
        move = LIFTS[self.lift]
        return move(self.body, depth, grip=self.grip, spread=self.spread)

    def fixed(self, solids, room):
        """Draws the static parts."""
        rng = np.random.default_rng(self.furniture)
        c, s = np.cos(self.yaw), np.sin(self.yaw)

        def world(x, y):
            return np.array([self.at[0] + c * x - s * y, self.at[1] + s * x + c * y, 0])

        shadow(solids, room, self.at, 0.45, 0.8)
        flip = 1 if c > 0 else -1
        if self.rack:
            level = 1.05 if self.lift == "bench" else 1.35
            full = self.full and self.lift != "bench"
            at = world(0, 0.1 if self.empty else 0.35 if self.lift != "bench" else -0.12)
            if full and flip < 0:
                at = at - (0, 1.2, 0)
            add_rack(solids, rng, self.dye, at, 1.2, full, level)
        if self.lift == "bench":
            add_bench(solids, rng, self.dye, world(0, 0.35))
        return world

    def moving(self, solids, labels, depth, shift=(0, 0, 0), turn=0.0):
        """The lifter and the bar; returns the bar's centre and the numbers of its outermost plates."""
        axis = np.array([np.cos(self.twist + self.yaw), np.sin(self.twist + self.yaw), np.sin(self.tilt)])
        c, s = np.cos(self.yaw), np.sin(self.yaw)
        turned = np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])
        if self.empty:
            centre = self.at + np.array([0, 0, 1.36]) + np.array([0, 0.02, 0]) @ turned
            return centre, add_bar(solids, labels, self.bar, centre, axis)
        pose, bar = self.pose(depth)
        pose = people.placed(pose, self.at + shift, self.yaw)
        number = labels.add("person", points=np.array([pose[k] for k in people.KEYPOINTS]))
        people.dress(solids, pose, self.body, self.clothes, number)
        centre = bar @ turned + self.at + shift
        return centre, add_bar(solids, labels, self.bar, centre, axis, turn)


class Scene:
    """Everything that `render` needs to draw a picture."""

    def __init__(self, rng, split, lift=None, view=None, mirror=None, aspect=None, crowd=None):
        self.split = split
        dye = self.dye = Palette(split)
        lift = lift or str(rng.choice(["squat", "deadlift", "bench", "press", "hold", "rack"],
                                      p=[0.34, 0.22, 0.16, 0.1, 0.08, 0.1]))
        self.depth = float(rng.random())
        self.main = Station(rng, dye, split, (0, 0), lift, 0.0 if rng.random() < 0.5 else np.pi)
        self._camera(rng, split, view, aspect)
        self._room(rng, dye, split, mirror)
        self._surroundings(rng, dye, split, crowd)
        angle = np.radians(ranges.draw(rng, "light", split))
        self.light = Light((np.cos(angle), np.sin(angle), rng.uniform(0.6, 2.0)), rng.uniform(0.3, 0.7))

    def _camera(self, rng, split, view, aspect):
        view = view or str(rng.choice(["side", "front"], p=[0.8, 0.2]))
        azimuth = np.radians(ranges.draw(rng, view, split)) * rng.choice([-1, 1])
        flip = rng.choice([-1, 1])
        distance = ranges.draw(rng, "distance", split)
        height = ranges.draw(rng, "height", split)
        target = np.array([rng.normal(0, 0.15), rng.normal(0, 0.25), rng.normal(0.95, 0.2)])
        eye = np.array([flip * distance * np.cos(azimuth), distance * np.sin(azimuth), height])
        if self.main.lift == "bench":
            target[2] -= 0.15
        self.aspect = aspect or float(rng.choice([0.5625, 0.75, 1.0, 1.3333, 1.7778], p=[0.25, 0.2, 0.1, 0.2, 0.25]))
        self.eye, self.target = eye, target
        self.focal, self.roll = ranges.draw(rng, "focal", split), float(rng.normal(0, 0.025))

    def camera(self, width, height):
        return Camera(self.eye, self.target, self.focal * max(width, height), width, height, self.roll)

    def _room(self, rng, dye, split, mirror):
        reach = 1.0 + rng.uniform(0.2, 2.5)
        low = np.minimum(self.eye[:2], -1.6) - rng.uniform(0.4, 3.0, 2)
        high = np.maximum(self.eye[:2], 1.6) + rng.uniform(0.4, 3.0, 2)
        far = int(np.argmax(np.abs(self.eye[:2])))
        if self.eye[far] > 0:
            low[far] = -reach - 1.2
        else:
            high[far] = reach + 1.2
        low, high = np.array([*low, 0]), np.array([*high, rng.uniform(2.6, 4.2)])
        plane = None
        if mirror if mirror is not None else rng.random() < 0.25:
            at = low[far] if self.eye[far] > 0 else high[far]
            other = 1 - far
            a = rng.uniform(low[other], -1.2) if mirror is None else max(low[other], -2.2)
            b = rng.uniform(1.2, high[other]) if mirror is None else min(high[other], 2.2)
            plane = (far, at, (a, rng.uniform(0.05, 0.5)), (b, rng.uniform(1.9, 2.4)))
        self.room = Room(rng, dye, split, low, high, plane)

    def _surroundings(self, rng, dye, split, crowd):
        """Places other stations, people and objects behind or beside the lifter without overlap."""
        labels, solids = self.labels, self.fixed = Labels(), Solids()
        self.flat = Solids()  # shadows: drawn right after the floor
        self.main.fixed(solids, self.room)
        taken = [(0.0, 0.0, 1.35)]
        low, high = self.room.low[:2] + 0.5, self.room.high[:2] - 0.5
        gaze = (self.target - self.eye)[:2]
        gaze = gaze / np.linalg.norm(gaze)

        def place(radius, tries=12):
            for _ in range(tries):
                p = rng.uniform(low, high)
                along = (p - self.eye[:2]) @ gaze
                beside = abs((p - self.eye[:2]) @ (-gaze[1], gaze[0]))
                before = along < np.linalg.norm(self.eye[:2]) - 0.8
                if before and beside < 0.9 * max(along, 0.6) * 0.5 + 0.4:
                    continue
                if along > -0.5 and all(np.hypot(p[0] - x, p[1] - y) > radius + r for x, y, r in taken):
                    taken.append((*p, radius))
                    return p
            return None

        many = crowd if crowd is not None else 1.0
        for _ in range(rng.poisson(0.6 * many)):
            p = place(1.3)
            if p is not None:
                lift = str(rng.choice(["squat", "deadlift", "bench", "rack", "hold"]))
                other = Station(rng, dye, split, p, lift, 0.0 if rng.random() < 0.5 else np.pi)
                other.fixed(solids, self.room)
                other.moving(solids, labels, float(rng.random()))
        things = {"tree": 0.6, "loose": 0.7, "dumbbells": 0.4, "bench": 0.4, "ball": 0.4, "kettlebell": 0.5, "box": 0.4,
                  "person": 1.1}
        for name, often in things.items():
            for _ in range(min(rng.poisson(often * (many if name != "loose" else 1)), 3)):
                p = place({"tree": 0.5, "dumbbells": 0.9, "bench": 0.6}.get(name, 0.35))
                if p is None:
                    continue
                yaw = rng.uniform(0, 2 * np.pi)
                if name == "tree":
                    add_tree(solids, labels, rng, dye, p, yaw)
                elif name == "loose":
                    axis = (np.cos(yaw), np.sin(yaw), 0) if rng.random() < 0.5 else (1.0, 0, 0)
                    add_loose(solids, labels, rng, dye, p, axis)
                elif name == "dumbbells":
                    add_dumbbells(solids, rng, dye, p, rng.choice([0, np.pi / 2]))
                elif name == "bench":
                    add_bench(solids, rng, dye, p, yaw)
                elif name == "ball":
                    add_ball(solids, rng, dye, p)
                elif name == "kettlebell":
                    add_kettlebell(solids, rng, dye, p)
                elif name == "box":
                    size = rng.uniform(0.3, 0.7, 3)
                    solids.box((*p, size[2] / 2), size, dye(rng), yaw)
                else:
                    who, clothes = body(rng, split), people.Clothes(rng, dye)
                    pose = (people.stand, people.walk, people.sit)[rng.choice(3, p=[0.5, 0.35, 0.15])](who, rng)
                    if pose["left_hip"][2] < 0.6:
                        solids.box((*p, 0.22), (0.4, 0.4, 0.44), dye(rng, dark=True), yaw)
                    pose = people.placed(pose, np.array([*p, 0.0]), yaw)
                    number = labels.add("person", points=np.array([pose[k] for k in people.KEYPOINTS]))
                    people.dress(solids, pose, who, clothes, number)
                shadow(self.flat, self.room, p, rng.uniform(0.25, 0.45))

"""People as capsule bodies, and their poses while lifting, walking or waiting.

A pose is a table of named points in the person's own frame (metres, y forward, x to the right, z up). COCO's 17
keypoints are among them.
"""

import numpy as np

from solids import cross, unit

KEYPOINTS = ("nose", "left_eye", "right_eye", "left_ear", "right_ear", "left_shoulder", "right_shoulder", "left_elbow",
             "right_elbow", "left_wrist", "right_wrist", "left_hip", "right_hip", "left_knee", "right_knee",
             "left_ankle", "right_ankle")
MIRROR = (0, 2, 1, 4, 3, 6, 5, 8, 7, 10, 9, 12, 11, 14, 13, 16, 15)
SIDES = (("left", -1.0), ("right", 1.0))


class Body:
    """Lengths of a person's parts."""

    def __init__(self, stature=1.75, legs=1.0, girth=1.0):
        h = stature
        self.stature, self.girth = h, girth
        self.thigh, self.shin = 0.243 * h * legs, 0.240 * h * legs
        self.trunk = 0.290 * h * (2 - legs)
        self.upper, self.fore = 0.176 * h, 0.150 * h
        self.shoulder, self.hip = 0.108 * h * (0.6 + 0.4 * girth), 0.060 * h
        self.ankle, self.foot = 0.042 * h, 0.150 * h
        self.head, self.neck = 0.062 * h, 0.085 * h


def joint(a, b, first, second, toward):
    """The joint between two bones from `a` to `b` (inverse kinematics); `toward` is the side it bends to."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    gap = max(np.linalg.norm(b - a), 1e-6)
    along = (b - a) / gap
    gap = min(gap, (first + second) * 0.999)
    at = (first**2 - second**2 + gap**2) / (2 * gap)
    off = np.sqrt(max(first**2 - at**2, 0))
    side = np.asarray(toward, float) - along * np.dot(toward, along)
    return a + along * at + unit(side + 1e-9) * off


def _head(pose, body, middle, up, forward):
    right = cross(forward, up)
    centre = middle + up * (body.neck + body.head * 0.75)
    pose["neck"], pose["head"] = middle, centre
    pose["nose"] = centre + forward * body.head * 1.25 - up * body.head * 0.1
    for side, sign in SIDES:
        pose[f"{side}_eye"] = centre + forward * body.head * 1.0 + up * body.head * 0.25 + right * sign * 0.45 * body.head
        pose[f"{side}_ear"] = centre + right * sign * body.head * 0.95 + up * body.head * 0.05
    pose["up"], pose["face"] = up, forward


def _trunk(pose, body, hips, lean, turn=0.0):
    """Hips, shoulders and head on a trunk that leans forward by `lean` radians."""
    up = np.array([0, np.sin(lean), np.cos(lean)])
    shoulders = hips + up * body.trunk
    c, s = np.cos(turn), np.sin(turn)
    for side, sign in SIDES:
        pose[f"{side}_hip"] = hips + (sign * body.hip, 0, 0)
        pose[f"{side}_shoulder"] = shoulders + (sign * body.shoulder * c, sign * body.shoulder * s, 0)
    gaze = lean * 0.35
    _head(pose, body, shoulders, np.array([0, np.sin(gaze + 0.1), np.cos(gaze + 0.1)]),
          np.array([0, np.cos(gaze), -np.sin(gaze)]))


def _legs(pose, body, feet=None, spread=0.16, out=0.25):
    """Feet on the floor (or at `feet`), knees forward and a little outwards."""
    for side, sign in SIDES:
        ankle = np.array([sign * spread, 0, body.ankle]) if feet is None else np.asarray(feet[side], float)
        pose[f"{side}_ankle"] = ankle
        pose[f"{side}_knee"] = joint(pose[f"{side}_hip"], ankle, body.thigh, body.shin, (sign * out, 1, 0.05))
        pose[f"{side}_toe"] = ankle + (sign * 0.2 * body.foot, 0.85 * body.foot, -0.55 * body.ankle)
        pose[f"{side}_heel"] = ankle + (0, -0.2 * body.foot, -0.45 * body.ankle)


def _arms(pose, body, wrists, toward):
    for side, sign in SIDES:
        wrist = np.asarray(wrists[side], float)
        shoulder = pose[f"{side}_shoulder"]
        reach = wrist - shoulder
        length = np.linalg.norm(reach)
        most = (body.upper + body.fore) * 0.995
        if length > most:
            wrist = shoulder + reach * (most / length)
        pose[f"{side}_wrist"] = wrist
        bend = np.array(toward) * (sign, 1, 1)
        pose[f"{side}_elbow"] = joint(shoulder, wrist, body.upper, body.fore, bend)
        pose[f"{side}_hand"] = wrist + unit(wrist - pose[f"{side}_elbow"]) * 0.045 * body.stature


def _hanging(pose, body, forward=(0.03, 0.03), out=0.06):
    wrists = {}
    for (side, sign), y in zip(SIDES, forward):
        shoulder = pose[f"{side}_shoulder"]
        wrists[side] = shoulder + (sign * out, y, -(body.upper + body.fore) * 0.97)
    _arms(pose, body, wrists, (0.3, -1, 0))


def squat(body, depth, grip=0.36, spread=0.2):
    """Squat: `depth` 0 is standing, 1 has the hips below the knees. The bar is on the back, above the mid-foot."""
    shin, thigh = np.radians(3 + 29 * depth), np.radians(4 + 92 * depth)
    tall_shin, tall_thigh = body.shin * 0.985, body.thigh * 0.985
    knee = np.array([0, np.sin(shin) * tall_shin, body.ankle + np.cos(shin) * tall_shin])
    hips = knee + (0, -np.sin(thigh) * tall_thigh, np.cos(thigh) * tall_thigh)
    middle = 0.28 * body.foot
    behind = 0.075 * body.girth
    sine = np.clip((middle + behind * 0.7 - hips[1]) / body.trunk, -0.1, 0.92)
    pose = {}
    _trunk(pose, body, hips, np.arcsin(sine))
    _legs(pose, body, spread=spread)
    up, forward = np.array([0, sine, np.sqrt(1 - sine**2)]), np.array([0, np.sqrt(1 - sine**2), -sine])
    bar = pose["neck"] - forward * behind + up * 0.02
    _arms(pose, body, {s: bar + (sign * grip, 0.02, -0.02) for s, sign in SIDES}, (0.5, -0.6, -1))
    return pose, bar


def deadlift(body, depth, grip=0.27, spread=0.13):
    """Deadlift: `depth` 0 is standing upright, 1 has the plates on the floor; straight arms."""
    shin, thigh = np.radians(1 + 17 * depth), np.radians(2 + 62 * depth)
    knee = np.array([0, np.sin(shin) * body.shin, body.ankle + np.cos(shin) * body.shin])
    hips = knee + (0, -np.sin(thigh) * body.thigh, np.cos(thigh) * body.thigh)
    shin_front = 0.35 * body.foot
    sine = np.clip((shin_front + 0.04 * depth - hips[1]) / body.trunk, -0.02, 0.95)
    pose = {}
    _trunk(pose, body, hips, np.arcsin(sine))
    _legs(pose, body, spread=spread, out=0.12)
    shoulders = pose["neck"]
    height = shoulders[2] - np.sqrt(max(((body.upper + body.fore) * 0.99)**2 - (grip - body.shoulder)**2, 0.01)) - 0.03
    bar = np.array([0, max(shin_front, hips[1] + 0.1), max(height, 0.225)])
    _arms(pose, body, {s: bar + (sign * grip, -0.01, 0.03) for s, sign in SIDES}, (0.4, -1, 0))
    return pose, bar


def press(body, depth, grip=0.3, spread=0.14):
    """Overhead press: `depth` 0 has the bar overhead, 1 in front of the shoulders."""
    hips = np.array([0, 0, body.ankle + (body.thigh + body.shin) * 0.985])
    pose = {}
    _trunk(pose, body, hips, -0.04)
    _legs(pose, body, spread=spread, out=0.1)
    top = pose["neck"][2] + (body.upper + body.fore) * 0.93
    low = pose["neck"][2] - 0.03
    bar = np.array([0, pose["neck"][1] + 0.04 + 0.11 * depth, top + (low - top) * depth])
    _arms(pose, body, {s: bar + (sign * grip, -0.01, -0.03) for s, sign in SIDES}, (0.6, 0.5, -1))
    return pose, bar


def hold(body, depth, grip=0.28, spread=0.14):
    """Stands with the bar at the hips (0) or in a curl (1)."""
    hips = np.array([0, 0, body.ankle + (body.thigh + body.shin) * 0.985])
    pose = {}
    _trunk(pose, body, hips, 0.03)
    _legs(pose, body, spread=spread, out=0.1)
    angle = depth * 2.3
    elbow = pose["neck"][2] - body.upper * 0.98
    bar = np.array([0, 0.06 + np.sin(angle) * body.fore, elbow - np.cos(angle) * body.fore * 0.98])
    _arms(pose, body, {s: bar + (sign * grip, -0.01, 0.02) for s, sign in SIDES}, (0.2, -1, -0.5))
    return pose, bar


def bench(body, depth, grip=0.38, seat=0.45, spread=0.25):
    """Bench press, lying along y; `depth` 0 has straight arms, 1 the bar on the chest."""
    level = seat + 0.10 * body.girth
    pose = {}
    shoulders = np.array([0, 0, level])
    hips = shoulders + (0, body.trunk, -0.02)
    for side, sign in SIDES:
        pose[f"{side}_hip"] = hips + (sign * body.hip, 0, 0)
        pose[f"{side}_shoulder"] = shoulders + (sign * body.shoulder, 0, 0)
    _head(pose, body, shoulders, np.array([0, -0.98, 0.15]), np.array([0, 0.15, 0.98]))
    feet = {side: (sign * spread, hips[1] + body.thigh * 0.75, body.ankle) for side, sign in SIDES}
    for side, sign in SIDES:
        ankle = np.array(feet[side])
        pose[f"{side}_ankle"] = ankle
        pose[f"{side}_knee"] = joint(pose[f"{side}_hip"], ankle, body.thigh, body.shin, (sign * 0.3, 0.5, 1))
        pose[f"{side}_toe"] = ankle + (sign * 0.02, 0.8 * body.foot, -0.5 * body.ankle)
        pose[f"{side}_heel"] = ankle + (0, -0.2 * body.foot, -0.4 * body.ankle)
    top = level + (body.upper + body.fore) * 0.93
    low = level + 0.12 * body.girth + 0.03
    bar = np.array([0, 0.02 + 0.12 * depth, top + (low - top) * depth])
    _arms(pose, body, {s: bar + (sign * grip, 0, -0.02) for s, sign in SIDES}, (1, 0.3, -0.7))
    return pose, bar


def stand(body, rng):
    hips = np.array([0, 0, body.ankle + (body.thigh + body.shin) * 0.985])
    pose = {}
    _trunk(pose, body, hips, rng.normal(0.03, 0.05), rng.normal(0, 0.15))
    _legs(pose, body, spread=rng.uniform(0.09, 0.22), out=0.1)
    style = rng.integers(4)
    if style == 0:  # hands on the hips
        _arms(pose, body, {s: pose[f"{s}_hip"] + (sign * 0.1, 0.04, 0.08) for s, sign in SIDES}, (1, -0.6, 0))
    elif style == 1:  # holding something in front of the chest
        _arms(pose, body, {s: pose["neck"] + (sign * 0.07, 0.25, -0.25) for s, sign in SIDES}, (0.6, -0.2, -1))
    else:
        _hanging(pose, body, rng.normal(0.03, 0.1, 2), rng.uniform(0.02, 0.12))
    return pose


def walk(body, rng):
    phase, stride = rng.uniform(0, 2 * np.pi), rng.uniform(0.2, 0.38)
    feet = {}
    for side, sign in SIDES:
        swing = np.sin(phase + (0 if sign > 0 else np.pi))
        lift = max(0.0, np.cos(phase + (0 if sign > 0 else np.pi))) * 0.1
        feet[side] = (sign * 0.09, swing * stride, body.ankle + lift)
    hips = np.array([0, 0, body.ankle + (body.thigh + body.shin) * 0.95])
    pose = {}
    _trunk(pose, body, hips, rng.uniform(0.0, 0.12))
    _legs(pose, body, feet, out=0.05)
    _hanging(pose, body, (np.sin(phase) * stride * 0.8, -np.sin(phase) * stride * 0.8))
    return pose


def sit(body, rng, seat=0.46):
    hips = np.array([0, 0, seat + 0.07])
    pose = {}
    _trunk(pose, body, hips, rng.uniform(-0.1, 0.5))
    feet = {s: (sign * rng.uniform(0.1, 0.25), body.thigh * rng.uniform(0.7, 1.1), body.ankle) for s, sign in SIDES}
    _legs(pose, body, feet, out=0.3)
    knees = {s: pose[f"{s}_knee"] + (0, -0.08, 0.06) for s, _ in SIDES}
    _arms(pose, body, knees, (0.5, -1, 0))
    return pose


def placed(pose, at, yaw):
    """The pose rotated about the vertical axis and translated to `at`."""
    c, s = np.cos(yaw), np.sin(yaw)
    turn = np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])
    return {name: (p @ turn if name in ("up", "face") else p @ turn + at) for name, p in pose.items()}


class Clothes:
    """Clothing: colours and cut; `dye` draws a colour of the palette."""

    def __init__(self, rng, dye):
        tone = rng.random()
        self.skin = np.array([0.96, 0.78, 0.66]) * (1 - tone) + np.array([0.32, 0.20, 0.14]) * tone
        self.shirt, self.legs, self.shoes = dye(rng), dye(rng, dark=True), dye(rng)
        self.hair = np.array([0.12, 0.09, 0.07]) * rng.uniform(0.4, 1) + np.array([0.6, 0.45, 0.2]) * rng.random()**3
        self.sleeves = rng.choice([0.0, 0.5, 1.0], p=[0.35, 0.5, 0.15])
        self.trousers = rng.choice([0.35, 0.9, 1.0], p=[0.45, 0.15, 0.4])
        self.long_hair, self.cap, self.bare = rng.random() < 0.3, rng.random() < 0.12, rng.random() < 0.05


def dress(solids, pose, body, clothes, ident):
    """Draws the body."""
    h, g = body.stature, body.girth
    skin = clothes.skin
    shirt = skin if clothes.bare else clothes.shirt

    def limb(a, b, ra, rb, share, cloth):
        """Draws a limb covered by cloth from `a` for `share` of its length."""
        a, b = pose[a], pose[b]
        solids.capsule(a, b, ra * g, skin if share < 0.99 else cloth, ident, end=rb * g)
        if 0 < share < 0.99:
            solids.capsule(a, a + (b - a) * share, ra * g * 1.12, cloth, ident, 0.5, rb * g * 1.15,
                           anchor=(a + b) / 2)

    for side, _ in SIDES:
        limb(f"{side}_hip", f"{side}_knee", 0.052 * h, 0.036 * h, max(0.55, clothes.trousers), clothes.legs)
        limb(f"{side}_knee", f"{side}_ankle", 0.034 * h, 0.022 * h, 1.0 if clothes.trousers > 0.95 else 0.0, clothes.legs)
        solids.capsule(pose[f"{side}_heel"], pose[f"{side}_toe"], 0.024 * h, clothes.shoes, ident, end=0.018 * h)
        limb(f"{side}_shoulder", f"{side}_elbow", 0.030 * h, 0.024 * h, max(clothes.sleeves, 0.0), shirt)
        limb(f"{side}_elbow", f"{side}_wrist", 0.023 * h, 0.015 * h, 1.0 if clothes.sleeves > 0.9 else 0.0, shirt)
        solids.capsule(pose[f"{side}_wrist"], pose[f"{side}_hand"], 0.017 * h, skin, ident, end=0.016 * h)

    thick = 0.058 * h * g
    shoulders = [(*(pose[f"{s}_shoulder"] * 0.8 + pose["neck"] * 0.2), thick * 0.75) for s, _ in SIDES]
    hips = [(*pose[f"{s}_hip"], thick) for s, _ in SIDES]
    spine = (pose["left_hip"] + pose["right_hip"]) / 2
    waist = [(*(p[:3] * 0.55 + pose["neck"] * 0.45), thick) for p in np.array(hips)]
    middle = (spine + pose["neck"]) / 2
    solids.hull(hips + [(*(np.array(w[:3]) * 0.5 + np.array(k[:3]) * 0.5), thick) for w, k in zip(waist, hips)],
                clothes.legs, ident, 0, anchor=middle)
    solids.hull(waist + shoulders + [(*(pose["neck"] - pose["up"] * 0.01), thick * 0.6)], shirt, ident, 1, anchor=middle)
    solids.capsule(pose["neck"], pose["head"], 0.030 * h, skin, ident, 2)

    r, up, face = body.head, pose["up"], pose["face"]
    head = pose["head"]
    solids.hull([(*(head + up * r * 0.3), r * 0.98), (*(head - up * r * 0.45 + face * r * 0.2), r * 0.72)],
                skin, ident, 3, anchor=head)
    solids.hull([(*(head + up * r * 0.42 - face * r * 0.22), r * 0.98), (*(head - face * r * 0.35), r * 0.8)],
                clothes.shirt * 0.8 if clothes.cap else clothes.hair, ident, 0, anchor=head - face * r * 0.6)
    if clothes.long_hair:
        solids.capsule(head - face * r * 0.7, head - face * r * 0.9 - up * r * 2.2, r * 0.5, clothes.hair, ident,
                       end=r * 0.3)
    solids.capsule(pose["nose"] - face * r * 0.35, pose["nose"] - face * r * 0.1 - up * r * 0.1, r * 0.16, skin * 0.95,
                   ident, 4)
    for side, _ in SIDES:
        solids.hull([(*(pose[f"{side}_eye"] - face * r * 0.12), r * 0.1)], np.array([0.1, 0.08, 0.08]), ident, 5)
        solids.hull([(*pose[f"{side}_ear"], r * 0.2)], skin * 0.85, ident, 5)

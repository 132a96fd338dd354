"""A quadruped with 24 keypoints: body proportions, pose parameters, and forward kinematics.

Lengths are in trunk lengths (withers to tail base), angles in radians, x forward, y left, z up, ground at z = 0.
Every array has the shape [clips, frames] or can be broadcast to it.
"""

from dataclasses import dataclass, fields, replace

import numpy as np

import ranges
from labels import FRAMES_PER_SECOND


def _f32(value):
    return np.asarray(value, dtype=np.float32)


@dataclass
class Body:
    """Body proportions, one dog per row, each [clips, 1]."""

    leg: np.ndarray      # height of the shoulder when standing
    metres: np.ndarray   # trunk length in metres; sets how fast legs swing
    width: np.ndarray    # half the distance between left and right legs
    neck: np.ndarray
    head: np.ndarray     # base of the skull to nose
    tail: np.ndarray
    ear: np.ndarray      # -0.4 hanging ... 0.6 upright
    carriage: np.ndarray  # habitual angle of the tail above the horizontal

    @staticmethod
    def draw(rng, count, split):
        def uniform(low, high):
            return _f32(rng.uniform(low, high, (count, 1)))

        leg = _f32(ranges.scaled("leg", ranges.draw(rng, "leg", count, split)))
        return Body(
            leg=leg, metres=uniform(0.35, 0.75), width=uniform(0.10, 0.17),
            neck=(0.30 + 0.30 * leg) * uniform(0.85, 1.15), head=uniform(0.26, 0.42), tail=uniform(0.30, 0.75),
            ear=uniform(-0.4, 0.6), carriage=uniform(-0.9, 0.6),
        )

    def take(self, rows):
        return Body(**{f.name: getattr(self, f.name)[rows] for f in fields(self)})

    @property
    def height(self):
        """Height of the trunk's middle when standing."""
        return self.leg + 0.09


@dataclass
class Pose:
    """The pose parameters of every clip and frame.

    Paws (left front, right front, left hind, right hind) are relative to the trunk's middle, in the frame that shares
    its heading and roll but not its pitch. Travel is given as rates, so that blending two poses keeps the path smooth.
    """

    z: np.ndarray
    pitch: np.ndarray
    roll: np.ndarray
    flex: np.ndarray       # > 0 hollows the back, < 0 arches it
    bend: np.ndarray       # sideways, > 0 to the left
    paws: np.ndarray       # [clips, frames, 4, 3]
    neck_pitch: np.ndarray
    neck_yaw: np.ndarray
    head_pitch: np.ndarray
    head_yaw: np.ndarray
    ear: np.ndarray        # added to the breed's ears
    tail_pitch: np.ndarray
    tail_yaw: np.ndarray
    tail_curl: np.ndarray
    forward: np.ndarray    # trunk lengths per second
    sideways: np.ndarray
    turn: np.ndarray       # radians per second

    def with_(self, **changes):
        return replace(self, **changes)


def blend(first: Pose, second: Pose, weight) -> Pose:
    """`first` where weight is 0, `second` where it is 1; weight [clips, frames]."""
    weight = _f32(weight)
    mixed = {}
    for f in fields(Pose):
        a, b = getattr(first, f.name), getattr(second, f.name)
        w = weight[..., None, None] if f.name == "paws" else weight
        mixed[f.name] = a + (b - a) * w
    return Pose(**mixed)


def path(pose: Pose, start_heading):
    """Heading and ground position [clips, frames] of the trunk, integrated from the rates."""
    dt = np.float32(1 / FRAMES_PER_SECOND)
    shape = np.broadcast_shapes(pose.turn.shape, pose.forward.shape, pose.paws.shape[:2])
    turn = np.broadcast_to(pose.turn, shape)
    heading = start_heading + np.cumsum(turn, axis=1) * dt
    vx = pose.forward * np.cos(heading) - pose.sideways * np.sin(heading)
    vy = pose.forward * np.sin(heading) + pose.sideways * np.cos(heading)
    return heading, np.cumsum(vx, axis=1) * dt, np.cumsum(vy, axis=1) * dt


def _rotate(vector, yaw, pitch, roll):
    """Rolls, then pitches (nose up), then yaws `vector` (a triple of arrays)."""
    x, y, z = vector
    cr, sr = np.cos(roll), np.sin(roll)
    y, z = y * cr - z * sr, y * sr + z * cr
    cp, sp = np.cos(pitch), np.sin(pitch)
    x, z = x * cp - z * sp, x * sp + z * cp
    cy, sy = np.cos(yaw), np.sin(yaw)
    return x * cy - y * sy, x * sy + y * cy, z


def _direction(pitch, yaw):
    return np.cos(pitch) * np.cos(yaw), np.cos(pitch) * np.sin(yaw), np.sin(pitch)


def _joint(upper, lower, hip, paw, pole):
    """Middle joint and paw of a two-segment leg that reaches from `hip` towards `paw`, bending along `pole`."""
    reach = paw - hip
    distance = np.linalg.norm(reach, axis=-1, keepdims=True)
    along = reach / np.maximum(distance, 1e-5)
    distance = np.clip(distance, np.abs(upper - lower) * 1.02, (upper + lower) * 0.995)
    cosine = (upper**2 + distance**2 - lower**2) / (2 * upper * distance)
    side = pole - (pole * along).sum(-1, keepdims=True) * along
    side /= np.maximum(np.linalg.norm(side, axis=-1, keepdims=True), 1e-5)
    joint = hip + upper * (cosine * along + np.sqrt(np.maximum(1 - cosine**2, 0)) * side)
    return joint, hip + distance * along


def keypoints(body: Body, pose: Pose, heading, x, y):
    """Keypoints in space, [clips, frames, 24, 3], for a trunk at (x, y, pose.z) with that heading."""
    shape = heading.shape
    zero = np.zeros(shape, np.float32)
    root = np.stack([x, y, np.broadcast_to(pose.z, shape)], axis=-1)

    def stack(vector):
        return np.stack([np.broadcast_to(component, shape) for component in vector], axis=-1)

    def part(fore, px, py, pz):
        sign = 1 if fore else -1
        yaw = heading + sign * 0.5 * pose.bend
        pitch = pose.pitch + sign * pose.flex
        return root + stack(_rotate((px + zero, py + zero, pz + zero), yaw, pitch, pose.roll))

    def reference(vector):
        return stack(_rotate(vector, heading, zero, pose.roll))

    points = np.zeros(shape + (24, 3), np.float32)
    withers, tail_base = part(True, 0.5, 0.0, 0.06), part(False, -0.5, 0.0, 0.04)
    points[..., 6, :], points[..., 20, :], points[..., 13, :] = withers, tail_base, part(True, 0.0, 0.0, -0.02)

    # Head: the skull is attached to the neck; nose, eyes, ears and throat are placed along the skull's axes.
    neck_yaw = pose.neck_yaw + 0.5 * pose.bend
    head_yaw = neck_yaw + pose.head_yaw
    skull = withers + body.neck[..., None] * reference(_direction(pose.neck_pitch + zero, neck_yaw + zero))
    ahead = reference(_direction(pose.head_pitch + zero, head_yaw + zero))
    left = reference((-np.sin(head_yaw + zero), np.cos(head_yaw + zero), zero))
    up = np.cross(ahead, left)
    size = body.head[..., None]
    points[..., 0, :] = skull + size * ahead
    ear = (body.ear + pose.ear + zero)[..., None]
    for side, eye_index, ear_index in ((1, 1, 3), (-1, 2, 4)):
        points[..., eye_index, :] = skull + size * (0.45 * ahead + side * 0.17 * left + 0.16 * up)
        points[..., ear_index, :] = skull + size * (-0.10 * ahead + side * 0.24 * left + (0.12 + 0.40 * ear) * up)
    points[..., 5, :] = skull - size * (0.20 * ahead + 0.30 * up)

    # Tail: three segments, each curled up further than the previous one.
    joint = tail_base
    for segment, index in enumerate((21, 22, 23)):
        pitch, yaw = pose.tail_pitch + segment * pose.tail_curl + zero, pose.tail_yaw * (1 + 0.3 * segment) + zero
        bx, by, bz = _direction(pitch, yaw)
        joint = joint + body.tail[..., None] / 3 * reference((-bx, by, bz))
        points[..., index, :] = joint

    # Legs: shoulders and hips are fixed to the trunk, paws are given, elbows and knees follow by inverse kinematics.
    legs = ((True, 1, 7), (True, -1, 10), (False, 1, 14), (False, -1, 17))
    leg = body.leg[..., None]
    for number, (fore, side, index) in enumerate(legs):
        top = part(fore, 0.42 if fore else -0.42, side * body.width, -0.10 if fore else -0.07)
        target = root + reference(tuple(pose.paws[..., number, axis] for axis in range(3)))
        pole = reference((zero + (-1.0 if fore else 1.0), zero + side * 0.15, zero + (-0.2 if fore else 0.5)))
        upper, lower = (0.45 * leg, 0.62 * leg) if fore else (0.50 * leg, 0.66 * leg)
        bent, paw = _joint(upper, lower, top, target, pole)
        points[..., index, :], points[..., index + 1, :], points[..., index + 2, :] = top, bent, paw
    points[..., 2] = np.maximum(points[..., 2], 0.01)
    return points

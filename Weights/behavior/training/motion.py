"""Building blocks of behaviours: random signals, the standing pose, paws on the ground, and gaits."""

import numpy as np

import ranges
from labels import FRAMES_PER_SECOND
from skeleton import Body, Pose

TAU = np.float32(2 * np.pi)


def degrees(value):
    return np.float32(np.pi / 180) * value


class Scene:
    """Random sampling for one batch: `count` dogs, `frames` frames, one generator."""

    def __init__(self, rng, count, frames, split):
        self.rng, self.count, self.frames, self.split = rng, count, frames, split
        self.body = Body.draw(rng, count, split)
        self.tempo = np.float32(ranges.scaled("speed", ranges.draw(rng, "speed", count, split)))
        self.time = (np.arange(frames, dtype=np.float32) / FRAMES_PER_SECOND)[None, :]

    def uniform(self, low, high):
        """A uniform sample per clip, [clips, 1]."""
        return self.rng.uniform(low, high, (self.count, 1)).astype(np.float32)

    def sign(self):
        return np.where(self.rng.random((self.count, 1)) < 0.5, -1, 1).astype(np.float32)

    def chance(self, probability):
        """1 with the given probability, else 0; one sample per clip."""
        return (self.rng.random((self.count, 1)) < probability).astype(np.float32)

    def wander(self, amplitude, fastest=0.5):
        """A smooth random signal of about `amplitude`, made of three sines of up to `fastest` hertz."""
        total = np.zeros((self.count, self.frames), np.float32)
        for _ in range(3):
            frequency, phase = self.uniform(0.03, fastest), self.uniform(0, 2 * np.pi)
            total += np.sin(TAU * frequency * self.time + phase) * self.uniform(0.3, 1.0)
        return amplitude * total / np.float32(1.6)

    def wag(self, chance=0.4):
        """Sideways tail angle: still, or wagging at 1.2-3 hertz."""
        size = self.chance(chance) * self.uniform(degrees(15), degrees(50))
        return size * np.sin(TAU * self.uniform(1.2, 3.0) * self.tempo * self.time) + self.uniform(-0.15, 0.15)


def smooth(signal, width, extend=False):
    """Moving average over `width` (odd) frames along axis 1; past the ends the signal is constant or (`extend`) extrapolated."""
    half = width // 2
    padding = ((0, 0), (half, half))
    padded = np.pad(signal, padding, **({"mode": "reflect", "reflect_type": "odd"} if extend else {"mode": "edge"}))
    padded = np.cumsum(padded, axis=1, dtype=np.float64)
    padded = np.concatenate([np.zeros_like(padded[:, :1]), padded], axis=1)
    return ((padded[:, width:] - padded[:, :-width]) / width).astype(np.float32)


def paws_at(scene: Scene, z, front_x=0.0, hind_x=0.0, spread=0.0, height=None):
    """Paws below shoulders and hips, shifted by the given amounts; `height` [clips, frames, 4] above the ground."""
    n, t = scene.count, scene.frames
    full = np.zeros((n, t), np.float32)
    paws = np.zeros((n, t, 4, 3), np.float32)
    front, hind = 0.42 + front_x, -0.42 + hind_x
    for leg, (x, side) in enumerate(((front, 1), (front, -1), (hind, 1), (hind, -1))):
        paws[:, :, leg, 0] = x + full
        paws[:, :, leg, 1] = side * (scene.body.width + spread) + full
        paws[:, :, leg, 2] = 0.02 - z + full
    if height is not None:
        paws[..., 2] += height
    return paws


def standing(scene: Scene) -> Pose:
    """Four paws on the ground, neck moderately raised, slight sway: the base pose of most behaviours."""
    body, u = scene.body, scene.uniform
    sway = scene.wander(0.012)
    z = body.height * u(0.93, 1.0) + scene.wander(0.006)
    paws = paws_at(scene, z, front_x=u(-0.08, 0.08) + sway, hind_x=u(-0.18, 0.08) + sway)
    paws[..., 0] += scene.rng.uniform(-0.06, 0.06, (scene.count, 1, 4)) * body.leg[..., None]
    zero = np.zeros((scene.count, scene.frames), np.float32)
    return Pose(
        z=z + zero, pitch=u(degrees(-4), degrees(4)) + zero, roll=scene.wander(degrees(1)), flex=zero, bend=zero,
        paws=paws,
        neck_pitch=u(degrees(12), degrees(40)) + scene.wander(degrees(3)),
        neck_yaw=u(-0.2, 0.2) + scene.wander(degrees(5)),
        head_pitch=u(degrees(-30), degrees(5)) + scene.wander(degrees(4)), head_yaw=scene.wander(degrees(4)),
        ear=u(-0.1, 0.1) + zero, tail_pitch=body.carriage + scene.wander(degrees(4)), tail_yaw=scene.wag() + zero,
        tail_curl=u(-0.1, 0.5) + zero, forward=zero, sideways=zero, turn=zero,
    )


class Gait:
    """A footfall pattern: the phase at which each paw lands, the stance duration and the stride length."""

    def __init__(self, frequency, stride, duty, phases, lift, bounce, rock, flex):
        self.frequency, self.stride, self.duty, self.phases = frequency, stride, duty, phases
        self.lift, self.bounce, self.rock, self.flex = lift, bounce, rock, flex


# Strides per second for a dog whose shoulder is half a metre high; stride, lift and bounce in leg lengths.
# Phases: left front, right front, left hind, right hind.
WALK = Gait((1.0, 1.45), (1.5, 2.0), (0.58, 0.70), (0.25, 0.75, 0.0, 0.5), (0.10, 0.18), 0.012, 1.0, 0.0)
TROT = Gait((1.8, 2.5), (2.1, 2.9), (0.38, 0.50), (0.5, 0.0, 0.0, 0.5), (0.16, 0.30), 0.045, 1.0, 0.0)
GALLOP = Gait((2.3, 2.9), (4.0, 5.5), (0.18, 0.30), (0.50, 0.60, 0.0, 0.10), (0.25, 0.45), 0.08, 9.0, 9.0)


def stride(scene: Scene, pose: Pose, gait: Gait, effort=1.0) -> Pose:
    """`pose` with legs, trunk and speed moving in `gait`; `effort` [clips, frames] in 0...1 shortens the strides.

    During stance a paw moves backwards nine tenths as fast as the trunk moves forwards (reach is limited, paws slip a
    little); during swing it is lifted and brought forward again.
    """
    body = scene.body
    leg_metres = body.leg * body.metres
    frequency = scene.uniform(*gait.frequency) * scene.tempo * (0.5 / np.maximum(leg_metres, 0.25)) ** np.float32(0.3)
    length = scene.uniform(*gait.stride) * body.leg
    duty = scene.uniform(*gait.duty)
    lead = scene.chance(0.5)  # the other lead: left and right are swapped
    start = scene.uniform(0, 1)
    jitter = scene.rng.uniform(-0.03, 0.03, (scene.count, 4)).astype(np.float32)
    lift = scene.uniform(*gait.lift) * body.leg
    phase = start + frequency * scene.time
    shift = 0.45 * length * duty * effort

    paws = pose.paws.copy()
    for number in range(4):
        same, other = gait.phases[number], gait.phases[number ^ 1]
        local = np.mod(phase + np.where(lead > 0, other, same) + jitter[:, number:number + 1], 1.0)
        stance = local < duty
        swing = np.clip((local - duty) / (1 - duty), 0, 1)
        travel = np.where(stance, 1 - 2 * local / duty, -np.cos(np.pi * swing))
        paws[:, :, number, 0] += shift * travel
        paws[:, :, number, 2] += np.where(stance, 0, lift * effort * np.sin(np.pi * swing))
    beat = 2 if gait.flex == 0 else 1
    bounce = gait.bounce * body.leg * effort * np.sin(TAU * beat * phase + scene.uniform(0, 6.28) * 0.1)
    rock = degrees(gait.rock) * effort * np.sin(TAU * (phase if gait.flex else 2 * phase) + 0.8)
    flex = degrees(gait.flex) * effort * np.sin(TAU * phase + 2.2)
    nod = degrees(5) * effort * np.sin(TAU * phase * (1 if gait.flex else 2) + scene.uniform(0, 6.28))
    paws[..., 2] -= np.asarray(bounce)[..., None]
    return pose.with_(
        z=pose.z + bounce, pitch=pose.pitch + rock, flex=pose.flex + flex, paws=paws,
        neck_pitch=pose.neck_pitch + nod, forward=pose.forward + frequency * length * effort,
    )

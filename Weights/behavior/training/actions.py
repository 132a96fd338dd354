"""Vigorous behaviours: jumping, spinning, rolling, playing."""

import numpy as np

from motion import GALLOP, TAU, TROT, Scene, degrees, smooth, standing, stride
from skeleton import Pose


def jumping(scene: Scene) -> Pose:
    """Crouch, take-off, ballistic flight, landing and a short rest, repeated."""
    body, u = scene.body, scene.uniform
    base = standing(scene)
    height = u(0.35, 0.85)
    flight = np.sqrt(8 * height * body.metres / np.float32(9.81))
    crouch, landing, rest = u(0.25, 0.4) / scene.tempo, u(0.2, 0.35) / scene.tempo, u(0.0, 1.2) / scene.tempo
    period = crouch + flight + landing + rest
    local = np.mod(scene.time + u(0, 1) * period, period)
    gather = np.where(local < crouch, np.sin(np.pi * local / crouch), 0)
    air = np.clip((local - crouch) / flight, 0, 1)
    absorb = np.clip((local - crouch - flight) / landing, 0, 1)
    bend = np.maximum(gather, np.sin(np.pi * absorb)) * u(0.18, 0.32) * body.leg
    rise = 4 * height * air * (1 - air)
    flying = (air > 0) & (air < 1)
    tuck = np.where(flying, np.sin(np.pi * air), 0) * u(0.15, 0.4) * body.leg
    pitch = u(degrees(8), degrees(28)) * np.where(flying, np.cos(np.pi * air), 0)
    paws = base.paws.copy()
    paws[..., 2] += (bend + tuck)[..., None]
    paws[:, :, :2, 0] += np.where(flying, 0.10, 0)[..., None]
    paws[:, :, 2:, 0] -= np.where(flying & (air < 0.5), 0.15, 0)[..., None]
    ahead = scene.chance(0.5) * u(0.3, 1.5) * np.where(flying, 1, 0)
    return base.with_(
        z=(base.z + rise - bend).astype(np.float32), pitch=(base.pitch + pitch).astype(np.float32), paws=paws,
        neck_pitch=base.neck_pitch + u(degrees(5), degrees(30)), forward=ahead.astype(np.float32),
    )


def spinning(scene: Scene) -> Pose:
    u, side = scene.uniform, scene.sign()
    base = standing(scene)
    rate = u(degrees(130), degrees(330)) * scene.tempo * (1 + 0.15 * scene.wander(1.0, 0.6))
    pose = stride(scene, base, TROT, effort=u(0.2, 0.45))
    paws = pose.paws.copy()
    step = 0.10 * scene.body.leg * np.sin(TAU * u(1.6, 2.6) * scene.tempo * scene.time)
    paws[:, :, 0, 1] += step
    paws[:, :, 1, 1] -= step
    paws[:, :, 2, 1] -= step
    paws[:, :, 3, 1] += step
    return pose.with_(
        paws=paws, turn=side * rate, forward=u(0.0, 0.9) + 0 * base.z,
        bend=side * u(degrees(20), degrees(50)) + 0 * base.z,
        neck_yaw=side * u(degrees(5), degrees(30)) + 0 * base.z, z=pose.z * u(0.88, 0.97),
    )


def rolling(scene: Scene) -> Pose:
    body, u, side = scene.body, scene.uniform, scene.sign()
    base = standing(scene)
    frequency = u(0.35, 1.0) * scene.tempo
    phase = TAU * frequency * scene.time + u(0, 6.28)
    roll = np.pi * side + u(degrees(28), degrees(95)) * np.sin(phase) + scene.wander(degrees(8))
    paws = np.zeros_like(base.paws)
    for leg, (x, lateral) in enumerate(((0.42, 1), (0.42, -1), (-0.42, 1), (-0.42, -1))):
        paddle = TAU * u(0.6, 1.8) * scene.tempo * scene.time + u(0, 6.28)
        paws[:, :, leg, 0] = x + body.leg * (u(-0.1, 0.25) + 0.15 * np.sin(paddle))
        paws[:, :, leg, 1] = lateral * (body.width + 0.1 * body.leg * u(0, 2))
        paws[:, :, leg, 2] = -body.leg * (u(0.45, 0.8) + 0.12 * np.cos(paddle))
    return base.with_(
        z=0.17 + scene.wander(0.02, 1.0), pitch=scene.wander(degrees(4), 1.0), roll=roll.astype(np.float32), paws=paws,
        bend=u(degrees(5), degrees(25)) * np.sin(phase + u(0, 6.28)),
        neck_pitch=u(degrees(-10), degrees(25)) + scene.wander(degrees(8), 1.0),
        neck_yaw=u(degrees(5), degrees(25)) * np.sin(phase + u(0, 6.28)), turn=scene.wander(degrees(12), 0.5),
    )


def playing(scene: Scene) -> Pose:
    """Play bows alternating with hops, dashes or quick turns."""
    body, u, rng = scene.body, scene.uniform, scene.rng
    count = 24
    lengths = rng.uniform(0.5, 1.4, (scene.count, count)).astype(np.float32) / scene.tempo
    bounds = np.cumsum(lengths, axis=1) - u(0, 0.5)
    part = (scene.time[:, :, None] > bounds[:, None, :]).sum(-1).clip(0, count - 1)
    kinds = rng.integers(1, 4, (scene.count, count))
    kinds[np.arange(scene.count)[:, None], np.arange(0, count, 2)[None, :] + rng.integers(0, 2, (scene.count, 1))] = 0
    sides = rng.choice([-1.0, 1.0], (scene.count, count)).astype(np.float32)
    kind, side = np.take_along_axis(kinds, part, 1), np.take_along_axis(sides, part, 1)
    bow, hop, dash, turn = (smooth((kind == k).astype(np.float32), 3) for k in range(4))

    base = standing(scene)
    moving = stride(scene, base, GALLOP, effort=np.clip(0.7 * dash + 0.3 * turn, 0, 1) * 0.7)
    low = u(0.12, 0.2) + 0.1 * body.leg
    fall = np.arcsin(np.clip((body.height - low) / 1.0, 0.25, 0.62)) * bow
    drop = 0.5 * np.sin(fall)
    bounce = u(0.12, 0.30) * np.abs(np.sin(np.pi * u(1.6, 2.6) * scene.tempo * scene.time)) * hop
    paws = moving.paws.copy()
    paws[..., 2] += (drop * 0.85)[..., None]
    paws[:, :, :2, 0] += (bow * body.leg * u(0.3, 0.55))[..., None]
    paws[..., 2] += (bounce * 0.2)[..., None]
    wag = u(degrees(20), degrees(55)) * np.sin(TAU * u(1.5, 3.0) * scene.tempo * scene.time)
    return moving.with_(
        z=(moving.z - drop * 0.85 + bounce).astype(np.float32), pitch=(moving.pitch - fall).astype(np.float32),
        paws=paws,
        neck_pitch=moving.neck_pitch + u(0, degrees(25)) + scene.wander(degrees(8), 0.8),
        neck_yaw=moving.neck_yaw + scene.wander(degrees(14), 0.8), forward=moving.forward,
        sideways=side * hop * u(0.3, 1.2),
        turn=side * turn * u(degrees(100), degrees(260)) + side * dash * degrees(30),
        tail_pitch=u(degrees(20), degrees(70)) + 0 * base.z, tail_yaw=wag + 0 * base.z, bend=0.35 * side * turn,
    )

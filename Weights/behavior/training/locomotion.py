"""Behaviours with locomotion: walking, trotting, running, heel, come, fetch, sniffing."""

import numpy as np

from motion import GALLOP, TAU, TROT, WALK, Scene, degrees, smooth, standing, stride
from postures import lower_front, nose_height, sit
from skeleton import Pose, blend


def _curve(scene: Scene, pose: Pose, most) -> Pose:
    """A gentle curve of up to `most` degrees a second."""
    turn = scene.uniform(-most, most) * np.float32(np.pi / 180) + scene.wander(degrees(most * 0.3), 0.15)
    return pose.with_(turn=pose.turn + turn, bend=np.clip(0.4 * turn, -0.3, 0.3) + pose.bend)


def walking(scene: Scene) -> Pose:
    base = standing(scene)
    base = base.with_(neck_pitch=base.neck_pitch - scene.uniform(0, degrees(15)))
    return _curve(scene, stride(scene, base, WALK), 12)


def trotting(scene: Scene) -> Pose:
    base = standing(scene)
    return _curve(scene, stride(scene, base, TROT), 10)


def running(scene: Scene) -> Pose:
    base = standing(scene)
    base = base.with_(neck_pitch=base.neck_pitch - scene.uniform(0, degrees(18)), z=base.z * scene.uniform(0.90, 0.97))
    return _curve(scene, stride(scene, base, GALLOP), 6)


def heel(scene: Scene) -> Pose:
    """Walks looking up to one side."""
    u, side = scene.uniform, scene.sign()
    base = standing(scene)
    base = base.with_(
        neck_pitch=u(degrees(52), degrees(75)) + scene.wander(degrees(3)),
        neck_yaw=side * u(degrees(12), degrees(28)) + scene.wander(degrees(3)),
        head_yaw=side * u(degrees(28), degrees(50)) + scene.wander(degrees(4)),
        head_pitch=u(degrees(12), degrees(38)) + scene.wander(degrees(4)),
    )
    return _curve(scene, stride(scene, base, WALK), 12)


def sniffing(scene: Scene) -> Pose:
    u = scene.uniform
    base = standing(scene)
    effort = scene.chance(0.5) * u(0.15, 0.5) * np.clip(0.6 + scene.wander(0.6, 0.2), 0, 1)
    amble = stride(scene, base, WALK, effort)
    pose = lower_front(scene, amble, 1.0)
    bob = u(0.01, 0.03) * np.sin(TAU * u(1.0, 2.5) * scene.tempo * scene.time + u(0, 6.28))
    pose = pose.with_(head_pitch=u(degrees(-75), degrees(-40)) + scene.wander(degrees(6)))
    pose = nose_height(scene, pose, u(0.03, 0.09) + bob + np.abs(scene.wander(0.02)))
    return pose.with_(
        neck_yaw=scene.wander(degrees(20), 0.4), head_yaw=scene.wander(degrees(14), 0.8),
        turn=pose.turn + scene.wander(degrees(5), 0.2),
    )


def _ramp(time, start, length):
    """0 before `start`, 1 after `start + length`, smooth between."""
    s = np.clip((time - start) / length, 0, 1)
    return (s * s * (3 - 2 * s)).astype(np.float32)


def come(scene: Scene) -> Pose:
    """An optional pause, then a trot or gallop straight ahead, then an optional stop."""
    u, seconds = scene.uniform, scene.frames / 10
    gallop = scene.chance(0.4)
    duration = np.where(gallop > 0, u(3.0, 6.0), u(5.0, 9.0)) / scene.tempo
    slack = np.maximum(seconds - duration, 0)
    start = np.clip(slack * u(-0.2, 1.0), 0, 2.5)
    start = np.maximum(start, seconds - 3.0 - duration)  # at most three seconds of standing at the end
    moving = _ramp(scene.time, start, 0.5) - _ramp(scene.time, start + duration, 0.5)
    still = standing(scene)
    before = blend(still, sit(scene), scene.chance(0.4) + 0 * still.z)
    trot, run = stride(scene, still, TROT, moving), stride(scene, still, GALLOP, moving)
    going = blend(trot, run, gallop + 0 * moving)
    pose = blend(before, going, _ramp(scene.time, start - 0.5, 0.5))
    return pose.with_(turn=pose.turn + scene.wander(degrees(2), 0.2) * moving)


def fetch(scene: Scene) -> Pose:
    """Runs out at a gallop or trot, lowers the nose to the ground, turns round, runs back."""
    u, seconds = scene.uniform, scene.frames / 10
    pick = seconds * u(0.36, 0.60)
    pause, turning = u(0.5, 1.0) / scene.tempo, u(0.6, 1.1) / scene.tempo
    most = np.minimum(pick, seconds - pick - pause - turning)
    out = np.minimum(u(2.0, 4.5) / scene.tempo, most)
    leave, back = pick - out, pick + pause + turning
    home = back + np.minimum(out * u(0.9, 1.0), seconds - back)
    moving = _ramp(scene.time, leave, 0.4) - _ramp(scene.time, pick - 0.4, 0.4)
    moving = moving + _ramp(scene.time, back - 0.3, 0.4) - _ramp(scene.time, home, 0.4)
    down = _ramp(scene.time, pick - 0.4, 0.5) - _ramp(scene.time, pick + pause - 0.2, 0.5)
    base = standing(scene)
    gallop = scene.chance(0.75)
    pose = blend(stride(scene, base, TROT, moving), stride(scene, base, GALLOP, moving), gallop + 0 * moving)
    pose = lower_front(scene, pose, down)
    pose = pose.with_(head_pitch=pose.head_pitch + (degrees(-60) - pose.head_pitch) * down)
    pose = nose_height(scene, pose, u(0.03, 0.08), down)
    side = scene.sign()
    about = _ramp(scene.time, pick + pause - 0.2, turning + 0.2)
    rate = np.diff(about, axis=1, prepend=about[:, :1]) * 10 * np.pi * side
    bend = smooth(np.clip(0.25 * rate, -0.5, 0.5).astype(np.float32), 3)
    return pose.with_(turn=pose.turn + rate.astype(np.float32), bend=bend)

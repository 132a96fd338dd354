"""Stationary behaviours: sit, down, stand, lying, alert, looking."""

import numpy as np

from motion import Scene, degrees, paws_at, smooth, standing
from skeleton import Pose, blend


def stand(scene: Scene) -> Pose:
    return standing(scene)


def sit(scene: Scene) -> Pose:
    body, u = scene.body, scene.uniform
    base = standing(scene)
    rump = 0.14 * body.leg + u(0.03, 0.08)
    rise = np.clip((0.97 * body.leg - rump + 0.03) / 0.84, 0.35, 0.90) * u(0.92, 1.0)
    z = rump + 0.42 * rise + 0.07 * np.sqrt(1 - rise**2)
    shoulder = rump + 0.84 * rise - 0.03
    ahead = np.sqrt(np.maximum((0.98 * body.leg) ** 2 - shoulder**2, 0)) * u(0.5, 1.0)
    cosine = np.sqrt(1 - rise**2)
    paws = paws_at(scene, z)
    paws[:, :, :2, 0] = (0.42 * cosine + 0.10 * rise + ahead + u(-0.03, 0.06))[..., None]
    paws[:, :, 2:, 0] = (-0.42 * cosine + body.leg * u(0.22, 0.36))[..., None]
    paws[:, :, 2:, 1] *= u(1.0, 1.7)[..., None]
    return base.with_(
        z=z + 0 * base.z, pitch=np.arcsin(rise) + scene.wander(degrees(1)), paws=paws,
        neck_pitch=u(degrees(35), degrees(65)) + scene.wander(degrees(3)),
        tail_pitch=u(degrees(-12), degrees(6)) + 0 * base.z, tail_curl=u(0.0, 0.15) + 0 * base.z,
    )


def down(scene: Scene) -> Pose:
    body, u = scene.body, scene.uniform
    base = standing(scene)
    z = 0.16 + 0.08 * body.leg + u(0.0, 0.04)
    paws = paws_at(scene, z, front_x=body.leg * u(0.35, 0.60), hind_x=body.leg * u(0.05, 0.35), spread=0.02)
    paws[:, :, 2:, 1] *= u(1.0, 1.5)[..., None]
    resting = scene.chance(0.25)
    neck = np.where(resting > 0, u(degrees(-22), degrees(-10)), u(degrees(22), degrees(60)))
    head = np.where(resting > 0, u(degrees(-8), degrees(4)), u(degrees(-30), degrees(5)))
    return base.with_(
        z=z + 0 * base.z, pitch=u(degrees(0), degrees(8)) + scene.wander(degrees(0.7)),
        roll=u(degrees(-14), degrees(14)) + 0 * base.z,
        paws=paws, neck_pitch=neck + scene.wander(degrees(2)), head_pitch=head + scene.wander(degrees(3)),
        tail_pitch=u(degrees(-10), degrees(4)) + 0 * base.z, tail_curl=u(0.0, 0.1) + 0 * base.z,
    )


def lying(scene: Scene) -> Pose:
    body, u, side = scene.body, scene.uniform, scene.sign()
    base = standing(scene)
    paws = np.zeros_like(base.paws)
    twitch = scene.wander(0.02, fastest=1.0)
    for leg, (x, lateral) in enumerate(((0.42, 1), (0.42, -1), (-0.42, 1), (-0.42, -1))):
        swing = u(-0.10, 0.40) if leg < 2 else u(-0.15, 0.45)
        paws[:, :, leg, 0] = x + body.leg * swing + twitch
        paws[:, :, leg, 1] = lateral * body.width * u(0.2, 0.8)
        paws[:, :, leg, 2] = -body.leg * u(0.65, 0.95)
    return base.with_(
        z=body.width + 0.04 + scene.wander(0.006, 0.4), pitch=scene.wander(degrees(1)),
        roll=side * u(degrees(70), degrees(95)) + 0 * base.z,
        paws=paws, neck_pitch=u(degrees(-15), degrees(20)) + scene.wander(degrees(2)),
        neck_yaw=-side * u(degrees(2), degrees(14)) + 0 * base.z, head_yaw=-side * u(0, degrees(8)) + 0 * base.z,
        head_pitch=u(degrees(-35), degrees(5)) + scene.wander(degrees(2)), bend=u(degrees(-8), degrees(8)) + 0 * base.z,
    )


def alert(scene: Scene) -> Pose:
    u = scene.uniform
    base = standing(scene)
    still = 0 * base.z
    return base.with_(
        z=scene.body.height * u(0.98, 1.0) + still, pitch=u(degrees(0), degrees(6)) + still, roll=still,
        neck_pitch=u(degrees(58), degrees(80)) + scene.wander(degrees(1.5)),
        neck_yaw=u(-0.25, 0.25) + scene.wander(degrees(2)),
        head_pitch=u(degrees(-8), degrees(14)) + scene.wander(degrees(1.5)), ear=u(0.25, 0.45) + still,
        tail_pitch=u(degrees(20), degrees(75)) + still, tail_yaw=u(-0.1, 0.1) + still,
    )


def looking(scene: Scene) -> Pose:
    """Standing or sitting; the head turns to one side, dwells, and turns to the other."""
    u = scene.uniform
    seated = scene.chance(0.35)
    base = blend(stand(scene), sit(scene), seated + np.zeros((scene.count, scene.frames)))
    dwell = u(0.8, 2.0) / scene.tempo
    step = np.floor(scene.time / dwell + u(0, 1)).astype(int)
    sizes = scene.rng.uniform(degrees(35), degrees(80), (scene.count, int(step.max()) + 1)).astype(np.float32)
    sweep = np.take_along_axis(sizes, step, axis=1) * np.where(step % 2 == 0, 1, -1) * scene.sign()
    sweep = smooth(sweep.astype(np.float32), 5)
    return base.with_(
        neck_pitch=base.neck_pitch + u(degrees(5), degrees(20)), neck_yaw=0.55 * sweep + u(-0.1, 0.1),
        head_yaw=0.45 * sweep,
        head_pitch=base.head_pitch + scene.wander(degrees(5)),
    )


def nose_height(scene: Scene, pose: Pose, target, share=1.0) -> Pose:
    """`pose` with the neck lowered until the nose is `target` above the ground; `share` in 0...1 blends it in."""
    body = scene.body
    skull = target + body.head * np.sin(-pose.head_pitch)
    withers = pose.z + 0.5 * np.sin(pose.pitch) + 0.05
    neck = np.arcsin(np.clip((skull - withers) / body.neck, -0.98, 0.6))
    return pose.with_(neck_pitch=pose.neck_pitch + (neck - pose.neck_pitch) * share)


def lower_front(scene: Scene, pose: Pose, share) -> Pose:
    """Bends the elbows so that a long-legged dog's nose can reach the ground."""
    need = np.clip(scene.body.height - 0.9 * scene.body.neck - 0.7 * scene.body.head, 0.0, 0.30)
    return pose.with_(pitch=pose.pitch - np.arcsin(need) * share)

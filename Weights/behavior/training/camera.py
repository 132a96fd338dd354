"""A perspective camera: where it stands, what it follows, and where the keypoints fall in the frame.

Image coordinates are returned divided by width and height, origin top left, y down.
"""

import numpy as np

import ranges
from motion import Scene, degrees, smooth

#: How the camera is placed: moving beside the dog at an angle to its heading; at a fixed angle to its initial heading;
#: where the dog arrives; where the dog departs from.
FOLLOW, STAY, ARRIVAL, DEPARTURE = "follow", "stay", "arrival", "departure"
MODES = {
    "walking": FOLLOW, "trotting": FOLLOW, "running": FOLLOW, "heel": FOLLOW, "sniffing": FOLLOW,
    "come": ARRIVAL, "fetch": DEPARTURE,
}

ASPECTS = (16 / 9, 4 / 3, 1.0, 3 / 4, 9 / 16)
ASPECT_ODDS = (0.5, 0.15, 0.1, 0.1, 0.15)


def _azimuth(scene: Scene, mode):
    """Direction from dog to camera relative to the dog's nose, symmetric in left and right."""
    unit = ranges.draw(scene.rng, "azimuth", scene.count, scene.split).astype(np.float32)
    if mode == ARRIVAL:
        unit = unit * degrees(25)
    elif mode == DEPARTURE:
        unit = np.pi - unit * degrees(50)
    else:
        unit = unit * np.pi
    return unit * scene.sign()


def _stations(scene: Scene, mode, heading, x, y):
    """Camera position and aim, [clips, frames, 3] each."""
    u = scene.uniform
    azimuth = _azimuth(scene, mode)
    unit = ranges.draw(scene.rng, "elevation", scene.count, scene.split)
    elevation = degrees(ranges.scaled("elevation", unit)).astype(np.float32)
    sx, sy = smooth(x, 15, extend=True), smooth(y, 15, extend=True)
    distance = np.exp(u(np.log(4.0), np.log(14.0)))
    if mode == FOLLOW:
        mean_heading = smooth(heading, 21, extend=True)
        course = mean_heading + azimuth + scene.wander(degrees(1.5), 0.15)
        near_x, near_y = sx, sy
        # Beside a straight path the camera may also stand still and pan with the passing dog.
        travel = np.hypot(x[:, -1:] - x[:, :1], y[:, -1:] - y[:, :1])
        passes = (np.abs(np.abs(azimuth) - np.pi / 2) < degrees(20)) & (scene.rng.random((scene.count, 1)) < 0.5)
        middle = scene.frames // 2
        pan = np.where(passes, 1, 0)
        course = np.where(pan, mean_heading[:, middle:middle + 1] + azimuth, course)
        near_x, near_y = np.where(pan, sx[:, middle:middle + 1], sx), np.where(pan, sy[:, middle:middle + 1], sy)
        distance = np.where(pan, np.maximum(travel * u(0.9, 1.4), 4.0), distance)
        track = np.ones_like(distance)
    else:
        course = heading[:, :1] + azimuth
        near_x, near_y, track = sx, sy, np.ones_like(distance)
        if mode != STAY:
            at = scene.frames - 1 if mode == ARRIVAL else 0
            travel = np.hypot(x - x[:, at:at + 1], y - y[:, at:at + 1]).max(axis=1, keepdims=True)
            if mode == ARRIVAL:
                course = heading.mean(axis=1, keepdims=True) + azimuth
            distance = np.minimum(u(3.0, 8.0), np.maximum(travel / 2.2, 2.5))
            # A dog that comes back may run past its start: the camera stands beyond the nearest point of its path.
            from_x, from_y = x[:, at:at + 1], y[:, at:at + 1]
            past = ((x - from_x) * np.cos(course) + (y - from_y) * np.sin(course)).max(axis=1, keepdims=True)
            near_x, near_y = from_x + past * np.cos(course) + 0 * x, from_y + past * np.sin(course) + 0 * y
            track = u(0.6, 1.0)
    middle_height = 0.6 * scene.body.height
    ground = distance * np.cos(elevation)
    camera = np.stack(np.broadcast_arrays(
        near_x + ground * np.cos(course), near_y + ground * np.sin(course),
        middle_height + distance * np.sin(elevation) + 0 * x), axis=-1)
    aim = np.stack(np.broadcast_arrays(
        near_x + track * (sx - near_x), near_y + track * (sy - near_y), middle_height + 0 * x), axis=-1)
    return camera, aim


def _normal(vector):
    return vector / np.maximum(np.linalg.norm(vector, axis=-1, keepdims=True), 1e-6)


def project(scene: Scene, mode, points, heading, x, y, aspect=None):
    """Frame coordinates [clips, frames, 24, 2] of `points` and the aspect ratio (width / height) [clips, 1]."""
    camera, aim = _stations(scene, mode, heading, x, y)
    ahead = _normal(aim - camera)
    right = _normal(np.stack([ahead[..., 1], -ahead[..., 0], np.zeros_like(ahead[..., 0])], axis=-1))
    up = np.cross(right, ahead)
    seen = points - camera[:, :, None, :]

    def along(axis):
        return (seen * axis[:, :, None, :]).sum(-1)

    depth = np.maximum(along(ahead), 0.5)
    plane = np.stack([along(right) / depth, -along(up) / depth], axis=-1)
    # Hand-held cameras shake slightly.
    size = np.ptp(plane[..., 0], axis=2).mean(axis=1, keepdims=True)
    for axis in range(2):
        plane[..., axis] += (scene.wander(1.0, 0.6) * size * scene.uniform(0, 0.06))[..., None]

    if aspect is None:
        aspect = scene.rng.choice(ASPECTS, size=(scene.count, 1), p=ASPECT_ODDS)
    aspect = np.broadcast_to(np.float32(aspect), (scene.count, 1))
    frame = np.stack([aspect[:, 0], np.ones(scene.count)], axis=-1)
    low, high = plane.min(axis=(1, 2)), plane.max(axis=(1, 2))
    cut_off = scene.rng.random(scene.count) < 0.05
    fill = np.where(cut_off, scene.rng.uniform(1.0, 1.15, scene.count), scene.rng.uniform(0.35, 0.97, scene.count))
    zoom = fill * (frame / (high - low)).min(axis=-1)
    margin = frame - zoom[:, None] * (high - low)
    place = scene.rng.random((scene.count, 2)) * margin
    pixels = zoom[:, None, None, None] * (plane - low[:, None, None, :]) + place[:, None, None, :]
    return (pixels / frame[:, None, None, :]).astype(np.float32), aspect

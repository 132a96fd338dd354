"""Renders a scene: a picture of at most `longest` pixels, and its ground truth.

    python Weights/detector/training/render.py --split held --count 24 --out sheet.jpg

Truth is a dictionary of arrays: `boxes` [n, 4] (x1, y1, x2, y2 in pixels), `classes` [n], `ignore` [n] (too small,
mostly hidden, nearly edge-on, or not on a barbell: excluded from loss and evaluation), `centres` [n, 2] (centre of a
plate's face; centre of the box for others) and `keypoints` [n, 17, 3] of people, zeros otherwise, with
2 for visible, 1 for hidden, 0 for outside of the picture.
"""

from __future__ import annotations

import argparse

import numpy as np
from PIL import Image, ImageDraw

import people
from optics import Optics
from scene import Scene
from solids import MIRRORED, Solids, circle, outlines, paint

CLASSES = ("plate", "bar_end", "person")
FEWEST = 12.0     # pixels; what is smaller is ignored
OVER = 2          # drawn at twice the size and averaged
SURFACE = 255     # id of floor and walls


def joined(*parts):
    every = Solids()
    for part in parts:
        every.points += part.points
        every.counts += part.counts
        every.faces += part.faces
        every.hulls += part.hulls
    return every


def sizes(aspect, longest):
    """Width and height for an aspect ratio."""
    return (longest, max(32, round(longest / aspect))) if aspect >= 1 else (max(32, round(longest * aspect)), longest)


def draw(scene, moving, width, height):
    """The picture, the id buffer (twice as large), and the cameras that saw it (itself, and in the mirror)."""
    camera = scene.camera(width * OVER, height * OVER)
    picture, ids = Image.new("RGB", (camera.width, camera.height)), Image.new("L", (camera.width, camera.height))
    pens = ImageDraw.Draw(picture), ImageDraw.Draw(ids)
    things = joined(scene.fixed, moving)
    cameras = [camera]
    drawn = []

    def background(view, reflected, tint=None):
        for solids in (scene.room.surfaces(reflected), scene.flat):
            for _, outline, colour, _ in outlines(solids, view, scene.light, ordered=False):
                if tint is not None:
                    colour = tuple(int(c * t) for c, t in zip(colour, tint))
                pens[0].polygon(outline, fill=colour)
                pens[1].polygon(outline, fill=SURFACE)

    if scene.room.mirror is not None:
        axis, at = scene.room.mirror[:2]
        view = camera.reflected(axis, at)
        tint = (0.9, 0.94, 0.92)
        background(view, True, tint)
        seen = outlines(things, view, scene.light)
        paint(seen, *pens, offset=MIRRORED, tint=tint)
        cameras.append(view)
        drawn.append(seen)
    background(camera, False)
    seen = outlines(things, camera, scene.light)
    paint(seen, *pens)
    drawn.insert(0, seen)
    return picture, ids, cameras, drawn


def _area(points):
    x, y = points[:, 0], points[:, 1]
    return abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) / 2


def truth(labels, ids, cameras, drawn, longest):
    """Ground truth from the id buffer and the projections."""
    counts = ids.histogram()
    buffer = np.asarray(ids)
    high, wide = buffer.shape
    limit = FEWEST * max(wide, high) / 640  # so that it is FEWEST pixels at 640
    found = []
    for view, offset, outlines_ in zip(cameras, (0, MIRRORED), drawn):
        for number, thing in enumerate(labels.things, 1):
            count = counts[number + offset]
            if count == 0:
                continue
            kind = thing["kind"]
            keypoints = np.zeros((17, 3))
            if kind == "person":
                box = np.array(ids.point([255 * (i == number + offset) for i in range(256)]).getbbox(), float)
                whole = Image.new("L", (wide // 4, high // 4))
                pen = ImageDraw.Draw(whole)
                for _, outline, _, ident in outlines_:
                    if ident == number:
                        pen.polygon([n / 4 for n in outline], fill=1)
                shown = count / 16 / max(whole.histogram()[1], 1)
                pixels, depth = view.project(thing["points"])
                inside = (pixels >= 0).all(1) & (pixels < (wide, high)).all(1) & (depth > 0)
                clear = np.zeros(17, bool)
                for i in np.nonzero(inside)[0]:
                    x, y = pixels[i].astype(int)
                    clear[i] = (buffer[max(y - 2, 0):y + 3, max(x - 2, 0):x + 3] == number + offset).any()
                keypoints = np.concatenate([pixels / OVER, (inside * (1.0 + clear))[:, None]], 1)
                keypoints[~inside] = 0
                if offset:
                    keypoints = keypoints[list(people.MIRROR)]
                ignore = shown < 0.25 or (box[2:] - box[:2]).max() < 2 * limit or (box[2:] - box[:2]).min() < limit * 0.7
                centre = (box[:2] + box[2:]) / 2
                found.append((2, box, ignore, centre, keypoints))
                continue
            toward = view.eye - thing["centre"]
            slant = float(toward @ thing["axis"] / np.linalg.norm(toward))
            if kind == "bar_end":
                face, depth = view.project(circle(thing["centre"], thing["axis"], thing["radius"], 16))
                if depth.min() < 0.2 or slant <= 0:
                    continue
                shown = count / max(_area(face), 1)
                centre = view.project(thing["centre"][None])[0][0]
                reach = 0.06 * view.focal / depth.mean()
                box = np.array([*(centre - reach), *(centre + reach)])
                if shown < 0.1 or (centre < 0).any() or (centre > (wide, high)).any():
                    continue
                ignore = shown < 0.45 or slant < 0.2 or 2 * reach < limit
                found.append((1, np.clip(box, 0, (wide, high, wide, high)), ignore, centre, keypoints))
                continue
            middle = thing["centre"] + thing["axis"] * np.sign(slant) * thing["thick"] / 2
            face, depth = view.project(circle(middle, thing["axis"], thing["radius"]))
            if depth.min() < 0.2:
                continue
            full = np.array([*face.min(0), *face.max(0)])
            box = np.clip(full, 0, (wide, high, wide, high))
            shown = count / max(_area(face), 1)
            if shown < 0.15 or (box[2:] - box[:2]).min() < 1:
                continue
            ignore = (kind == "small" or shown < 0.5 or abs(slant) < 0.3 or (full[2:] - full[:2]).max() < limit
                      or (full[2:] - full[:2]).min() < limit * 0.5)
            centre = view.project(middle[None])[0][0]
            found.append((0, box, ignore, centre, keypoints))
    n = len(found)
    return {"boxes": np.array([f[1] for f in found], np.float32).reshape(n, 4) / OVER,
            "classes": np.array([f[0] for f in found], np.int64),
            "ignore": np.array([f[2] for f in found], bool),
            "centres": np.array([f[3] for f in found], np.float32).reshape(n, 2) / OVER,
            "keypoints": np.array([f[4] for f in found], np.float32).reshape(n, 17, 3)}


def finish(picture, ids, width, height, optics, rng):
    """Applies the camera simulation to the drawing."""
    small = picture.reduce(OVER)
    rough = (np.asarray(ids)[::OVER, ::OVER][:height, :width] == SURFACE).astype(np.float32)
    return optics(small, rng, rough)


def sample(seed, split, longest=640, **choices):
    """A picture and its ground truth. The two splits use separate random sequences."""
    rng = np.random.default_rng([seed, ranges_index(split)])
    scene = Scene(rng, split, **choices)
    width, height = sizes(scene.aspect, longest)
    moving = Solids()
    before = len(scene.labels.things)
    scene.main.moving(moving, scene.labels, scene.depth)
    picture, ids, cameras, drawn = draw(scene, moving, width, height)
    facts = truth(scene.labels, ids, cameras, drawn, longest)
    del scene.labels.things[before:]
    optics = Optics(rng)
    return finish(picture, ids, width, height, optics, rng), facts, optics


def ranges_index(split):
    return ("train", "held").index(split)


COLOURS = ((255, 80, 60), (70, 220, 255), (110, 255, 90))


def annotated(picture, facts):
    """The picture with ground truth drawn on it; ignored objects in grey."""
    pen = ImageDraw.Draw(picture)
    for box, kind, ignore, centre, points in zip(*(facts[k] for k in ("boxes", "classes", "ignore", "centres", "keypoints"))):
        pen.rectangle(box.tolist(), outline=(150, 150, 150) if ignore else COLOURS[kind])
        if kind == 0 and not ignore:
            x, y = centre
            pen.line([x - 3, y, x + 3, y], fill=(255, 255, 0))
            pen.line([x, y - 3, x, y + 3], fill=(255, 255, 0))
        for i, (x, y, v) in enumerate(points):
            if v:
                colour = (255, 0, 255) if i in (9, 10) else (255, 255, 255) if v == 2 else (255, 160, 0)
                pen.ellipse([x - 2, y - 2, x + 2, y + 2], fill=colour)
    return picture


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--split", default="train", choices=["train", "held"])
    parser.add_argument("--count", type=int, default=12)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--plain", action="store_true", help="without ground truth")
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    columns = 4
    sheet = Image.new("RGB", (columns * 480, -(-options.count // columns) * 480))
    for i in range(options.count):
        picture, facts, optics = sample(options.seed + i, options.split)
        picture = optics.jpeg(picture)[0]
        picture = picture if options.plain else annotated(picture, facts)
        picture.thumbnail((480, 480))
        sheet.paste(picture, (i % columns * 480, i // columns * 480))
    sheet.save(options.out, quality=88)


if __name__ == "__main__":
    main()

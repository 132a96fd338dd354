"""Simple solids in space, and a painter's-algorithm renderer based on Pillow.

World coordinates are metres: z is up, x along the barbell, y where the lifter looks. Two kinds of things are kept:
flat convex faces, and hulls of spheres (capsules and the like), whose outline is the hull of the spheres' circles. Labelled
objects have ids from 1 to 127, drawn into a second picture, the id buffer, with the same outlines; mirror images have
128 added.
"""

import math

import numpy as np

NEAR = 0.15
MIRRORED = 128
_CIRCLES = {n: np.stack([np.cos(t), np.sin(t)], 1)
            for n in (10, 16, 24, 40) for t in [np.arange(n) * 2 * np.pi / n]}


def unit(v):
    v = np.asarray(v, float)
    return v / math.sqrt(v @ v)


def cross(a, b):
    """Cross product of two single vectors, faster than numpy's general one."""
    (a0, a1, a2), (b0, b1, b2) = a, b
    return np.array([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0])


def across(axis):
    """Two directions that span the plane perpendicular to `axis`."""
    helper = np.array([0.0, 0, 1]) if abs(axis[2]) < 0.9 else np.array([1.0, 0, 0])
    u = unit(cross(helper, axis))
    return u, cross(axis, u)


def circle(centre, axis, radius, count=40):
    u, v = across(axis)
    c = _CIRCLES[count] * radius
    return centre + c[:, :1] * u + c[:, 1:] * v


class Camera:
    """A pinhole at `eye` that looks at `target`; `focal` in pixels; the principal point is the picture's middle."""

    def __init__(self, eye, target, focal, width, height, roll=0.0):
        self.eye = np.asarray(eye, float)
        forward = unit(np.asarray(target, float) - self.eye)
        right = unit(cross(forward, [0, 0, 1.0]))
        down = cross(forward, right)
        c, s = np.cos(roll), np.sin(roll)
        self.rotation = np.stack([c * right + s * down, c * down - s * right, forward])
        self.focal, self.width, self.height = focal, width, height

    def reflected(self, axis, at):
        """The virtual camera of a mirror in the plane `axis` = `at`."""
        other = object.__new__(Camera)
        flip = np.ones(3)
        flip[axis] = -1
        other.eye = self.eye * flip
        other.eye[axis] += 2 * at
        other.rotation = self.rotation * flip
        other.focal, other.width, other.height = self.focal, self.width, self.height
        return other

    def project(self, points):
        """Pixels `[n, 2]` and depths `[n]`."""
        seen = (np.asarray(points, float) - self.eye) @ self.rotation.T
        return self.pixels(seen), seen[:, 2]

    def pixels(self, seen):
        z = np.maximum(seen[:, 2:], 1e-3)
        return seen[:, :2] * (self.focal / z) + (self.width / 2, self.height / 2)


class Solids:
    """The primitives to draw, sorted by the distance of their anchors; `layer` breaks ties."""

    def __init__(self):
        self.points, self.counts, self.faces, self.hulls = [], [], [], []

    def face(self, points, normal, colour, anchor=None, layer=0, ident=0, glow=0.0):
        points = np.asarray(points, float)
        self.points.append(points)
        self.counts.append(len(points))
        anchor = points.mean(0) if anchor is None else anchor
        self.faces.append((*normal, *colour, *anchor, layer, ident, glow))

    def hull(self, spheres, colour, ident=0, layer=0, anchor=None, gloss=0.0):
        """`spheres` are rows of x, y, z, radius."""
        spheres = np.asarray(spheres, float)
        self.hulls.append((spheres, colour, ident, layer, spheres[:, :3].mean(0) if anchor is None else anchor, gloss))

    def capsule(self, a, b, radius, colour, ident=0, layer=0, end=None, gloss=0.0, anchor=None):
        self.hull([(*a, radius), (*b, radius if end is None else end)], colour, ident, layer, anchor, gloss)

    def box(self, centre, size, colour, yaw=0.0, anchor=None, layer=0):
        c, s = np.cos(yaw), np.sin(yaw)
        axes = np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])
        half = np.asarray(size, float) / 2
        centre = np.asarray(centre, float)
        for k in range(3):
            i, j = (k + 1) % 3, (k + 2) % 3
            for sign in (-1, 1):
                middle = centre + sign * half[k] * axes[k]
                u, v = axes[i] * half[i], axes[j] * half[j]
                self.face([middle + u + v, middle + u - v, middle - u - v, middle - u + v], sign * axes[k], colour,
                          centre if anchor is None else anchor, layer)

    def beam(self, a, b, thickness, colour, pieces=None):
        """A square tube along one axis, in pieces short enough to be depth-sorted by their centres."""
        a, b = np.asarray(a, float), np.asarray(b, float)
        length = np.linalg.norm(b - a)
        pieces = max(1, round(length / 0.45)) if pieces is None else pieces
        yaw = np.arctan2(b[1] - a[1], b[0] - a[0]) if abs(b[2] - a[2]) < 0.7 * length else 0.0
        upright = abs(b[2] - a[2]) >= 0.7 * length
        size = (thickness, thickness, length / pieces) if upright else (length / pieces, thickness, thickness)
        for i in range(pieces):
            self.box(a + (b - a) * (i + 0.5) / pieces, size, colour, yaw)

    def disc(self, centre, axis, radius, colour, anchor=None, layer=0, ident=0, count=40, glow=0.0):
        self.face(circle(centre, axis, radius, count), axis, colour, anchor, layer, ident, glow)

    def cylinder(self, a, b, radius, colour, ends=None, anchor=None, layer=0, sides=16, ident=0):
        """A cylinder: the side as quads, and both ends (unless `ends` is False), labelled `ident`."""
        a, b = np.asarray(a, float), np.asarray(b, float)
        axis = unit(b - a)
        anchor = (a + b) / 2 if anchor is None else anchor
        low, high = circle(a, axis, radius, sides), circle(b, axis, radius, sides)
        for i in range(sides):
            j = (i + 1) % sides
            normal = (low[i] + low[j]) / 2 - a
            self.face([low[i], low[j], high[j], high[i]], normal / radius, colour, anchor, layer)
        if ends is False:
            return
        ends = colour if ends is None else ends
        self.disc(a, -axis, radius, ends, anchor, layer + 1, ident, sides)
        self.disc(b, axis, radius, ends, anchor, layer + 1, ident, sides)

    def tube(self, a, b, radius, colour, pieces=1, ident=0, gloss=0.6):
        """A thin rod in pieces."""
        a, b = np.asarray(a, float), np.asarray(b, float)
        for i in range(pieces):
            self.capsule(a + (b - a) * i / pieces, a + (b - a) * (i + 1) / pieces, radius, colour, ident, gloss=gloss)


class Light:
    def __init__(self, direction, ambient=0.5):
        self.direction, self.ambient = unit(direction), ambient


def _clipped(seen):
    """A polygon in camera coordinates, clipped at the near plane `NEAR`."""
    kept, count = [], len(seen)
    for i in range(count):
        p, q = seen[i], seen[(i + 1) % count]
        if p[2] >= NEAR:
            kept.append(p)
        if (p[2] >= NEAR) != (q[2] >= NEAR):
            kept.append(p + (q - p) * ((NEAR - p[2]) / (q[2] - p[2])))
    return np.array(kept) if len(kept) > 2 else None


def convex(points):
    """The convex hull of points in the plane, in order."""
    points = sorted(map(tuple, points))

    def half(sequence):
        chain = []
        for p in sequence:
            while len(chain) > 1 and ((chain[-1][0] - chain[-2][0]) * (p[1] - chain[-2][1])
                                      <= (chain[-1][1] - chain[-2][1]) * (p[0] - chain[-2][0])):
                chain.pop()
            chain.append(p)
        return chain

    return half(points)[:-1] + half(points[::-1])[:-1]


def _outline(circles):
    """The hull of circles `[n, 3]` (x, y, radius) as a flat list of coordinates."""
    if len(circles) == 2:
        (x, y, r), (u, v, s) = circles.tolist()
        gap = np.hypot(u - x, v - y)
        if gap > abs(r - s) + 1e-6:
            tilt, lean = math.atan2(v - y, u - x), math.acos((r - s) / gap)
            count = 4 if r < 3 else 8
            first = [tilt + lean + (2 * np.pi - 2 * lean) * i / (count - 1) for i in range(count)]
            second = [tilt - lean + 2 * lean * i / (count - 1) for i in range(count)]
            ends = [n for t in first for n in (x + r * math.cos(t), y + r * math.sin(t))]
            return ends + [n for t in second for n in (u + s * math.cos(t), v + s * math.sin(t))]
        circles = [circles[0] if r > s else circles[1]]
    points = np.concatenate([c[:2] + c[2] * _CIRCLES[16] for c in circles])
    return [n for p in (convex(points) if len(circles) > 1 else points) for n in p]


def _ints(colour):
    return tuple([min(max(int(c * 255), 0), 255) for c in colour])


def outlines(solids, camera, light, ordered=True):
    """The primitives, back to front: flat lists of coordinates, colours, ids."""
    drawn = []
    if solids.faces:
        points, counts = np.concatenate(solids.points), np.array(solids.counts)
        starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
        table = np.array(solids.faces)
        normals, colours, anchors = table[:, :3], table[:, 3:6], table[:, 6:9]
        seen = (points - camera.eye) @ camera.rotation.T
        nearest = np.minimum.reduceat(seen[:, 2], starts)
        farthest = np.maximum.reduceat(seen[:, 2], starts)
        facing = ((camera.eye - points[starts]) * normals).sum(1) > 0
        shade = light.ambient + (1 - light.ambient) * np.maximum(normals @ light.direction, 0)
        shade = shade * (1 - table[:, 11]) + table[:, 11]
        shaded = np.clip(colours * shade[:, None] * 255, 0, 255).astype(int)
        flat = camera.pixels(seen)
        low, high = np.minimum.reduceat(flat, starts, 0), np.maximum.reduceat(flat, starts, 0)
        inside = ((low < (camera.width, camera.height)) & (high > 0)).all(1) | (nearest < NEAR)
        keys = np.linalg.norm(anchors - camera.eye, axis=1) - table[:, 9] * 1e-4
        for i in np.nonzero(facing & inside & (farthest > NEAR))[0]:
            part = slice(starts[i], starts[i] + counts[i])
            if nearest[i] < NEAR:
                clipped = _clipped(seen[part])
                outline = camera.pixels(clipped).ravel().tolist()
            else:
                outline = flat[part].ravel().tolist()
            drawn.append((keys[i], outline, tuple(shaded[i].tolist()), int(table[i, 10])))
    if solids.hulls:
        counts = np.array([len(h[0]) for h in solids.hulls])
        spheres = np.concatenate([h[0] for h in solids.hulls])
        pixels, depth = camera.project(spheres[:, :3])
        circles = np.concatenate([pixels, (spheres[:, 3] * camera.focal / np.maximum(depth, 1e-3))[:, None]], 1)
        toward = (camera.rotation @ light.direction)[:2]
        ends = np.cumsum(counts)
        starts = ends - counts
        reaches = np.maximum.reduceat(circles[:, 2], starts)
        low = np.minimum.reduceat(circles[:, :2] - circles[:, 2:], starts, 0)
        high = np.maximum.reduceat(circles[:, :2] + circles[:, 2:], starts, 0)
        kept = ((high > 0) & (low < (camera.width, camera.height))).all(1)
        kept &= np.minimum.reduceat(depth, starts) > NEAR + 0.05
        for i, ((_, colour, ident, layer, anchor, gloss), end, count) in enumerate(zip(solids.hulls, ends, counts)):
            if not kept[i]:
                continue
            part, reach = circles[end - count:end], reaches[i]
            key = math.dist(anchor, camera.eye) - layer * 1e-4
            colour = np.asarray(colour)
            # The side away from the light, the lit side, and a highlight.
            drawn.append((key, _outline(part), _ints(colour * (0.45 + 0.4 * light.ambient)), ident))
            for grow, shift, gain in ((0.74, 0.22, 0.92), (0.4, 0.4, 1.06 + 0.5 * gloss)):
                if reach < 2.5 and grow < 0.5 and gloss == 0:
                    continue
                lit = part.copy()
                lit[:, :2] += toward * part[:, 2:] * shift
                lit[:, 2] *= grow
                tone = colour * gain + (0.25 * gloss if grow < 0.5 else 0)
                drawn.append((key - 1e-5 * (1 + shift), _outline(lit), _ints(tone), ident))
    if ordered:
        drawn.sort(key=lambda d: -d[0])
    return drawn


def paint(drawn, picture, idents, offset=0, tint=None):
    """Draws outlines into two `ImageDraw`s."""
    for _, outline, colour, ident in drawn:
        if tint is not None:
            colour = tuple(int(c * t) for c, t in zip(colour, tint))
        picture.polygon(outline, fill=colour)
        idents.polygon(outline, fill=ident + offset if ident else 0)

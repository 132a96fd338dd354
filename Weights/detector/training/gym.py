"""Gym equipment: plates, barbells, racks, benches, distractors that resemble plates, and the room."""

import numpy as np

import ranges
from solids import across, cross, unit

STEEL, IRON, RUBBER = np.array([0.72, 0.73, 0.75]), np.array([0.20, 0.20, 0.21]), np.array([0.13, 0.13, 0.14])


def hsv(hue, saturation, value):
    k = (np.array([5.0, 3, 1]) + hue * 6) % 6
    return value - value * saturation * np.clip(np.minimum(k, 4 - k), 0, 1)


class Palette:
    """Draws colours with hues from the split's bands."""

    def __init__(self, split):
        self.split = split

    def __call__(self, rng, dark=False, vivid=False, neutral=0.3):
        if not vivid and rng.random() < neutral:
            return np.full(3, rng.uniform(0.08, 0.35 if dark else 0.9))
        value = rng.uniform(0.12, 0.45) if dark else rng.uniform(0.35, 0.95)
        return hsv(ranges.draw(rng, "hue", self.split), rng.uniform(0.6 if vivid else 0.2, 0.95), value)


class Labels:
    """Assigns the ids of the id buffer, and records the object of each."""

    def __init__(self):
        self.things = []

    def add(self, kind, **facts):
        if len(self.things) >= 126:
            return 0
        self.things.append({"kind": kind, **facts})
        return len(self.things)


class Plate:
    """One kind of plate; both plates of a pair share it."""

    def __init__(self, rng, dye, small=False):
        self.style = str(rng.choice(["bumper", "black", "iron", "holes", "grips"], p=[0.3, 0.2, 0.2, 0.15, 0.15]))
        rubber = self.style in ("bumper", "black")
        if small:
            self.radius = float(rng.uniform(0.08, 0.14))
        elif rubber:
            self.radius = 0.225
        else:
            self.radius = float(rng.choice([0.225, 0.22, 0.2]))
        self.thick = float(rng.uniform(0.04, 0.08) if rubber and not small else rng.uniform(0.02, 0.045))
        if self.style == "bumper" or (not rubber and rng.random() < 0.25):
            self.colour = dye(rng, vivid=True)
        elif rng.random() < 0.12:
            self.colour = np.full(3, rng.uniform(0.4, 0.7))
        else:
            self.colour = (RUBBER if rubber else IRON) * rng.uniform(0.7, 1.6)
        light = self.colour.mean() < 0.45
        self.marks = np.full(3, rng.uniform(0.7, 0.95)) if light else np.full(3, rng.uniform(0.05, 0.25))
        if rng.random() < 0.3:
            self.marks = dye(rng, vivid=True)
        self.hub = STEEL * rng.uniform(0.6, 1.1) if rng.random() < 0.7 else self.colour * 0.7
        self.hub_radius = float(rng.uniform(0.16, 0.36))
        self.rim = float(rng.uniform(0.80, 0.95))
        self.rim_gain = float(rng.choice([0.75, 1.2, 1.35]))
        self.stripe = dye(rng, vivid=True) if rng.random() < 0.25 else None
        self.letters = int(rng.integers(0, 4)) if rng.random() < 0.75 else 0
        self.letter_at, self.letter_size = float(rng.uniform(0.55, 0.72)), float(rng.uniform(0.08, 0.15))
        self.holes = int(rng.integers(3, 8))
        self.spin = float(rng.uniform(0, 6.28))


def add_plate(solids, labels, plate, centre, axis, label=True, spin=None):
    """A plate centred at `centre`, with both faces under one label."""
    centre, axis, r = np.asarray(centre, float), unit(axis), plate.radius
    kind = "plate" if r >= 0.19 else "small"
    number = labels.add(kind, centre=centre, axis=axis, radius=r, thick=plate.thick) if label else 0
    half = axis * plate.thick / 2
    solids.cylinder(centre - half, centre + half, r, plate.colour * 0.8, False, centre, sides=24)
    spin = plate.spin if spin is None else spin
    for sign in (-1, 1):
        out, face = axis * sign, centre + half * sign
        u, v = across(out)

        def at(radius, angle):
            return face + (u * np.cos(angle) + v * np.sin(angle)) * radius * r

        def disc(radius, colour, layer, where=None):
            solids.disc(face if where is None else where, out, radius * r, colour, centre, layer, number,
                        40 if radius > 0.5 else 16)

        disc(1.0, plate.colour, 2)
        if plate.style in ("iron", "holes", "grips") or plate.stripe is not None:
            ring = plate.colour * plate.rim_gain if plate.stripe is None else plate.stripe
            disc(0.99, ring, 3)
            disc(plate.rim, plate.colour * (0.85 if plate.style == "iron" else 1.0), 4)
        elif plate.style == "bumper":
            disc(plate.rim, plate.colour * 0.9, 3)
            disc(plate.rim - 0.03, plate.colour, 4)
        if plate.style == "holes":
            for i in range(plate.holes):
                disc(0.11, plate.colour * 0.3, 5, at(0.58, spin + 2 * np.pi * i / plate.holes))
        elif plate.style == "grips":
            for i in range(3):
                a = spin + 2 * np.pi * i / 3 + np.arange(7) * 0.11
                outer = [at(0.76, t) for t in a]
                inner = [at(0.58, t) for t in a[::-1]]
                solids.face(outer + inner, out, plate.colour * 0.3, centre, 5, number)
        for word in range(plate.letters):
            start = spin + 0.5 + word * 2 * np.pi / max(plate.letters, 1)
            for i in range(3 + word):
                t = start + i * 0.2
                low, high = plate.letter_at, plate.letter_at + plate.letter_size
                solids.face([at(low, t), at(low, t + 0.12), at(high, t + 0.12), at(high, t + 0.02 * (i % 3))], out,
                            plate.marks, centre, 6, number)
        disc(plate.hub_radius, plate.hub, 7)
        disc(0.028 / r, np.full(3, 0.06), 8)
    return number


class Bar:
    """A barbell and its plates, symmetric on both sides."""

    def __init__(self, rng, dye, load=None):
        load = rng.choice([0, 1, 2, 3, 4], p=[0.1, 0.35, 0.3, 0.15, 0.1]) if load is None else load
        self.plates = []
        at = 0.675
        for _ in range(load):
            plate = Plate(rng, dye)
            self.plates.append((plate, at + plate.thick / 2))
            at += plate.thick + 0.003
        if load and rng.random() < 0.45:
            for _ in range(rng.integers(1, 3)):
                plate = Plate(rng, dye, small=True)
                self.plates.append((plate, at + plate.thick / 2))
                at += plate.thick + 0.002
        self.outer = at
        self.clip = rng.random() < 0.5
        self.clip_colour = dye(rng, vivid=True) if rng.random() < 0.5 else STEEL * 0.6
        self.shaft = STEEL * rng.uniform(0.5, 1.05)
        self.sleeve = STEEL * rng.uniform(0.8, 1.15)
        self.end = STEEL * rng.uniform(0.5, 1.2) if rng.random() < 0.6 else dye(rng)
        self.spins = rng.uniform(0, 6.28, 16)
        self.half = max(1.10, at + 0.04)


def add_bar(solids, labels, bar, centre, axis, turn=0.0):
    """Draws a barbell; returns the id of the outermost plate on each side (or 0)."""
    centre, axis = np.asarray(centre, float), unit(axis)

    def on(x):
        return centre + axis * x

    solids.tube(on(-0.66), on(0.66), 0.014, bar.shaft, 10)
    outer = {}
    for sign in (-1, 1):
        solids.cylinder(on(0.655 * sign), on(0.672 * sign), 0.037, bar.sleeve, sides=10)
        solids.tube(on(0.67 * sign), on((bar.half - 0.02) * sign), 0.025, bar.sleeve, 5)
        number = labels.add("bar_end", centre=on(bar.half * sign), axis=axis * sign, radius=0.025)
        solids.cylinder(on((bar.half - 0.03) * sign), on(bar.half * sign), 0.025, bar.sleeve, bar.end, sides=16)
        solids.disc(on((bar.half + 0.001) * sign), axis * sign, 0.025, bar.end, on((bar.half - 0.015) * sign), 3, number, 16)
        solids.disc(on((bar.half + 0.001) * sign), axis * sign, 0.011, bar.end * 0.6, on((bar.half - 0.015) * sign), 4,
                    number, 10)
        outer[sign] = 0
        for (plate, at), spin in zip(bar.plates, bar.spins):
            number = add_plate(solids, labels, plate, on(at * sign), axis * sign, spin=plate.spin + spin + turn)
            if plate.radius >= 0.19:
                outer[sign] = number
        if bar.clip:
            solids.cylinder(on((bar.outer + 0.005) * sign), on((bar.outer + 0.03) * sign), 0.045, bar.clip_colour, sides=10)
    return outer


def shadow(solids, room, at, radius, stretch=1.0):
    u = np.arange(16) * 2 * np.pi / 16
    ring = np.stack([at[0] + radius * np.cos(u), at[1] + radius * stretch * np.sin(u), np.full(16, 0.004)], 1)
    solids.face(ring, (0, 0, 1), room.floor * 0.55, glow=0.4)


def add_rack(solids, rng, dye, at, depth=1.2, full=True, level=1.0):
    """A power rack or two squat stands at `at`."""
    x, y = at[:2]
    colour = dye(rng, dark=rng.random() < 0.6)
    height = rng.uniform(2.1, 2.4) if full else rng.uniform(1.3, 1.8)
    wide, thick = rng.uniform(0.54, 0.6), rng.uniform(0.05, 0.075)
    back = y + (depth if full else 0.0)
    for sign in (-1, 1):
        for yy in ((y, back) if full else (y,)):
            solids.beam((x + sign * wide, yy, 0), (x + sign * wide, yy, height), thick, colour)
            if rng.random() < 0.5:
                for k in np.arange(0.3, height, 0.2):
                    solids.box((x + sign * (wide + thick / 2), yy, k), (0.004, 0.02, 0.03), np.full(3, 0.05))
        if full:
            for z in (0.05, height - 0.05) + ((level - 0.25,) if rng.random() < 0.7 else ()):
                solids.beam((x + sign * wide, y, z), (x + sign * wide, back, z), thick * 0.8, colour * rng.uniform(0.8, 1.1))
        else:
            solids.beam((x + sign * wide, y - 0.35, 0.03), (x + sign * wide, y + 0.35, 0.03), thick, colour)
        solids.box((x + sign * wide, y - thick, level - 0.03), (thick, 0.1, 0.05), np.array([0.7, 0.5, 0.1]) * 0.8)
    if full:
        for yy in (y, back):
            solids.beam((x - wide, yy, height - 0.04), (x + wide, yy, height - 0.04), thick * 0.9, colour)


def add_bench(solids, rng, dye, at, yaw=np.pi / 2):
    x, y = at[:2]
    pad, frame = dye(rng, dark=True), dye(rng, dark=True, neutral=0.7)
    c, s = np.cos(yaw), np.sin(yaw)
    for k in range(4):
        along = -0.45 + 0.3 * k
        solids.box((x + c * along, y + s * along, 0.40), (0.3, 0.28, 0.08), pad, yaw)
    for along in (-0.45, 0.45):
        px, py = x + c * along, y + s * along
        solids.box((px, py, 0.18), (0.06, 0.06, 0.36), frame, yaw)
        solids.box((px, py, 0.03), (0.07, 0.5, 0.06), frame, yaw)


def add_tree(solids, labels, rng, dye, at, yaw):
    """A plate tree: a post with pegs."""
    x, y = at[:2]
    colour = dye(rng, dark=True)
    axis = np.array([np.cos(yaw), np.sin(yaw), 0])
    solids.beam((x, y, 0), (x, y, 1.2), 0.07, colour)
    solids.box((x, y, 0.04), (0.6, 0.6, 0.06), colour, yaw)
    for z in (0.3, 0.62, 1.02):
        for sign in (-1, 1):
            if rng.random() < 0.25:
                continue
            at, small = 0.04, rng.random() < (0.6 if z > 0.9 else 0.15)
            solids.tube((x, y, z), np.array([x, y, z]) + axis * sign * 0.28, 0.024, STEEL * 0.8, 2)
            for _ in range(rng.integers(1, 4)):
                plate = Plate(rng, dye, small)
                add_plate(solids, labels, plate, np.array([x, y, z]) + axis * sign * (at + plate.thick / 2), axis * sign)
                at += plate.thick + 0.004


def add_loose(solids, labels, rng, dye, at, axis):
    """A plate leaning on its edge."""
    plate = Plate(rng, dye)
    tilt = unit(np.array(axis) + (0, 0, rng.uniform(0.0, 0.35)))
    lift = plate.radius * np.sqrt(1 - tilt[2]**2)
    add_plate(solids, labels, plate, (at[0], at[1], lift + 0.005), tilt)


def add_dumbbells(solids, rng, dye, at, yaw):
    """A low rack with dumbbells: hexagonal and round heads, not labelled as plates."""
    c, s = np.cos(yaw), np.sin(yaw)
    along, out = np.array([c, s, 0]), np.array([-s, c, 0])
    origin = np.array([*at[:2], 0.0])
    colour, ends = dye(rng, dark=True), RUBBER * rng.uniform(0.7, 2.0)
    sides = int(rng.choice([6, 10]))
    for level in (0.42, 0.78):
        for k in range(4):
            solids.box(origin + along * (k - 1.5) * 0.4 + (0, 0, level), (0.4, 0.42, 0.04), colour, yaw)
        for k in range(6):
            if rng.random() < 0.15:
                continue
            middle = origin + along * (k - 2.5) * 0.26 + (0, 0, level + 0.09)
            r = 0.045 + 0.005 * k
            solids.tube(middle - out * 0.08, middle + out * 0.08, 0.015, STEEL)
            for sign in (-1, 1):
                a = middle + out * sign * 0.07
                b = middle + out * sign * 0.17
                solids.face(*_prism_face(b, out * sign, r, sides), ends, middle, 3)
                for quad, normal in _prism_sides(a, b, r, sides):
                    solids.face(quad, normal, ends, middle, 2)
    for sign in (-1, 1):
        solids.box(origin + along * sign * 0.8 + (0, 0, 0.42), (0.06, 0.45, 0.84), colour, yaw)


def _ring(centre, axis, radius, count):
    u, v = across(unit(axis))
    t = np.arange(count) * 2 * np.pi / count
    return centre + radius * (np.cos(t)[:, None] * u + np.sin(t)[:, None] * v)


def _prism_face(centre, axis, radius, count):
    return _ring(centre, axis, radius, count), unit(axis)


def _prism_sides(a, b, radius, count):
    low, high = _ring(a, b - a, radius, count), _ring(b, b - a, radius, count)
    for i in range(count):
        j = (i + 1) % count
        yield [low[i], low[j], high[j], high[i]], unit((low[i] + low[j]) / 2 - a)


def add_ball(solids, rng, dye, at):
    r = rng.uniform(0.12, 0.36)
    solids.hull([(at[0], at[1], r, r)], dye(rng), gloss=rng.uniform(0, 0.3))


def add_kettlebell(solids, rng, dye, at):
    r = rng.uniform(0.08, 0.12)
    colour = dye(rng, dark=True, neutral=0.7)
    x, y = at[:2]
    solids.hull([(x, y, r, r)], colour, gloss=0.2)
    solids.capsule((x - r * 0.7, y, r * 2), (x + r * 0.7, y, r * 2), 0.016, colour)
    for sign in (-1, 1):
        solids.capsule((x + sign * r * 0.5, y, r * 1.5), (x + sign * r * 0.75, y, r * 2), 0.016, colour)


class Room:
    """A box-shaped room: floor, walls with decoration, ceiling, and optionally a mirror."""

    def __init__(self, rng, dye, split, low, high, mirror=None):
        self.low, self.high, self.style = np.asarray(low, float), np.asarray(high, float), ranges.room(rng, split)
        self.mirror = mirror  # (axis, at, low, high): the wall, and the corners of the mirror on it
        self.seed, self.dye = int(rng.integers(1 << 30)), dye
        self.floor = dye(rng, dark=rng.random() < 0.7, neutral=0.6)
        self.wall = dye(rng, neutral=0.5)
        if self.style == "bricks":
            self.wall = dye(rng, vivid=True) * 0.6 + 0.15
        elif self.style in ("concrete", "garage"):
            self.wall = np.full(3, rng.uniform(0.4, 0.8)) * (1 + rng.normal(0, 0.02, 3))
        elif self.style == "planks":
            self.floor = dye(rng, neutral=0) * 0.5 + 0.2
        self.trim = dye(rng)
        self.dark = rng.random() < 0.25

    def surfaces(self, reflected=False):
        """Floor, walls and ceiling; the mirror's own wall is omitted in the mirrored view."""
        from solids import Solids
        rng, solids = np.random.default_rng(self.seed), Solids()
        low, high, style = self.low, self.high, self.style
        middle = (low + high) / 2
        spot = rng.uniform(low[:2], high[:2], (3, 2))
        strength = rng.uniform(0.3, 1.0)

        def glow(points):
            d = ((points[:, None, :2] - spot) ** 2).sum(2).min(1)
            return 0.65 + 0.45 * strength * np.exp(-d / 6) - 0.04 * points[:, 2] * strength

        cell = {"mats": 1.0, "checks": 0.6, "planks": 0.9}.get(style, 1.6)
        xs, ys = np.arange(low[0], high[0], cell), np.arange(low[1], high[1], cell)
        jitter = {"mats": 0.05, "checks": 0.25, "planks": 0.12}.get(style, 0.02)
        for i, x in enumerate(xs):
            for j, y in enumerate(ys):
                quad = np.array([(x, y, 0), (min(x + cell, high[0]), y, 0), (min(x + cell, high[0]), min(y + cell, high[1]), 0),
                                 (x, min(y + cell, high[1]), 0)])
                tone = 1 + (jitter * (1 - 2 * ((i + j) % 2)) if style == "checks" else rng.normal(0, jitter))
                solids.face(quad, (0, 0, 1), self.floor * tone * glow(quad.mean(0)[None])[0], layer=0, glow=1)
        if style in ("mats", "painted", "garage", "loft"):
            line = self.floor * (0.6 if style == "mats" else 1.5)
            for x in xs[1:: 1 if style == "mats" else 3]:
                solids.face([(x, low[1], .001), (x + .015, low[1], .001), (x + .015, high[1], .001), (x, high[1], .001)],
                            (0, 0, 1), line, glow=0.6)
            for y in ys[1:: 1 if style == "mats" else 3]:
                solids.face([(low[0], y, .001), (high[0], y, .001), (high[0], y + .015, .001), (low[0], y + .015, .001)],
                            (0, 0, 1), line, glow=0.6)
        for axis in (0, 1):
            for at in (low[axis], high[axis]):
                hole = self.mirror is not None and self.mirror[0] == axis and self.mirror[1] == at
                if not (hole and reflected):
                    self._wall(solids, rng, axis, at, glow, middle, hole)
        top = self.dye(rng, neutral=0.8) * (0.3 if self.dark else 1.0)
        solids.face([(low[0], low[1], high[2]), (low[0], high[1], high[2]), (high[0], high[1], high[2]),
                     (high[0], low[1], high[2])], (0, 0, -1), top, glow=0.8)
        for y in np.arange(low[1] + 1, high[1], 2.2):
            solids.face([(low[0] + 1, y, high[2] - .01), (low[0] + 1, y + .2, high[2] - .01),
                         (high[0] - 1, y + .2, high[2] - .01), (high[0] - 1, y, high[2] - .01)], (0, 0, -1),
                        np.array([1, 1, 0.97]), glow=1)
        return solids

    def _wall(self, solids, rng, axis, at, glow, middle, hole):
        other = 1 - axis
        start, stop, top = self.low[other], self.high[other], self.high[2]
        normal = np.zeros(3)
        normal[axis] = np.sign(middle[axis] - at)

        def quad(a, b, z0, z1, colour, lift=0.0, shine=None):
            points = np.zeros((4, 3))
            points[:, axis] = at + normal[axis] * lift
            points[:, other] = (a, b, b, a)
            points[:, 2] = (z0, z0, z1, z1)
            tone = glow(points.mean(0)[None])[0] if shine is None else shine
            solids.face(points, normal, np.asarray(colour) * tone, glow=1)

        if hole:
            (ma, mz), (mb, mt) = self.mirror[2], self.mirror[3]
            pieces = [(start, ma, 0, top), (mb, stop, 0, top), (ma, mb, 0, mz), (ma, mb, mt, top)]
        else:
            cuts = np.linspace(start, stop, 6)
            pieces = [(a, b, 0, top) for a, b in zip(cuts[:-1], cuts[1:])]
        for a, b, z0, z1 in pieces:
            for y0, y1 in ((z0, (z0 + z1) / 2), ((z0 + z1) / 2, z1)):
                quad(a, b, y0, y1, self.wall * (0.35 if self.dark and not hole else 1.0))
        if hole:
            frame = self.trim * 0.6
            for a, b, z0, z1 in ((ma - .04, mb + .04, mt, mt + .04), (ma - .04, mb + .04, mz - .04, mz),
                                 (ma - .04, ma, mz, mt), (mb, mb + .04, mz, mt)):
                quad(a, b, z0, z1, frame, 0.005)
            return
        if self.style == "bricks":
            for k, z in enumerate(np.arange(0.1, top, 0.22)):
                quad(start, stop, z, z + 0.02, self.wall * 0.75, 0.004)
                for a in np.arange(start + (k % 2) * 0.3, stop, 0.6):
                    quad(a, a + 0.02, z, z + 0.22, self.wall * 0.75, 0.004)
        elif self.style in ("panels", "garage"):
            for a in np.arange(start, stop, 1.1):
                quad(a, a + 0.025, 0, top, self.wall * 0.7, 0.004)
        elif self.style in ("painted", "loft"):
            z = rng.uniform(0.8, 1.6)
            quad(start, stop, 0, z, self.trim, 0.004)
        elif self.style == "planks":
            for z in np.arange(0.3, top, 0.5):
                quad(start, stop, z, z + 0.015, self.wall * 0.8, 0.004)
        for _ in range(rng.integers(0, 4)):  # posters, doors, windows, boards
            a = rng.uniform(start, max(start + 0.1, stop - 2))
            wide, z0 = rng.uniform(0.4, 1.8), rng.uniform(0, 1.6)
            high = rng.uniform(0.4, 1.6)
            bright = rng.random() < 0.3
            colour = np.array([0.95, 0.97, 1.0]) if bright else self.dye(rng)
            quad(a - .05, a + wide + .05, z0 - .05, z0 + high + .05, self.trim * 0.5, 0.006)
            quad(a, a + wide, z0, z0 + high, colour, 0.008, 1.0 if bright else None)
            for k in range(rng.integers(0, 5)):
                zz = z0 + high * (0.15 + 0.16 * k)
                quad(a + wide * 0.1, a + wide * rng.uniform(0.3, 0.9), zz, zz + high * 0.07, colour * 0.4, 0.01)
        if rng.random() < 0.25:  # a clock: round, but not a plate
            where = np.zeros(3)
            where[axis] = at + normal[axis] * 0.02
            where[other], where[2] = rng.uniform(start + 0.5, stop - 0.5), rng.uniform(1.9, 2.4)
            solids.disc(where, normal, 0.17, np.full(3, 0.15), layer=0)
            solids.disc(where + normal * 0.005, normal, 0.15, np.full(3, 0.92), glow=0.7)
            u, v = across(normal)
            for angle, length in ((rng.uniform(0, 6.28), 0.08), (rng.uniform(0, 6.28), 0.13)):
                tip = np.cos(angle) * u + np.sin(angle) * v
                side = cross(normal, tip) * 0.006
                base = where + normal * 0.01
                solids.face([base - side, base + side, base + tip * length + side, base + tip * length - side], normal,
                            np.full(3, 0.08), glow=1)

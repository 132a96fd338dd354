"""Camera simulation: exposure, colour temperature, vignetting, blur, noise and JPEG."""

import io

import numpy as np
from PIL import Image, ImageFilter

_NOISE = np.random.default_rng(77).standard_normal((1 << 21) + 4096).astype(np.float32)


class Optics:
    """The settings of one camera, constant within a clip."""

    def __init__(self, rng, calm=False):
        self.exposure = float(np.exp(rng.normal(0.08, 0.12 if calm else 0.24)))
        warm = rng.normal(0, 0.03 if calm else 0.07)
        self.gains = np.array([1 + warm, 1 + rng.normal(0, 0.015), 1 - warm], np.float32) * self.exposure
        self.gamma = float(np.exp(rng.normal(0, 0.08 if calm else 0.15)))
        self.haze = float(max(0, rng.normal(0, 0.03)))
        self.vignette = float(rng.uniform(0, 0.35)) if rng.random() < 0.6 else 0.0
        self.defocus = float(rng.uniform(0.3, 1.4)) if not calm and rng.random() < 0.35 else 0.0
        self.motion = float(rng.uniform(2, 7)) if not calm and rng.random() < 0.15 else 0.0
        self.angle = float(rng.uniform(0, np.pi))
        self.noise = float(rng.uniform(0.5, 2.5) if calm else rng.exponential(4.0))
        self.grain = float(rng.uniform(0, 0.05))
        self.quality = int(rng.integers(82, 92) if calm else rng.integers(35, 96))
        self.field = rng.normal(0, 0.07, (4, 4)).astype(np.float32)
        self.shift = int(rng.integers(1 << 20))

    def __call__(self, picture, rng, surfaces=None):
        """Takes and returns Pillow pictures; `surfaces` masks floor and walls, which get a slight texture."""
        width, height = picture.size
        if self.motion:
            dx, dy = np.cos(self.angle) * self.motion, np.sin(self.angle) * self.motion
            scale = max(width, height) / 640
            for part, (sx, sy) in enumerate(((0.25, 0.25), (-0.25, -0.25))):
                moved = picture.transform(picture.size, Image.AFFINE,
                                          (1, 0, dx * sx * scale, 0, 1, dy * sy * scale), Image.BILINEAR)
                picture = Image.blend(picture, moved, 0.5 if part == 0 else 0.4)
        if self.defocus:
            picture = picture.filter(ImageFilter.GaussianBlur(self.defocus * max(width, height) / 640))
        count = width * height
        x = np.asarray(picture, np.float32)
        light = np.asarray(Image.fromarray(self.field).resize((width, height), Image.BICUBIC)) + 1
        if self.vignette:
            ys = np.linspace(-1, 1, height, dtype=np.float32)[:, None]**2
            xs = np.linspace(-1, 1, width, dtype=np.float32)[None]**2
            light = light * (1 - self.vignette * 0.5 * (xs + ys))
        start = (self.shift + int(rng.integers(1 << 12))) % (1 << 20)
        rough = _NOISE[self.shift % 4096: self.shift % 4096 + count] if count <= 1 << 21 else np.zeros(count, np.float32)
        if surfaces is not None and self.grain:
            light = light * (1 + self.grain * rough.reshape(height, width) * surfaces)
        curve = np.arange(256, dtype=np.float32) / 255
        x = curve[x.astype(np.uint8)]**self.gamma if abs(self.gamma - 1) > 0.02 else x / 255
        x = x * (light[..., None] * (self.gains * 255 * (1 - self.haze))) + self.haze * 200
        grey = _NOISE[start: start + count].reshape(height, width, 1)
        x += self.noise * grey
        if self.noise > 2:
            begin = (start + 777) % (1 << 19)
            x += (0.4 * self.noise) * np.resize(_NOISE[begin: begin + count], (height, width, 1)) * [[[1.0, -0.5, 0.8]]]
        return Image.fromarray(np.clip(x, 0, 255).astype(np.uint8))

    def jpeg(self, picture):
        """The picture after JPEG compression, and the JPEG bytes."""
        buffer = io.BytesIO()
        picture.save(buffer, "JPEG", quality=self.quality)
        return Image.open(io.BytesIO(buffer.getvalue())).convert("RGB"), buffer.getvalue()

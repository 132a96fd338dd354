"""YOLO detectors as PyTorch modules: v8, v5 with the anchor-free head ("v5u"), and 11, for boxes and for poses.

A picture `[batch, 3, height, width]`, RGB from 0 to 1, height and width multiples of 32, becomes
`[batch, 4 + classes + keypoints, anchors]`: the box's centre x, centre y, width and height in pixels, a score from 0 to
1 for each class, and x, y, visibility of each keypoint. Anchors are the cells of three maps with steps of 8, 16 and 32
pixels, row by row. The submodules' names are those of the usual checkpoints.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional as F

BINS = 16
STRIDES = (8, 16, 32)


@dataclass(frozen=True)
class Size:
    """How a generation's channels and repetitions are scaled."""

    depth: float
    width: float
    most: int

    def channels(self, base: int) -> int:
        return math.ceil(min(base, self.most) * self.width / 8) * 8

    def repeats(self, base: int) -> int:
        return max(round(base * self.depth), 1) if base > 1 else base


SIZES = {
    "v8": {"p": Size(0.33, 0.125, 1024), "n": Size(0.33, 0.25, 1024), "s": Size(0.33, 0.5, 1024), "m": Size(0.67, 0.75, 768),
           "l": Size(1, 1, 512), "x": Size(1, 1.25, 512)},
    "v5u": {"n": Size(0.33, 0.25, 1024), "s": Size(0.33, 0.5, 1024), "m": Size(0.67, 0.75, 1024),
            "l": Size(1, 1, 1024), "x": Size(1.33, 1.25, 1024)},
    "11": {"n": Size(0.5, 0.25, 1024), "s": Size(0.5, 0.5, 1024), "m": Size(0.5, 1, 512),
           "l": Size(1, 1, 512), "x": Size(1, 1.5, 512)},
}


class Conv(nn.Module):
    """Convolution, batch normalisation, SiLU."""

    def __init__(self, inputs, outputs, kernel=1, stride=1, padding=None, groups=1, activation=True):
        super().__init__()
        padding = kernel // 2 if padding is None else padding
        self.conv = nn.Conv2d(inputs, outputs, kernel, stride, padding, groups=groups, bias=False)
        self.bn = nn.BatchNorm2d(outputs, eps=1e-3)
        self.act = nn.SiLU() if activation else nn.Identity()

    def forward(self, x):
        return self.act(self.bn(self.conv(x)))


class Bottleneck(nn.Module):
    def __init__(self, channels, hidden, kernels=(3, 3), shortcut=True):
        super().__init__()
        self.cv1 = Conv(channels, hidden, kernels[0])
        self.cv2 = Conv(hidden, channels, kernels[1])
        self.shortcut = shortcut

    def forward(self, x):
        y = self.cv2(self.cv1(x))
        return x + y if self.shortcut else y


class C3(nn.Module):
    """Two paths, one of them through bottlenecks."""

    def __init__(self, inputs, outputs, count, shortcut=True, kernels=(1, 3)):
        super().__init__()
        hidden = outputs // 2
        self.cv1 = Conv(inputs, hidden)
        self.cv2 = Conv(inputs, hidden)
        self.cv3 = Conv(2 * hidden, outputs)
        self.m = nn.Sequential(*(Bottleneck(hidden, hidden, kernels, shortcut) for _ in range(count)))

    def forward(self, x):
        return self.cv3(torch.cat([self.m(self.cv1(x)), self.cv2(x)], 1))


class C2f(nn.Module):
    """Like C3, but what every bottleneck gives takes part in the end."""

    def __init__(self, inputs, outputs, blocks, hidden):
        super().__init__()
        self.cv1 = Conv(inputs, 2 * hidden)
        self.cv2 = Conv((2 + len(blocks)) * hidden, outputs)
        self.m = nn.ModuleList(blocks)

    def forward(self, x):
        parts = list(self.cv1(x).chunk(2, 1))
        for block in self.m:
            parts.append(block(parts[-1]))
        return self.cv2(torch.cat(parts, 1))


def c2f(inputs, outputs, count, shortcut):
    hidden = outputs // 2
    return C2f(inputs, outputs, [Bottleneck(hidden, hidden, shortcut=shortcut) for _ in range(count)], hidden)


def c3k2(inputs, outputs, count, deep, ratio=0.5):
    """C2f with bottlenecks of half the channels, or with a C3 of two bottlenecks each."""
    hidden = int(outputs * ratio)
    if deep:
        blocks = [C3(hidden, hidden, 2, kernels=(3, 3)) for _ in range(count)]
    else:
        blocks = [Bottleneck(hidden, hidden // 2) for _ in range(count)]
    return C2f(inputs, outputs, blocks, hidden)


class SPPF(nn.Module):
    """Maxima over windows of 5, 9 and 13 positions, beside the map itself."""

    def __init__(self, channels):
        super().__init__()
        self.cv1 = Conv(channels, channels // 2)
        self.cv2 = Conv(channels * 2, channels)

    def forward(self, x):
        parts = [self.cv1(x)]
        for _ in range(3):
            parts.append(F.max_pool2d(parts[-1], 5, 1, 2))
        return self.cv2(torch.cat(parts, 1))


class Attention(nn.Module):
    """Self-attention over all positions, with a depthwise convolution that tells where they are."""

    def __init__(self, channels, heads):
        super().__init__()
        self.heads, self.values = heads, channels // heads
        self.keys = self.values // 2
        self.qkv = Conv(channels, channels + 2 * self.keys * heads, activation=False)
        self.proj = Conv(channels, channels, activation=False)
        self.pe = Conv(channels, channels, 3, groups=channels, activation=False)

    def forward(self, x):
        shape = x.shape
        q, k, v = self.qkv(x).flatten(2).unflatten(1, (self.heads, -1)).split([self.keys, self.keys, self.values], 2)
        weights = (q.transpose(-2, -1) @ k * self.keys**-0.5).softmax(-1)
        attended = v @ weights.transpose(-2, -1)
        return self.proj(attended.reshape(shape) + self.pe(v.reshape(shape)))


class PSABlock(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.attn = Attention(channels, channels // 64)
        self.ffn = nn.Sequential(Conv(channels, 2 * channels), Conv(2 * channels, channels, activation=False))

    def forward(self, x):
        x = x + self.attn(x)
        return x + self.ffn(x)


class C2PSA(nn.Module):
    """Half of the channels go through attention."""

    def __init__(self, channels, count):
        super().__init__()
        self.cv1 = Conv(channels, channels)
        self.cv2 = Conv(channels, channels)
        self.m = nn.Sequential(*(PSABlock(channels // 2) for _ in range(count)))

    def forward(self, x):
        a, b = self.cv1(x).chunk(2, 1)
        return self.cv2(torch.cat([a, self.m(b)], 1))


class Head(nn.Module):
    """For each map a branch for boxes, one for classes and, for poses, one for keypoints."""

    def __init__(self, channels, classes, keypoints=None, depthwise=False):
        super().__init__()
        first = channels[0]
        box, score = max(16, first // 4, BINS * 4), max(first, min(classes, 100))
        self.keypoints = keypoints

        def branch(inputs, hidden, outputs):
            return nn.Sequential(Conv(inputs, hidden, 3), Conv(hidden, hidden, 3), nn.Conv2d(hidden, outputs, 1))

        def depthwise_branch(inputs, hidden, outputs):
            return nn.Sequential(
                nn.Sequential(Conv(inputs, inputs, 3, groups=inputs), Conv(inputs, hidden)),
                nn.Sequential(Conv(hidden, hidden, 3, groups=hidden), Conv(hidden, hidden)),
                nn.Conv2d(hidden, outputs, 1))

        classify = depthwise_branch if depthwise else branch
        self.cv2 = nn.ModuleList(branch(c, box, 4 * BINS) for c in channels)
        self.cv3 = nn.ModuleList(classify(c, score, classes) for c in channels)
        if keypoints:
            numbers = keypoints[0] * keypoints[1]
            self.cv4 = nn.ModuleList(branch(c, max(first // 4, numbers), numbers) for c in channels)

    def forward(self, features):
        boxes = [branch(x) for branch, x in zip(self.cv2, features)]
        scores = [branch(x) for branch, x in zip(self.cv3, features)]
        maps = {f"map.{i}": torch.cat(pair, 1) for i, pair in enumerate(zip(boxes, scores))}
        if self.keypoints:
            maps["map.keypoints"] = torch.cat([branch(x).flatten(2) for branch, x in zip(self.cv4, features)], 2)
        if self.training:
            return maps

        anchors, steps = grid(boxes)
        distribution = torch.cat([x.flatten(2) for x in boxes], 2).unflatten(1, (4, BINS)).softmax(2)
        bins = torch.arange(BINS, dtype=distribution.dtype).view(1, 1, BINS, 1)
        before, after = (distribution * bins).sum(2).chunk(2, 1)
        low, high = anchors - before, anchors + after
        parts = [torch.cat([(low + high) / 2, high - low], 1) * steps]
        parts.append(torch.cat([x.flatten(2) for x in scores], 2).sigmoid())
        if self.keypoints:
            count, numbers = self.keypoints
            points = maps["map.keypoints"].unflatten(1, (count, numbers))
            decoded = [(points[:, :, :2] * 2 + (anchors - 0.5)) * steps]
            if numbers == 3:
                decoded.append(points[:, :, 2:].sigmoid())
            parts.append(torch.cat(decoded, 2).flatten(1, 2))
        output = torch.cat(parts, 1)
        if torch.onnx.is_in_onnx_export():
            return {"output": output}
        # Apart, for their magnitudes are.
        results = {"boxes": output[:, :4], "scores": output[:, 4:4 + scores[0].shape[1]], **maps}
        if self.keypoints:
            results["keypoints"] = output[:, 4 + scores[0].shape[1]:]
        return results


def grid(maps):
    """The centre of every cell in cells, `[2, anchors]`, and its size in pixels, `[1, anchors]`."""
    points, steps = [], []
    for x, step in zip(maps, STRIDES):
        height, width = x.shape[2:]
        rows, columns = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
        points.append(torch.stack([columns.flatten(), rows.flatten()]).to(x.dtype) + 0.5)
        steps.append(torch.full((1, height * width), step, dtype=x.dtype))
    return torch.cat(points, 1), torch.cat(steps, 1)


class Upsample(nn.Module):
    def forward(self, x):
        return F.interpolate(x, scale_factor=2, mode="nearest")


class Concat(nn.Module):
    def forward(self, *maps):
        return torch.cat(maps, 1)


class YOLOv8(nn.Module):
    def __init__(self, size: Size, classes=80, keypoints=None):
        super().__init__()
        c64, c128, c256, c512, c1024 = (size.channels(64 << i) for i in range(5))
        n3, n6 = size.repeats(3), size.repeats(6)
        self.model = nn.ModuleList([
            Conv(3, c64, 3, 2),
            Conv(c64, c128, 3, 2),
            c2f(c128, c128, n3, True),
            Conv(c128, c256, 3, 2),
            c2f(c256, c256, n6, True),
            Conv(c256, c512, 3, 2),
            c2f(c512, c512, n6, True),
            Conv(c512, c1024, 3, 2),
            c2f(c1024, c1024, n3, True),
            SPPF(c1024),
            Upsample(),
            Concat(),
            c2f(c1024 + c512, c512, n3, False),
            Upsample(),
            Concat(),
            c2f(c512 + c256, c256, n3, False),
            Conv(c256, c256, 3, 2),
            Concat(),
            c2f(c256 + c512, c512, n3, False),
            Conv(c512, c512, 3, 2),
            Concat(),
            c2f(c512 + c1024, c1024, n3, False),
            Head([c256, c512, c1024], classes, keypoints),
        ])

    def forward(self, images):
        m = self.model
        # Backbone.
        x = m[2](m[1](m[0](images)))
        p3 = m[4](m[3](x))
        p4 = m[6](m[5](p3))
        p5 = m[9](m[8](m[7](p4)))
        # Neck: from coarse to fine and back.
        n4 = m[12](m[11](m[10](p5), p4))
        n3 = m[15](m[14](m[13](n4), p3))
        n4 = m[18](m[17](m[16](n3), n4))
        n5 = m[21](m[20](m[19](n4), p5))
        return m[22]([n3, n4, n5])


class YOLOv5u(nn.Module):
    def __init__(self, size: Size, classes=80, keypoints=None):
        super().__init__()
        c64, c128, c256, c512, c1024 = (size.channels(64 << i) for i in range(5))
        n3, n6, n9 = size.repeats(3), size.repeats(6), size.repeats(9)
        self.model = nn.ModuleList([
            Conv(3, c64, 6, 2, padding=2),
            Conv(c64, c128, 3, 2),
            C3(c128, c128, n3),
            Conv(c128, c256, 3, 2),
            C3(c256, c256, n6),
            Conv(c256, c512, 3, 2),
            C3(c512, c512, n9),
            Conv(c512, c1024, 3, 2),
            C3(c1024, c1024, n3),
            SPPF(c1024),
            Conv(c1024, c512),
            Upsample(),
            Concat(),
            C3(2 * c512, c512, n3, False),
            Conv(c512, c256),
            Upsample(),
            Concat(),
            C3(2 * c256, c256, n3, False),
            Conv(c256, c256, 3, 2),
            Concat(),
            C3(2 * c256, c512, n3, False),
            Conv(c512, c512, 3, 2),
            Concat(),
            C3(2 * c512, c1024, n3, False),
            Head([c256, c512, c1024], classes, keypoints),
        ])

    def forward(self, images):
        m = self.model
        # Backbone.
        x = m[2](m[1](m[0](images)))
        p3 = m[4](m[3](x))
        p4 = m[6](m[5](p3))
        p5 = m[9](m[8](m[7](p4)))
        # Neck: from coarse to fine and back.
        t5 = m[10](p5)
        t4 = m[14](m[13](m[12](m[11](t5), p4)))
        n3 = m[17](m[16](m[15](t4), p3))
        n4 = m[20](m[19](m[18](n3), t4))
        n5 = m[23](m[22](m[21](n4), t5))
        return m[24]([n3, n4, n5])


class YOLO11(nn.Module):
    def __init__(self, size: Size, classes=80, keypoints=None, deep=False):
        super().__init__()
        c64, c128, c256, c512, c1024 = (size.channels(64 << i) for i in range(5))
        n = size.repeats(2)
        self.model = nn.ModuleList([
            Conv(3, c64, 3, 2),
            Conv(c64, c128, 3, 2),
            c3k2(c128, c256, n, deep, 0.25),
            Conv(c256, c256, 3, 2),
            c3k2(c256, c512, n, deep, 0.25),
            Conv(c512, c512, 3, 2),
            c3k2(c512, c512, n, True),
            Conv(c512, c1024, 3, 2),
            c3k2(c1024, c1024, n, True),
            SPPF(c1024),
            C2PSA(c1024, n),
            Upsample(),
            Concat(),
            c3k2(c1024 + c512, c512, n, deep),
            Upsample(),
            Concat(),
            c3k2(2 * c512, c256, n, deep),
            Conv(c256, c256, 3, 2),
            Concat(),
            c3k2(c256 + c512, c512, n, deep),
            Conv(c512, c512, 3, 2),
            Concat(),
            c3k2(c512 + c1024, c1024, n, True),
            Head([c256, c512, c1024], classes, keypoints, depthwise=True),
        ])

    def forward(self, images):
        m = self.model
        # Backbone.
        x = m[2](m[1](m[0](images)))
        p3 = m[4](m[3](x))
        p4 = m[6](m[5](p3))
        p5 = m[10](m[9](m[8](m[7](p4))))
        # Neck: from coarse to fine and back.
        n4 = m[13](m[12](m[11](p5), p4))
        n3 = m[16](m[15](m[14](n4), p3))
        n4 = m[19](m[18](m[17](n3), n4))
        n5 = m[22](m[21](m[20](n4), p5))
        return m[23]([n3, n4, n5])


def build(generation: str, size: str, classes: int = 80, keypoints=None) -> nn.Module:
    scale = SIZES[generation][size]
    if generation == "11":
        return YOLO11(scale, classes, keypoints, deep=size in "mlx").eval()
    return {"v8": YOLOv8, "v5u": YOLOv5u}[generation](scale, classes, keypoints).eval()

"""MobileNetV2, ResNet and InceptionV3 in PyTorch, with torchvision's names of parameters and orders of layers.

Written from the papers: Sandler et al. 2018 (MobileNetV2), He et al. 2015 (ResNet, with the stride of a bottleneck on its
3 × 3 convolution), Xie et al. 2017 (ResNeXt), Szegedy et al. 2015 (InceptionV3).
"""

import math
from collections import OrderedDict

import torch
from torch import nn
from torch.nn import functional as F

from parity import GeneratedImage, Network, relative_change


def conv_norm(inputs, outputs, kernel, stride=1, groups=1, activation=nn.ReLU6):
    layers = [
        nn.Conv2d(inputs, outputs, kernel, stride, (kernel - 1) // 2, groups=groups, bias=False),
        nn.BatchNorm2d(outputs),
    ]
    return nn.Sequential(*layers, *([activation()] if activation else []))


# MobileNetV2


def width_channels(channels, divisor=8):
    """The nearest multiple of `divisor`, but not less than 90 % of the value."""
    rounded = max(divisor, int(channels + divisor / 2) // divisor * divisor)
    return rounded + divisor if rounded < 0.9 * channels else rounded


class InvertedResidual(nn.Module):
    def __init__(self, inputs, outputs, stride, expansion):
        super().__init__()
        hidden = inputs * expansion
        layers = [conv_norm(inputs, hidden, 1)] if expansion > 1 else []
        self.conv = nn.Sequential(
            *layers,
            conv_norm(hidden, hidden, 3, stride, groups=hidden),
            nn.Conv2d(hidden, outputs, 1, bias=False),
            nn.BatchNorm2d(outputs),
        )
        self.residual = stride == 1 and inputs == outputs

    def forward(self, x):
        return x + self.conv(x) if self.residual else self.conv(x)


class MobileNetV2(nn.Module):
    GROUPS = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]

    def __init__(self, width=1.0, classes=1000):
        super().__init__()
        channels = width_channels(32 * width)
        layers = [conv_norm(3, channels, 3, 2)]
        for expansion, outputs, count, stride in self.GROUPS:
            outputs = width_channels(outputs * width)
            for index in range(count):
                layers.append(InvertedResidual(channels, outputs, stride if index == 0 else 1, expansion))
                channels = outputs
        last = width_channels(1280 * max(1.0, width))
        self.features = nn.Sequential(*layers, conv_norm(channels, last, 1))
        self.classifier = nn.Sequential(nn.Dropout(0.2), nn.Linear(last, classes))

    def forward(self, images):
        features = self.features(images).mean((2, 3))
        return {"features": features, "logits": self.classifier(features)}


# ResNet


class BasicBlock(nn.Module):
    expansion = 1

    def __init__(self, inputs, channels, stride, downsample, groups, width):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, channels, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(channels)
        self.relu = nn.ReLU()
        self.conv2 = nn.Conv2d(channels, channels, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(channels)
        self.downsample = downsample

    def forward(self, x):
        y = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        return F.relu(y + (self.downsample(x) if self.downsample else x))


class Bottleneck(nn.Module):
    expansion = 4

    def __init__(self, inputs, channels, stride, downsample, groups, width):
        super().__init__()
        inner = int(channels * width / 64) * groups
        self.conv1 = nn.Conv2d(inputs, inner, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(inner)
        self.conv2 = nn.Conv2d(inner, inner, 3, stride, 1, groups=groups, bias=False)
        self.bn2 = nn.BatchNorm2d(inner)
        self.conv3 = nn.Conv2d(inner, channels * 4, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(channels * 4)
        self.downsample = downsample

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)))
        y = F.relu(self.bn2(self.conv2(y)))
        y = self.bn3(self.conv3(y))
        return F.relu(y + (self.downsample(x) if self.downsample else x))


class ResNet(nn.Module):
    def __init__(self, block, counts, classes=1000, groups=1, width=64):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 64, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        self.relu = nn.ReLU()
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        inputs = 64
        for number, count in enumerate(counts):
            channels, layers = 64 << number, []
            for index in range(count):
                stride = 2 if number > 0 and index == 0 else 1
                outputs, downsample = channels * block.expansion, None
                if stride != 1 or inputs != outputs:
                    downsample = conv_norm(inputs, outputs, 1, stride, activation=None)
                layers.append(block(inputs, channels, stride, downsample, groups, width))
                inputs = outputs
            setattr(self, f"layer{number + 1}", nn.Sequential(*layers))
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(inputs, classes)

    def forward(self, images):
        x = self.maxpool(self.relu(self.bn1(self.conv1(images))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        features = self.avgpool(x).flatten(1)
        return {"features": features, "logits": self.fc(features)}


# InceptionV3


class Conv(nn.Module):
    def __init__(self, inputs, outputs, kernel, stride=1, padding=0):
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, kernel, stride, padding, bias=False)
        self.bn = nn.BatchNorm2d(outputs, eps=0.001)

    def forward(self, x):
        return F.relu(self.bn(self.conv(x)))


def mean3(x):
    return F.avg_pool2d(x, 3, 1, 1)


class InceptionA(nn.Module):
    def __init__(self, inputs, pool):
        super().__init__()
        self.branch1x1 = Conv(inputs, 64, 1)
        self.branch5x5_1 = Conv(inputs, 48, 1)
        self.branch5x5_2 = Conv(48, 64, 5, padding=2)
        self.branch3x3dbl_1 = Conv(inputs, 64, 1)
        self.branch3x3dbl_2 = Conv(64, 96, 3, padding=1)
        self.branch3x3dbl_3 = Conv(96, 96, 3, padding=1)
        self.branch_pool = Conv(inputs, pool, 1)

    def forward(self, x):
        return torch.cat([
            self.branch1x1(x),
            self.branch5x5_2(self.branch5x5_1(x)),
            self.branch3x3dbl_3(self.branch3x3dbl_2(self.branch3x3dbl_1(x))),
            self.branch_pool(mean3(x)),
        ], 1)


class InceptionB(nn.Module):
    def __init__(self, inputs):
        super().__init__()
        self.branch3x3 = Conv(inputs, 384, 3, 2)
        self.branch3x3dbl_1 = Conv(inputs, 64, 1)
        self.branch3x3dbl_2 = Conv(64, 96, 3, padding=1)
        self.branch3x3dbl_3 = Conv(96, 96, 3, 2)

    def forward(self, x):
        return torch.cat([
            self.branch3x3(x),
            self.branch3x3dbl_3(self.branch3x3dbl_2(self.branch3x3dbl_1(x))),
            F.max_pool2d(x, 3, 2),
        ], 1)


class InceptionC(nn.Module):
    def __init__(self, inputs, channels):
        super().__init__()
        row, column = {"kernel": (1, 7), "padding": (0, 3)}, {"kernel": (7, 1), "padding": (3, 0)}
        self.branch1x1 = Conv(inputs, 192, 1)
        self.branch7x7_1 = Conv(inputs, channels, 1)
        self.branch7x7_2 = Conv(channels, channels, **row)
        self.branch7x7_3 = Conv(channels, 192, **column)
        self.branch7x7dbl_1 = Conv(inputs, channels, 1)
        self.branch7x7dbl_2 = Conv(channels, channels, **column)
        self.branch7x7dbl_3 = Conv(channels, channels, **row)
        self.branch7x7dbl_4 = Conv(channels, channels, **column)
        self.branch7x7dbl_5 = Conv(channels, 192, **row)
        self.branch_pool = Conv(inputs, 192, 1)

    def forward(self, x):
        double = self.branch7x7dbl_3(self.branch7x7dbl_2(self.branch7x7dbl_1(x)))
        return torch.cat([
            self.branch1x1(x),
            self.branch7x7_3(self.branch7x7_2(self.branch7x7_1(x))),
            self.branch7x7dbl_5(self.branch7x7dbl_4(double)),
            self.branch_pool(mean3(x)),
        ], 1)


class InceptionD(nn.Module):
    def __init__(self, inputs):
        super().__init__()
        self.branch3x3_1 = Conv(inputs, 192, 1)
        self.branch3x3_2 = Conv(192, 320, 3, 2)
        self.branch7x7x3_1 = Conv(inputs, 192, 1)
        self.branch7x7x3_2 = Conv(192, 192, (1, 7), padding=(0, 3))
        self.branch7x7x3_3 = Conv(192, 192, (7, 1), padding=(3, 0))
        self.branch7x7x3_4 = Conv(192, 192, 3, 2)

    def forward(self, x):
        return torch.cat([
            self.branch3x3_2(self.branch3x3_1(x)),
            self.branch7x7x3_4(self.branch7x7x3_3(self.branch7x7x3_2(self.branch7x7x3_1(x)))),
            F.max_pool2d(x, 3, 2),
        ], 1)


class InceptionE(nn.Module):
    def __init__(self, inputs):
        super().__init__()
        row, column = {"kernel": (1, 3), "padding": (0, 1)}, {"kernel": (3, 1), "padding": (1, 0)}
        self.branch1x1 = Conv(inputs, 320, 1)
        self.branch3x3_1 = Conv(inputs, 384, 1)
        self.branch3x3_2a = Conv(384, 384, **row)
        self.branch3x3_2b = Conv(384, 384, **column)
        self.branch3x3dbl_1 = Conv(inputs, 448, 1)
        self.branch3x3dbl_2 = Conv(448, 384, 3, padding=1)
        self.branch3x3dbl_3a = Conv(384, 384, **row)
        self.branch3x3dbl_3b = Conv(384, 384, **column)
        self.branch_pool = Conv(inputs, 192, 1)

    def forward(self, x):
        single = self.branch3x3_1(x)
        double = self.branch3x3dbl_2(self.branch3x3dbl_1(x))
        return torch.cat([
            self.branch1x1(x),
            self.branch3x3_2a(single), self.branch3x3_2b(single),
            self.branch3x3dbl_3a(double), self.branch3x3dbl_3b(double),
            self.branch_pool(mean3(x)),
        ], 1)


class InceptionV3(nn.Module):
    def __init__(self, classes=1000, transform_input=False):
        super().__init__()
        self.transform_input = transform_input
        self.Conv2d_1a_3x3 = Conv(3, 32, 3, 2)
        self.Conv2d_2a_3x3 = Conv(32, 32, 3)
        self.Conv2d_2b_3x3 = Conv(32, 64, 3, padding=1)
        self.maxpool1 = nn.MaxPool2d(3, 2)
        self.Conv2d_3b_1x1 = Conv(64, 80, 1)
        self.Conv2d_4a_3x3 = Conv(80, 192, 3)
        self.maxpool2 = nn.MaxPool2d(3, 2)
        self.Mixed_5b = InceptionA(192, 32)
        self.Mixed_5c = InceptionA(256, 64)
        self.Mixed_5d = InceptionA(288, 64)
        self.Mixed_6a = InceptionB(288)
        self.Mixed_6b = InceptionC(768, 128)
        self.Mixed_6c = InceptionC(768, 160)
        self.Mixed_6d = InceptionC(768, 160)
        self.Mixed_6e = InceptionC(768, 192)
        self.Mixed_7a = InceptionD(768)
        self.Mixed_7b = InceptionE(1280)
        self.Mixed_7c = InceptionE(2048)
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(2048, classes)

    def forward(self, images):
        x = images
        if self.transform_input:
            pairs = zip((0.229, 0.224, 0.225), (0.485, 0.456, 0.406))
            x = torch.stack([
                x[:, i] * (deviation / 0.5) + (mean - 0.5) / 0.5 for i, (deviation, mean) in enumerate(pairs)], 1)
        for name, module in self.named_children():
            if name != "fc":
                x = module(x)
        features = x.flatten(1)
        return {"features": features, "logits": self.fc(features)}


# Generated weights


def relu_scale(threshold):
    """The gain that keeps the mean square through a ReLU of numbers around -threshold with a deviation of 1, and the mean
    of weights, in deviations / sqrt(inputs), that brings numbers there: inputs that a ReLU has made have a mean."""
    tail = 0.5 * math.erfc(threshold / math.sqrt(2))
    density = math.exp(-threshold ** 2 / 2) / math.sqrt(2 * math.pi)
    square, mean = (1 + threshold ** 2) * tail - threshold * density, density - threshold * tail
    return 1 / math.sqrt(square), -threshold * math.sqrt(square) / mean


def scale(convolution, last_norms=lambda owner: 1.0):
    """Convolutions with a deviation of gain / √(inputs of an output) and a mean of shift deviations / √(inputs), where
    `convolution(owner)` is (gain, shift). A shift below 0 thins out what a ReLU lets through, which keeps different inputs
    different through many layers. Normalisations have a mean of 0 ± 0.1, variance of 1 ± 0.2, weight of 1 ± 0.1 (times
    `last_norms(owner)`, smaller where the last of a residual branch) and bias of 0 ± 0.1."""
    def of(name, shape):
        owner, kind = name.rsplit(".", 1)
        if kind == "running_mean":
            return 0.0, 0.1
        if kind == "running_var":
            return 1.0, 0.2
        if len(shape) == 4:
            inputs = math.prod(shape[1:])
            gain, shift = convolution(owner)
            deviation = gain / math.sqrt(inputs)
            return shift * deviation / math.sqrt(inputs), deviation
        if len(shape) == 2:
            return 0.0, 1 / math.sqrt(shape[1])
        if kind == "bias":
            return 0.0, 0.1
        return last_norms(owner), 0.1 * last_norms(owner)
    return of


def distant(paths):
    """Changes the top left third of the picture's height and width; looks at the logits and at the bottom right quarter
    of the maps of `paths`."""
    def changes(module, inputs):
        images = inputs[""]
        height, width = images.shape[2] // 3, images.shape[3] // 3
        other = images.clone()
        other[:, :, :height, :width] = 1 - images[:, :, -height:, -width:].flip(3)
        seen = []
        modules = dict(module.named_modules())
        handles = [modules[path].register_forward_hook(lambda _, __, y: seen.append(y)) for path in paths]
        logits = [module(value)["logits"] for value in (images, other)]
        for handle in handles:
            handle.remove()
        result = [("logits", relative_change(*logits))]
        for path, before, after in zip(paths, seen, seen[len(paths):]):
            corner = [x[:, :, x.shape[2] * 3 // 4:, x.shape[3] * 3 // 4:] for x in (before, after)]
            result.append((f"the distant corner of {path}", relative_change(*corner)))
        return result
    return changes


def mobilenet_convolutions(owner):
    """Slightly less than doubles the mean square, which ReLU6 halves; the last one reduces what has grown."""
    return (0.3 if owner == "features.18.0" else 1.32), 0.0


def inception_convolutions(owner):
    """Two modules begin with numbers 0.4 times as large, for what is concatenated grows from module to module."""
    gain, shift = relu_scale(0.4)
    module, branch = owner.split(".")[:2]
    begins = branch in ("branch1x1", "branch_pool") or branch.endswith("_1")
    return gain * (0.4 if module in ("Mixed_6b", "Mixed_7b") and begins else 1), shift


def resnet_scale(threshold, last, first_weight, weight):
    """`last` is the number of a branch's last convolution, whose normalisation has a weight of `weight`, and of `first_weight`
    in the first block of a layer: there the magnitude, which grows from block to block, is reset."""
    def convolution(owner):
        return (1.0, 0.0) if "downsample" in owner or owner.endswith(f".conv{last}") else relu_scale(threshold)

    def last_norm(owner):
        if "downsample" in owner or owner.endswith(f".0.bn{last}"):
            return first_weight
        return weight if owner.endswith(f".bn{last}") else 1.0
    return scale(convolution, last_norm)


NETWORKS = [
    Network(
        name="mobilenet_v2", build=MobileNetV2, configuration={"architecture": "mobilenet_v2"},
        scale=scale(mobilenet_convolutions), samples={"picture": GeneratedImage([1, 3, 224, 224], 28)},
        activations=["features.0", "features.2", "features.7", "features.14", "features.18"],
        sensitivity=distant(["features.18"]), onnx_outputs=["logits"]),
    Network(
        name="resnet18", build=lambda: ResNet(BasicBlock, [2, 2, 2, 2], 10), configuration={"architecture": "resnet18"},
        scale=resnet_scale(0.3, 2, 0.7, 0.7),
        samples={"small": GeneratedImage([2, 3, 64, 96], 16), "odd": GeneratedImage([1, 3, 75, 45], 15)},
        activations=["maxpool", "layer1.0", "layer2.0", "layer3.1", "layer4.1"],
        sensitivity=distant(["layer4"]), onnx_outputs=["logits"]),
    Network(
        name="resnet50", build=lambda: ResNet(Bottleneck, [3, 4, 6, 3]), configuration={"architecture": "resnet50"},
        scale=resnet_scale(0.6, 3, 0.3, 1.4),
        samples={"picture": GeneratedImage([1, 3, 224, 224], 28)},
        activations=["maxpool", "layer1.2", "layer2.3", "layer3.5", "layer4.2"],
        sensitivity=distant(["layer4"]), onnx_outputs=["logits"]),
    Network(
        name="inception_v3", build=InceptionV3, configuration={"architecture": "inception_v3"},
        scale=scale(inception_convolutions),
        samples={
            "picture": GeneratedImage([1, 3, 299, 299], 23), "wide": GeneratedImage([1, 3, 120, 200], 20),
        },
        activations=["maxpool1", "Mixed_5b", "Mixed_6a", "Mixed_6e", "Mixed_7a", "Mixed_7c"],
        sensitivity=distant(["Mixed_7c"]), onnx_outputs=["logits"]),
]

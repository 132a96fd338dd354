"""The YOLO networks whose golden files `golden.py` writes, with the scales of their generated weights."""

import torch

import yolo
from parity import GeneratedImage, Network, generated, relative_change


#: The size of the signal before an activation. A large one passes SiLU without becoming nearly constant, so that
#: differences between pictures are preserved through the depth.
SIGNAL = 2.5
#: The mean sum of a filter of the first convolution: its response to a picture's mean is the same for all filters, and
#: is subtracted by the running mean.
FIRST = 4.0


class Scales:
    """Mean and deviation of each parameter.

    As after training, the running variances are those of the actual signal: measured on the picture of the first
    sample, layer by layer, and rounded.
    """

    def __init__(self, build, picture):
        self.build, self.picture, self.variances = build, picture, None

    def __call__(self, name, shape):
        if self.variances is None:
            self.measure()
        *path, kind = name.split(".")
        if path[-1] == "bn":
            variance = self.variances.get(".".join(path), 1.0)
            return {"weight": (SIGNAL, 0.1 * SIGNAL), "bias": (0.0, 0.1),
                    "running_mean": (first_mean(name), 0.05 * variance**0.5),
                    "running_var": (variance, 0.15 * variance)}[kind]
        if kind == "bias":
            return {"cv2": (0.0, 1.0), "cv3": (-2.0, 1.0), "cv4": (0.0, 1.0)}[path[2]]
        terms = shape[1] * shape[2] * shape[3]
        if path[1] == "0":
            return FIRST / terms, 0.7 * FIRST / terms
        gain = 1.0
        if path[-1] != "conv":
            # The last convolutions of the head: peaked distributions, spread scores.
            gain = {"cv2": 2.5, "cv3": 3.0, "cv4": 2.0}[path[2]] / (0.65 * SIGNAL)
        return 0.0, gain / terms**0.5

    def measure(self):
        self.variances = {}
        module = self.build()
        state = module.state_dict(keep_vars=True)

        def fill(name):
            value = state[name]
            value.copy_(torch.from_numpy(generated(name, list(value.shape), *self(name, list(value.shape)))))

        def before(path):
            def hook(_, inputs):
                variance = float((inputs[0] - first_mean(path)).pow(2).mean())
                self.variances[path] = float(f"{variance:.1g}")
                for kind in ("weight", "bias", "running_mean", "running_var"):
                    fill(f"{path}.{kind}")
            return hook

        with torch.no_grad():
            for name, value in state.items():
                if value.is_floating_point() and ".bn." not in name:
                    fill(name)
            for path, layer in module.named_modules():
                if isinstance(layer, torch.nn.BatchNorm2d):
                    layer.register_forward_pre_hook(before(path))
            module(self.picture)


def first_mean(path):
    """The first convolution's response to a picture with mean one half; the inputs of the others have mean zero."""
    return 0.5 * FIRST if path.startswith("model.0.") else 0.0


#: The distance in pixels at which the change of a patch must have an effect: two cells of the coarsest map.
REACH = 64


def sensitivity(module, inputs):
    """The relative change of the raw maps far from a changed patch of a third of the picture's smaller side."""
    images = inputs[""]
    batch, _, height, width = images.shape
    side = min(height, width) // 24 * 8
    top, left = height // 2 // 32 * 32, width // 2 // 32 * 32
    changed = images.clone()
    changed[:, :, top:top + side, left:left + side] = GeneratedImage([batch, 3, side, side], 8).tensor("patch")
    before, after = module(images), module(changed)
    results = []
    for level, step in enumerate(yolo.STRIDES):
        a, b = before[f"map.{level}"], after[f"map.{level}"]
        rows = torch.arange(a.shape[2]) * step + step / 2
        columns = torch.arange(a.shape[3]) * step + step / 2
        below = torch.maximum(top - rows, rows - top - side).clamp(min=0)[:, None]
        beside = torch.maximum(left - columns, columns - left - side).clamp(min=0)[None]
        away = (below**2 + beside**2).sqrt() >= REACH
        for what, part in (("boxes", slice(0, 64)), ("classes", slice(64, None))):
            results.append((f"{what} of map {level}, {REACH} pixels and more away from a patch",
                            relative_change(a[:, part][..., away], b[:, part][..., away])))
    return results


def network(name, generation, size, height, width, activations, classes=80, keypoints=None, samples=3):
    configuration = {"generation": generation, "size": size, "classes": classes}
    if keypoints:
        configuration["keypoints"] = {"count": keypoints[0], "dimensions": keypoints[1]}
    build = lambda: yolo.build(generation, size, classes, keypoints)
    picture = GeneratedImage([1, 3, height, width], 16).tensor("picture0")
    return Network(
        name=name, build=build, configuration=configuration, scale=Scales(build, picture),
        sensitivity=sensitivity, activations=activations,
        samples={f"picture{index}": GeneratedImage([1, 3, height, width], 16) for index in range(samples)},
        onnx_sample="picture0", onnx_outputs=["output"])


NETWORKS = [
    network("yolov8n", "v8", "n", 640, 640, ["model.15"]),
    network("yolov8n-pose", "v8", "n", 256, 192, ["model.15"], classes=1, keypoints=(17, 3)),
    network("yolov8s", "v8", "s", 192, 256, ["model.9", "model.15"]),
    network("yolov5nu", "v5u", "n", 320, 256, ["model.4", "model.17"]),
    network("yolo11n", "11", "n", 256, 320, ["model.10", "model.16"]),
]

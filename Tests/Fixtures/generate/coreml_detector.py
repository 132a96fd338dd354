"""A small detector as Core ML models, and what it finds in a picture: Tests/Fixtures/coreml-detector/.

    python coreml_detector.py          # coremltools 9.0, torch, numpy, pillow

pipeline.mlpackage ends in Core ML's own suppression, as Ultralytics exports it: `confidence` [boxes, classes] and
`coordinates` [boxes, 4], the centre, width and height as parts of the picture's sides; thresholds are inputs, which the
suppression's own description leaves out. bare.mlpackage gives the same boxes before suppression, and raw.mlpackage what the network
computes, [1, 4 + classes, anchors] in pixels. expected.json has the boxes, classes and scores of the picture for several
options, from PyTorch in float64 and a suppression in NumPy.
"""
import json
import shutil
import warnings
from pathlib import Path

warnings.filterwarnings("ignore")

import coremltools as ct
import numpy as np
import torch
from PIL import Image

OUT = Path(__file__).resolve().parents[1] / "coreml-detector"
WIDTH, HEIGHT = 96, 64
NAMES = ["plate", "bar end", "person"]
OVERLAP, CONFIDENCE = 0.6, 0.4


class Network(torch.nn.Module):
    """A score and a box for each cell of three maps, from the mean colour of the cell."""

    def __init__(self):
        super().__init__()
        self.maps = torch.nn.ModuleList(torch.nn.Conv2d(3, 4 + len(NAMES), 1) for _ in range(3))
        for index, conv in enumerate(self.maps):
            conv.weight.data.normal_(0, 4)[:4] /= 4
            conv.bias.data.normal_(0, 0.5)[4:] -= 4
            step = 8 << index
            y, x = torch.meshgrid(torch.arange(HEIGHT // step), torch.arange(WIDTH // step), indexing="ij")
            self.register_buffer(f"cells{index}", torch.stack([x, y]).float()[None] * step)

    def forward(self, image):
        rows = []
        for index, conv in enumerate(self.maps):
            step = 8 << index
            y = torch.sigmoid(conv(torch.nn.functional.avg_pool2d(image, step)))
            center = y[:, :2] * step + getattr(self, f"cells{index}")
            rows.append(torch.cat([center, y[:, 2:4] * 6 * step, y[:, 4:]], 1).flatten(2))
        return torch.cat(rows, 2)


class Tables(torch.nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network
        self.register_buffer("sides", 1 / torch.tensor([WIDTH, HEIGHT, WIDTH, HEIGHT]).float())

    def forward(self, image):
        boxes, scores = self.network(image)[0].transpose(0, 1).split((4, len(NAMES)), 1)
        return scores, boxes * self.sides


def convert(module, outputs):
    picture = torch.zeros(1, 3, HEIGHT, WIDTH)
    return ct.convert(
        torch.jit.trace(module.eval(), picture),
        inputs=[ct.ImageType("image", shape=picture.shape, scale=1 / 255, color_layout=ct.colorlayout.RGB)],
        outputs=[ct.TensorType(name, dtype=np.float32) for name in outputs], minimum_deployment_target=ct.target.iOS15,
        compute_precision=ct.precision.FLOAT32, skip_model_load=True)


def save(model, name):
    path = OUT / f"{name}.mlpackage"
    shutil.rmtree(path, ignore_errors=True)
    model.save(str(path))


def pipeline(tables, anchors):
    spec = tables.get_spec()
    suppression = ct.proto.Model_pb2.Model(specificationVersion=spec.specificationVersion)
    for (name, columns), feature in zip((("confidence", len(NAMES)), ("coordinates", 4)), spec.description.output):
        feature.type.multiArrayType.shape[:] = [anchors, columns]
        suppression.description.input.add().CopyFrom(feature)
        output = suppression.description.output.add()
        output.CopyFrom(feature)
        output.name = name
        array = output.type.multiArrayType
        del array.shape[:]
        array.shapeRange.sizeRanges.add(lowerBound=0, upperBound=-1)
        array.shapeRange.sizeRanges.add(lowerBound=columns, upperBound=columns)
    nms = suppression.nonMaximumSuppression
    nms.confidenceInputFeatureName, nms.coordinatesInputFeatureName = (f.name for f in spec.description.output)
    nms.confidenceOutputFeatureName, nms.coordinatesOutputFeatureName = "confidence", "coordinates"
    nms.iouThresholdInputFeatureName, nms.confidenceThresholdInputFeatureName = "iouThreshold", "confidenceThreshold"
    nms.iouThreshold, nms.confidenceThreshold = OVERLAP, CONFIDENCE
    nms.pickTop.perClass = True
    nms.stringClassLabels.vector.extend(NAMES)
    double = ct.models.datatypes.Double()
    whole = ct.models.pipeline.Pipeline(
        input_features=[("image", ct.models.datatypes.Array(3, HEIGHT, WIDTH)), ("iouThreshold", double),
                        ("confidenceThreshold", double)],
        output_features=["confidence", "coordinates"])
    whole.add_model(ct.models.MLModel(spec, weights_dir=tables.weights_dir, skip_model_load=True))
    whole.add_model(ct.models.MLModel(suppression, skip_model_load=True))
    whole.spec.description.input[0].CopyFrom(spec.description.input[0])
    for output, own in zip(whole.spec.description.output, suppression.description.output):
        output.CopyFrom(own)
    whole.spec.specificationVersion = spec.specificationVersion
    return ct.models.MLModel(whole.spec, weights_dir=tables.weights_dir, skip_model_load=True)


def overlap(a, b):
    low = np.maximum(a[:2] - a[2:] / 2, b[:2] - b[2:] / 2)
    high = np.minimum(a[:2] + a[2:] / 2, b[:2] + b[2:] / 2)
    shared = np.maximum(high - low, 0).prod()
    return shared / (a[2:].prod() + b[2:].prod() - shared)


def found(rows, confidence, most):
    """Best first; no decision may hang on rounding."""
    boxes, scores = rows[:, :4], rows[:, 4:].max(1)
    classes = rows[:, 4:].argmax(1)
    assert np.abs(scores - confidence).min() > 1e-4 and np.diff(np.sort(scores[scores > confidence])).min() > 1e-6
    kept = []
    for index in np.argsort(-scores):
        if scores[index] <= confidence:
            break
        shared = [overlap(boxes[index], boxes[k]) for k in kept if classes[k] == classes[index]]
        assert all(abs(value - most) > 1e-4 for value in shared)
        if all(value <= most for value in shared):
            kept.append(index)
    result = []
    for index in kept:
        center, size = boxes[index, :2], boxes[index, 2:]
        corners = np.concatenate([np.clip(center - size / 2, 0, [WIDTH, HEIGHT]), np.clip(center + size / 2, 0, [WIDTH, HEIGHT])])
        result.append({"class": NAMES[classes[index]], "score": float(scores[index]), "box": corners.tolist()})
    assert len(result) > 2
    return result


torch.manual_seed(3)
network = Network().eval()
random = np.random.default_rng(3)
picture = np.kron(random.integers(0, 256, (HEIGHT // 8, WIDTH // 8, 3)), np.ones((8, 8, 1))).astype(np.uint8)
with torch.no_grad():
    rows = network.double()(torch.from_numpy(picture).permute(2, 0, 1)[None].double() / 255)[0].T.numpy()
network.float()
OUT.mkdir(exist_ok=True)
Image.fromarray(picture).save(OUT / "picture.png", optimize=True)
tables = convert(Tables(network), ["scores", "boxes"])
save(pipeline(tables, len(rows)), "pipeline")
save(convert(Tables(network), ["raw_confidence", "raw_coordinates"]), "bare")
raw = convert(network, ["numbers"])
raw.user_defined_metadata["names"] = str(dict(enumerate(NAMES)))
save(raw, "raw")
cases = [
    # As the file says, and as the caller does.
    {"model": "pipeline", "options": [], "detections": found(rows, CONFIDENCE, OVERLAP)},
    {"model": "pipeline", "options": ["--confidence", "0.2", "--iou", "0.3"], "detections": found(rows, 0.2, 0.3)},
    {"model": "pipeline", "options": ["--iou", "0.8"], "detections": found(rows, CONFIDENCE, 0.8)},
    {"model": "bare", "options": ["--confidence", "0.5"], "detections": found(rows, 0.5, 0.45)},
    {"model": "raw", "options": [], "detections": found(rows, 0.25, 0.45)},
]
(OUT / "expected.json").write_text(json.dumps(cases, indent=1) + "\n")
print([len(case["detections"]) for case in cases])

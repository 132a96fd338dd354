"""Outputs of detectors in every layout, and the boxes that a plain reading of them gives.

`CASE/output` is what a network would give for an input of 96 x 64 pixels, `CASE/boxes`, `CASE/scores`, `CASE/classes` and
`CASE/keypoints` what is left of it after suppression, in the pixels of a picture of 211 x 120, float64. The metadata
hold each case's options.
"""

import json
import pathlib

import numpy as np
from safetensors.numpy import save_file

WIDTH, HEIGHT = 96, 64
IMAGE_WIDTH, IMAGE_HEIGHT = 211, 120
STRIDES = (8, 16, 32)
CELLS = sum((WIDTH // s) * (HEIGHT // s) for s in STRIDES)

tensors, cases = {}, {}


def iou(a, b):
    width = min(a[2], b[2]) - max(a[0], b[0])
    height = min(a[3], b[3]) - max(a[1], b[1])
    if width <= 0 or height <= 0:
        return 0.0
    shared = width * height
    return shared / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - shared)


def suppressed(boxes, scores, classes, overlap, agnostic, most):
    kept = []
    for index in np.argsort(-scores, kind="stable"):
        rivals = (k for k in kept if agnostic or classes[k] == classes[index])
        if all(iou(boxes[index], boxes[k]) <= overlap for k in rivals):
            kept.append(index)
        if len(kept) == most:
            break
    return np.array(kept, dtype=int)


def letterbox(top_left):
    ratio = min(HEIGHT / IMAGE_HEIGHT, WIDTH / IMAGE_WIDTH)
    if top_left:
        return ratio, 0, 0
    width, height = round(IMAGE_WIDTH * ratio), round(IMAGE_HEIGHT * ratio)
    return ratio, round((WIDTH - width) / 2 - 0.1), round((HEIGHT - height) / 2 - 0.1)


def case(name, layout, output, boxes, scores, classes, keypoints=None, confidence=0.25, overlap=0.45, agnostic=False,
         most=300, dimensions=0, class_count=None, **options):
    """`scores` of every row or anchor; the confidence is a dictionary where classes have their own."""
    limits = np.array([confidence.get(int(c), 0.25) for c in classes]) if isinstance(confidence, dict) else confidence
    chosen = np.flatnonzero(scores > limits)
    if "only" in options:
        chosen = chosen[np.isin(classes[chosen], options["only"])]
    overlap_used = 1.0 if layout.startswith("end") else overlap
    chosen = chosen[suppressed(boxes[chosen], scores[chosen], classes[chosen], overlap_used, agnostic, most)]
    ratio, left, top = letterbox(layout.startswith("yolox"))

    def back(points):
        return (points - [left, top]) / ratio

    low = np.clip(back(boxes[chosen, :2]), 0, [IMAGE_WIDTH, IMAGE_HEIGHT])
    high = np.clip(back(boxes[chosen, 2:]), 0, [IMAGE_WIDTH, IMAGE_HEIGHT])
    tensors[f"{name}/output"] = np.ascontiguousarray(output, dtype=np.float32)
    tensors[f"{name}/boxes"] = np.concatenate([low, high], 1)
    tensors[f"{name}/scores"] = scores[chosen].astype(np.float64)
    tensors[f"{name}/classes"] = classes[chosen].astype(np.int64)
    if keypoints is not None:
        points = keypoints[chosen].astype(np.float64)
        points[:, :, :2] = back(points[:, :, :2])
        tensors[f"{name}/keypoints"] = points
    if isinstance(confidence, dict):
        confidence = {str(k): v for k, v in confidence.items()}
    cases[name] = {
        "layout": layout, "confidence": confidence, "overlap": overlap, "agnostic": agnostic, "most": most,
        "classes": class_count, "dimensions": dimensions, **options,
    }
    assert len(chosen) > 3, name


def corners(center, size):
    return np.concatenate([center - size / 2, center + size / 2], 1)


def proposals(generator, count, classes):
    """Boxes in clusters, so that many overlap; every number is a float32."""
    hubs = generator.uniform([10, 10], [WIDTH - 10, HEIGHT - 10], (9, 2))
    center = hubs[generator.integers(9, size=count)] + generator.normal(0, 2.5, (count, 2))
    size = generator.uniform(6, 30, (count, 2))
    scores = generator.uniform(0, 1, (count, classes)) ** 4
    # Scores that several boxes share.
    scores = np.where(generator.uniform(size=scores.shape) < 0.3, np.round(scores, 1), scores)
    f = lambda x: x.astype(np.float32).astype(np.float64)
    return f(center), f(size), f(scores)


def v8(name, seed, classes=5, keypoints=None, transposed=False, **options):
    generator = np.random.default_rng(seed)
    center, size, scores = proposals(generator, CELLS, classes)
    rows = [center, size, scores]
    points = None
    if keypoints:
        count, dimensions = keypoints
        points = generator.uniform(-5, 90, (CELLS, count, dimensions)).astype(np.float32).astype(np.float64)
        rows.append(points.reshape(CELLS, -1))
        options["dimensions"] = dimensions
    output = np.concatenate(rows, 1)
    case(name, "v8-transposed" if transposed else "v8", output[None] if transposed else output.T[None],
         corners(center, size), scores.max(1), scores.argmax(1), points, class_count=classes, **options)


def v5(name, seed, classes=4, **options):
    generator = np.random.default_rng(seed)
    center, size, scores = proposals(generator, 3 * CELLS, classes)
    objectness = generator.uniform(0, 1, (3 * CELLS, 1)).astype(np.float32)
    output = np.concatenate([center, size, objectness, scores ** 0.25], 1).astype(np.float32)
    product = output[:, 4] * output[:, 5:].max(1)
    case(name, "v5", output[None], corners(center, size), product, output[:, 5:].argmax(1), class_count=classes,
         **options)


def yolox(name, seed, decoded, classes=6, **options):
    generator = np.random.default_rng(seed)
    center, size, scores = proposals(generator, CELLS, classes)
    objectness = generator.uniform(0, 1, (CELLS, 1)).astype(np.float32)
    cells, steps = [], []
    for stride in STRIDES:
        y, x = np.meshgrid(np.arange(HEIGHT // stride), np.arange(WIDTH // stride), indexing="ij")
        cells.append(np.stack([x, y], 2).reshape(-1, 2))
        steps.append(np.full((cells[-1].shape[0], 1), stride))
    cells, steps = np.concatenate(cells), np.concatenate(steps)
    stored = (center, size) if decoded else (center / steps - cells, np.log(size / steps))
    output = np.concatenate([*stored, objectness, scores ** 0.25], 1).astype(np.float32)
    if decoded:
        boxes = corners(output[:, :2].astype(np.float64), output[:, 2:4].astype(np.float64))
    else:
        boxes = corners((output[:, :2].astype(np.float64) + cells) * steps,
                        np.exp(output[:, 2:4].astype(np.float64)) * steps)
    product = output[:, 4] * output[:, 5:].max(1)
    case(name, "yolox-decoded" if decoded else "yolox", output[None], boxes, product, output[:, 5:].argmax(1),
         class_count=classes, **options)


def finished(name, seed, batch=False, keypoints=None, **options):
    generator = np.random.default_rng(seed)
    center, size, scores = proposals(generator, 40, 1)
    boxes = corners(center, size).astype(np.float32).astype(np.float64)
    scores, classes = scores[:, 0] ** 0.3, generator.integers(0, 3, 40)
    scores = scores.astype(np.float32)
    if batch:
        output = np.concatenate([np.zeros((40, 1)), boxes, classes[:, None], scores[:, None]], 1)
        return case(name, "end-to-end-batch", output, boxes, scores, classes, class_count=3, **options)
    rows, points = [boxes, scores[:, None], classes[:, None]], None
    if keypoints:
        points = generator.uniform(0, 90, (40, *keypoints)).astype(np.float32).astype(np.float64)
        rows.append(points.reshape(40, -1))
        options["dimensions"] = keypoints[1]
    case(name, "end-to-end", np.concatenate(rows, 1)[None], boxes, scores, classes, points, class_count=3, **options)


def boxes_and_scores(name, seed, classes=3, **options):
    generator = np.random.default_rng(seed)
    center, size, scores = proposals(generator, 40, classes)
    output = np.concatenate([center / [WIDTH, HEIGHT], size / [WIDTH, HEIGHT], scores], 1).astype(np.float32)
    boxes = output[:, :4].astype(np.float64) * [WIDTH, HEIGHT, WIDTH, HEIGHT]
    case(name, "boxes-and-scores", output, corners(boxes[:, :2], boxes[:, 2:]), scores.max(1), scores.argmax(1),
         class_count=classes, **options)


v8("v8", 1)
v8("v8.agnostic", 2, agnostic=True)
v8("v8.few", 3, most=5, overlap=0.2)
v8("v8.own-confidences", 4, confidence={0: 0.9, 2: 0.05})
v8("v8.only", 5, only=[1, 3])
v8("v8.pose", 6, classes=1, keypoints=(17, 3))
v8("v8.pose2", 7, classes=2, keypoints=(4, 2))
v8("v8.transposed", 8, transposed=True)
v5("v5", 9)
yolox("yolox", 10, decoded=False)
yolox("yolox.decoded", 11, decoded=True)
finished("end-to-end", 12)
finished("end-to-end.pose", 13, keypoints=(5, 3))
finished("end-to-end.batch", 14, batch=True)
boxes_and_scores("boxes-and-scores", 15, confidence=0.05)

path = pathlib.Path(__file__).parents[1] / "detection.safetensors"
save_file(tensors, path, metadata={
    "made_by": "Tests/Fixtures/generate/detection.py", "cases": json.dumps(cases),
    "input": json.dumps([WIDTH, HEIGHT]), "image": json.dumps([IMAGE_WIDTH, IMAGE_HEIGHT]),
})
print(path, path.stat().st_size, {k: len(tensors[f"{k}/scores"]) for k in cases})

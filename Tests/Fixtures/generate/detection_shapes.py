"""Outputs of detectors with masks and with turned boxes, and what a plain reading of them gives.

Masks are interpolated by PyTorch's grid_sample; turned boxes are compared as the normal distributions with their moments, by
matrices. `CASE/masks` says, with the pixels of all masks in a row, at which of them the value changes, beginning with none;
`CASE/doubtful` which are so near the limit that float32 may decide either way. `seg.onnx` and `obb.onnx` give the outputs of two cases for any picture.
"""

import json
import pathlib

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import save_file

WIDTH, HEIGHT = 96, 64
IMAGE_WIDTH, IMAGE_HEIGHT = 211, 120
CELLS = sum((WIDTH // s) * (HEIGHT // s) for s in (8, 16, 32))
RATIO = min(HEIGHT / IMAGE_HEIGHT, WIDTH / IMAGE_WIDTH)
LEFT = round((WIDTH - round(IMAGE_WIDTH * RATIO)) / 2 - 0.1)
TOP = round((HEIGHT - round(IMAGE_HEIGHT * RATIO)) / 2 - 0.1)
COEFFICIENTS, MAP_WIDTH, MAP_HEIGHT = 8, WIDTH // 4, HEIGHT // 4

folder = pathlib.Path(__file__).parents[1]
tensors, cases = {}, {}


def float32(values):
    return np.asarray(values).astype(np.float32).astype(np.float64)


def upright_overlap(a, b):
    low, high = np.maximum(a[:2], b[:2]), np.minimum(a[2:], b[2:])
    if (high <= low).any():
        return 0.0
    shared = np.prod(high - low)
    return shared / (np.prod(a[2:] - a[:2]) + np.prod(b[2:] - b[:2]) - shared)


def distribution(box):
    x, y, w, h, angle = box
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return np.array([x, y]), turn @ np.diag([w * w / 12, h * h / 12]) @ turn.T


def turned_overlap(a, b):
    """1 - Hellinger distance, from the Bhattacharyya distance of two normal distributions."""
    (mean_a, a), (mean_b, b) = distribution(a), distribution(b)
    middle, step = (a + b) / 2, mean_b - mean_a
    distance = step @ np.linalg.solve(middle, step) / 8
    distance += np.log(np.linalg.det(middle) / np.sqrt(np.linalg.det(a) * np.linalg.det(b))) / 2
    return 1 - np.sqrt(1 - np.exp(-distance))


def suppressed(boxes, scores, classes, overlap, limit, most, measure):
    chosen = np.flatnonzero(scores > limit)
    kept = []
    for index in chosen[np.argsort(-scores[chosen], kind="stable")]:
        if all(measure(boxes[index], boxes[k]) <= overlap for k in kept if classes[k] == classes[index]):
            kept.append(index)
    return np.array(kept[:most])


def proposals(generator, count, classes):
    hubs = generator.uniform([15, 10], [WIDTH - 15, HEIGHT - 10], (6, 2))
    center = hubs[generator.integers(6, size=count)] + generator.normal(0, 2, (count, 2))
    size = generator.uniform(10, 34, (count, 2))
    return float32(center), float32(size), float32(generator.uniform(0, 1, (count, classes)) ** 4)


def masked(name, seed, layout, classes=3, most=6, overlap=0.45):
    generator = np.random.default_rng(seed)
    count = {"v5": 3 * CELLS, "end-to-end": 12}.get(layout, CELLS)
    center, size, scores = proposals(generator, count, classes)
    coefficients = float32(generator.normal(0, 1, (count, COEFFICIENTS)))
    boxes = np.concatenate([center - size / 2, center + size / 2], 1)
    if layout == "v5":
        objectness = float32(generator.uniform(0, 1, (count, 1)))
        output = np.concatenate([center, size, objectness, scores, coefficients], 1)
        scores = (objectness.astype(np.float32) * scores.astype(np.float32)).astype(np.float64)
    elif layout == "end-to-end":
        boxes, scores, labels = float32(boxes), scores[:, :1] ** 0.3, generator.integers(0, classes, count)
        scores, overlap = float32(scores), 1
        output = np.concatenate([boxes, scores, labels[:, None], coefficients], 1)
    else:
        output = np.concatenate([center, size, scores, coefficients], 1)
    best = scores.max(1)
    labels = labels if layout == "end-to-end" else scores.argmax(1)
    chosen = suppressed(boxes, best, labels, overlap, 0.25, most, upright_overlap)
    assert len(chosen) > 3, name
    back = np.clip((boxes[chosen].reshape(-1, 2, 2) - [LEFT, TOP]) / RATIO, 0, [IMAGE_WIDTH, IMAGE_HEIGHT])

    maps = float32(generator.normal(0, 1, (COEFFICIENTS, MAP_HEIGHT, MAP_WIDTH)))
    sums = np.einsum("nc,chw->nhw", coefficients[chosen], maps)
    # Where the middle of each pixel is in the input, from -1 to 1.
    x, y = np.meshgrid(np.arange(IMAGE_WIDTH) + 0.5, np.arange(IMAGE_HEIGHT) + 0.5)
    grid = np.stack([(x * RATIO + LEFT) / WIDTH, (y * RATIO + TOP) / HEIGHT], 2) * 2 - 1
    values = torch.nn.functional.grid_sample(
        torch.tensor(sums)[:, None], torch.tensor(grid)[None].repeat(len(chosen), 1, 1, 1), mode="bilinear",
        padding_mode="border", align_corners=False)[:, 0].numpy()
    (x0, y0), (x1, y1) = back[:, 0].T[:, :, None, None], back[:, 1].T[:, :, None, None]
    inside = (x >= x0) & (x < x1) & (y >= y0) & (y < y1)
    tensors[f"{name}/output"] = np.ascontiguousarray(
        (output.T if layout == "v8" else output)[None], dtype=np.float32)
    tensors[f"{name}/prototypes"] = maps[None].astype(np.float32)
    tensors[f"{name}/boxes"] = back.reshape(-1, 4)
    tensors[f"{name}/scores"] = best[chosen]
    tensors[f"{name}/classes"] = labels[chosen].astype(np.int64)
    mask = (inside & (values > 0)).ravel()
    tensors[f"{name}/masks"] = np.flatnonzero(np.diff(mask, prepend=False)).astype(np.int32)
    tensors[f"{name}/doubtful"] = np.flatnonzero(inside & (abs(values) < 1e-4)).astype(np.int32)
    cases[name] = {"layout": layout, "classes": classes, "most": most, "overlap": min(overlap, 1)}


def turned(name, seed, layout, classes=3, most=12, overlap=0.3):
    generator = np.random.default_rng(seed)
    count = 14 if layout == "end-to-end" else CELLS
    center, size, scores = proposals(generator, count, classes)
    angle = float32(generator.uniform(-np.pi / 4, 3 * np.pi / 4, (count, 1)))
    boxes = np.concatenate([center, size, angle], 1)
    if layout == "end-to-end":
        best, labels = float32(scores[:, 0] ** 0.3), generator.integers(0, classes, count)
        output, overlap = np.concatenate([center, size, best[:, None], labels[:, None], angle], 1), 1
    else:
        best, labels = scores.max(1), scores.argmax(1)
        output = np.concatenate([center, size, scores, angle], 1)
    chosen = suppressed(boxes, best, labels, overlap, 0.25, most, turned_overlap)
    assert len(chosen) > 3, name
    corners = []
    for x, y, w, h, a in boxes[chosen]:
        points = np.array([w + 1j * h, w - 1j * h, -w - 1j * h, -w + 1j * h]) / 2 * np.exp(1j * a) + (x + 1j * y)
        corners.append(np.stack([(points.real - LEFT) / RATIO, (points.imag - TOP) / RATIO], 1))
    tensors[f"{name}/output"] = np.ascontiguousarray(
        (output.T if layout == "v8" else output)[None], dtype=np.float32)
    tensors[f"{name}/corners"] = np.array(corners)
    tensors[f"{name}/scores"] = best[chosen]
    tensors[f"{name}/classes"] = labels[chosen].astype(np.int64)
    cases[name] = {"layout": layout, "classes": classes, "most": most, "overlap": min(overlap, 1)}


def model(file, outputs, metadata):
    """A model that gives the same for every picture."""
    nodes = [helper.make_node("ReduceMin", ["images"], ["least"], keepdims=0),
             helper.make_node("Mul", ["least", "nothing"], ["zero"])]
    constants = [numpy_helper.from_array(np.float32(0), "nothing")]
    infos = []
    for name, values in outputs.items():
        constants.append(numpy_helper.from_array(values, f"{name}_values"))
        nodes.append(helper.make_node("Add", [f"{name}_values", "zero"], [name]))
        infos.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, values.shape))
    graph = helper.make_graph(
        nodes, "detector", [helper.make_tensor_value_info("images", TensorProto.FLOAT, [1, 3, HEIGHT, WIDTH])], infos,
        constants)
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    helper.set_model_props(proto, metadata)
    onnx.checker.check_model(proto)
    onnx.save(proto, folder / "detector" / file)


masked("masks.v8", 1, "v8")
masked("masks.v5", 2, "v5", most=4)
masked("masks.end-to-end", 3, "end-to-end")
turned("turned.v8", 4, "v8")
turned("turned.v8-transposed", 5, "v8-transposed")
turned("turned.end-to-end", 6, "end-to-end")

names = "{0: 'leaf', 1: 'stone', 2: 'water'}"
model("seg.onnx", {"output0": tensors["masks.v8/output"], "output1": tensors["masks.v8/prototypes"]},
      {"task": "segment", "names": names})
model("obb.onnx", {"output0": tensors["turned.v8/output"]}, {"task": "obb", "names": names})

path = folder / "detection_shapes.safetensors"
save_file(tensors, path, metadata={
    "made_by": "Tests/Fixtures/generate/detection_shapes.py", "cases": json.dumps(cases),
    "input": json.dumps([WIDTH, HEIGHT]), "image": json.dumps([IMAGE_WIDTH, IMAGE_HEIGHT]),
})
print(path.stat().st_size, {k: len(tensors[f"{k}/scores"]) for k in cases},
      {k: len(tensors[f"{k}/doubtful"]) for k in cases if "masks" in k})

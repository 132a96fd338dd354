"""Reference detection pipeline in PyTorch, from a picture to boxes; `apus detect` is compared with it."""

import json
import pathlib
import sys

import numpy as np
import torch
from safetensors import safe_open

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "reference"))
from resampling import bilinear
from yolo import SIZES, YOLOv8

GREY = 114


def network(path, dtype=torch.float32):
    """Loads the network from a weights file, converted to `dtype`."""
    with safe_open(path, "pt") as file:
        configuration = json.loads(file.metadata()["configuration"])
        state = {name: file.get_tensor(name).to(dtype) for name in file.keys()}
    keypoints = configuration["keypoints"]
    net = YOLOv8(SIZES["v8"][configuration["size"]], configuration["classes"],
                 (keypoints["count"], keypoints["dimensions"])).to(dtype)
    missing, unknown = net.load_state_dict(state, strict=False)
    assert not unknown and all(name.endswith("num_batches_tracked") for name in missing), (missing, unknown)
    return net.eval()


def stated_side(path):
    """The input side that the weights file states."""
    with safe_open(path, "pt") as file:
        return int(file.metadata()["imgsz"])


def letterboxed(picture, side):
    """The letterboxed picture `[side, side, 3]`, 0 to 255, with scale, left and top offsets."""
    high, wide = picture.shape[:2]
    scale = min(side / wide, side / high)
    width, height = round(wide * scale), round(high * scale)
    left, top = round((side - width) / 2 - 0.1), round((side - height) / 2 - 0.1)
    square = np.full((side, side, 3), float(GREY))
    square[top:top + height, left:left + width] = bilinear(picture, width, height)
    return square, scale, left, top


def overlaps(box, boxes):
    low, high = np.maximum(box[:2], boxes[:, :2]), np.minimum(box[2:], boxes[:, 2:])
    shared = (high - low).clip(0).prod(1)
    return shared / ((box[2:] - box[:2]).prod() + (boxes[:, 2:] - boxes[:, :2]).prod(1) - shared + 1e-12)


class Exported:
    """A network that `export.py` wrote as .onnx, perhaps quantised since, run by ONNX Runtime."""

    def __init__(self, path):
        import onnxruntime

        self.session = onnxruntime.InferenceSession(path)

    def parameters(self):
        yield torch.zeros(1)

    def __call__(self, pictures):
        output, = self.session.run(None, {self.session.get_inputs()[0].name: pictures.numpy()})
        output = torch.from_numpy(output)
        return {"boxes": output[:, :4], "scores": output[:, 4:-51], "keypoints": output[:, -51:]}


@torch.no_grad()
def detect(net, picture, side, confidence=0.25, overlap=0.45, most=300):
    """Boxes [n, 4], scores, classes and keypoints [n, 17, 3] of a picture [h, w, 3], in its pixels, by descending score."""
    square, scale, left, top = letterboxed(picture, side)
    dtype = next(net.parameters()).dtype
    found = net(torch.from_numpy(square / 255).permute(2, 0, 1)[None].to(dtype))
    output = [found[key][0].double().numpy().T for key in ("boxes", "scores", "keypoints")]
    scores, classes = output[1].max(1), output[1].argmax(1)
    chosen = np.flatnonzero(scores > confidence)
    chosen = chosen[np.argsort(-scores[chosen], kind="stable")]
    centre, size = output[0][:, :2], output[0][:, 2:]
    boxes = np.concatenate([centre - size / 2, centre + size / 2], 1)
    kept = []
    for index in chosen:
        rivals = [k for k in kept if classes[k] == classes[index]]
        if not rivals or overlaps(boxes[index], boxes[rivals]).max() <= overlap:
            kept.append(index)
        if len(kept) == most:
            break
    move = np.array([left, top])
    limit = np.array([picture.shape[1], picture.shape[0]] * 2)
    places = ((boxes[kept].reshape(-1, 2, 2) - move) / scale).reshape(-1, 4).clip(0, limit)
    points = output[2][kept].reshape(-1, 17, 3).copy()
    points[..., :2] = (points[..., :2] - move) / scale
    return places, scores[kept], classes[kept], points

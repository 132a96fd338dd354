"""The training loss. Task-aligned assignment of boxes to anchors as in TOOD (arXiv 2108.07755); 1 - CIoU and distribution
focal loss (arXiv 2006.04388) for boxes, binary cross-entropy for classes, and an OKS loss for keypoints.
"""

import torch
from torch.nn import functional as F

from yolo import BINS, STRIDES, grid

CANDIDATES, ALPHA, BETA = 10, 0.5, 6.0
GAINS = {"box": 7.5, "class": 0.5, "distribution": 1.5, "points": 4.0, "visibility": 0.5}
# COCO's per-keypoint OKS constants, relative to the person's size.
SIGMAS = torch.tensor([26, 25, 25, 35, 35, 79, 79, 72, 72, 62, 62, 107, 107, 87, 87, 89, 89]) / 1000
PERSON = 2


def overlap(a, b, complete=False):
    """IoU of boxes whose last axis is x1, y1, x2, y2; CIoU when `complete`."""
    low, high = torch.maximum(a[..., :2], b[..., :2]), torch.minimum(a[..., 2:], b[..., 2:])
    shared = (high - low).clamp(min=0).prod(-1)
    size_a, size_b = (a[..., 2:] - a[..., :2]).clamp(min=1e-6), (b[..., 2:] - b[..., :2]).clamp(min=1e-6)
    iou = shared / (size_a.prod(-1) + size_b.prod(-1) - shared + 1e-7)
    if not complete:
        return iou
    hull = torch.maximum(a[..., 2:], b[..., 2:]) - torch.minimum(a[..., :2], b[..., :2])
    diagonal = hull.square().sum(-1) + 1e-7
    apart = (a[..., :2] + a[..., 2:] - b[..., :2] - b[..., 2:]).square().sum(-1) / 4
    angle = (torch.atan(size_b[..., 0] / size_b[..., 1]) - torch.atan(size_a[..., 0] / size_a[..., 1])) * 2 / torch.pi
    shape = angle.square()
    with torch.no_grad():
        weight = shape / (1 - iou + shape + 1e-7)
    return iou - apart / diagonal - weight * shape


@torch.no_grad()
def assigned(scores, boxes, centres, truth, classes, present):
    """Task-aligned assignment of objects to anchors.

    `scores` [b, anchors, classes], `boxes` [b, anchors, 4] and `centres` [anchors, 2] in pixels; `truth` [b, n, 4],
    `classes` and `present` [b, n]. Returns indices [b, anchors], -1 for none, and targets [b, anchors].
    """
    count = truth.shape[1]
    inside = torch.stack([
        centres[:, 0] - truth[..., :1], centres[:, 1] - truth[..., 1:2],
        truth[..., 2:3] - centres[:, 0], truth[..., 3:4] - centres[:, 1]]).amin(0) > 1e-6  # [b, n, anchors]
    inside &= present[..., None]
    iou = overlap(truth[:, :, None], boxes[:, None]).clamp(min=0) * inside
    chance = scores.transpose(1, 2).gather(1, classes[..., None].expand(-1, -1, scores.shape[1]))
    agreement = chance.pow(ALPHA) * iou.pow(BETA) * inside
    best, chosen = agreement.topk(min(CANDIDATES, agreement.shape[2]), 2)
    taken = torch.zeros_like(inside).scatter_(2, chosen, best > 1e-12) & inside
    # An anchor assigned to several objects keeps the one with the highest IoU.
    contested = taken.sum(1) > 1
    winner = F.one_hot((iou * taken).argmax(1), count).transpose(1, 2).bool()
    taken = torch.where(contested[:, None], winner & taken, taken)
    agreement, iou = agreement * taken, iou * taken
    strength = agreement / (agreement.amax(2, keepdim=True) + 1e-9) * iou.amax(2, keepdim=True)
    index = torch.where(taken.any(1), taken.int().argmax(1), -1)
    return index, strength.amax(1)


def placed(distribution, centres, steps):
    """Decodes distributions [..., 4 * BINS] over side distances into boxes [..., 4], in pixels."""
    sides = (distribution.unflatten(-1, (4, BINS)).softmax(-1) * torch.arange(BINS)).sum(-1) * steps
    return torch.cat([centres - sides[..., :2], centres + sides[..., 2:]], -1)


def loss(maps, truth, classes, present, ignored, keypoints):
    """The total loss and its parts. `ignored` [b, m, 5]: boxes with class that count neither as positives nor as negatives;
    class -1 marks padding. `keypoints` [b, n, 17, 3]."""
    levels = [maps[f"map.{i}"].float() for i in range(len(STRIDES))]
    centres, steps = grid(levels)
    centres, steps = (centres * steps).T, steps.T[None]  # pixels; [1, anchors, 1]
    raw = torch.cat([level.flatten(2) for level in levels], 2).transpose(1, 2)
    distribution, logits = raw.split([4 * BINS, raw.shape[2] - 4 * BINS], 2)
    with torch.no_grad():
        boxes = placed(distribution, centres, steps)
    index, strength = assigned(logits.sigmoid().detach(), boxes, centres, truth, classes, present)
    positive = index >= 0
    target = torch.zeros_like(logits)
    where = positive.nonzero(as_tuple=True)
    owner = index[where]
    target[where[0], where[1], classes[where[0], owner]] = strength[where]
    total = target.sum().clamp(min=1)

    # At ignored objects, their class contributes no loss.
    within = torch.stack([
        centres[:, 0] - ignored[..., :1], centres[:, 1] - ignored[..., 1:2],
        ignored[..., 2:3] - centres[:, 0], ignored[..., 3:4] - centres[:, 1]]).amin(0) > 0  # [b, m, anchors]
    kinds = F.one_hot(ignored[..., 4].long().clamp(min=0), logits.shape[2]) * (ignored[..., 4:] >= 0)
    excused = torch.einsum("bma,bmc->bac", within.float(), kinds.float()) > 0
    counted = ~(excused & (target == 0))
    parts = {"class": (F.binary_cross_entropy_with_logits(logits, target, reduction="none") * counted).sum() / total}
    if len(owner) == 0:
        return parts["class"] * GAINS["class"], parts

    wanted, weight = truth[where[0], owner], strength[where]
    middle, step, chosen = centres[where[1]], steps[0, where[1]], distribution[where]
    parts["box"] = ((1 - overlap(placed(chosen, middle, step), wanted, complete=True)) * weight).sum() / total
    distance = (torch.cat([middle - wanted[:, :2], wanted[:, 2:] - middle], 1) / step).clamp(0, BINS - 1.01)
    low = distance.long()
    share = (low + 1 - distance).flatten()
    bins = chosen.unflatten(1, (4, BINS)).flatten(0, 1)
    entropy = (F.cross_entropy(bins, low.flatten(), reduction="none") * share
               + F.cross_entropy(bins, low.flatten() + 1, reduction="none") * (1 - share))
    parts["distribution"] = (entropy.unflatten(0, (-1, 4)).mean(1) * weight).sum() / total

    if "map.keypoints" in maps:
        people = classes[where[0], owner] == PERSON
        at = where[0][people], where[1][people]
        points = keypoints[at[0], owner[people]]
        numbers = maps["map.keypoints"].float().transpose(1, 2)[at].unflatten(1, (17, 3))
        places = numbers[..., :2] * 2 * step[people][:, None] + (middle[people] - 0.5 * step[people])[:, None]
        known = points[..., 2] > 0
        size = (wanted[people][:, 2:] - wanted[people][:, :2]).prod(1).clamp(min=16)[:, None]
        error = (places - points[..., :2]).square().sum(2) / (2 * size * 0.53 * (2 * SIGMAS).square())
        count = known.sum().clamp(min=1)
        parts["points"] = ((1 - (-error).exp()) * known).sum() / count
        parts["visibility"] = F.binary_cross_entropy_with_logits(numbers[..., 2], known.float()) if len(at[0]) else error.sum()
    return sum(GAINS[name] * part for name, part in parts.items()), parts

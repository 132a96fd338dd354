"""Checks of the synthetic data: python -m unittest discover -s Weights/behavior/training -p 'test_*.py'"""

import unittest

import numpy as np
import torch

import ranges
import sensor
from generate import BEHAVIORS, clip, dataset
from labels import KEYPOINTS, LABELS, SEPARABLE
from motion import Scene
from skeleton import keypoints, path
from train import mirrored


def in_space(label, count=20, frames=100, seed=3):
    scene = Scene(np.random.default_rng(seed), count, frames, "train")
    pose = BEHAVIORS[label](scene)
    heading, x, y = path(pose, np.zeros((count, 1), np.float32))
    return scene, keypoints(scene.body, pose, heading, x, y)


def height(points, name):
    return points[:, :, KEYPOINTS.index(name), 2]


class Generator(unittest.TestCase):
    def test_every_separable_label_has_a_behavior(self):
        self.assertEqual(set(BEHAVIORS), set(SEPARABLE))
        self.assertEqual(len(LABELS), 21)

    def test_held_out_bands_are_never_drawn_for_training(self):
        rng = np.random.default_rng(1)
        for factor, bands in ranges.HELD_OUT.items():
            train, test = (ranges.draw(rng, factor, 5000, split)[:, 0] for split in ("train", "all"))
            inside = np.zeros((2, 5000), bool)
            for low, high in bands:
                inside |= (np.stack([train, test]) > low) & (np.stack([train, test]) < high)
            self.assertFalse(inside[0].any(), factor)
            self.assertTrue(inside[1].all(), factor)

    def test_same_seed_same_windows(self):
        first, second = (dataset(8, 6, labels=["sit", "running"])[0] for _ in range(2))
        np.testing.assert_array_equal(first, second)
        self.assertEqual(first.shape, (12, 48, 100))
        self.assertTrue((first >= 0).all() and (first <= 1).all())

    def test_legs_keep_their_length_while_standing(self):
        scene, points = in_space("stand")
        upper = np.linalg.norm(points[:, :, 7] - points[:, :, 8], axis=-1)
        np.testing.assert_allclose(upper, np.broadcast_to(0.45 * scene.body.leg, upper.shape), rtol=1e-3)

    def test_postures_are_what_they_are_called(self):
        _, sit = in_space("sit")
        self.assertTrue((height(sit, "withers") > height(sit, "tail_base") + 0.2).all())
        scene, down = in_space("down")
        self.assertTrue((height(down, "center") < 0.65 * scene.body.leg).all())
        _, jump = in_space("jumping")
        paws = np.stack([height(jump, n) for n in KEYPOINTS if n.endswith("paw")])
        self.assertTrue(((paws.min(axis=0) > 0.15).any(axis=1)).all())
        _, sniff = in_space("sniffing")
        self.assertLess(np.median(height(sniff, "nose")), 0.15)

    def test_come_grows_and_fetch_shrinks_then_grows(self):
        for label, grows in (("come", True), ("fetch", False)):
            frames, aspect = clip(np.random.default_rng(4), label, 40, aspect=1.0)
            size = np.hypot(np.ptp(frames[..., 0], axis=2), np.ptp(frames[..., 1], axis=2))
            if grows:
                self.assertTrue((size[:, -10:].mean(1) > 3 * size[:, :10].mean(1)).all())
            else:
                middle = size[:, 35:75].min(axis=1)
                self.assertTrue((middle < size[:, 0]).all() and (middle < size[:, -1]).all())

    def test_missing_points_are_zero_pairs(self):
        frames = np.full((2, 30, 24, 2), 0.5, np.float32)
        frames[0, 0, 0] = (1.2, 0.5)
        seen = sensor.dropout(np.random.default_rng(0), 2, 30, complete=0.0)
        zeroed, kept = sensor.missing_to_zero(frames, seen)
        self.assertFalse(kept[0, 0, 0])
        self.assertTrue((zeroed[~kept] == 0).all() and (zeroed[kept] == 0.5).all())

    def test_a_mirror_twice_is_no_mirror(self):
        poses = torch.from_numpy(dataset(9, 3, labels=["walking"])[0])
        torch.testing.assert_close(mirrored(mirrored(poses)), poses, atol=1e-6, rtol=0)
        self.assertFalse(torch.equal(mirrored(poses), poses))


if __name__ == "__main__":
    unittest.main()

"""Tests of what finetune.py reads: run with `python -m unittest discover -s Weights/detector/training -p 'test_*.py'`."""

import tempfile
import unittest
from pathlib import Path

import numpy as np
from PIL import Image

import finetune


class Reading(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.root = Path(holder.name)
        for split in ("train", "val"):
            (self.root / "images" / split).mkdir(parents=True)
            (self.root / "labels" / split).mkdir(parents=True)
            for i in range(3):
                Image.new("RGB", (80, 40)).save(self.root / f"images/{split}/{i}.png")
        (self.root / "labels/train/0.txt").write_text("1 0.5 0.5 0.25 0.5\n0 0.25 0.25 0.5 0.5\n")

    def test_boxes_are_in_pixels(self):
        _, truth = finetune.read(self.root / "images/train/0.png", 2)
        np.testing.assert_allclose(truth["boxes"], [[30, 10, 50, 30], [0, 0, 40, 20]])
        self.assertEqual(truth["classes"].tolist(), [1, 0])
        self.assertFalse(truth["keypoints"].any())

    def test_a_picture_without_a_file_of_labels_has_no_objects(self):
        _, truth = finetune.read(self.root / "images/train/1.png", 2)
        self.assertEqual(len(truth["boxes"]), 0)

    def test_joints_are_read(self):
        joints = " ".join("0.5 0.25 2" for _ in range(17))
        (self.root / "labels/train/2.txt").write_text(f"0 0.5 0.5 1 1 {joints}\n")
        _, truth = finetune.read(self.root / "images/train/2.png", 1)
        np.testing.assert_allclose(truth["keypoints"][0], np.tile([40, 10, 2], (17, 1)))

    def test_what_is_wrong_is_named(self):
        for text in ("2 0.5 0.5 1 1", "0 0.5 0.5 1", "plate 0.5 0.5 1 1"):
            (self.root / "labels/train/2.txt").write_text(text)
            with self.assertRaisesRegex(SystemExit, "2.txt:1: "):
                finetune.read(self.root / "images/train/2.png", 2)

    def test_splits_are_folders_lists_or_written_from_elsewhere(self):
        for stated in ("images/train", ["images/train"], "../images/train"):
            self.assertEqual(len(finetune.listed(self.root, stated, self.root)), 3, stated)
        (self.root / "train.txt").write_text("images/train/0.png\nimages/val/1.png\n")
        self.assertEqual(len(finetune.listed(self.root, "train.txt", self.root)), 2)
        with self.assertRaises(SystemExit):
            finetune.listed(self.root, "images/none", self.root)

    def test_the_shipped_network_keeps_what_it_knows(self):
        stored = finetune.load_file(finetune.SHIPPED)
        state = finetune.widened(["person", "cone"], stored).state_dict()
        name = "model.22.cv3.0.2.weight"
        np.testing.assert_array_equal(state[name][0], stored[name].float()[2])
        np.testing.assert_allclose(state[name][1], stored[name].float().mean(0), rtol=1e-6)


if __name__ == "__main__":
    unittest.main()

"""Tests of what finetune.py reads: run with `python -m unittest discover -s Weights/behavior/training -p 'test_*.py'`."""

import json
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

import numpy as np

import finetune
from labels import KEYPOINTS

OPTIONS = SimpleNamespace(fps=20, size=(200, 100), map={"snout": "nose"})


class Reading(unittest.TestCase):
    """A clip of 240 frames, 20 a second, in which the nose moves to the right; the left eye is not found."""

    frames = 240

    def nose(self, frame):
        return frame / 300 * 200, 25.0

    def check(self, path):
        found, begins = finetune.windows(path, 0.0, float("inf"), OPTIONS)
        self.assertEqual(found.shape, (3, 48, 100))  # of twelve seconds, windows of ten
        self.assertEqual([round(b, 6) for b in begins], [0, 1, 2])
        np.testing.assert_allclose(found[0, 0], np.arange(0, 200, 2) / 300, atol=1e-6)
        np.testing.assert_allclose(found[1, 1], 0.25, atol=1e-6)
        self.assertFalse(found[:, 2:].any())

    def written(self, name, text):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = Path(folder.name, name)
        path.write_text(text)
        return path

    def test_json_lines(self):
        lines = [json.dumps({"t": i / 20, "width": 200, "height": 100, "keypoints": [self.nose(i)] + [None] * 23})
                 for i in range(self.frames)]
        self.check(self.written("a.jsonl", "\n".join(lines) + "\n"))

    def test_deeplabcut(self):
        rows = ["scorer" + ",me" * 6, "bodyparts,snout,snout,snout,left_eye,left_eye,left_eye", "coords" + ",x,y,likelihood" * 2]
        rows += [f"{i},{self.nose(i)[0]},{self.nose(i)[1]},0.9,50,50,0.1" for i in range(self.frames)]
        self.check(self.written("a.csv", "\n".join(rows)))

    def test_sleap(self):
        rows = ["track,frame_idx,instance.score,nose.x,nose.y,nose.score,left_eye.x,left_eye.y,left_eye.score"]
        rows += [f"a,{i},0.9,{self.nose(i)[0]},{self.nose(i)[1]},0.9,,,\nb,{i},0.9,1,1,0.9,,," for i in range(self.frames)]
        self.check(self.written("a.csv", "\n".join(rows)))

    def test_other_tables_are_refused(self):
        with self.assertRaises(SystemExit):
            finetune.windows(self.written("a.csv", "x,y\n1,2\n"), 0.0, float("inf"), OPTIONS)


class Parts(unittest.TestCase):
    def test_of_each_label_some_files_are_held_out(self):
        found = [(f"{label}{i}", label, 0, 1) for label in "abc" for i in range(8)] + [("a0", "b", 1, 2)]
        held = finetune.parted(found, 0.25, 0)
        for label in "abc":
            paths = {path for path, name, _, _ in found if name == label}
            self.assertTrue(2 <= len(paths & held) <= 3, label)
        self.assertEqual(held, finetune.parted(found, 0.25, 0))

    def test_every_keypoint_has_its_place(self):
        values = {(name, axis): i * 2.0 for i, name in enumerate(KEYPOINTS) for axis in "xy"}
        points = finetune.placed(KEYPOINTS, values, SimpleNamespace(size=(100, 100), map={}))
        np.testing.assert_allclose(points[:, 0], np.arange(24) / 50, atol=1e-6)


if __name__ == "__main__":
    unittest.main()

"""Tests of the batches: no mask attends to its own word, and logits equal those of Hugging Face."""

import unittest

import numpy as np
import torch

import model as network
from corpus import CONTEXT, Corpus, Pieces
from feeding import STYLES, Feeder, parallel_batch
from grammar import Grammar, messages

LINES = [text for text, _ in messages(3, 40, grammar=Grammar())]


class Feeding(unittest.TestCase):
    pieces = Pieces()
    corpus = Corpus(LINES, pieces)
    model = network.build(pieces.count, 1).eval()

    def parallel(self, corpus, rows):
        before, this, after, places, seen, size, real, targets = parallel_batch(corpus, self.pieces, rows)
        with torch.no_grad():
            hidden = network.encode(self.model, network.embed(self.model, before, this, after, places), seen)
            return network.scores(self.model, hidden[:, size:][real]), targets

    def test_a_mask_sees_what_is_before_its_word_and_nothing_after(self):
        line, place = "hey tom, we are going to the beach tomorrow with my sister", 6
        words = line.split(" ")
        whole, targets = self.parallel(Corpus([line], self.pieces), [0])
        self.assertEqual(len(targets), len(words))
        for changed, same in ((place, place + 1), (place - 1, place)):
            other = Corpus([" ".join(words[:changed] + ["pizza"] + words[changed + 1:])], self.pieces)
            scores, _ = self.parallel(other, [0])
            self.assertTrue(torch.allclose(scores[:same], whole[:same], atol=1e-5))
            self.assertFalse(torch.allclose(scores[same], whole[same], atol=1e-3))

    def test_every_style_hides_its_target_and_fits(self):
        feeder = Feeder(self.corpus, self.pieces, 1)
        for place in self.corpus.targets[:300]:
            for style in STYLES:
                ids, at = feeder.example(place, style)
                self.assertEqual(ids[at], self.pieces.mask)
                self.assertEqual(ids.count(self.pieces.mask), 1)
                self.assertEqual((ids[0], ids[-1]), (self.pieces.cls, self.pieces.sep))
                self.assertLessEqual(len(ids), CONTEXT + 3)

    def test_logits_are_hugging_faces(self):
        ids, lengths, at, _, _ = next(Feeder(self.corpus, self.pieces, 2).batches(16, group=2))
        with torch.no_grad():
            ours = network.masked_logits(self.model, ids, lengths, at)
            seen = (torch.arange(ids.shape[1]) < lengths[:, None]).long()
            theirs = self.model(input_ids=ids, attention_mask=seen).logits[torch.arange(len(ids)), at]
        self.assertTrue(torch.allclose(ours, theirs, atol=1e-4))

    def test_plain_ascii_is_never_unknown(self):
        characters = "".join(chr(code) for code in range(32, 127))
        for text in (characters, " ".join(characters), "Zyxwvut-9876 qqqq'x!"):
            for word in text.split():
                self.assertNotIn(self.pieces.unknown, self.pieces(word))
        self.assertEqual(len(self.pieces("tomorrow")), 1)

    def test_targets_are_the_beginnings_of_words(self):
        starts = [self.pieces(word)[0] for line in LINES for word in line.split(" ")]
        self.assertEqual(self.corpus.ids[self.corpus.targets].tolist(), starts)
        self.assertTrue((np.diff(self.corpus.offsets) > 0).all())


if __name__ == "__main__":
    unittest.main()

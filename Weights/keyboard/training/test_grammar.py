"""Tests of the grammar and of its forms."""

import random
import unittest

from grammar import Grammar, messages
from grammar.expansion import parse, tidy
from grammar.morphology import article, inflect, plural


class Forms(unittest.TestCase):
    def test_verbs(self):
        for verb, forms in {
            "go": "goes going went gone", "plan": "plans planning planned planned", "try": "tries trying tried tried",
            "tie": "ties tying tied tied", "make": "makes making made made",
            "watch": "watches watching watched watched",
            "cancel": "cancels canceling canceled canceled", "picnic": "picnics picnicking picnicked picnicked",
        }.items():
            self.assertEqual(" ".join(inflect(verb, form) for form in ("s", "ing", "past", "pp")), forms)

    def test_nouns(self):
        self.assertEqual([plural(noun) for noun in ("city", "day", "old knife", "box")],
                         ["cities", "days", "old knives", "boxes"])
        self.assertEqual([article(word) for word in ("hour", "apple", "uniform", "8", "car")],
                         ["an", "an", "a", "an", "a"])

    def test_tidy(self):
        self.assertEqual(tidy("a  apple , a new jeans ."), "an apple, some new jeans.")


class Sentences(unittest.TestCase):
    grammar = Grammar()

    def say(self, text, seed=0):
        return self.grammar.draw(parse(text, "test")[0], random.Random(seed))

    def test_verbs_agree_with_their_subject(self):
        self.assertEqual(self.say("she {*want} to see {my} dog"), "she wants to see her dog")
        self.assertEqual(self.say("they {'m} {*go:ing} home"), "they're going home")
        self.assertEqual(self.say("the boys@they {have} {*go:pp}"), "the boys have gone")

    def test_every_reference_leads_somewhere(self):
        self.grammar.check()

    def test_the_same_seed_gives_the_same_messages(self):
        self.assertEqual(list(messages(5, 50)), list(messages(5, 50)))

    def test_held_out_templates_stay_out_of_training(self):
        held = {t.identifier for pool in (self.grammar.frames, *self.grammar.templates.values()) for t in pool
                if t.held_out}
        self.assertGreater(len(held), 100)
        for is_held, count in ((False, 3000), (True, 500)):
            for _, identifiers in messages(9, count, is_held, self.grammar):
                self.assertTrue(all((name in held) == is_held for name in identifiers))


if __name__ == "__main__":
    unittest.main()

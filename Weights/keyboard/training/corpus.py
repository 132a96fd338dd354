"""Training and test text: words, word pieces, and pairs of context and next word."""

import random

import numpy as np
from tokenizers import BertWordPieceTokenizer

from grammar import Grammar, messages
from paths import VOCABULARY

#: Seeds of the data sets, which are disjoint. `draw` and `template` are held out: by draw, and by template.
SEEDS = {
    "vocabulary": 20261123, "train 0": 20261122, "jumbled 0": 20261124, "train 1": 20261125, "jumbled 1": 20261126,
    "draw": 900001, "template": 900002, "prompts": 900003,
}
#: Training rounds, each with its own text.
ROUNDS = 2
#: Messages per round, and additional jumbled ones.
TRAINING, JUMBLED = 120_000, 60_000
#: Probability that a jumbled message switches to another message after a word.
JUMP = 0.15
#: Pieces of context that fit into 32 with [CLS], [MASK] and [SEP].
CONTEXT = 29


def texts(kind, count, grammar=None):
    """`count` messages of one set. Messages held out by draw never occur in the training text."""
    if kind == "draw":
        seen = set(training_text(grammar))
        drawn = (text for text, _ in messages(SEEDS["draw"], 3 * count + 100, grammar=grammar))
        return [text for text in drawn if text not in seen][:count]
    held_out = kind in ("template", "prompts")
    return [text for text, _ in messages(SEEDS[kind], count, held_out, grammar)]


def training_text(grammar=None):
    """The whole messages of all rounds."""
    return [text for number in range(ROUNDS) for text in texts(f"train {number}", TRAINING, grammar)]


def jumbled(lines, count, seed):
    """Messages that jump, after some words, into the middle of another message.

    A network trained on complete messages only is overconfident, and wrong on sentences of an unseen structure. Jumbled
    messages teach it to rely on the last words when the context is unfamiliar, and to be less certain.
    """
    rng = random.Random(seed)
    result = []
    for _ in range(count):
        source, words = [], []
        for _ in range(rng.randrange(6, 24)):
            if not source or rng.random() < JUMP:
                source = lines[rng.randrange(len(lines))].split(" ")
                source = source[rng.randrange(len(source)):]
            words.append(source.pop(0))
        result.append(" ".join(words))
    return result


class Pieces:
    """Maps words to the ids of their pieces, with a cache."""

    def __init__(self, vocabulary=VOCABULARY):
        self.tokenizer = BertWordPieceTokenizer(str(vocabulary), lowercase=True)
        self.known = {}
        special = [self.tokenizer.token_to_id(token) for token in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ".")]
        self.pad, self.unknown, self.cls, self.sep, self.mask, self.stop = special
        self.count = self.tokenizer.get_vocab_size()

    def __call__(self, word):
        """The ids of a word that stands between spaces; BERT never joins over a space."""
        if word not in self.known:
            self.known[word] = self.tokenizer.encode(word, add_special_tokens=False).ids
        return self.known[word]


class Corpus:
    """Messages as one array of ids. `starts` marks pieces that begin a word after a space, which a keyboard predicts."""

    def __init__(self, lines, pieces):
        ids, starts, offsets, words, word_of = [], [], [0], [], []
        for line in lines:
            for word in line.split(" "):
                found = pieces(word)
                ids += found
                starts += [True] + [False] * (len(found) - 1)
                word_of += [len(words)] * len(found)
                words.append(word)
            offsets.append(len(ids))
        self.ids, self.starts = np.array(ids, np.int64), np.array(starts)
        self.offsets, self.words, self.word_of = np.array(offsets), words, np.array(word_of)
        self.message_of = np.repeat(np.arange(len(lines)), np.diff(self.offsets))
        # A message may begin a word with a bracket or a quote; this grammar's never does.
        self.targets = np.flatnonzero(self.starts)

    def __len__(self):
        return len(self.offsets) - 1

    def context(self, place, limit=CONTEXT):
        """The last pieces of the message before `place`."""
        return self.ids[max(self.offsets[self.message_of[place]], place - limit):place]


def training(pieces, number):
    """The text of a round, whole and jumbled messages together."""
    lines = texts(f"train {number}", TRAINING)
    return Corpus(lines + jumbled(lines, JUMBLED, SEEDS[f"jumbled {number}"]), pieces)


def corpus(kind, count, pieces, grammar=None):
    return Corpus(texts(kind, count, grammar or Grammar()), pieces)

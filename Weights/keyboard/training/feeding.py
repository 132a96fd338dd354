"""Batches: first with many masks per message, then texts in the form of keyboard queries."""

import numpy as np
import torch

from corpus import CONTEXT

#: Composition of the second part of training.
STYLES = {"next": 0.58, "completion": 0.26, "stock": 0.10, "middle": 0.06}
#: Probability that the context is cut to the current sentence.
SENTENCE_ONLY = 0.2


def padded(rows):
    length = max(map(len, rows))
    table = np.zeros((len(rows), length), np.int64)
    for place, row in enumerate(rows):
        table[place, :len(row)] = row
    return torch.from_numpy(table)


def parallel_batch(corpus, pieces, chosen):
    """Complete messages with a mask for each word at once.

    The first half of a row is [CLS] and the message, with causal attention; then comes one [MASK] per word, which
    attends only to what precedes its word. A context token's embedding holds the token after it, so a mask
    does not attend to the token before it, but has it as a neighbour.
    """
    messages = [corpus.ids[corpus.offsets[i]:corpus.offsets[i + 1]][:CONTEXT + 1] for i in chosen]
    starts = [np.flatnonzero(corpus.starts[corpus.offsets[i]:corpus.offsets[i + 1]][:CONTEXT + 1]) for i in chosen]
    size, asked = max(map(len, messages)), max(map(len, starts))
    context = np.zeros((len(chosen), size + 1), np.int64)
    context[:, 0] = pieces.cls
    targets = np.zeros((len(chosen), asked), np.int64)
    at = np.zeros((len(chosen), asked), np.int64)  # the mask's position: that of its word, with [CLS] at 0
    real = np.zeros((len(chosen), asked), bool)
    for row, (message, words) in enumerate(zip(messages, starts)):
        context[row, 1:len(message) + 1] = message
        targets[row, :len(words)] = message[words]
        at[row, :len(words)] = words + 1
        real[row, :len(words)] = True
    before_mask = np.take_along_axis(context, np.maximum(at - 1, 0), axis=1)
    context = context[:, :size]
    edge = np.zeros((len(chosen), 1), np.int64)
    this = np.concatenate([context, np.full_like(at, pieces.mask)], axis=1)
    before = np.concatenate([edge, context[:, :-1], before_mask], axis=1)
    after = np.concatenate([context[:, 1:], edge, np.full_like(at, pieces.sep)], axis=1)
    places = np.concatenate([np.broadcast_to(np.arange(size), context.shape), at], axis=1)
    seen = np.zeros((len(chosen), size + asked, size + asked), bool)
    seen[:, :size, :size] = np.tril(np.ones((size, size), bool))
    seen[:, size:, :size] = np.arange(size) <= (at - 2)[:, :, None]
    seen[:, np.arange(size, size + asked), np.arange(size, size + asked)] = True
    tables = [torch.from_numpy(table) for table in (before, this, after, places)]
    return *tables, torch.from_numpy(seen)[:, None], size, torch.from_numpy(real), torch.from_numpy(targets[real])


class Feeder:
    """Texts with one mask each, as in keyboard queries, at positions sampled from the corpus."""

    def __init__(self, corpus, pieces, seed):
        self.corpus, self.pieces, self.rng = corpus, pieces, np.random.default_rng(seed)
        self.ends = {pieces(mark)[0] for mark in ".?!"}

    def context(self, place, limit):
        context = self.corpus.context(place, limit)
        if self.rng.random() < SENTENCE_ONLY:
            for back in range(len(context) - 1, -1, -1):
                if int(context[back]) in self.ends:
                    return context[back + 1:].tolist()
        return context.tolist()

    def example(self, place, style):
        """`(ids, position of the mask)`; the target is the piece at `place`."""
        corpus, pieces = self.corpus, self.pieces
        if style == "completion":
            word = corpus.words[corpus.word_of[place]]
            letters = len(word) - len(word.lstrip("abcdefghijklmnopqrstuvwxyz"))
            if letters > 1:
                partial = pieces(word[:1 + int(self.rng.integers(letters - 1))])
                context = self.context(place, CONTEXT - len(partial))
                return [pieces.cls, *context, *partial, pieces.mask, pieces.sep], 1 + len(context) + len(partial)
        context = self.context(place, CONTEXT - (style == "stock"))
        row = [pieces.cls, *context, pieces.mask]
        if style == "stock":
            row.append(pieces.stop)
        elif style == "middle":
            end = corpus.offsets[corpus.message_of[place] + 1]
            row += corpus.ids[place + 1:min(end, place + 31 - len(row))].tolist()
        return [*row, pieces.sep], 1 + len(context)

    def batches(self, size, group=24):
        """An infinite iterator of batches of similar lengths: (ids, lengths, positions of the masks, targets, styles)."""
        names, shares = list(STYLES), list(STYLES.values())
        while True:
            chosen = self.rng.choice(self.corpus.targets, size * group)
            styles = self.rng.choice(len(names), size * group, p=shares)
            examples = [self.example(place, names[style]) for place, style in zip(chosen, styles)]
            order = np.argsort([len(ids) for ids, _ in examples], kind="stable").reshape(group, size)
            for rows in self.rng.permutation(order):
                ids = [examples[row][0] for row in rows]
                yield (padded(ids), torch.tensor([len(row) for row in ids]),
                       torch.tensor([examples[row][1] for row in rows]),
                       torch.from_numpy(self.corpus.ids[chosen[rows]]), styles[rows])

"""The baseline: an interpolated Kneser-Ney trigram over the same pieces of the same text.

It predicts the same targets as the network, the first piece of the next word, and is estimated from all words of the
training text; its history is the two previous pieces, [CLS] at the beginning of a message.
"""

from collections import Counter, defaultdict

import numpy as np


class Trigram:
    def __init__(self, corpus, vocabulary_size, cls):
        self.size, self.cls = vocabulary_size, cls
        triples = Counter(zip(*(row.tolist() for row in self.history(corpus, corpus.targets)),
                              corpus.ids[corpus.targets].tolist()))
        self.three = defaultdict(list)
        for (u, v, t), count in triples.items():
            self.three[u, v].append((t, count))
        pairs = Counter((v, t) for _, v, t in triples)  # number of histories: Kneser-Ney continuation counts
        self.two = defaultdict(list)
        for (v, t), count in pairs.items():
            self.two[v].append((t, count))
        singles = Counter(t for _, t in pairs)
        self.discounts = [self.discount(counts) for counts in (singles, pairs, triples)]
        self.one = self.interpolated(list(singles.items()), self.discounts[0], np.full(self.size, 1 / self.size))
        self.two = {v: self.arrays(found) for v, found in self.two.items()}
        self.three = {key: self.arrays(found) for key, found in self.three.items()}

    def history(self, corpus, places):
        first = corpus.offsets[corpus.message_of[places]]
        return [np.where(places - back >= first, corpus.ids[np.maximum(places - back, 0)], self.cls)
                for back in (2, 1)]

    @staticmethod
    def discount(counts):
        of = Counter(counts.values())
        return of[1] / (of[1] + 2 * of[2]) if of[1] else 0.5

    @staticmethod
    def arrays(found):
        return np.array([t for t, _ in found]), np.array([count for _, count in found], float)

    def interpolated(self, found, discount, lower):
        tokens, counts = found if isinstance(found, tuple) else self.arrays(found)
        total = counts.sum()
        p = lower * (discount * len(tokens) / total)
        p[tokens] += (counts - discount) / total
        return p

    def probabilities(self, u, v):
        """The distribution over pieces after `u v`."""
        p = self.one
        if v in self.two:
            p = self.interpolated(self.two[v], self.discounts[1], p)
        if (u, v) in self.three:
            p = self.interpolated(self.three[u, v], self.discounts[2], p)
        return p

    def score(self, corpus, places):
        """`(log probability of the target, whether it is among the top three)` at each position."""
        u, v = self.history(corpus, places)
        logs, hits, known = np.zeros(len(places)), np.zeros(len(places), bool), {}
        for row, (key, target) in enumerate(zip(zip(u.tolist(), v.tolist()), corpus.ids[places].tolist())):
            if key not in known:
                p = self.probabilities(*key)
                known[key] = p, set(np.argpartition(-p, 3)[:3].tolist())
            p, best = known[key]
            logs[row], hits[row] = np.log(p[target]), target in best
        return logs, hits

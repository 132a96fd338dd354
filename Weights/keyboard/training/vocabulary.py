"""Writes the WordPiece vocabulary, `vocab.txt`: the grammar's words, and pieces for all other ASCII text.

    python Weights/keyboard/training/vocabulary.py

In BERT's order: special tokens, punctuation, digits and letters, the same as continuations, longer continuations, words
by frequency in the grammar. Only words of over 100 letters and non-ASCII text become [UNK].
"""

import re
import string
from collections import Counter

from corpus import TRAINING, texts
from paths import VOCABULARY

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
#: Less frequent words are split into pieces.
LEAST = 4
#: Continuations of two letters and more.
CONTINUATIONS = 400
MOST_WORDS = 5200


def words(lines):
    """Words and numbers as BERT's basic tokenizer splits them, at spaces and punctuation."""
    counts = Counter()
    for line in lines:
        counts.update(re.findall(r"[a-z0-9]+", line))
    return counts


def continuations(known):
    """Suffixes that extend a word to a longer one, ranked by number of words times letters saved."""
    counts = Counter()
    for word in known:
        for size in range(2, 6):
            if len(word) >= size + 3 and word[:-size] in known:
                counts[word[-size:]] += 1
    for word in known:  # and the pieces of words that no other word begins
        for size in (2, 3):
            counts.update({word[i:i + size]: 0.05 for i in range(1, len(word) - size + 1)})
    ranked = sorted(counts, key=lambda piece: (-counts[piece] * (len(piece) - 1), piece))
    return ["##" + piece for piece in ranked[:CONTINUATIONS]]


def vocabulary():
    counts = words(texts("vocabulary", TRAINING))
    single = sorted(string.punctuation) + list(string.digits + string.ascii_lowercase)
    ranked = sorted((word for word, count in counts.items() if count >= LEAST and len(word) > 1),
                    key=lambda word: (-counts[word], word))[:MOST_WORDS]
    pieces = ["##" + character for character in string.digits + string.ascii_lowercase]
    return SPECIAL + single + pieces + continuations(set(ranked)) + ranked, counts


if __name__ == "__main__":
    tokens, counts = vocabulary()
    assert len(set(tokens)) == len(tokens)
    VOCABULARY.write_text("\n".join(tokens) + "\n")
    whole = sum(n for word, n in counts.items() if word in set(tokens))
    print(f"{len(tokens)} tokens; {len(counts)} distinct words in the text, {whole / sum(counts.values()):.4%} of it "
          "in words that are whole")

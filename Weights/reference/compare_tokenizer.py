"""Compares `apus tokenize` with Hugging Face's BertTokenizer, id by id, on generated lines.

    python Weights/reference/compare_tokenizer.py vocab.txt [--apus .build/release/apus] [--lines 100000] [--seed 1]

Lines mix words of the vocabulary, misspelt and with accents, numbers, punctuation, Chinese, emoji, control characters,
runs of marks, and words of over 100 characters. Every scalar but the line feed is in at least one of them.
"""
import argparse
import json
import random
import string
import subprocess
import sys
import unicodedata

from transformers import BertTokenizer

MARKS = [chr(c) for c in range(0x300, 0x370)] + [chr(c) for c in range(0x591, 0x5C8)] + [chr(0x1DFA), chr(0x16FF0)]
SPACES = [" ", " ", " ", "  ", "\t", "\u00a0", "\u3000", "\u2009", "\u0085", "\x0b", "\r"]


def generated(count, words, seed):
    """`count` lines."""
    rng = random.Random(seed)
    scalars = [chr(c) for c in range(0x110000) if not 0xD800 <= c < 0xE000 and c != 0x0A]
    rng.shuffle(scalars)
    share = -(-len(scalars) // count)

    def between(first, last):
        return chr(rng.randint(first, last))

    def cased(word):
        return rng.choice([word, word, word.capitalize(), word.upper()])

    def misspelt(word):
        place = rng.randrange(len(word) + 1)
        return word[:place] + rng.choice("abcdefghijklmnopqrstuvwxyz") + word[place + rng.randrange(2):]

    def accented(word):
        text = "".join(c + "".join(rng.choices(MARKS, k=rng.choice([0, 0, 1, 3]))) for c in word)
        return unicodedata.normalize(rng.choice(["NFC", "NFD"]), text)

    kinds = [
        lambda: cased(rng.choice(words)), lambda: cased(rng.choice(words)), lambda: cased(rng.choice(words)),
        lambda: misspelt(rng.choice(words)), lambda: accented(rng.choice(words)),
        lambda: "".join(rng.choice(words) for _ in range(rng.randint(2, 4))),
        lambda: str(rng.randrange(10 ** rng.randint(1, 12))),
        lambda: "".join(rng.choices(string.punctuation, k=rng.randint(1, 4))),
        lambda: "".join(between(0x4E00, 0x9FFF) for _ in range(rng.randint(1, 5))),
        lambda: between(0x1F300, 0x1FAFF) + rng.choice(["", "\ufe0f", "\u200d" + between(0x1F300, 0x1FAFF)]),
        lambda: "".join(between(0xC0, 0x24F) for _ in range(rng.randint(1, 6))),
        lambda: "".join(between(0xAC00, 0xD7A3) for _ in range(rng.randint(1, 4))),
        lambda: "".join(between(0x370, 0x52F) for _ in range(rng.randint(1, 8))),
        lambda: between(0, 0x1F).replace("\n", "") + between(0x7F, 0xA0),
        lambda: rng.choice(words)[:3] + rng.choice(["'s", "n't", "'ll", "-", "--", "…"]) + rng.choice(words),
    ]
    rare = [
        lambda: rng.choice("aéß中") * rng.randint(95, 400),
        lambda: "".join(rng.choices(MARKS, k=rng.randint(5, 200))),
        lambda: rng.choice(["[MASK]", "[CLS]", "[sep]", "[UNK]x", "[PAD", "[[MASK]]", "##ing"]), lambda: "\ufffd\x00",
    ]
    lines = []
    for index in range(count):
        parts = [rng.choice(kinds)() for _ in range(rng.randint(0, 14))]
        if rng.random() < 0.1:
            parts.insert(rng.randrange(len(parts) + 1), rng.choice(rare)())
        parts += scalars[index * share:(index + 1) * share]
        rng.shuffle(parts)
        lines.append("".join(part + rng.choice(SPACES + [""] * 4) for part in parts))
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("vocab")
    parser.add_argument("--apus", default=".build/release/apus")
    parser.add_argument("--lines", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()

    tokenizer = BertTokenizer(arguments.vocab)
    words = [word for word in tokenizer.get_vocab() if word.isalpha()]
    lines = generated(arguments.lines, words, arguments.seed)
    run = subprocess.run(
        [arguments.apus, "tokenize", "--vocab", arguments.vocab, "--json"], input="\n".join(lines).encode() + b"\n",
        stdout=subprocess.PIPE, check=True)
    ours = run.stdout.splitlines()
    assert len(ours) == len(lines), (len(ours), len(lines))
    theirs = tokenizer(lines, return_offsets_mapping=True)
    different, moved, pieces = [], 0, 0
    for index, (line, text) in enumerate(zip(lines, ours)):
        found, ids = json.loads(text), theirs["input_ids"][index]
        pieces += len(ids)
        if found["ids"] != ids:
            different.append(index)
            continue
        bounds = [0]
        for character in line:
            bounds.append(bounds[-1] + len(character.encode()))
        expected = [[bounds[a], bounds[b]] if b > a else None for a, b in theirs["offset_mapping"][index]]
        if found["offsets"] != expected:
            moved += 1
    for index in different[:5]:
        print(repr(lines[index]), theirs["input_ids"][index], json.loads(ours[index])["ids"], sep="\n")
    print(f"{len(lines)} lines, {len(set(''.join(lines)))} scalars, {pieces} ids: {len(different)} lines differ; "
          f"of the others {moved} have offsets that differ")
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()

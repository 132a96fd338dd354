"""Perplexity and top-3 accuracy on held-out messages, compared with a trigram model of the same text; and sample suggestions.

    python Weights/keyboard/training/evaluate.py [--folder Weights/keyboard/shipped] [--messages 1000] [--checkpoint FILE.pt]
"""

import argparse
from pathlib import Path

import numpy as np
import torch
from transformers import MobileBertForMaskedLM

import model as network
from corpus import CONTEXT, Corpus, Pieces, corpus, training_text
from feeding import padded
from grammar import Grammar
from paths import SHIPPED
from trigram import Trigram

SETS = {"draw": "held out by draw", "template": "held out by template"}
SHOWN = ["how are ", "see you ", "happy ", "i'm on my ", "can you pick up some ", "what time does the ",
         "thank you so ", "i have a doctor's ", "it's going to ", "do you want to ", "where are ", "i lo", "tomor"]


def load(folder=None, checkpoint=None, vocabulary_size=None):
    if checkpoint is None:
        return MobileBertForMaskedLM.from_pretrained(folder, dtype=torch.float32).eval()
    model = network.build(vocabulary_size)
    model.load_state_dict(torch.load(checkpoint, weights_only=True))
    return model.eval()


@torch.no_grad()
def logits(model, rows, places, batch=256):
    """The logits at one position of each row of ids."""
    order = np.argsort([len(row) for row in rows], kind="stable")
    result = [None] * len(rows)
    for part in np.split(order, range(batch, len(order), batch)):
        ids = padded([rows[i] for i in part])
        lengths = torch.tensor([len(rows[i]) for i in part])
        found = network.masked_logits(model, ids, lengths, torch.tensor([places[i] for i in part]))
        for i, row in zip(part, found):
            result[i] = row
    return result


def asked(pieces, context, partial=(), stock=False):
    """The ids of a keyboard query, and the position of the mask."""
    room = CONTEXT - stock - len(partial)
    head = [pieces.cls, *list(context)[-room:], *partial]
    return [*head, pieces.mask, *([pieces.stop] if stock else []), pieces.sep], len(head)


def score(model, pieces, text, places, stock=False):
    logs, hits = np.zeros(len(places)), np.zeros(len(places), bool)
    for part in np.split(np.arange(len(places)), range(4096, len(places), 4096)):
        rows = [asked(pieces, text.context(places[i]), stock=stock) for i in part]
        for i, found in zip(part, logits(model, [ids for ids, _ in rows], [place for _, place in rows])):
            target = int(text.ids[places[i]])
            logs[i] = torch.log_softmax(found.double(), dim=0)[target]
            hits[i] = target in found.topk(3).indices
    return logs, hits


def completion(model, pieces, text, places, typed, vocabulary):
    """Fraction of words among the three most likely completions of the letters typed."""
    chosen = [p for p in places if len(text.words[text.word_of[p]].rstrip(".,?!")) > typed
              and text.words[text.word_of[p]][:typed + 1].isalpha()]
    rows = [asked(pieces, text.context(p), pieces(text.words[text.word_of[p]][:typed])) for p in chosen]
    hits, starting = 0, {}
    for p, found in zip(chosen, logits(model, [ids for ids, _ in rows], [place for _, place in rows])):
        start = text.words[text.word_of[p]][:typed]
        if start not in starting:
            beginning = [i for i, token in enumerate(vocabulary) if token.startswith(start)]
            starting[start] = torch.tensor(beginning, dtype=torch.long)
        allowed = starting[start]
        best = allowed[found[allowed].topk(min(3, len(allowed))).indices]
        hits += int(text.ids[p]) in best.tolist()
    return hits / len(chosen), len(chosen)


def report(model, count, grammar, pieces):
    trigram = Trigram(Corpus(training_text(grammar), pieces), pieces.count, pieces.cls)
    vocabulary = [pieces.tokenizer.id_to_token(i) for i in range(pieces.count)]
    sets = {kind: corpus(kind, count, pieces, grammar) for kind in SETS}
    print("| test set | words | model | perplexity | top-3 accuracy |\n|---|---:|---|---:|---:|")
    for kind, text in sets.items():
        for name, (logs, hits) in {
            "trigram, interpolated Kneser-Ney": trigram.score(text, text.targets),
            "network": score(model, pieces, text, text.targets),
            "network, stock style": score(model, pieces, text, text.targets, stock=True),
        }.items():
            print(f"| {SETS[kind]} | {len(logs):,} | {name} | {np.exp(-logs.mean()):.1f} | {100 * hits.mean():.1f} % |",
                  flush=True)
    print("\n| letters typed | words | right word among three, held out by template |\n|---:|---:|---:|")
    text = sets["template"]
    for typed in (1, 2, 3, 4):
        share, words = completion(model, pieces, text, text.targets[::5], typed, vocabulary)
        print(f"| {typed} | {words:,} | {100 * share:.1f} % |", flush=True)


def show(model, pieces):
    print("\n| text | best three |\n|---|---|")
    vocabulary = [pieces.tokenizer.id_to_token(i) for i in range(pieces.count)]
    for text in SHOWN:
        words, partial = (text.split(), "") if text.endswith(" ") else (text.split()[:-1], text.split()[-1])
        context = [piece for word in words for piece in pieces(word)]
        ids, place = asked(pieces, context, pieces(partial) if partial else ())
        found = torch.softmax(logits(model, [ids], [place])[0], dim=0)
        fitting = [i for i in found.argsort(descending=True).tolist() if vocabulary[i].startswith(partial or "")
                   and vocabulary[i].isalpha()][:3]
        print(f"| {text}… | " + ", ".join(f"{vocabulary[i]} {100 * float(found[i]):.0f} %" for i in fitting) + " |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=SHIPPED)
    parser.add_argument("--checkpoint", type=Path)
    parser.add_argument("--messages", type=int, default=1000)
    options = parser.parse_args()
    torch.set_num_threads(1)
    pieces = Pieces()
    loaded = load(options.folder, options.checkpoint, pieces.count)
    report(loaded, options.messages, Grammar(), pieces)
    show(loaded, pieces)

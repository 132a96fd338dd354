"""Trains the keyboard's model on with a text of your own, and shows on a page how well it does on lines held out.

    python Weights/keyboard/training/finetune.py messages.txt --output my-keyboard --page my-keyboard.html
    apus suggest "see you " --model my-keyboard

The text has a message on each line; it is read in small letters, as the keyboard reads. A part of the lines (`--held`) is never trained on,
nor a line that is equal to one of them. Messages of the grammar are trained on along with yours (`--rehearse`), so that what it knew is not
forgotten. The vocabulary stays: words outside it are read in pieces and never suggested; the page says how many they are.
"""

import argparse
import copy
import json
import math
import random
import shutil
import sys
import time
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file
from torch import nn

import model as network
from corpus import TRAINING, Corpus, Pieces, texts
from evaluate import asked, load, logits, score
from feeding import Feeder
from paths import SHIPPED
from train import Schedule, half, optimiser_of, update

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "reference"))
from evaluation_page import Page  # noqa: E402

#: Tied to parameters that are stored under another name.
TIED = ("cls.predictions.decoder.weight", "cls.predictions.decoder.bias")


def lines_of(path):
    lines = [" ".join(line.lower().split()) for line in path.read_text(encoding="utf-8").splitlines()]
    return [line for line in lines if len(line.split(" ")) > 1]


def tune(model, text, pieces, steps, rate, seed):
    torch.manual_seed(seed)
    model.mobilebert.embeddings.word_embeddings.weight.register_hook(network.without_padding)
    model.train()
    optimiser = optimiser_of(model, rate)
    schedule = Schedule(optimiser, rate, 0.0, steps, max(1, steps // 20))
    begun, total = time.perf_counter(), 0.0
    for step, (ids, lengths, at, targets, _) in enumerate(Feeder(text, pieces, seed).batches(128), 1):
        with half():
            found = network.masked_logits(model, ids, lengths, at)
        loss = nn.functional.cross_entropy(found.float(), targets)
        update(model, optimiser, schedule, loss)
        total += loss.item()
        if step % 50 == 0 or step == steps:
            print(f"step {step} of {steps}: loss {total / ((step - 1) % 50 + 1):.4f}, {time.perf_counter() - begun:.0f} s", flush=True)
            total = 0.0
        if step == steps:
            return model.eval()


def figures(model, pieces, text, limit=3000):
    places = np.random.default_rng(1).permutation(text.targets)[:limit]
    logs, hits = score(model, pieces, text, places)
    return math.exp(-logs.mean()), hits.mean(), len(places)


def best(model, pieces, vocabulary, words):
    ids, place = asked(pieces, [piece for word in words for piece in pieces(word)])
    found = torch.softmax(logits(model, [ids], [place])[0], dim=0)
    return ", ".join([vocabulary[i] for i in found.argsort(descending=True).tolist() if vocabulary[i].isalpha()][:3])


def write(folder, model, source, count):
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("vocab.txt", "tokenizer_config.json", "config.json"):
        shutil.copyfile(SHIPPED / name, folder / name)
    state = {name: value.half().contiguous() for name, value in model.state_dict().items() if name not in TIED}
    save_file(state, folder / "model.safetensors", metadata={
        "format": "pt", "model": "keyboard", "trained_on": f"messages of a grammar, and {count} lines of {source.name}"})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", type=Path)
    parser.add_argument("--output", type=Path, required=True, help="a folder, as Hugging Face lays it out")
    parser.add_argument("--page", type=Path, required=True, help="how well it does, .html")
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--rate", type=float, default=3e-4)
    parser.add_argument("--held", type=float, default=0.1, help="share of the lines that are held out")
    parser.add_argument("--rehearse", type=float, default=0.5, help="messages of the grammar for each line of yours")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    torch.set_num_threads(1)
    pieces, lines = Pieces(), lines_of(options.text)
    if len(lines) < 20:
        raise SystemExit(f"{options.text}: has {len(lines)} lines of two words or more; twenty are needed at least")
    different = sorted(set(lines))
    random.Random(options.seed).shuffle(different)
    held = set(different[:max(5, round(options.held * len(different)))])
    own = [line for line in lines if line not in held]
    count = min(TRAINING, round(options.rehearse * len(own)))
    again = [] if count == 0 else texts("train 0", count)
    vocabulary = json.loads(pieces.tokenizer.to_str())["model"]["vocab"]
    vocabulary = sorted(vocabulary, key=vocabulary.get)
    words = [word.strip(".,?!;:()\"'") for line in lines for word in line.split(" ")]
    outside = [word for word in words if word and len(pieces(word)) > 1]
    print(f"{len(own)} lines to train on, {len(held)} held out, {len(again)} of the grammar; "
          f"{100 * len(outside) / max(1, len(words)):.1f} % of the words are not in the vocabulary", flush=True)

    shipped = load(SHIPPED)
    shipped.set_attn_implementation("eager")
    tests = {"held-out lines of your text": Corpus(sorted(held), pieces), "messages of the grammar": Corpus(texts("template", 200), pieces)}
    model = tune(copy.deepcopy(shipped), Corpus(own + again, pieces), pieces, options.steps, options.rate, options.seed)
    write(options.output, model, options.text, len(own))
    # What is stored is rounded; the figures are its.
    model = load(options.output)
    page = Page("The keyboard's model on your text", f"{options.text} · {options.output}")
    rows = []
    for name, text in tests.items():
        (p, hits, asked_for), (q, more, _) = figures(shipped, pieces, text), figures(model, pieces, text)
        rows.append([name, asked_for, f"{p:.1f}", f"{q:.1f}", f"{100 * hits:.1f} %", f"{100 * more:.1f} %"])
        print(f"{name}: perplexity {p:.1f} before, {q:.1f} after; right word among three {100 * hits:.1f} % and {100 * more:.1f} %")
    page.notice(f"The right word is among the three suggested for {rows[0][5]} of the words of lines that it was not trained on; "
                f"with the shipped weights for {rows[0][4]}.")
    page.table(["", "words", "perplexity, shipped", "trained on", "among three, shipped", "trained on"], rows)
    page.heading("Suggestions after beginnings of held-out lines")
    chosen = [line.split(" ") for line in sorted(held)[:25]]
    page.table(["beginning", "what followed", "shipped", "trained on"], [
        [" ".join(line[:cut]), line[cut], best(shipped, pieces, vocabulary, line[:cut]), best(model, pieces, vocabulary, line[:cut])]
        for line in chosen for cut in [max(1, len(line) // 2)]])
    page.heading("Words outside the vocabulary")
    often = sorted({word: outside.count(word) for word in set(outside[:20000])}.items(), key=lambda item: -item[1])[:30]
    page.paragraph(f"{100 * len(outside) / max(1, len(words)):.1f} % of the words; they are read in pieces, and not suggested. The most frequent: "
                   + ", ".join(f"{word} ({number})" for word, number in often) + ".")
    page.write(options.page)


if __name__ == "__main__":
    main()

"""Trains the keyboard's model on the grammar's messages and writes a PyTorch checkpoint.

    python Weights/keyboard/training/train.py [--resume FILE.pt --rounds 1] [--output FILE.pt]

Each round has fresh text and two parts. In the first, a message is processed once with a mask for every word
(feeding.py), which is cheap and teaches the vocabulary; in the second, every text has one mask and the form of a keyboard
query. Matrices are multiplied in bfloat16, everything else is float32. Deterministic: one thread, fixed seeds.
"""

import argparse
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

import model as network
from corpus import ROUNDS, Pieces, training
from feeding import STYLES, Feeder, parallel_batch
from paths import CHECKPOINT

SEED = 20261122
#: For each round: steps and peak learning rate of the first part, and of the second.
ROUND = [(1900, 2e-3, 2100, 1e-3), (1500, 1e-3, 1300, 7e-4)]
MESSAGES = 64
TEXTS = 256


class Schedule:
    """Linear warm-up to `peak`, then cosine decay to `last`."""

    def __init__(self, optimiser, peak, last, steps, rise):
        self.optimiser, self.peak, self.last, self.steps, self.rise, self.step = optimiser, peak, last, steps, rise, 0

    def next(self):
        along = (self.step - self.rise) / max(1, self.steps - self.rise)
        rate = (self.last + (self.peak - self.last) * 0.5 * (1 + np.cos(np.pi * along)) if along >= 0
                else self.peak * (self.step + 1) / self.rise)
        self.step += 1
        for group in self.optimiser.param_groups:
            group["lr"] = rate


def optimiser_of(model, rate):
    decayed = [p for p in model.parameters() if p.dim() > 1]
    others = [p for p in model.parameters() if p.dim() < 2]
    return torch.optim.AdamW([{"params": decayed, "weight_decay": 0.01}, {"params": others, "weight_decay": 0.0}],
                             lr=rate, betas=(0.9, 0.98), fused=True)


def update(model, optimiser, schedule, loss):
    optimiser.zero_grad(set_to_none=True)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    schedule.next()
    optimiser.step()


def half():
    return torch.autocast("cpu", torch.bfloat16)


def first_part(model, text, pieces, steps, peak, seed, say):
    rng = np.random.default_rng(seed)
    optimiser = optimiser_of(model, peak)
    schedule = Schedule(optimiser, peak, peak / 4, steps, 200)
    lengths, total, step = np.diff(text.offsets), 0.0, 0
    while step < steps:
        order = rng.permutation(len(text))
        for group in np.split(order[:len(order) // (MESSAGES * 20) * MESSAGES * 20], len(order) // (MESSAGES * 20)):
            for rows in rng.permutation(group[np.argsort(lengths[group], kind="stable")].reshape(20, MESSAGES)):
                if step >= steps:
                    return
                before, this, after, places, seen, size, real, targets = parallel_batch(text, pieces, rows)
                with half():
                    hidden = network.encode(model, network.embed(model, before, this, after, places), seen)
                    logits = network.scores(model, hidden[:, size:][real])
                loss = nn.functional.cross_entropy(logits.float(), targets)
                update(model, optimiser, schedule, loss)
                total, step = total + loss.item(), step + 1
                if step % 150 == 0:
                    say(f"parallel {step}/{steps}: loss {total / 150:.4f}")
                    total = 0.0


def second_part(model, text, pieces, steps, peak, seed, say, output):
    optimiser = optimiser_of(model, peak)
    schedule = Schedule(optimiser, peak, 0.0, steps, 100)
    sums, counts = np.zeros(len(STYLES)), np.zeros(len(STYLES))
    for step, (ids, lengths, at, targets, styles) in enumerate(Feeder(text, pieces, seed).batches(TEXTS), 1):
        with half():
            logits = network.masked_logits(model, ids, lengths, at)
        losses = nn.functional.cross_entropy(logits.float(), targets, reduction="none")
        update(model, optimiser, schedule, losses.mean())
        np.add.at(sums, styles, losses.detach().numpy())
        np.add.at(counts, styles, 1)
        if step % 200 == 0 or step == steps:
            each = ", ".join(f"{name} {value:.4f}" for name, value in zip(STYLES, sums / counts))
            say(f"exact {step}/{steps}: loss {sums.sum() / counts.sum():.4f} ({each})")
            sums[:], counts[:] = 0, 0
            torch.save(model.state_dict(), output)
        if step == steps:
            return


def train(rounds, resume, output):
    torch.set_num_threads(1)
    begun = time.perf_counter()

    def say(what):
        print(f"{time.perf_counter() - begun:5.0f} s  {what}", flush=True)

    pieces = Pieces()
    model = network.build(pieces.count, SEED)
    if resume is not None:
        model.load_state_dict(torch.load(resume, weights_only=True))
    model.train()
    for number in rounds:
        text = training(pieces, number)
        say(f"round {number}: {len(text)} messages, {len(text.targets)} words, {len(text.ids)} pieces; "
            f"{sum(p.numel() for p in model.parameters())} parameters")
        parallel, parallel_peak, exact, exact_peak = ROUND[number]
        first_part(model, text, pieces, parallel, parallel_peak, SEED + number, say)
        torch.save(model.state_dict(), output)
        second_part(model, text, pieces, exact, exact_peak, SEED + number, say, output)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, nargs="+", default=range(ROUNDS), help="the rounds to run (default: all)")
    parser.add_argument("--resume", type=Path, help="the checkpoint of the previous round")
    parser.add_argument("--output", type=Path, default=CHECKPOINT)
    options = parser.parse_args()
    train(options.rounds, options.resume, options.output)

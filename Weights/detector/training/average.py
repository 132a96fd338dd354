"""The mean of the weights of several checkpoints of `train.py`, which is often better than each of them.

    python Weights/detector/training/average.py first.pt second.pt --out mean.pt [--shares 2 1]

Runs from the same initial weights end in the same basin of the loss, and their mean has a lower loss. Batch normalisation's
statistics are averaged as well: re-estimating them on training images gave no improvement.
"""

import argparse
import pathlib

import torch


def mean(states, shares):
    """The weighted mean of state dicts, with shares that sum to one; integers are taken from the first."""
    return {name: sum(state[name].double() * share for state, share in zip(states, shares)).to(value.dtype)
            if value.dtype.is_floating_point else value for name, value in states[0].items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoints", type=pathlib.Path, nargs="+")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--shares", type=float, nargs="+", help="one for each checkpoint (default: equal)")
    parser.add_argument("--seen", type=int, help="pictures seen by all runs together (default: the maximum over the runs)")
    options = parser.parse_args()
    shares = options.shares or [1] * len(options.checkpoints)
    if len(shares) != len(options.checkpoints) or min(shares) < 0 or sum(shares) <= 0:
        parser.error("--shares: expected one non-negative number for each checkpoint")
    stored = [torch.load(path, weights_only=True) for path in options.checkpoints]
    state = mean([one["average"] for one in stored], [share / sum(shares) for share in shares])
    torch.save({"net": state, "average": state, "seen": options.seen or max(one["seen"] for one in stored)}, options.out)


if __name__ == "__main__":
    main()

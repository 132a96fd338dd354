"""Exports a checkpoint as a Hugging Face folder, and writes the held-out prompts.

    python Weights/keyboard/training/export.py [--checkpoint Weights/keyboard/training/checkpoint.pt]

Parameters are rounded to float16; all figures are measured with the rounded ones. Fails if Hugging Face does not read back
the same numbers, or if its logits differ from those of the training code.
"""

import argparse
import json
import random
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from transformers import BertTokenizer

import model as network
from corpus import CONTEXT, ROUNDS, TRAINING, Pieces, texts
from evaluate import asked, load, logits
from paths import CHECKPOINT, CONFIGURATION, PROMPTS, SHIPPED
from train import SEED

PROVENANCE = {
    "format": "pt", "model": "keyboard", "trained_on": "messages of a grammar (Weights/keyboard/training/grammar)",
    "training_script": "Weights/keyboard/training/train.py", "messages": str(ROUNDS * TRAINING), "seed": str(SEED),
    "torch": torch.__version__.split("+")[0],
}
SPECIAL = {
    "unk_token": "[UNK]", "sep_token": "[SEP]", "pad_token": "[PAD]", "cls_token": "[CLS]", "mask_token": "[MASK]",
}
#: Tied to parameters that are stored under another name.
TIED = ("cls.predictions.decoder.weight", "cls.predictions.decoder.bias")
PROMPT_COUNT = 1000


def write_weights(model):
    state = {name: tensor.half().contiguous() for name, tensor in model.state_dict().items() if name not in TIED}
    path = SHIPPED / "model.safetensors"
    save_file(state, path, metadata=PROVENANCE)
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8:8 + length])
    header["__metadata__"] = dict(sorted(header["__metadata__"].items()))  # save_file's order differs from run to run
    text = json.dumps(header, separators=(",", ":")).encode()
    path.write_bytes(data[:8] + text.ljust(length) + data[8 + length:])
    path.chmod(0o644)
    return state


def write_configuration(vocabulary_size):
    configuration = {
        "architectures": ["MobileBertForMaskedLM"], "model_type": "mobilebert", "vocab_size": vocabulary_size,
        **network.CONFIGURATION, "tie_word_embeddings": True, "dtype": "float16", "suggestion_style": "finetuned",
    }
    CONFIGURATION.write_text(json.dumps(configuration, indent=2) + "\n")
    tokenizer = {
        "tokenizer_class": "BertTokenizer", "do_lower_case": True, "strip_accents": None,
        "tokenize_chinese_chars": True, "model_max_length": network.CONFIGURATION["max_position_embeddings"], **SPECIAL,
    }
    (SHIPPED / "tokenizer_config.json").write_text(json.dumps(tokenizer, indent=2) + "\n")


def prompts(count):
    """Beginnings of held-out texts: two in three end with a space, one in three within a word."""
    rng, found = random.Random(SEED), []
    for number, text in enumerate(texts("prompts", count)):
        words = text.split(" ")
        place = rng.randrange(1, len(words)) if len(words) > 1 else 1
        begun = " ".join(words[:place])
        word = words[place] if place < len(words) else ""
        letters = len(word) - len(word.lstrip("abcdefghijklmnopqrstuvwxyz"))
        partial = word[:rng.randrange(1, letters)] if number % 3 == 2 and letters > 1 else ""
        found.append(f"{begun} {partial}")
    return found


@torch.no_grad()
def prove(state, pieces):
    """Checks that Hugging Face reads the files back, tokenizes as in training and computes the same logits."""
    single = load(SHIPPED)
    loaded = single.state_dict()
    for name, tensor in state.items():
        if not torch.equal(loaded[name], tensor.float()):
            raise SystemExit(f"{name} is read back differently")
    tokenizer = BertTokenizer.from_pretrained(SHIPPED)
    double = load(SHIPPED).double()
    worst = 0.0
    for line in texts("prompts", 40):
        wanted = [piece for word in line.split(" ") for piece in pieces(word)]
        if tokenizer(line, add_special_tokens=False).input_ids != wanted:
            raise SystemExit(f"{line!r} is tokenized differently")
        ids, place = asked(pieces, wanted)
        ours = logits(single, [ids], [place])[0]
        for size in (len(ids), 32):  # with and without padding
            row = torch.tensor([ids + [pieces.pad] * (size - len(ids))])
            theirs = double(input_ids=row, attention_mask=(row != pieces.pad).long()).logits[0, place]
            worst = max(worst, float((theirs - ours).abs().max()))
    if worst > 1e-3:
        raise SystemExit(f"the logits differ by {worst}")
    return worst


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkpoint", type=Path, default=CHECKPOINT)
    options = parser.parse_args()
    torch.set_num_threads(1)
    pieces = Pieces()
    trained = load(checkpoint=options.checkpoint, vocabulary_size=pieces.count)
    write_configuration(pieces.count)
    state = write_weights(trained)
    size = (SHIPPED / "model.safetensors").stat().st_size
    print(f"{sum(t.numel() for t in state.values())} parameters, {size} bytes")
    PROMPTS.write_text("\n".join(prompts(PROMPT_COUNT)) + "\n")
    print(f"largest difference of logits from Hugging Face's in float64: {prove(state, pieces):.1e}")

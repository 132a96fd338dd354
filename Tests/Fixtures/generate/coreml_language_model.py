"""The MobileBERT of Tests/Fixtures/pretrained as a Core ML model, with a vocabulary beside it: Tests/Fixtures/coreml-words/.

    python coreml_language_model.py          # coremltools 9.0, torch, transformers

Words.mlpackage takes twelve tokens, padded under a mask; Open.mlpackage up to twelve. expected.json has, for texts with [MASK], the
likeliest pieces at each mask and their probabilities, from PyTorch in float64 without padding.
"""
import json
import shutil
import warnings
from pathlib import Path

warnings.filterwarnings("ignore")

import coremltools as ct
import numpy as np
import torch
import transformers

FIXTURES = Path(__file__).resolve().parents[1]
OUT = FIXTURES / "coreml-words"
LENGTH = 12
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ".", "you", "how", "are", "hello", "there", "going"]
TEXTS = ["how are [MASK] .", "[MASK] there how are you going [MASK]"]
NAMES = ["input_ids", "attention_mask", "token_type_ids"]


class Logits(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, ids, mask, types):
        # The mask as it is added: what transformers makes of one itself, coremltools cannot convert.
        added = (1 - mask[:, None, None, :].float()) * -1e4
        return self.model(input_ids=ids, attention_mask=added, token_type_ids=types).logits


def convert(model, name, length):
    example = [torch.ones(1, LENGTH, dtype=torch.int32) for _ in NAMES]
    package = ct.convert(
        torch.jit.trace(Logits(model), example, strict=False),
        inputs=[ct.TensorType(name, shape=(1, length), dtype=np.int32) for name in NAMES],
        outputs=[ct.TensorType("logits", dtype=np.float32)], minimum_deployment_target=ct.target.iOS16,
        compute_precision=ct.precision.FLOAT32, skip_model_load=True)
    path = OUT / f"{name}.mlpackage"
    shutil.rmtree(path, ignore_errors=True)
    package.save(str(path))


def expected(model, text):
    pieces = ["[CLS]", *text.split(), "[SEP]"]
    ids = [WORDS.index(piece) for piece in pieces]
    with torch.no_grad():
        shares = model(input_ids=torch.tensor([ids])).logits[0].softmax(-1)
    masks = []
    for place in (place for place, piece in enumerate(pieces) if piece == "[MASK]"):
        best = shares[place].topk(5)
        masks.append([{"id": int(i), "probability": float(p)} for i, p in zip(best.indices, best.values)])
    return {"text": text, "masks": masks}


model = transformers.MobileBertForMaskedLM.from_pretrained(
    FIXTURES / "pretrained/mobilebert", attn_implementation="eager").eval()
OUT.mkdir(exist_ok=True)
words = WORDS + [f"[unused{index}]" for index in range(len(WORDS), model.config.vocab_size)]
(OUT / "vocab.txt").write_text("\n".join(words) + "\n")
convert(model, "Words", LENGTH)
convert(model, "Open", ct.RangeDim(1, LENGTH, LENGTH))
(OUT / "expected.json").write_text(json.dumps([expected(model.double(), text) for text in TEXTS], indent=1) + "\n")

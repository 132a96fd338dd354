"""Shared by BERT and MobileBERT: Hugging Face's classes with plain outputs, and their inputs."""

import torch

from parity import generated, relative_change

#: Tied parameters, which checkpoints may omit.
TIED = ("cls.predictions.decoder.weight", "cls.predictions.decoder.bias")


def with_plain_outputs(base):
    """A subclass of one of Hugging Face's models that returns a dictionary of tensors and saves no tied parameter."""

    class Plain(base):
        def forward(self, **inputs):
            outputs = super().forward(**inputs)
            names = {"logits", "start_logits", "end_logits", "last_hidden_state", "pooler_output"}
            return {name: value for name, value in outputs.items() if name in names and value is not None}

        def state_dict(self, *arguments, **options):
            state = super().state_dict(*arguments, **options)
            return {name: value for name, value in state.items() if name not in TIED}

    return Plain


def build(base, configuration):
    """Uses eager attention, so that a text of only masked tokens has a defined result."""
    return lambda: with_plain_outputs(base)(configuration(attn_implementation="eager")).eval()


def tokens(name, batch, length, vocabulary, padding=()):
    """Ids, with `[CLS]` (101) first where the vocabulary has it; `padding[i]` tokens at the end of text `i` are 0."""
    draws = torch.from_numpy(generated(f"{name}.ids", [batch, length])).double()
    ids = (draws * 7919).abs().long() % (vocabulary - 1000) + 1000 if vocabulary > 2000 else (
        draws * 7919).abs().long() % vocabulary
    if vocabulary > 2000:
        ids[:, 0] = 101
    for text, count in enumerate(padding):
        if count:
            ids[text, -count:] = 0
    return ids


def padded(name, length, vocabulary, padding):
    """A batch with padding at the ends, its mask, and two segments."""
    mask = torch.ones(len(padding), length, dtype=torch.long)
    types = torch.zeros(len(padding), length, dtype=torch.long)
    types[:, length // 2:] = 1
    for text, count in enumerate(padding):
        if count:
            mask[text, -count:] = 0
            types[text, -count:] = 0
    return {"input_ids": tokens(name, len(padding), length, vocabulary, padding), "attention_mask": mask,
            "token_type_ids": types}


def token_sensitivity(module, inputs):
    """The effect of changing one token on the outputs of tokens in the other half of the text, or on the output of the
    whole text."""
    def run(ids):
        outputs = module(**{**inputs, "input_ids": ids})
        return next(iter(outputs.values()))

    ids = inputs["input_ids"]
    length = ids.shape[1]
    before = run(ids)
    changes = []
    for place in (1, length // 2 - 1):
        changed = ids.clone()
        changed[:, place] = (ids[:, place] + 37) % module.config.vocab_size
        after = run(changed)
        far = slice(length // 2 + 1, None) if before.dim() > 1 and before.shape[1] == length else slice(None)
        changes.append((f"token {place} to outputs beyond the middle",
                        relative_change(before[:, far], after[:, far])))
    return changes

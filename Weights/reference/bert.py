"""BERT with Hugging Face's classes and generated weights.

Matrices have a gain (deviation times the root of the inputs) of 1.5, the queries and keys of 1.8, so that attention
is selective; layer normalisation bounds the other signals. Embeddings, biases and the spread of the
normalisations' weights are of the size a trained model of this kind has (see mobilebert.py).
"""

import math

import torch
import transformers
from transformers import BertConfig

from bert_parts import build, padded, token_sensitivity, tokens
from parity import Network


def scale(name, shape):
    if name.endswith("LayerNorm.weight"):
        return 1, 0.15
    if name.endswith("LayerNorm.bias"):
        return 0, 0.1
    if "_embeddings." in name:
        return 0, 0.17
    if len(shape) == 1:
        return 0, 0.2
    return 0, (1.8 if ".query." in name or ".key." in name else 1.5) / math.sqrt(shape[1])


def network(name, head, samples, activations, **sizes):
    def configuration(**more):
        return BertConfig(**sizes, **more)

    described = {key: value for key, value in sizes.items() if key != "num_labels"}
    if "num_labels" in sizes:
        described["id2label"] = configuration().id2label
    return Network(
        name=name, build=build(getattr(transformers, head), configuration),
        configuration={"architectures": [head], **described}, scale=scale, samples=samples, activations=activations,
        sensitivity=token_sensitivity)


SMALL = {
    "vocab_size": 99, "hidden_size": 48, "num_hidden_layers": 2, "num_attention_heads": 3, "intermediate_size": 80,
    "max_position_embeddings": 40,
}

SMALL_SAMPLES = {
    "sentences": {"input_ids": tokens("sentences", 12, 16, 99)},
    "batch": padded("batch", 11, 99, [0, 4, 11, 1, 9, 0, 2, 3]),  # the third text is all padding
    "places": {"input_ids": tokens("places", 1, 5, 99), "position_ids": torch.tensor([[7, 3, 0, 39, 39]])},
}

NETWORKS = [
    network(
        "bert", "BertForMaskedLM",
        {"sentence": {"input_ids": tokens("sentence", 1, 32, 30522)}, "batch": padded("batch", 24, 30522, [0, 7])},
        ["bert.embeddings", *[f"bert.encoder.layer.{i}" for i in range(4)], "cls.predictions.transform"],
        hidden_size=256, num_hidden_layers=4, num_attention_heads=4, intermediate_size=1024),
    network(
        "bert-sequence", "BertForSequenceClassification", SMALL_SAMPLES, ["bert.pooler"], **SMALL,
        num_labels=3),
    network("bert-tokens", "BertForTokenClassification", SMALL_SAMPLES, [], **SMALL, num_labels=5,
            hidden_act="gelu_new"),
    network("bert-answers", "BertForQuestionAnswering", SMALL_SAMPLES, [], **SMALL, hidden_act="relu",
            layer_norm_eps=1e-5),
]

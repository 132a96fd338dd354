"""MobileBERT with Hugging Face's classes and generated weights.

Where the scales come from: for each kind of one-dimensional parameter, mean and deviation of a trained MobileBERT's (a
checkpoint in pulp-platform/pulp-trainlib, Apache-2.0), as straight lines over the depth `d`, from 0 in the first layer to
1 in the last. Of its matrices only corners of 6 by 6 numbers were available; their deviations are 0.06 to 0.17. Random
matrices of that size would treble the signal in every layer, where trained ones have structure, so matrices are given
by their gain, deviation times the root of the inputs: large for queries and keys, since attention must choose between
tokens, and for values, by which tokens mix (larger where layers are few); small for projections into the residual
stream, which must neither explode nor vanish in 24 layers.
"""

import math
import re

import torch
import transformers
from transformers import MobileBertConfig

from bert_parts import build, padded, token_sensitivity, tokens
from parity import Network

#: `(mean, its slope over the depth, deviation, its slope)` of the vectors in a layer.
VECTORS = {
    "attention.self.query.bias": (0, 0, 0.61, 0.13),
    "attention.self.key.bias": (0, 0, 4.15, -2.81),
    "attention.self.value.bias": (0, 0, 0.33, -0.08),
    "attention.output.dense.bias": (-0.04, 0.04, 0.63, 0.22),
    "attention.output.LayerNorm.bias": (-0.04, 0.04, 0.66, 0.22),
    "attention.output.LayerNorm.weight": (0.44, 0.06, 0.07, -0.04),
    "bottleneck.attention.dense.bias": (0, 0, 0.05, 0.37),
    "bottleneck.attention.LayerNorm.bias": (0, 0, 0.02, 0.25),
    "bottleneck.attention.LayerNorm.weight": (0.14, -0.07, 0.04, -0.02),
    "bottleneck.input.dense.bias": (-0.04, 0.04, 0.62, 0.21),
    "bottleneck.input.LayerNorm.bias": (-0.04, 0.04, 0.63, 0.22),
    "bottleneck.input.LayerNorm.weight": (1.23, -0.45, 0.2, -0.12),
    "ffn.intermediate.dense.bias": (-0.82, -0.14, 0.39, 0.15),
    "ffn.output.dense.bias": (0, 0, 0.25, -0.04),
    "ffn.output.LayerNorm.bias": (0, 0, 0.19, -0.02),
    "ffn.output.LayerNorm.weight": (0.48, 0.09, 0.03, -0.01),
    "intermediate.dense.bias": (-0.72, -0.22, 0.33, 0.09),
    "output.dense.bias": (0, 0, 0.13, 0.02),
    "output.LayerNorm.bias": (0, 0, 0.05, 0.04),
    "output.LayerNorm.weight": (0.36, 0.11, 0.02, 0),
    "output.bottleneck.dense.bias": (0, 0, 0.01, 0.1),
    "output.bottleneck.LayerNorm.bias": (0, 0, 0.02, 0.1),
    "output.bottleneck.LayerNorm.weight": (1.04, -0.18, 0.16, -0.12),
}

#: The gain of each matrix.
GAINS = {
    "attention.self.query": 2.5, "attention.self.key": 2.5,
    "attention.output.dense": 1.5, "bottleneck.attention.dense": 3.0, "bottleneck.input.dense": 0.7,
    "ffn.intermediate.dense": 1.5, "ffn.output.dense": 1.5, "intermediate.dense": 1.5, "output.dense": 1.5,
    "output.bottleneck.dense": 0.9,
}

#: `(mean, deviation)` outside the layers. The head was not in the checkpoint.
OTHERS = {
    "word_embeddings.weight": (0, 0.12), "position_embeddings.weight": (0, 0.17),
    "token_type_embeddings.weight": (0, 0.17), "embedding_transformation.weight": (0, 0.3),
    "embedding_transformation.bias": (0, 0.18), "embeddings.LayerNorm.weight": (1.17, 0.65),
    "embeddings.LayerNorm.bias": (0, 0.06), "predictions.transform.LayerNorm.weight": (1, 0.2),
    "predictions.transform.LayerNorm.bias": (0, 0.1), "predictions.bias": (0, 0.3),
    "predictions.dense.weight": (0, 0.08),
}


def scale(configuration, value_gain):
    depth = max(1, configuration.num_hidden_layers - 1)
    gains = GAINS | {"attention.self.value": value_gain}
    if configuration.normalization_type == "layer_norm":  # which makes signals large enough
        gains |= {"attention.self.query": 1.2, "attention.self.key": 1.2}

    def of(name, shape):
        for end, value in OTHERS.items():
            if name.endswith(end):
                return value
        layer = re.search(r"encoder\.layer\.(\d+)\.(.*)", name)
        if not layer:  # pooler, classifier, transform: the usual gain
            return (0, 1.5 / math.sqrt(shape[1])) if len(shape) == 2 else (0, 0.1)
        kind = re.sub(r"^ffn\.\d+", "ffn", layer[2])
        if kind in VECTORS:
            d = int(layer[1]) / depth
            mean, mean_slope, deviation, deviation_slope = VECTORS[kind]
            if configuration.normalization_type == "layer_norm" and "LayerNorm" in kind:
                return (1, 0.1) if kind.endswith("weight") else (0, 0.1)
            return mean + mean_slope * d, deviation + deviation_slope * d
        gain = gains[kind.removesuffix(".weight")]
        return 0, gain / math.sqrt(shape[1])

    return of


def network(name, head, samples, activations, value_gain=1.4, **sizes):
    def configuration(**more):
        return MobileBertConfig(**sizes, **more)

    described = {key: value for key, value in sizes.items() if key != "num_labels"}
    if "num_labels" in sizes:
        described["id2label"] = configuration().id2label
    return Network(
        name=name, build=build(getattr(transformers, head), configuration),
        configuration={"architectures": [head], **described}, scale=scale(configuration(), value_gain), samples=samples,
        activations=activations, sensitivity=token_sensitivity)


SMALL = {
    "vocab_size": 99, "hidden_size": 64, "embedding_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4,
    "intermediate_size": 64, "intra_bottleneck_size": 32, "num_feedforward_networks": 2, "max_position_embeddings": 40,
}

SMALL_SAMPLES = {
    "sentences": {"input_ids": tokens("sentences", 12, 16, 99)},
    "batch": padded("batch", 11, 99, [0, 4, 11, 1, 9, 0, 2, 3]),  # the third text is all padding
    "places": {"input_ids": tokens("places", 1, 5, 99), "position_ids": torch.tensor([[7, 3, 0, 39, 39]])},
}

NETWORKS = [
    network(
        "mobilebert", "MobileBertForMaskedLM",
        {"sentence": {"input_ids": tokens("sentence", 1, 32, 30522)}, "batch": padded("batch", 24, 30522, [0, 7])},
        ["mobilebert.embeddings", *[f"mobilebert.encoder.layer.{i}" for i in (0, 11, 23)],
         "cls.predictions.transform"]),
    network(
        "mobilebert-small", "MobileBertForMaskedLM", SMALL_SAMPLES,
        ["mobilebert.embeddings", *[f"mobilebert.encoder.layer.{i}" for i in range(3)]], value_gain=3, **SMALL),
    network(
        "mobilebert-sequence", "MobileBertForSequenceClassification", SMALL_SAMPLES, ["mobilebert.pooler"], **SMALL,
        num_labels=3, use_bottleneck_attention=True),
    network(
        "mobilebert-tokens", "MobileBertForTokenClassification", SMALL_SAMPLES, [], **SMALL, num_labels=5,
        use_bottleneck=False, normalization_type="layer_norm", hidden_act="gelu"),
    network(
        "mobilebert-answers", "MobileBertForQuestionAnswering", SMALL_SAMPLES, [],
        **SMALL | {"intra_bottleneck_size": 64, "num_feedforward_networks": 1, "embedding_size": 64},
        key_query_shared_bottleneck=False, trigram_input=False, normalization_type="layer_norm"),
    network(
        "mobilebert-unpooled", "MobileBertForSequenceClassification", SMALL_SAMPLES, [], **SMALL,
        classifier_activation=False, hidden_act="silu"),
]

"""The network, Hugging Face's `MobileBertForMaskedLM`, and its forward pass in training."""

import torch
from torch import nn
from transformers import MobileBertConfig, MobileBertForMaskedLM

CONFIGURATION = dict(
    hidden_size=256, embedding_size=128, intra_bottleneck_size=64, num_hidden_layers=6, num_attention_heads=4,
    intermediate_size=256, num_feedforward_networks=2, max_position_embeddings=64, type_vocab_size=2,
    hidden_act="relu", normalization_type="no_norm", trigram_input=True, use_bottleneck=True,
    use_bottleneck_attention=False, key_query_shared_bottleneck=True, layer_norm_eps=1e-12,
    hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, initializer_range=0.02, pad_token_id=0,
)


def build(vocabulary_size, seed=0):
    """A network with fresh parameters, initialised by gain, since NoNorm does not normalise activations."""
    torch.manual_seed(seed)
    model = MobileBertForMaskedLM(MobileBertConfig(vocab_size=vocabulary_size, **CONFIGURATION))
    model.set_attn_implementation("eager")  # by far the fastest on a CPU for heads of 16 features
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.dim() < 2:
                continue
            if "word_embeddings" in name or name == "cls.predictions.dense.weight":
                parameter.normal_(0, 0.05)
            elif "_embeddings" in name:
                parameter.normal_(0, 0.2)
            elif "embedding_transformation" in name:
                parameter.normal_(0, 10 * parameter.shape[1] ** -0.5)
            else:
                leads_back = name.endswith("output.dense.weight") or "bottleneck.dense" in name
                parameter.normal_(0, (0.4 if leads_back else 1.0) * parameter.shape[1] ** -0.5)
        model.mobilebert.embeddings.word_embeddings.weight[0] = 0
    # [PAD]'s embedding stays zero, so that padding does not change a text's logits.
    model.mobilebert.embeddings.word_embeddings.weight.register_hook(without_padding)
    return model


def without_padding(gradient):
    gradient = gradient.clone()
    gradient[0] = 0
    return gradient


def embed(model, before, this, after, places):
    """The output of `MobileBertEmbeddings` for explicit rows of previous, current and next ids."""
    part = model.mobilebert.embeddings
    words = part.word_embeddings
    # The original pads with zeros; [PAD]'s embedding, which is zero, is used instead.
    tokens = part.embedding_transformation(torch.cat([words(after), words(this), words(before)], dim=2))
    return part.LayerNorm(tokens + part.position_embeddings(places) + part.token_type_embeddings.weight[0])


def encode(model, hidden, mask):
    """`mask`: [batch, 1, length, length] of Booleans, true where a token may attend."""
    bias = torch.zeros(mask.shape, dtype=torch.float32).masked_fill(~mask, torch.finfo(torch.float32).min)
    for layer in model.mobilebert.encoder.layer:
        hidden = layer(hidden, bias)
        hidden = hidden[0] if isinstance(hidden, tuple) else hidden
    return hidden


def scores(model, rows):
    """The logits [rows, vocabulary] of selected hidden states only, since the decoder is half of the computation."""
    head = model.cls.predictions
    matrix = torch.cat([head.decoder.weight.t(), head.dense.weight], dim=0)
    return head.transform(rows) @ matrix + head.decoder.bias


def shifted(ids):
    """The rows of ids before and after each token, [PAD] beyond the ends."""
    return nn.functional.pad(ids[:, :-1], (1, 0)), nn.functional.pad(ids[:, 1:], (0, 1))


def masked_logits(model, ids, lengths, at):
    """The logits at one position of each padded text, as the original computes them."""
    before, after = shifted(ids)
    places = torch.arange(ids.shape[1]).expand_as(ids)
    seen = (torch.arange(ids.shape[1]) < lengths[:, None])[:, None, None, :].expand(-1, 1, ids.shape[1], -1)
    hidden = encode(model, embed(model, before, ids, after, places), seen)
    return scores(model, hidden[torch.arange(len(ids)), at])

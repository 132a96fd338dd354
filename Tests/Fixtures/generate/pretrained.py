"""Folders of Hugging Face as `save_pretrained` writes them, and what their networks compute in float64.

Every folder of Tests/Fixtures/pretrained holds a tiny network with random weights:

    mobilebert            float32, in several files with an index
    mobilebert-float16    the same, stored in float16
    mobilebert-bfloat16   the same, stored in bfloat16
    mobilebert-untied     a decoder of its own, no bottleneck, layer normalisation
    bert                  float32, in several files
    bert-classifier       a head that is no masked-language head
    mobilebert-int8       the first network in the 8-bit form that `apus quantize` writes: matrices of integers with
                          a scale for each output, the table of words float16, the rest float32

golden.safetensors holds FOLDER/input.input_ids and input.attention_mask, `[2, 9]`, and FOLDER/output.logits: those of the
stored weights, widened to float64.
"""

import json
import pathlib
import shutil

import torch
import transformers
from safetensors.torch import save_file

FOLDERS = pathlib.Path(__file__).resolve().parent.parent / "pretrained"

MOBILEBERT = dict(
    vocab_size=45, hidden_size=28, embedding_size=12, intra_bottleneck_size=12, intermediate_size=20,
    num_hidden_layers=2, num_attention_heads=2, num_feedforward_networks=2, max_position_embeddings=12,
    initializer_range=0.25,
)
UNTIED = MOBILEBERT | dict(
    use_bottleneck=False, normalization_type="layer_norm", num_hidden_layers=1, tie_word_embeddings=False)
BERT = dict(
    vocab_size=45, hidden_size=24, num_hidden_layers=1, num_attention_heads=3, intermediate_size=32,
    max_position_embeddings=12, initializer_range=0.25,
)
IDS = [[2, 17, 35, 9, 33, 4, 41, 20, 3], [2, 8, 44, 4, 3, 0, 0, 0, 0]]
MASK = [[1] * 9, [1] * 5 + [0] * 4]


def randomized(model):
    """The biases too, which would all be zero."""
    generator = torch.Generator().manual_seed(7)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.dim() == 1:
                parameter.add_(0.1 * torch.randn(parameter.shape, generator=generator))
    return model.eval()


def add_golden(golden, name, model):
    ids, mask = torch.tensor(IDS), torch.tensor(MASK)
    with torch.no_grad():
        logits = model(input_ids=ids, attention_mask=mask).logits
    golden |= {f"{name}/input.input_ids": ids, f"{name}/input.attention_mask": mask, f"{name}/output.logits": logits}


def write_eight_bits(model, folder):
    """The matrices in 8 bits; returns the model with the values that are meant."""
    tensors, values = {}, {}
    for name, value in model.state_dict().items():
        if name == "cls.predictions.decoder.weight" or name == "cls.predictions.decoder.bias":
            continue
        if "word_embeddings" in name:
            tensors[name] = value.half()
            values[name] = value.half().double()
            continue
        if value.dim() != 2 or "position_embeddings" in name or "token_type_embeddings" in name:
            tensors[name] = values[name] = value
            continue
        # The only matrix with its inputs first.
        columns = name == "cls.predictions.dense.weight"
        scale = value.abs().amax(dim=0 if columns else 1, keepdim=True).clamp(min=1e-30) / 127
        whole = torch.round(value / scale)
        tensors[name], tensors[f"{name}_scale"] = whole.to(torch.int8), scale if columns else scale.flatten()
        values[name] = whole.double() * scale.double()
    folder.mkdir()
    save_file({name: value.contiguous() for name, value in tensors.items()}, folder / "model.safetensors")
    config = model.config.to_dict() | {"architectures": ["MobileBertForMaskedLM"]}
    config["quantization_config"] = {"quant_method": "apus", "weights": "int8", "scale": "output"}
    (folder / "config.json").write_text(json.dumps(config, indent=2, sort_keys=True) + "\n")
    meant = type(model)(model.config).double()
    meant.load_state_dict(values, strict=False)
    meant.tie_weights()
    return meant.eval()


def main():
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    torch.manual_seed(11)
    if FOLDERS.exists():
        shutil.rmtree(FOLDERS)
    mobilebert = randomized(transformers.MobileBertForMaskedLM(transformers.MobileBertConfig(**MOBILEBERT)))
    untied = randomized(transformers.MobileBertForMaskedLM(transformers.MobileBertConfig(**UNTIED)))
    bert = randomized(transformers.BertForMaskedLM(transformers.BertConfig(**BERT)))
    classifier = transformers.BertForSequenceClassification(transformers.BertConfig(**BERT))
    folders = {
        "mobilebert": (mobilebert, torch.float32, "16KB"),
        "mobilebert-float16": (mobilebert, torch.float16, "1GB"),
        "mobilebert-bfloat16": (mobilebert, torch.bfloat16, "1GB"),
        "mobilebert-untied": (untied, torch.float32, "1GB"),
        "bert": (bert, torch.float32, "16KB"),
        "bert-classifier": (classifier, torch.float16, "1GB"),
    }
    golden = {}
    for name, (model, dtype, shard) in folders.items():
        stored = type(model)(model.config)
        stored.load_state_dict(model.state_dict())
        stored = stored.eval().to(dtype)
        stored.save_pretrained(FOLDERS / name, max_shard_size=shard)
        if name == "bert-classifier":
            continue
        add_golden(golden, name, stored.double())
    add_golden(golden, "mobilebert-int8", write_eight_bits(mobilebert, FOLDERS / "mobilebert-int8"))
    save_file(
        golden, FOLDERS / "golden.safetensors",
        metadata={
            "generator": "Tests/Fixtures/generate/pretrained.py", "torch": torch.__version__.split("+")[0],
            "transformers": transformers.__version__,
        })
    for file in sorted(FOLDERS.rglob("*")):
        if file.is_file():
            print(f"{file.relative_to(FOLDERS)}: {file.stat().st_size} bytes")


if __name__ == "__main__":
    main()

"""Tiny classifiers of texts and of tokens as folders of Hugging Face: Tests/Fixtures/text-classifiers/.

    python text_classifiers.py          # torch, transformers, onnx

    texts     BertForSequenceClassification, as model.safetensors and as model.onnx
    tokens    BertForTokenClassification, as onnx/model.onnx
    labels    BertForSequenceClassification of several labels at once (`problem_type`), as model.safetensors

Weights are random. expected.json has what transformers' pipelines give in float64: of texts and labels the probability of
each class, of tokens those of each token's likeliest class, and the entities (aggregation_strategy="simple").
"""

import json
import pathlib
import shutil

import torch
import transformers

OUT = pathlib.Path(__file__).resolve().parent.parent / "text-classifiers"
WORDS = [
    "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ".", "a", "good", "bad", "dog", "cat", "runs", "sleeps", "in", "paris",
    "anna", "smith", "##s", "##ing", "not", "very", ",",
]
TEXTS = ["a good dog", "Anna Smith sleeps in Paris, dogs runs.", "very bad cat not good.", "anna", "qwertz"]
BASE = dict(
    vocab_size=len(WORDS), hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16,
    max_position_embeddings=16, initializer_range=0.6,
)


def labels(*names):
    return dict(id2label=dict(enumerate(names)), label2id={name: index for index, name in enumerate(names)})


def export(model, path, outputs):
    ids = torch.ones(1, 7, dtype=torch.int64)
    path.parent.mkdir(exist_ok=True)
    torch.onnx.export(
        model, (ids, torch.ones_like(ids), torch.zeros_like(ids)), str(path), dynamo=False, opset_version=17,
        input_names=["input_ids", "attention_mask", "token_type_ids"], output_names=["logits"],
        dynamic_axes={name: {0: "batch", 1: "length"} for name in ["input_ids", "attention_mask", "token_type_ids"]}
        | {"logits": dict(enumerate(outputs))})


class Logits(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, ids, mask, types):
        return self.model(input_ids=ids, attention_mask=mask, token_type_ids=types).logits


def folder(name, kind, task, outputs, path, configuration, **arguments):
    torch.manual_seed(len(name))
    model = kind(transformers.BertConfig(**BASE, **configuration, attn_implementation="eager")).eval()
    target = OUT / name
    model.save_pretrained(target)
    (target / "vocab.txt").write_text("\n".join(WORDS) + "\n")
    tokenizer = transformers.BertTokenizerFast(vocab={word: index for index, word in enumerate(WORDS)})
    if path:
        export(Logits(model).eval(), target / path, outputs)
    if name == "tokens":
        (target / "model.safetensors").unlink()
    pipe = transformers.pipeline(task, model=model.double(), tokenizer=tokenizer, **arguments)
    found = {}
    for text in TEXTS:
        found[text] = pipe(text)
        if task == "token-classification":
            grouped = transformers.pipeline(task, model=model, tokenizer=tokenizer, aggregation_strategy="simple")
            found[text] = {
                "tokens": found[text],
                "entities": grouped(text),
            }
    return found


def plain(value):
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, list):
        return [plain(part) for part in value]
    return float(value) if hasattr(value, "dtype") else value


def main():
    transformers.logging.set_verbosity_error()
    shutil.rmtree(OUT, ignore_errors=True)
    expected = {
        "texts": folder(
            "texts", transformers.BertForSequenceClassification, "text-classification", ["batch"], "model.onnx",
            labels("calm", "glad", "cross"), top_k=None),
        "tokens": folder(
            "tokens", transformers.BertForTokenClassification, "token-classification", ["batch", "length"],
            "onnx/model.onnx", labels("O", "B-PER", "I-PER", "B-LOC", "I-LOC"), ignore_labels=[]),
        "labels": folder(
            "labels", transformers.BertForSequenceClassification, "text-classification", ["batch"], None,
            labels("short", "long", "odd") | dict(problem_type="multi_label_classification"), top_k=None),
    }
    (OUT / "expected.json").write_text(json.dumps(plain(expected), indent=1) + "\n")
    for file in sorted(OUT.rglob("*")):
        if file.is_file():
            print(f"{file.relative_to(OUT)}: {file.stat().st_size} bytes")


if __name__ == "__main__":
    main()

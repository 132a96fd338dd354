"""Golden outputs of the keyboard's model that ships, by Hugging Face's tokenizer and network.

    python Tests/Fixtures/generate/keyboard_model.py

A case is a text: its ids (special tokens included), where the mask is, and the scores of all words there, in float64
and float32, of the parameters as they are stored (float16, widened). `attributes` hold the text and the style.
"""

import json
import pathlib

import torch
from golden import GoldenFile
from transformers import BertTokenizer, MobileBertForMaskedLM

FOLDER = pathlib.Path(__file__).resolve().parents[3] / "Weights" / "keyboard" / "shipped"
LENGTH = 32

#: name: (style, text before the cursor, text after it)
CASES = {
    "next": ("finetuned", "Hello, I'm at the café! How are ", ""),
    "completion": ("finetuned", "thanks for dinner, see you tomor", ""),
    "long": ("finetuned", "we had a lovely time at the party and everyone was happy to see the kids again. " * 3, ""),
    "stock": ("stock", "do you want to go to the ", ""),
    "fill": ("stock", "could you please ", " the door before you leave?"),
}


def ids_of(tokenizer, style, before, after):
    pieces = [tokenizer(text, add_special_tokens=False).input_ids for text in (before, after)]
    following = pieces[1] or (tokenizer.convert_tokens_to_ids(["."]) if style == "stock" else [])
    context = pieces[0][-(LENGTH - 3 - len(following)):]
    ids = [tokenizer.cls_token_id, *context, tokenizer.mask_token_id, *following, tokenizer.sep_token_id]
    return ids, len(context) + 1


golden = GoldenFile("keyboard_model", __file__)
tokenizer = BertTokenizer.from_pretrained(FOLDER)
for name, (style, before, after) in CASES.items():
    ids, place = ids_of(tokenizer, style, before, after)
    golden.metadata[f"case.{name}"] = json.dumps(
        {"style": style, "before": before, "after": after, "position": place}, sort_keys=True, ensure_ascii=False)
    golden.tensors[f"{name}/0/input.ids"] = torch.tensor([ids])
    golden.tensors[f"{name}/0/input.positions"] = torch.tensor([[place]])
    for prefix, dtype in (("output", torch.float64), ("output32", torch.float32)):
        model = MobileBertForMaskedLM.from_pretrained(FOLDER, dtype=torch.float32).to(dtype).eval()
        with torch.no_grad():
            logits = model(input_ids=torch.tensor([ids])).logits
        golden.tensors[f"{name}/0/{prefix}.logits"] = logits[:, place]
golden.write()

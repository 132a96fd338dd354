"""Writes tokenizer/vocab.txt, a small vocabulary, and tokenizer/cases.json: what Hugging Face's BertTokenizer makes of
texts with it. Offsets are in bytes of UTF-8, null where a token stands for no text."""
import itertools
import json
import random
from pathlib import Path

from transformers import BertTokenizer

FOLDER = Path(__file__).resolve().parents[1] / "tokenizer"
SPECIALS = ["[PAD]", "[unused0]", "[unused1]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
WORDS = """the how are you hello going good morning play walk talk cafe un believ affable resume naive istanbul i a'b
    John Café É straße ω ος и 한 ᄒ ᅡ ᆫ 日 本 豈 ½ 👍 ² don do not is it n't 's ing""".split()
PIECES = """##s ##ing ##ed ##able ##aff ##ly ##e ##a ##i ##o ##u ##r ##t ##n ##é ##ς ##ο ##日 ##́ ##👍 ##ᅡ ##ᆫ ##\u0307 ##ß
    ##2""".split()
TEXTS = [
    "", " ", "hello", "Hello, how are you", "I'm going", "unaffable", "unbelievable", "Café café cafe\u0301 CAFÉ",
    "日本", "本日x日", "COVID-19", "hello👍", "👍 👍👍", "x" * 100, "x" * 101, "a" * 100, "a" * 101,
    "a" * 100 + "\u0301" * 50, "good\tmorning\r\n\u3000hello\u00a0you", "go\u0000od\u200bmo\u00adrning\ufffd",
    "\u0085hello\u000byou", "İstanbul", "ΟΣΟΣ Ω", "STRASSE straße STRAẞE", "한한 \u1112\u1161\u11ab", "豈 \uf900",
    "½²", "..., --- '' \"\"", "don't isn't it's", "e\u0334\u0300\u0316 \u1e69 s\u0307\u0323",
    "a\u1dfab a\U00016ff0\u0300b", "#ing ##ing ##", "\ufb01 \u01c4 \u212b", "[MASK]", "hello [MASK] you",
    "[MASK][CLS]x[SEP]", "[mask] [unused0] [[MASK]]", "[PAD] [UNK]", "naïve Résumé", "John john JOHN",
    "\U0001f469\u200d\U0001f4bb", "и\u0306 й", "the\u2028good\u2029morning", "a'b", "\u093f\u0915\u094d\u0937",
]


def offsets(text, spans):
    bounds = list(itertools.accumulate((len(c.encode()) for c in text), initial=0))
    return [[bounds[start], bounds[end]] if end > start else None for start, end in spans]


def main():
    FOLDER.mkdir(exist_ok=True)
    vocabulary = SPECIALS + WORDS + list("bcdefghjklmnopqrstvwxyz") + list(".,'-\"#[]!?") + PIECES
    assert len(set(vocabulary)) == len(vocabulary)
    (FOLDER / "vocab.txt").write_text("".join(token + "\n" for token in vocabulary), encoding="utf-8")
    cases = {"encode": [], "pairs": [], "decode": []}
    for lower, strip, ideographs in [
        (True, None, True), (False, None, True), (True, False, True), (False, True, True), (True, None, False),
    ]:
        tokenizer = BertTokenizer(
            str(FOLDER / "vocab.txt"), do_lower_case=lower, strip_accents=strip, tokenize_chinese_chars=ideographs)
        for text in TEXTS:
            found = tokenizer(text, return_offsets_mapping=True)
            plain = tokenizer(text, split_special_tokens=True)
            cases["encode"].append({
                "lower": lower, "strip": strip, "ideographs": ideographs, "text": text, "ids": found["input_ids"],
                "plain": plain["input_ids"], "offsets": offsets(text, found["offset_mapping"])})
    tokenizer = BertTokenizer(str(FOLDER / "vocab.txt"))
    rng = random.Random(3)
    for _ in range(60):
        first, second = (" ".join(rng.choices(["the", "hello", "you", "walk", "talks"], k=rng.randint(1, 9)))
                         for _ in range(2))
        strategy = rng.choice(["longest_first", "only_first", "only_second"])
        side, length, isPair = rng.choice(["left", "right"]), rng.randint(3, 16), rng.random() < 0.7
        if not isPair:
            second, strategy = None, "longest_first"
        tokenizer.truncation_side = side
        case = {"first": first, "second": second, "strategy": strategy, "side": side, "length": length}
        try:
            found = tokenizer(first, second, truncation=strategy, max_length=length)
            case["ids"], case["types"] = found["input_ids"], found["token_type_ids"]
        except Exception as error:  # it has no type of its own
            assert "too short" in str(error), error
        cases["pairs"].append(case)
    for index in range(40):
        ids = [rng.randrange(len(vocabulary)) for _ in range(rng.randint(0, 12))]
        if index < 4:
            ids = tokenizer(["don't, is it?", "he's good.", "it isn't ##ing", "how ' you"][index])["input_ids"]
        cases["decode"].append({
            "ids": ids, "text": tokenizer.decode(ids), "skipped": tokenizer.decode(ids, skip_special_tokens=True),
            "cleaned": tokenizer.decode(ids, clean_up_tokenization_spaces=True)})
    lines = ",\n".join(
        f'"{kind}": [\n' + ",\n".join(json.dumps(case, ensure_ascii=True) for case in cases[kind]) + "\n]"
        for kind in cases)
    (FOLDER / "cases.json").write_text("{\n" + lines + "\n}\n")


if __name__ == "__main__":
    main()

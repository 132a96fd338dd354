"""Writes the Unicode tables of the tokenizer, Sources/ApusText/Tokenization/UnicodeTables+Data.swift.

    python Weights/reference/tokenizer_tables.py

Hugging Face's BertTokenizer is the reference, and mixes several versions of Unicode: its table of categories is years older
than its lower-case mapping. Therefore every scalar is run through each of its steps, and the result is recorded: whether it
is removed, a space, a mark or punctuation, and its decomposition and combining order.
"""
import sys
import unicodedata
from pathlib import Path

import tokenizers
from tokenizers import normalizers, pre_tokenizers

TARGET = Path(__file__).resolve().parents[2] / "Sources/ApusText/Tokenization/UnicodeTables+Data.swift"
REMOVED, SPACE, MARK, PUNCTUATION, IDEOGRAPH = 1, 2, 4, 8, 16
ORDER_SHIFT = 5
HANGUL = range(0xAC00, 0xD7A4)
SCALARS = [scalar for scalar in range(0x110000) if not 0xD800 <= scalar < 0xE000]
WIDTH = 116


def normalizer(**on):
    steps = dict(clean_text=False, handle_chinese_chars=False, strip_accents=False, lowercase=False)
    return normalizers.BertNormalizer(**{**steps, **on}).normalize_str


decomposed = normalizers.NFD().normalize_str


def flags():
    """The result of the steps for each scalar, except decomposition and case."""
    clean, spaced = normalizer(clean_text=True), normalizer(handle_chinese_chars=True)
    stripped, pieces = normalizer(strip_accents=True), pre_tokenizers.BertPreTokenizer().pre_tokenize_str
    flags = {}
    for scalar in SCALARS:
        c = chr(scalar)
        cleaned = clean(f"a{c}b")
        assert cleaned in ("ab", "a b", f"a{c}b"), hex(scalar)
        value = REMOVED * (cleaned == "ab") | SPACE * (cleaned == "a b")
        value |= MARK * (decomposed(c) == c and stripped(c) == "")
        value |= PUNCTUATION * ([piece for piece, _ in pieces(f"a{c}b")] == ["a", c, "b"])
        value |= IDEOGRAPH * (spaced(c) == f" {c} ")
        flags[scalar] = value
    for scalar in SCALARS:
        kept = "".join(c for c in decomposed(chr(scalar)) if not flags[ord(c)] & MARK)
        assert stripped(chr(scalar)) == kept, hex(scalar)
    return flags


def orders():
    """The canonical combining class of scalars that do not decompose, found by which marks they are reordered with.

    Marks that are newer than the tokenizer's tables are not marks there, and are never reordered.
    """
    lowest, highest = "\u0334", "\u0345"

    def moves(c):
        return c in (lowest, highest) or decomposed(c + lowest) != c + lowest or decomposed(highest + c) != highest + c

    marks = [chr(s) for s in SCALARS if decomposed(chr(s)) == chr(s) and moves(chr(s))]
    examples = {}
    for c in marks:
        examples.setdefault(unicodedata.combining(c), c)
    orders = {}
    for c in marks:
        same = [order for order, other in examples.items()
                if decomposed(c + other) == c + other and decomposed(other + c) == other + c]
        assert len(same) == 1, hex(ord(c))
        orders[ord(c)] = same[0]
    return orders


def varint(value):
    """Five bits a character, the lowest first, from '0' on; 32 more where another one follows."""
    text = ""
    while True:
        value, low = value >> 5, value & 31
        text += chr(0x30 + low + (32 if value else 0))
        if not value:
            return text


def zigzag(value):
    return varint(value * 2 if value >= 0 else -value * 2 - 1)


def classes(flags, orders):
    text, last, previous = "", 0, 0
    for scalar in SCALARS:
        value = flags[scalar] | orders.get(scalar, 0) << ORDER_SHIFT
        if value != previous:
            text += varint(scalar - last) + varint(value)
            last, previous = scalar, value
    return text


def decompositions():
    text, last = "", 0
    for scalar in SCALARS:
        whole = decomposed(chr(scalar))
        if whole == chr(scalar):
            continue
        if scalar in HANGUL:
            index = scalar - HANGUL.start
            parts = [0x1100 + index // 588, 0x1161 + index % 588 // 28] + [0x11A7 + index % 28] * (index % 28 > 0)
            assert [ord(c) for c in whole] == parts, hex(scalar)
            continue
        text += varint(scalar - last) + varint(len(whole)) + "".join(varint(ord(c)) for c in whole)
        last = scalar
    return text


def lower_case():
    """Runs of scalars, each one or two apart, at the same distance from their lower-case letters."""
    lower = normalizer(lowercase=True)
    pairs = []
    for scalar in SCALARS:
        small = lower(chr(scalar))
        if len(small) > 1:
            assert (scalar, small) == (0x130, "i\u0307"), hex(scalar)
        elif small != chr(scalar):
            pairs.append((scalar, ord(small) - scalar))
    text, last = "", 0
    while pairs:
        (start, offset), count, step = pairs[0], 1, 1
        if len(pairs) > 1 and pairs[1][1] == offset and pairs[1][0] - start <= 2:
            step = pairs[1][0] - start
            while count < len(pairs) and pairs[count] == (start + count * step, offset):
                count += 1
        text += varint(start - last) + varint(count) + varint(step) + zigzag(offset)
        last, pairs = start, pairs[count:]
    return text


def literal(name, comment, text):
    lines = [text[start:start + WIDTH] for start in range(0, len(text), WIDTH)]
    body = "\n".join(f"    {line}" for line in lines)
    return f'  /// {comment}\n  static let {name}: StaticString = #"""\n{body}\n    """#\n'


def main():
    found = flags(), orders()
    parts = [
        literal("classes", "How far it is to the next scalar of another class, and that class.", classes(*found)),
        literal("decompositions", "How far it is to the next scalar, how many it becomes, and which.", decompositions()),
        literal("lowerCase", "How far it is to the next run, how many, how far apart, and where to.", lower_case()),
    ]
    TARGET.write_text(
        f"// Made by Weights/reference/tokenizer_tables.py from tokenizers {tokenizers.__version__}; not to be edited.\n\n"
        "/// What ``UnicodeTables`` is read from: numbers of five bits a character.\n"
        "enum UnicodeTableText {\n" + "\n".join(parts) + "}\n")
    print(f"{TARGET.name}: {TARGET.stat().st_size} bytes", file=sys.stderr)


if __name__ == "__main__":
    main()

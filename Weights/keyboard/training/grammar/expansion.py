"""Draws text from the grammar.

A rule is a list of alternatives. In an alternative

    {rule}        is replaced by a draw from the rule
    {rule:form}   does so with its verbs as base, s, ing, past, pp, or agr (agreeing with the subject); pl: a plural
    *verb         is a verb that takes the form the reference asks for
    (a|b|)        is one of the alternatives in it
    @he           says what the noun before it is as a subject: he, she, it, they, we or you
    {am} {'m} …   are auxiliaries that agree with the subject (see `Draw.AGREEING`)
    {Do} {Am} …   with a capital draw a new subject first, which the next {S} then says

A pronoun in the text becomes the subject by itself. In a word list, earlier alternatives are more likely, as in
natural text; sentence templates are all equally likely within their domain.
"""

import bisect
import itertools
import re

from .morphology import PLURAL_ONLY, article, inflect, plural

PIECES = re.compile(r"\{[^{}]+\}|\*[a-z]+|@[a-z]+|[(|)]|[^{}*@(|)]+")
PRONOUNS = re.compile(r"(?<![a-z'])(i|you|we|he|she|they)(?=[' ,.?!]|$)")
FORMS = {"base", "s", "ing", "past", "pp", "agr", "pl"}


class GrammarError(Exception):
    pass


# MARK: - Reading templates


def parse(text, name):
    """A sequence of nodes: text, ("verb", base), ("is", pronoun), ("ref", rule, form), ("one", [sequences])."""
    tokens = PIECES.findall(text)
    if "".join(tokens) != text:
        raise GrammarError(f"{name}: cannot read {text!r}")
    alternatives, rest = _alternatives(tokens, 0, name, text)
    if rest != len(tokens):
        raise GrammarError(f"{name}: a ) too many in {text!r}")
    return alternatives


def _alternatives(tokens, place, name, text):
    alternatives, sequence = [], []
    while place < len(tokens):
        token = tokens[place]
        place += 1
        if token == "|":
            alternatives.append(sequence)
            sequence = []
        elif token == ")":
            return alternatives + [sequence], place - 1
        elif token == "(":
            inner, place = _alternatives(tokens, place, name, text)
            if place >= len(tokens):
                raise GrammarError(f"{name}: a ( is never closed in {text!r}")
            sequence.append(("one", inner))
            place += 1
        elif token[0] == "{":
            rule, _, form = token[1:-1].partition(":")
            if form and form not in FORMS:
                raise GrammarError(f"{name}: no form {form} in {text!r}")
            sequence.append(("verb", rule[1:], form or "agr") if rule[0] == "*" else ("ref", rule, form or None))
        elif token[0] == "*":
            sequence.append(("verb", token[1:], None))
        elif token[0] == "@":
            sequence.append(("is", token[1:]))
        else:
            sequence.append(re.sub(r"\s+", " ", token))
    return alternatives + [sequence], place


def has_verb(sequence):
    return any(
        node[0] == "verb" or (node[0] == "one" and any(map(has_verb, node[1])))
        for node in sequence if not isinstance(node, str))


class Rule:
    """Alternatives; earlier ones are more likely."""

    def __init__(self, name, text):
        self.alternatives = []
        for sequence in parse(text.strip(), name):
            if sequence and isinstance(sequence[0], str):
                sequence[0] = sequence[0].lstrip()
            if sequence and isinstance(sequence[-1], str):
                sequence[-1] = sequence[-1].rstrip()
            self.alternatives.append((sequence, has_verb(sequence)))
        self.limits = list(itertools.accumulate((rank + 2) ** -0.5 for rank in range(len(self.alternatives))))

    def draw(self, rng):
        return self.alternatives[bisect.bisect(self.limits, rng.random() * self.limits[-1])]


# MARK: - Drawing


class Draw:
    """State of one expansion: the words so far and the subject."""

    # In the order: i, you/we/they, he/she/it, contracted ('m and so on: after a noun the last of them).
    AGREEING = {
        "am": ("am", "are", "is"), "have": ("have", "have", "has"), "do": ("do", "do", "does"),
        "don't": ("don't", "don't", "doesn't"), "was": ("was", "were", "was"),
        "wasn't": ("wasn't", "weren't", "wasn't"),
        "isn't": ("am not", "aren't", "isn't"), "haven't": ("haven't", "haven't", "hasn't"),
    }
    CONTRACTED = {"'m": ("'m", "'re", "'s", "are", "is"), "'ve": ("'ve", "'ve", "'s", "have", "has"),
                  "'ll": ("'ll", "'ll", "'ll", "will", "will"), "'d": ("'d", "'d", "'d", "would", "would")}
    PERSONAL = {
        "my": dict(i="my", you="your", we="our", they="their", he="his", she="her", it="its"),
        "me": dict(i="me", you="you", we="us", they="them", he="him", she="her", it="it"),
        "mine": dict(i="mine", you="yours", we="ours", they="theirs", he="his", she="hers", it="its"),
        "myself": dict(i="myself", you="yourself", we="ourselves", they="themselves", he="himself", she="herself",
                       it="itself"),
        "he": dict(i="i", you="you", we="we", they="they", he="he", she="she", it="it"),
    }

    def __init__(self, grammar, rng):
        self.rules, self.rng = grammar.rules, rng
        self.parts = []
        self.subject, self.is_noun, self.pending = None, False, None

    def sequence(self, nodes, form, inherited):
        """Expands `nodes`; verbs take `form`, references without a form `inherited`."""
        for node in nodes:
            if isinstance(node, str):
                self.text(node)
            elif node[0] == "one":
                choice = node[1][int(self.rng.random() * len(node[1]))]
                self.sequence(choice, form, inherited)
            elif node[0] == "verb":
                self.parts.append(self.verb(node[1], node[2] or form))
            elif node[0] == "is":
                self.subject, self.is_noun = node[1], True
            else:
                self.reference(node[1], node[2] or inherited)

    def text(self, text):
        self.parts.append(text)
        found = PRONOUNS.findall(text)
        if found:
            self.subject, self.is_noun = found[-1], False

    def reference(self, name, form):
        if name in self.rules:
            if name == "S" and self.pending is not None:
                self.parts += self.pending
                self.pending = None
                return
            sequence, verbal = self.rules[name].draw(self.rng)
            if form == "pl":
                start = len(self.parts)
                self.sequence(sequence, None, None)
                self.parts[start:] = [plural("".join(self.parts[start:]))]
                return
            # A form applies to the verbs of the alternative, or is passed on if it has none.
            self.sequence(sequence, form, None if verbal else form)
        elif name in self.PERSONAL:
            self.parts.append(self.PERSONAL[name][self.subject or "i"])
        elif name in self.AGREEING:
            self.parts.append(self.agreeing(name))
        elif name in self.CONTRACTED:
            forms = self.CONTRACTED[name]
            if self.is_noun and not (self.subject not in ("they", "we") and name == "'m" and self.rng.random() < 0.4):
                self.close_up()
                self.parts.append(" " + forms[3 if self.subject in ("they", "we") else 4])
            else:
                self.close_up()
                self.parts.append(forms[self.person()])
        elif name[0].isupper() and name[0].lower() + name[1:] in self.AGREEING:
            before, self.parts = self.parts, []
            self.reference("S", None)
            self.pending, self.parts = self.parts, before
            self.parts.append(self.agreeing(name[0].lower() + name[1:]))
        else:
            raise GrammarError(f"no rule {name}")

    def close_up(self):
        """Removes the space before a contraction."""
        while self.parts and not self.parts[-1].strip():
            self.parts.pop()
        if self.parts:
            self.parts[-1] = self.parts[-1].rstrip()

    def person(self):
        return 0 if self.subject in (None, "i") else 1 if self.subject in ("you", "we", "they") else 2

    def agreeing(self, name):
        return self.AGREEING[name][self.person()]

    def verb(self, base, form):
        if base == "be" and form in ("agr", "past"):
            return self.agreeing("am" if form == "agr" else "was")
        if form == "agr":
            form = "s" if self.person() == 2 else "base"
        return inflect(base, form)

    def result(self):
        return tidy("".join(self.parts))


#: "a new jeans", "this boots", "some a croissant".
UNCOUNTED = re.compile(
    r"\b(a|this|that) ((?:(?!and\b|or\b|of\b|for\b|in\b)[a-z]+ ){0,2}?)(" + "|".join(sorted(PLURAL_ONLY)) + r")\b")
DETERMINERS = {"a": "some", "this": "these", "that": "those"}


def tidy(text):
    """One space between words, none before punctuation, `a` or `an`, "some" before uncountable nouns."""
    text = re.sub(r"\s+", " ", text).strip()
    text = re.sub(r" ([,.?!;:])", r"\1", text)
    text = re.sub(r"([,.?!;:])(?:[,;:](?=\s|$))+", r"\1", text)
    text = re.sub(r"([?!])\.", r"\1", text)
    text = UNCOUNTED.sub(
        lambda match: f"{DETERMINERS[match[1]]} {match[2]}{match[3]}"
        if match[1] == "a" or match[3].endswith("s") else match[0], text)
    text = re.sub(r"\bsome (a|an) ", r"\1 ", text)
    return re.sub(r"\ba (?=([a-z0-9:]+))", lambda match: article(match[1]) + " ", text)

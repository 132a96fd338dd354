"""A probabilistic grammar of everyday messages.

`common` and `frames` are shared; every other file is a domain: `RULES` (word lists, activities) and `TEMPLATES`, one
sentence a line. A template's id is its domain and its line's place among them ("food.12"), or, for a frame, "frame.3".
"""

import random
import zlib

from . import (
    answers, common, errands, family, feelings, food, frames, greetings, health, leisure, plans, school, shopping,
    stories, travel, weather, work,
)
from .expansion import Draw, GrammarError, Rule, parse, tidy
from .morphology import is_plural

DOMAINS = (
    plans, greetings, errands, work, family, feelings, food, travel, school, health, weather, shopping, leisure,
    stories, answers)

#: Rules for things that a verb must agree with ("the dumplings were", "the soup was").
THINGS = ("dish", "ingredient", "sweet", "clothing")

#: One in this many templates is held out from training.
HELD_OUT = 12


def lines(text):
    return [line.strip() for line in text.strip().splitlines() if line.strip()]


def name_of(module):
    return module.__name__.rpartition(".")[2]


def is_held_out(template):
    """Depends on the template's text only, so that adding a line does not change the others."""
    return zlib.crc32(template.encode()) % HELD_OUT == 0


class Template:
    def __init__(self, identifier, text):
        self.identifier, self.text, self.held_out = identifier, text, is_held_out(text)

    def sequence(self, domain):
        return parse(self.text.replace("{DO", "{" + domain + "_do"), self.identifier)[0]


class Grammar:
    """`templates[domain]` belong to one domain, `frames` apply to every domain."""

    def __init__(self):
        self.rules = {}
        for module in (common, frames, *DOMAINS):
            for name, text in module.RULES.items():
                if name in self.rules:
                    raise GrammarError(f"two rules {name}")
                self.rules[name] = Rule(name, text)
        for name in THINGS:
            for sequence, _ in self.rules[name].alternatives:
                if isinstance(sequence[-1], str):
                    sequence.append(("is", "they" if is_plural(sequence[-1]) else "it"))
        self.domains = [name_of(module) for module in DOMAINS]
        self.frames = [Template(f"frame.{i}", text) for i, text in enumerate(lines(frames.FRAMES))]
        self.templates = {
            name: [Template(f"{name}.{i}", text) for i, text in enumerate(lines(module.TEMPLATES))]
            for name, module in zip(self.domains, DOMAINS)}
        self.openers = [parse(text, "opener")[0] for text in lines(greetings.OPENERS)]
        self.closers = [parse(text, "closer")[0] for text in lines(greetings.CLOSERS)]
        self.parsed = {}

    def check(self):
        """Checks that every reference resolves."""
        known = set(self.rules) | set(Draw.AGREEING) | set(Draw.CONTRACTED) | set(Draw.PERSONAL)
        known |= {name[0].upper() + name[1:] for name in Draw.AGREEING}

        def walk(nodes, where):
            for node in nodes:
                if isinstance(node, str):
                    continue
                if node[0] == "ref" and node[1] not in known:
                    raise GrammarError(f"{where}: no rule {node[1]}")
                if node[0] == "one":
                    for inner in node[1]:
                        walk(inner, where)

        for name, rule in self.rules.items():
            for sequence, _ in rule.alternatives:
                walk(sequence, name)
        for domain, own in self.templates.items():
            for template in own + self.frames:
                walk(template.sequence(domain), template.identifier)

    def sentence(self, rng, domain, held_out):
        """A sentence and its template's id; `held_out` selects the set of templates."""
        while True:
            pool = self.frames if rng.random() < 0.4 else self.templates[domain]
            template = pool[int(rng.random() * len(pool))]
            if template.held_out == held_out:
                break
        key = (domain, template.identifier)
        if key not in self.parsed:
            self.parsed[key] = template.sequence(domain)
        return self.draw(self.parsed[key], rng), template.identifier

    def draw(self, sequence, rng):
        draw = Draw(self, rng)
        draw.sequence(sequence, None, None)
        return draw.result()

    def message(self, rng, held_out=False):
        """A message of one to four sentences, and the ids of their templates.

        Openers and closers ("hey tom,", "see you later") are common to both sets; sentences are not.
        """
        domain = self.domains[int(rng.random() * len(self.domains))]
        parts, identifiers = [], []
        if rng.random() < 0.25:
            parts.append(self.draw(self.openers[int(rng.random() * len(self.openers))], rng))
        for place in range(1 + (rng.random() < 0.55) + (rng.random() < 0.25)):
            if place and rng.random() < 0.15:
                domain = self.domains[int(rng.random() * len(self.domains))]
            text, identifier = self.sentence(rng, domain, held_out)
            parts.append(text)
            identifiers.append(identifier)
        if rng.random() < 0.12:
            parts.append(self.draw(self.closers[int(rng.random() * len(self.closers))], rng))
        return self.joined(parts, rng), identifiers

    def joined(self, parts, rng):
        """Adds a full stop, sometimes "!" or nothing; openers end with their own comma."""
        for place, part in enumerate(parts):
            if part[-1] in ".?!," or (place == 0 and len(part) < 18 and len(parts) > 1 and rng.random() < 0.3):
                continue
            if place + 1 < len(parts):
                parts[place] += "." if rng.random() < 0.85 else "!" if rng.random() < 0.5 else ","
            elif rng.random() < 0.6:
                parts[place] += "." if rng.random() < 0.8 else "!"
        return tidy(" ".join(parts))


def messages(seed, count, held_out=False, grammar=None):
    """`count` messages, reproducible by seed."""
    grammar, rng = grammar or Grammar(), random.Random(seed)
    for _ in range(count):
        yield grammar.message(rng, held_out)

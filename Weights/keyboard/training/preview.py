"""Prints messages of the grammar and counts what is in it.

    python Weights/keyboard/training/preview.py [--count 40] [--seed 1] [--held-out] [--templates]
"""

import argparse
import re
from collections import Counter

from grammar import Grammar, messages

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--held-out", action="store_true", help="from the templates that training never sees")
    parser.add_argument("--templates", action="store_true", help="one sentence of every template instead")
    options = parser.parse_args()
    grammar = Grammar()
    grammar.check()
    if options.templates:
        import random

        rng = random.Random(options.seed)
        for domain in grammar.domains:
            for template in grammar.templates[domain]:
                print(f"{template.identifier:14}{'*' if template.held_out else ' '} "
                      f"{grammar.draw(template.sequence(domain), rng)}")
        for template in grammar.frames:
            domain = rng.choice(grammar.domains)
            print(f"{template.identifier:14}{'*' if template.held_out else ' '} "
                  f"{grammar.draw(template.sequence(domain), rng)}")
    else:
        for text, _ in messages(options.seed, options.count, options.held_out, grammar):
            print(text)
    words = Counter()
    for text, _ in messages(7, 20000, grammar=grammar):
        words.update(re.findall(r"[a-z']+", text))
    own = sum(len(v) for v in grammar.templates.values())
    held = sum(t.held_out for v in grammar.templates.values() for t in v)
    print(f"\n{len(grammar.rules)} rules, {sum(len(r.alternatives) for r in grammar.rules.values())} alternatives; "
          f"{own} templates ({held} held out) and {len(grammar.frames)} frames "
          f"({sum(t.held_out for t in grammar.frames)} held out) in {len(grammar.domains)} domains; "
          f"20,000 messages: {sum(words.values())} words, {len(words)} distinct, "
          f"{sum(1 for n in words.values() if n >= 5)} five times or more")

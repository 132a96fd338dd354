"""Where the recipe's files are."""

from pathlib import Path

TRAINING = Path(__file__).resolve().parent
SHIPPED = TRAINING.parent / "shipped"
VOCABULARY = SHIPPED / "vocab.txt"
CONFIGURATION = SHIPPED / "config.json"
CHECKPOINT = TRAINING / "checkpoint.pt"
PROMPTS = TRAINING.parent / "samples" / "prompts.txt"

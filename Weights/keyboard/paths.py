"""Where the recipe's files lie."""

from pathlib import Path

FOLDER = Path(__file__).resolve().parent
WEIGHTS = FOLDER.parent
VOCABULARY = FOLDER / "vocab.txt"
CONFIGURATION = FOLDER / "config.json"
CHECKPOINT = FOLDER / "checkpoint.pt"
PROMPTS = FOLDER / "prompts.txt"

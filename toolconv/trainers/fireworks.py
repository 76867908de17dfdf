"""Fireworks' fine-tuning upload: OpenAI's ``messages`` and ``tools``, and ``weight`` on messages.

Reads the layout ``openai``.

- A system text must be the first message.
- The mark of a message is ``weight``, 0 or 1.
- Reasoning is ``reasoning_content``; rows with it are trained on several times, once for each answer.
- A dataset has at least 3 rows, and at most 3 million.

Rows: ``toolconv convert data.jsonl --trainer fireworks -o train.jsonl``

Load: ``firectl create dataset NAME train.jsonl``
"""

from toolconv.core.marks import MarkStyle
from toolconv.trainers.base import Trainer
from toolconv.trainers.checks import only_functions, system_comes_first

TRAINER = Trainer(
    name="fireworks",
    layout="openai",
    reads=("openai", "openai-ft", "chat"),
    marks=MarkStyle("weight"),
    checks=(only_functions, system_comes_first),
    checked_with="the documentation (docs.fireworks.ai, fine-tuning-models); not with an upload",
)

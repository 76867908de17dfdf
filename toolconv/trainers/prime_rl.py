"""prime-rl's SFT trainer: ``messages`` and ``tools``, written by the package ``renderers``.

Reads ``messages``, or ``prompt`` and ``completion``, and ``tools`` or ``tool_defs``. Arguments and tools may be JSON
text, which it decodes: so they are written as text, and arrive exactly.

- It removes every key that is null from messages, but not in arguments. A renderer may write ``None`` where there is no
  content, as GLM's does, so contents are empty texts where there is no prose.
- Models without a renderer in that package, such as Qwen2.5, stop the run. The text of ``qwen3`` and ``glm-4.6`` was
  compared; others are counted with ``--template``.
- A tool that isn't a function arrives as one, with no more than its ``name``, ``description`` and ``parameters``.
- A text that does not end with an end token gets one, which is trained.
- Tokens of the assistant are trained on, or of the roles that the configuration names. It reads no marks.
- Rows without a token that is trained on are left out.

Rows: ``toolconv convert data.jsonl --trainer prime-rl -o train.jsonl``

Load: in the configuration, ``[data]`` with ``name`` of the folder that holds ``train.jsonl``
"""

from toolconv.core.marks import NO_MARKS
from toolconv.layouts.field_style import FieldStyle
from toolconv.trainers.base import Trainer
from toolconv.trainers.checks import has_answers, numbers_in_arguments, numbers_in_tools, others_are_wrapped
from toolconv.trainers.repairs import developer_as_system, join_text_parts
from toolconv.trainers.template_checks import end_is_added, original_deviates, own_template, turn_tokens_in_texts

TRAINER = Trainer(
    name="prime-rl",
    aliases=("verifiers",),
    layout="openai",
    reads=("openai", "openai-ft", "trl", "canonical", "prompt-completion", "axolotl", "chat"),
    style=FieldStyle(arguments="string", tools="string", empty_content="empty"),
    marks=NO_MARKS,
    templates={"qwen3": "qwen3", "glm-4.6": "glm-4.5"},
    answers=(),
    checks=(
        has_answers,
        numbers_in_arguments,
        numbers_in_tools,
        others_are_wrapped,
        own_template,
        end_is_added,
        turn_tokens_in_texts,
        original_deviates("reasoning"),
    ),
    repairs={"developer_as_system": developer_as_system, "parts_joined": join_text_parts},
    checked_with="prime-rl's code of August 2026 with renderers 0.1.12 (texts and masks)",
)

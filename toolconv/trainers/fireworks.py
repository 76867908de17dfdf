"""Fireworks' fine-tuning upload: OpenAI's ``messages`` and ``tools``, and ``weight`` on messages.

Reads the layout ``openai``.

- A system text must be the first message.
- Roles are ``system``, ``user``, ``assistant`` and, for results, ``tool``.
- The mark of a message is ``weight``, 0 or 1.
- Content parts are texts and, of the user, images and videos.
- Reasoning is ``reasoning_content``; rows with it are trained on several times, once for each answer.
- Preference rows, for DPO, have ``input``, ``preferred_output`` and ``non_preferred_output``, of one message each.
- A dataset has at least 3 rows, and at most 3 million.
- Tools need their type, which is added, and a name that matches ``[a-zA-Z0-9_-]{1,64}``. Parameters that are null
  become empty ones.
- Of descriptions and schemas, the documentation says nothing but that datasets for OpenAI work unchanged ("Supervised
  Fine Tuning - Text"). The server's code is not public, so neither is checked.

Rows: ``toolconv convert data.jsonl --trainer fireworks -o train.jsonl``

Load: ``firectl create dataset NAME train.jsonl``
"""

from toolconv.core.marks import MarkStyle
from toolconv.layouts.formats.openai_ft import Preference
from toolconv.trainers.base import Trainer
from toolconv.trainers.checks import functions_are_whole, names_match, only_functions, only_roles, system_comes_first
from toolconv.trainers.parts import FIREWORKS_PARTS, typed_parts
from toolconv.trainers.repairs import add_types, developer_as_system, replace_null_parameters

TRAINER = Trainer(
    name="fireworks",
    layout="openai",
    reads=("openai", "openai-ft", "chat"),
    answers=(Preference(of_one_turn=True),),
    marks=MarkStyle("weight"),
    checks=(
        only_functions,
        functions_are_whole,
        names_match("[a-zA-Z0-9_-]{1,64}"),
        only_roles("system", "user", "assistant", "tool"),
        typed_parts(FIREWORKS_PARTS),
        system_comes_first,
    ),
    repairs={
        "developer_as_system": developer_as_system,
        "parameters_added": replace_null_parameters,
        "type_added": add_types,
    },
    checked_with="the documentation (docs.fireworks.ai) and the types of fireworks-ai 1.2.30; not with an upload",
)

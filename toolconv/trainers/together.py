"""Together's fine-tuning upload: OpenAI's ``messages`` and ``tools``, or token ids.

Reads the layout ``openai``.

- After the system text, turns of the user and the assistant must alternate, as the documentation says.
- Roles are ``system``, ``user``, ``assistant`` and ``tool``; one turn at least is the assistant's.
- The mark of a message is ``weight``, 0 or 1. If a message of a row has one, all messages without one are trained on,
  the user's, too. So where a message of a row has a mark, all get one. A message with an image must not be trained on.
- Images are in the user's messages, at most 10 a row, as JPEG, PNG or WEBP in base64 of at most 10 MiB; addresses are
  refused. In a row with images all contents are lists of parts, so texts are written as such.
- A row has ``messages`` and ``tools`` and no other keys, which the check refuses: they are left out and counted.
- Preference rows have ``input``, ``preferred_output`` and ``non_preferred_output``, each answer of one message.
- The client checked all this up to version 2.10. Later ones leave it to the server, whose code is not public.

Rows: ``toolconv convert data.jsonl --trainer together -o train.jsonl``

Load: ``client.files.upload("train.jsonl", purpose="fine-tune")``

Exact rows, of token ids, labels and the attention mask: ``toolconv convert data.jsonl --trainer together --template
qwen3 --exact --tokenizer tokenizer.json -o train.parquet``. Take them where the text and the mask must be the
student's: Together does not show what its template writes. Examples are not packed then. Other keys of a row are
refused, so they are left out and counted.
"""

from collections.abc import Iterator
from typing import Any, Final

from toolconv.core.lazy_re import lazy_re
from toolconv.core.marks import MarkStyle
from toolconv.layouts.formats.openai_ft import Preference
from toolconv.trainers import repairs
from toolconv.trainers.base import ROW_KEY_REMOVED, Effect, Trainer, TrainerRow
from toolconv.trainers.checks import answers_once, begins_with_user, only_functions, only_roles
from toolconv.trainers.forms import IDS_AND_LABELS
from toolconv.trainers.parts import TOGETHER_PARTS, typed_parts
from toolconv.trainers.removals import only_row_keys

MARKS = MarkStyle("weight", others=True)
MOST_IMAGES: Final = 10
LARGEST_IMAGE: Final = 4 * (10 << 20) // 3
"""How many characters of base64 an image may have."""
INLINE: Final = lazy_re(r"data:image/(?:jpeg|png|webp);base64,")


def images_are_inline(seen: TrainerRow) -> Iterator[Effect]:
    """Images that the check of files refuses. Source: together 2.10, ``_check_message_content``."""
    images = 0
    for index, message in enumerate(seen.conversation.messages):
        urls = [*_image_urls(message.get("content"))]
        images += len(urls)
        for url in urls:
            found = INLINE.match(url)
            if found is None:
                why = "an image that is no JPEG, PNG or WEBP in base64"
                yield Effect("content_part_refused", why, index)
            elif len(url) > len("data:image/jpeg;base64,") + LARGEST_IMAGE:
                yield Effect("content_part_refused", "an image of more than 10 MiB", index)
        if urls and message.get("weight"):
            yield Effect("value_refused", "a message with an image has a weight other than 0", index)
    if images > MOST_IMAGES:
        yield Effect("content_part_refused", f"more than {MOST_IMAGES} images")


def _image_urls(content: Any) -> Iterator[str]:
    for part in content if isinstance(content, list) else ():
        image = part.get("image_url") if isinstance(part, dict) and part.get("type") == "image_url" else None
        if isinstance(image, dict) and isinstance(image.get("url"), str):
            yield image["url"]


TRAINER = Trainer(
    name="together",
    layout="openai",
    reads=("openai", "openai-ft", "chat"),
    exact=IDS_AND_LABELS,
    answers=(Preference(of_one_turn=True),),
    marks=MARKS,
    checks=(
        only_functions,
        begins_with_user,
        only_roles("system", "user", "assistant", "tool"),
        answers_once,
        typed_parts(TOGETHER_PARTS),
        images_are_inline,
    ),
    repairs={
        "developer_as_system": repairs.developer_as_system,
        "neighbours_joined": repairs.join_neighbours,
        "marks_completed": repairs.mark_all(MARKS),
        "parts_joined": repairs.join_texts_of_text_rows,
        "text_as_parts": repairs.text_as_parts,
    },
    removals={ROW_KEY_REMOVED: only_row_keys()},
    checked_with="together 2.10.0 and 3.1.1 (their checks of files) and the documentation; not with an upload",
)

"""Together's fine-tuning upload: OpenAI's ``messages`` and ``tools``, or token ids.

Reads the layout ``openai``.

- After the system text, turns of the user and the assistant must alternate, as the documentation says.
- The mark of a message is ``weight``, 0 or 1. If a message of a row has one, all messages without one are trained on,
  the user's, too. So where a message of a row has a mark, all get one.
- A row must not fit two formats: a row with ``messages`` has no ``text``, ``prompt`` or ``completion``.
- The client checks little before the upload; the server checks the rest.

Rows: ``toolconv convert data.jsonl --trainer together -o train.jsonl``

Load: ``client.files.upload("train.jsonl", purpose="fine-tune")``

Exact rows, of token ids, labels and the attention mask: ``toolconv convert data.jsonl --trainer together --template
qwen3 --exact --tokenizer tokenizer.json -o train.parquet``. Take them where the text and the mask must be the
student's: Together does not show what its template writes. Examples are not packed then. Other keys of a row are
refused, so they are left out and counted.
"""

from toolconv.core.marks import MarkStyle
from toolconv.trainers.base import Trainer
from toolconv.trainers.checks import begins_with_user, only_functions
from toolconv.trainers.forms import IDS_AND_LABELS
from toolconv.trainers.repairs import join_neighbours, mark_all

MARKS = MarkStyle("weight", others=True)

TRAINER = Trainer(
    name="together",
    layout="openai",
    reads=("openai", "openai-ft", "chat"),
    exact=IDS_AND_LABELS,
    marks=MARKS,
    checks=(only_functions, begins_with_user),
    repairs={"neighbours_joined": join_neighbours, "marks_completed": mark_all(MARKS)},
    checked_with="together 3.1.1 (its check of files) and the documentation; not with an upload",
)

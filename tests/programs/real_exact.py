"""The texts and masks that the trainers' own packages make of exact rows, for students of any family.

See :mod:`tests.programs.real_texts`, whose tokenizer these have, too, with the turn tokens of the student. ``python -m
tests.programs.real_exact`` records in ``tests/programs/exact.json`` a digest of what the installed packages give for each case.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from tests.conftest import toolconv
from tests.programs.real_texts import Rows, Texts, labelled, loaded, student, without_torchaudio, written
from tests.programs.real_trainers import conversations, is_installed, lines, package
from toolconv import templates

RECORD: Final = Path(__file__).parent / "exact.json"
STUDENTS: Final = (
    "qwen2.5", "qwen3", "qwen3.5", "llama-3.1", "gpt-oss", "glm-4.6", "deepseek-v3.1", "gemma-4", "kimi-k2", "nemotron-3",
    "command-a", "exaone-4.0", "granite-4", "hermes-4", "minimax-m2", "mistral-nemo", "phi4-mini", "seed-oss",
)  # fmt: skip
_TOKEN: Final = re.compile(r"<[^<>{}\s]+>|\[[A-Z_/]+\]")

_WORDS: Final = "{{idx}} {{content}} {{ x }} {% if %} <image> <video>"
LIKE_TEMPLATES: Final[dict[str, Any]] = {
    "messages": [
        {"role": "system", "content": _WORDS},
        {"role": "user", "content": _WORDS},
        {"role": "assistant", "content": "", "tool_calls": [
            {"id": "abcdefghi", "type": "function", "function": {"name": "f", "arguments": {"x": _WORDS}}}]},
        {"role": "tool", "tool_call_id": "abcdefghi", "name": "f", "content": _WORDS},
        {"role": "assistant", "content": _WORDS},
    ],
    "tools": [{"type": "function", "function": {"name": "f", "description": _WORDS, "parameters": {
        "type": "object", "properties": {"x": {"type": "string"}}}}}],
}  # fmt: skip
"""A case of texts that trainers and template engines replace in templates."""

__all__ = ["EXACT", "is_installed"]

Gives = Callable[[Rows, Path, Sequence[str]], Texts]


def in_axolotl(rows: Rows, folder: Path, tokens: Sequence[str]) -> Texts:
    """axolotl's strategy ``input_output``."""
    from axolotl.prompt_strategies.input_output import load
    from axolotl.utils.dict import DictDefault
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(student(folder / "model", tokens))
    strategy = load(tokenizer, DictDefault({"sequence_len": 1 << 20, "train_on_inputs": False}))
    return [labelled(tokenizer, strategy.tokenize_prompt(row)) for row in loaded(rows, folder)]


def in_llamafactory(rows: Rows, folder: Path, tokens: Sequence[str]) -> Texts:
    """LLaMA-Factory's converter and supervised processor, with its template ``empty``."""
    os.environ["DISABLE_VERSION_CHECK"] = "1"
    without_torchaudio()
    from llamafactory.data import get_template_and_fix_tokenizer
    from llamafactory.data.converter import SharegptDatasetConverter
    from llamafactory.data.parser import DatasetAttr
    from llamafactory.data.processor import SupervisedDatasetProcessor
    from llamafactory.hparams import DataArguments
    from transformers import AutoTokenizer

    from toolconv.layouts.formats.llamafactory import dataset_info

    tokenizer = AutoTokenizer.from_pretrained(student(folder / "model", tokens))
    arguments = DataArguments(template="empty", cutoff_len=1 << 20)
    template = get_template_and_fix_tokenizer(tokenizer, arguments)
    attributes = DatasetAttr("file", "train.jsonl")
    attributes.join(dataset_info("train", "train.jsonl", {key for row in rows for key in row})["train"])
    convert = SharegptDatasetConverter(attributes, arguments)
    process = SupervisedDatasetProcessor(template, tokenizer, None, arguments)
    found: Texts = []
    for row in loaded(rows, folder):
        batch = process.preprocess_dataset({key: [value] for key, value in convert(row).items()})
        ids = batch["input_ids"]
        found.append(labelled(tokenizer, {key: batch[key][0] for key in ("input_ids", "labels")}) if ids else None)
    return found


def in_ms_swift(rows: Rows, folder: Path, tokens: Sequence[str]) -> Texts:
    """ms-swift's loader, and the template of its page, which adds nothing."""
    os.environ.setdefault("MODELSCOPE_CACHE", str(folder / "modelscope"))
    from swift.dataset import load_dataset
    from swift.model import get_processor
    from swift.template import TEMPLATE_MAPPING, TemplateMeta, get_template, register_template

    processor = get_processor(str(student(folder / "model", tokens)), model_type="qwen3")
    kind = TEMPLATE_MAPPING["qwen3"].template_cls
    register_template(TemplateMeta("exact", [], ["{{QUERY}}"], [], [], kind), exist_ok=True)
    template = get_template(processor, template_type="exact")
    template.set_mode("train")
    data, _ = load_dataset([written(rows, folder)], load_from_cache_file=False)
    return [labelled(processor, template.encode(row)) for row in data]


def in_trl(rows: Rows, folder: Path, tokens: Sequence[str]) -> Texts:
    """The dataset of SFTTrainer, of token ids and masks."""
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from trl import SFTConfig, SFTTrainer

    model = student(folder / "model", tokens)
    tokenizer = AutoTokenizer.from_pretrained(model)
    arguments = SFTConfig(
        output_dir=str(folder / "out"), max_length=None, report_to=[], use_cpu=True, bf16=False,
    )  # fmt: skip
    trainer = SFTTrainer(
        model=AutoModelForCausalLM.from_pretrained(model), args=arguments, train_dataset=loaded(rows, folder),
        processing_class=tokenizer,
    )  # fmt: skip
    return [labelled(tokenizer, row) for row in trainer.train_dataset]


EXACT: dict[str, Gives] = {
    "axolotl": in_axolotl,
    "llamafactory": in_llamafactory,
    "ms-swift": in_ms_swift,
    "trl": in_trl,
}
"""For each trainer that takes exact rows what its package makes of them."""


def lines_of_cases() -> str:
    """The cases as lines."""
    return lines([*conversations(), LIKE_TEMPLATES])


def spans(template: str, *options: str) -> list[dict[str, Any]]:
    """The text and the spans of each case."""
    return toolconv("convert", "-q", "--template", template, "--spans", *options, stdin=lines_of_cases()).rows


def turn_tokens(template: str) -> list[str]:
    """A token to pad with, the tokens that a template writes between texts, and last the one that ends turns."""
    turns = [row["text"][each["start"] : each["end"]] for row in spans(template) for each in row["spans"]
             if each["kind"] == "turn"]  # fmt: skip
    found = dict.fromkeys(["<|pad|>", *_TOKEN.findall("".join(turns))])
    stop, *others = [*filter(None, templates.get(template).stops), "<|end|>"]
    return [*(token for token in {**found, **dict.fromkeys(others)} if token != stop), stop]


def tokenizer(template: str, file: Path) -> Any:
    """A tokenizer with the turn tokens of a template, and one token a byte, which is written to a file."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    made = Tokenizer(models.BPE({letter: place for place, letter in enumerate(letters)}, []))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    made.decoder = decoders.ByteLevel()
    made.add_special_tokens([AddedToken(token, normalized=False, special=True) for token in turn_tokens(template)])
    made.save(str(file))
    return made


def rows_of(trainer: str, template: str, folder: Path) -> Rows:
    """The exact rows of the cases."""
    more: tuple[Any, ...] = ()
    if trainer == "trl":
        more = ("--tokenizer", student(folder / "tokenizer", turn_tokens(template)) / "tokenizer.json")
    options = ("convert", "-q", "--trainer", trainer, "--template", template, "--exact", *more)
    return toolconv(*options, stdin=lines_of_cases()).rows


def digest(text: str, trained: Sequence[str]) -> str:
    """A text, and what is trained of it, in a few letters."""
    return hashlib.sha256("\0".join([text, *trained]).encode()).hexdigest()[:12]


def expected(trainer: str, template: str) -> list[str]:
    """The digests of the text and the mask that the student's spans have."""
    found = []
    for row in spans(template):
        marked = "".join(row["text"][each["start"] : each["end"]] if each["train"] else "\0" for each in row["spans"])
        if trainer == "ms-swift" and marked[0] != "\0":  # nothing precedes the first token, so no trainer trains it
            marked = f"\0{marked[1:]}"
        found.append(digest(row["text"], re.findall(r"[^\0]+", marked)))
    return found


def digests(trainer: str, template: str) -> list[str]:
    """The digests of what the trainer's package makes of the cases."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        gives = EXACT[trainer](rows_of(trainer, template, folder), folder, turn_tokens(template))
    return [digest(given["text"], given["trained"]) if given is not None else "" for given in gives]


if __name__ == "__main__":
    record = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {"packages": {}}
    for name in sys.argv[1:] or [name for name in EXACT if is_installed(name)]:
        record["packages"][name] = package(name)
        record[name] = {template: digests(name, template) for template in STUDENTS}
    RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")

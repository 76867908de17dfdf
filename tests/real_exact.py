"""The texts and masks that the trainers' own packages make of exact rows, for students of any family.

See :mod:`tests.real_texts`, whose tokenizer these have, too, with the turn tokens of the student.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.real_texts import Rows, Texts, labelled, loaded, student, without_torchaudio, written

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
    """ms-swift's loader, and its template with ``use_chat_template`` false."""
    os.environ.setdefault("MODELSCOPE_CACHE", str(folder / "modelscope"))
    from swift.dataset import load_dataset
    from swift.model import get_processor
    from swift.template import get_template

    processor = get_processor(str(student(folder / "model", tokens)), model_type="qwen3")
    template = get_template(processor, template_type="qwen3", use_chat_template=False)
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

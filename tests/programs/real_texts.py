"""The texts and loss masks that the trainers' own packages make of toolconv's rows, for Qwen3 as the student.

The tokenizer has Qwen's turn tokens and one token a byte otherwise, so masks can be compared by character. The model has
two layers of eight numbers: nothing is trained. Needs torch, and the packages with all that they import.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import json
import os
import sys
import types
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

TURN_TOKENS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
Rows = Sequence[dict[str, Any]]
Texts = list[dict[str, Any] | None]
"""The ``text`` of each row and its ``trained`` parts; ``None`` for a row that is left out or refused."""


def student(folder: Path, tokens: Sequence[str] = TURN_TOKENS) -> Path:
    """Write a model with a tokenizer that has these tokens, as above, and Qwen3's chat template (TRL's copy)."""
    import trl
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    plain = Tokenizer(models.BPE({letter: place for place, letter in enumerate(letters)}, []))
    plain.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    plain.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=plain,
        eos_token=tokens[-1],
        pad_token=tokens[0],
        additional_special_tokens=[*tokens[1:-1]],
    )
    templates = Path(trl.__file__).parent / "chat_templates"
    tokenizer.chat_template = (templates / "qwen3.jinja").read_text(encoding="utf-8")
    tokenizer.save_pretrained(folder)
    config = Qwen3Config(
        vocab_size=len(tokenizer), hidden_size=8, intermediate_size=8, num_hidden_layers=2, num_attention_heads=2,
        num_key_value_heads=2, head_dim=4, max_position_embeddings=1 << 20, tie_word_embeddings=True,
    )  # fmt: skip
    Qwen3ForCausalLM(config).save_pretrained(folder)
    return folder


def text_of(tokenizer: Any, ids: Sequence[int], trained: Sequence[bool]) -> dict[str, Any]:
    """A text, and the parts of it that are trained."""
    parts: list[str] = []
    start = 0
    while start < len(ids):
        end = start
        while end < len(ids) and trained[end] == trained[start]:
            end += 1
        if trained[start]:
            parts.append(tokenizer.decode(ids[start:end]))
        start = end
    return {"text": tokenizer.decode(ids), "trained": parts}


def labelled(tokenizer: Any, encoded: Any) -> dict[str, Any]:
    """A text, of token ids and labels; -100 is not trained."""
    return text_of(tokenizer, encoded["input_ids"], [label != -100 for label in encoded["labels"]])


def written(rows: Rows, folder: Path) -> str:
    """A file of the rows."""
    file = folder / "train.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(file)


def loaded(rows: Rows, folder: Path) -> Any:
    """The rows as ``datasets`` loads them, all from one file."""
    from datasets import load_dataset

    return load_dataset("json", data_files=written(rows, folder), split="train", cache_dir=str(folder / "cache"))


def in_trl(rows: Rows, folder: Path, *, masks: bool = True) -> Texts:
    """SFTTrainer's own dataset, with ``assistant_only_loss``; without ``masks``, of the whole text."""
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from trl import SFTConfig, SFTTrainer

    model = student(folder / "model")
    tokenizer = AutoTokenizer.from_pretrained(model)
    arguments = SFTConfig(
        output_dir=str(folder / "out"), max_length=None, assistant_only_loss=masks, report_to=[], use_cpu=True,
        bf16=False,
    )  # fmt: skip
    trainer = SFTTrainer(
        model=AutoModelForCausalLM.from_pretrained(model), args=arguments, train_dataset=loaded(rows, folder),
        processing_class=tokenizer,
    )  # fmt: skip
    found: Texts = []
    for row in trainer.train_dataset:
        found.append(labelled(tokenizer, row))
    return found


def in_unsloth(rows: Rows, folder: Path) -> Texts:
    """``standardize_data_formats`` of unsloth, and the text as its notebooks make it; all of it is trained."""
    import unsloth  # noqa: F401 - it must come first
    from transformers import AutoTokenizer
    from unsloth.chat_templates import standardize_data_formats

    tokenizer = AutoTokenizer.from_pretrained(student(folder / "model"))
    found: Texts = []
    for row in standardize_data_formats(loaded(rows, folder)):
        tools = json.loads(row["tools"]) if row.get("tools") else None
        text = tokenizer.apply_chat_template(row["messages"], tools=tools, tokenize=False)
        found.append({"text": text, "trained": [text]})
    return found


def in_unsloth_studio(rows: Rows, folder: Path) -> Texts:
    """The texts that Unsloth Studio writes, from the package of unsloth; all of them are trained. Needs structlog."""
    studio = importlib.util.find_spec("studio")
    assert studio is not None and studio.submodule_search_locations is not None
    sys.path.insert(0, str(Path(next(iter(studio.submodule_search_locations))) / "backend"))
    from transformers import AutoTokenizer
    from utils.datasets.chat_templates import _render_conversation, _row_tools

    tokenizer = AutoTokenizer.from_pretrained(student(folder / "model"))
    texts = [_render_conversation(tokenizer, row["messages"], _row_tools(row["tools"])) for row in loaded(rows, folder)]
    return [{"text": text, "trained": [text]} for text in texts]


def in_axolotl(rows: Rows, folder: Path) -> Texts:
    """axolotl's strategy ``chat_template``, as in the configuration on the trainer's page."""
    from axolotl.prompt_strategies.chat_template import load
    from axolotl.utils.dict import DictDefault
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(student(folder / "model"))
    configuration = DictDefault(
        {"sequence_len": 1 << 20, "train_on_inputs": False, "chat_template": "tokenizer_default"}
    )
    dataset = DictDefault(
        {
            "field_messages": "messages",
            "field_tools": "tools",
            "type": "chat_template",
            "message_field_training": "train",
        }
    )
    strategy = load(tokenizer, configuration, dataset)
    return [or_none(lambda row=row: labelled(tokenizer, strategy.tokenize_prompt(row))) for row in loaded(rows, folder)]


def in_ms_swift(rows: Rows, folder: Path, name: str = "qwen3_nothinking", agent: str = "hermes") -> Texts:
    """ms-swift's loader and its template for Qwen3, or one of another name, with the agent template of Hermes."""
    os.environ.setdefault("MODELSCOPE_CACHE", str(folder / "modelscope"))
    from swift.dataset import load_dataset
    from swift.model import get_processor
    from swift.template import get_template

    processor = get_processor(str(student(folder / "model")), model_type="qwen3")
    template = get_template(processor, template_type=name, agent_template=agent)
    template.set_mode("train")
    data, _ = load_dataset([written(rows, folder)], load_from_cache_file=False)
    return [or_none(lambda row=row: labelled(processor, template.encode(row))) for row in data]


def without_torchaudio() -> None:
    """Let LLaMA-Factory be imported without a package that it needs only for sound."""
    if "torchaudio" not in sys.modules and importlib.util.find_spec("torchaudio") is None:
        sys.modules["torchaudio"] = silent = types.ModuleType("torchaudio")
        silent.__spec__ = importlib.machinery.ModuleSpec("torchaudio", None)


def in_llamafactory(rows: Rows, folder: Path, name: str = "qwen3_nothink") -> Texts:
    """LLaMA-Factory's converter and supervised processor, with its template for Qwen3, or one of another name."""
    os.environ["DISABLE_VERSION_CHECK"] = "1"
    without_torchaudio()
    from llamafactory.data import get_template_and_fix_tokenizer
    from llamafactory.data.converter import SharegptDatasetConverter
    from llamafactory.data.parser import DatasetAttr
    from llamafactory.data.processor import SupervisedDatasetProcessor
    from llamafactory.hparams import DataArguments
    from transformers import AutoTokenizer

    from toolconv.layouts.formats.llamafactory import dataset_info

    tokenizer = AutoTokenizer.from_pretrained(student(folder / "model"))
    arguments = DataArguments(template=name, cutoff_len=1 << 20)
    template = get_template_and_fix_tokenizer(tokenizer, arguments)
    attributes = DatasetAttr("file", "train.jsonl")
    keys = {key for row in rows for key in row}
    attributes.join(dataset_info("train", "train.jsonl", keys)["train"])
    convert = SharegptDatasetConverter(attributes, arguments)
    process = SupervisedDatasetProcessor(template, tokenizer, None, arguments)

    def one(row: dict[str, Any]) -> dict[str, Any] | None:
        found = convert(row)
        batch = process.preprocess_dataset({key: [value] for key, value in found.items()})
        if not batch["input_ids"]:
            return None
        return labelled(tokenizer, {key: batch[key][0] for key in ("input_ids", "labels")})

    return [or_none(lambda row=row: one(row)) for row in loaded(rows, folder)]


def or_none(make: Callable[[], dict[str, Any] | None]) -> dict[str, Any] | None:
    """What a trainer makes of a row; ``None`` if it raises an error. Each package has exceptions of its own."""
    try:
        return make()
    except Exception:
        return None


TEXTS: dict[str, tuple[str, Callable[..., Texts]]] = {
    "trl": ("trl", in_trl),
    "unsloth": ("unsloth", in_unsloth),
    "unsloth-studio": ("studio", in_unsloth_studio),
    "axolotl": ("axolotl", in_axolotl),
    "ms-swift": ("swift", in_ms_swift),
    "llamafactory": ("llamafactory", in_llamafactory),
}
"""For each trainer the module that its package installs, and what it makes of rows."""

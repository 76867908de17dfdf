"""The texts and masks that more trainers make of toolconv's rows, for students whose chat templates TRL ships.

See :mod:`tests.programs.real_texts`, whose tokenizer these have, too, with the turn tokens of the student. ``python -m
tests.programs.real_newer`` records in ``tests/programs/newer.json`` a digest of what each installed trainer gives.

verl, mlx-lm, openrlhf, skyrl, tinker-cookbook, renderers, nemo-automodel and torchtune are packages, which are installed
with ``--no-deps``. slime, open-instruct, prime-rl and NeMo RL (``RL``) are not: ``TOOLCONV_SOURCES`` names a folder with
their sources. Only code that loads rows and writes texts and masks is run; what else it imports, such as GPU kernels, is
left out.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import importlib.machinery
import importlib.metadata
import importlib.util
import json
import os
import sys
import tempfile
import textwrap
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from tests.conftest import toolconv
from tests.programs.real_exact import turn_tokens
from tests.programs.real_texts import Rows, Texts, labelled, loaded, or_none, student, text_of, written
from tests.programs.real_trainers import conversations, lines

RECORD: Final = Path(__file__).parent / "newer.json"
STUDENTS: Final[Mapping[str, str]] = {"qwen2.5": "qwen2_5", "qwen3": "qwen3", "glm-4.6": "glm4moe"}
"""The students, and the file in TRL with the chat template of each."""
SOURCES: Final = Path(os.environ.get("TOOLCONV_SOURCES", "/nowhere"))
"""The folder of the sources that are no packages."""
_LONG: Final = 1 << 20
_MORE: Final[Mapping[str, Sequence[str]]] = {
    "qwen2.5": ("<|endoftext|>",),
    "qwen3": ("<|endoftext|>", "<think>", "</think>", "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>"),
    "glm-4.6": (
        "<|endoftext|>", "[gMASK]", "<sop>", "<|system|>", "<|user|>", "<|assistant|>", "<|observation|>", "<think>",
        "</think>", "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>", "<arg_key>", "</arg_key>",
        "<arg_value>", "</arg_value>", "/nothink",
    ),
}  # fmt: skip
"""Tokens of the students' own tokenizers that renderers ask for."""


def tokenizer(name: str, folder: Path) -> Any:
    """The tokenizer of a student, with its own chat template."""
    import trl
    from transformers import AutoTokenizer

    made = AutoTokenizer.from_pretrained(
        student(folder / "model", list(dict.fromkeys([*_MORE[name], *turn_tokens(name)])))
    )
    file = Path(trl.__file__).parent / "chat_templates" / f"{STUDENTS[name]}.jinja"
    made.chat_template = file.read_text(encoding="utf-8")
    return made


class _Anything(types.ModuleType):
    """A module that has every name."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {"__class_getitem__": classmethod(lambda cls, _: cls)})


def _left_out(*names: str) -> None:
    """Let these modules be imported, without what they do."""
    for name in names:
        if name not in sys.modules:
            sys.modules[name] = module = _Anything(name)
            module.__spec__ = importlib.machinery.ModuleSpec(name, None, is_package=True)
            module.__path__ = []


def _bare(*names: str, folder: Path | None = None) -> None:
    """Import from these packages without running their own first files, which import what needs GPUs."""
    for name in names:
        if name in sys.modules:
            continue
        parent, _, last = name.rpartition(".")
        if folder is not None and not parent:
            paths = [str(folder / name)]
        elif parent:
            paths = [str(Path(path) / last) for path in sys.modules[parent].__path__]
        else:
            paths = [*(importlib.machinery.PathFinder.find_spec(name).submodule_search_locations or ())]  # type: ignore[union-attr]
        sys.modules[name] = module = types.ModuleType(name)
        module.__path__ = paths


def _some_of(file: Path, *names: str, **others: Any) -> dict[str, Any]:
    """Functions and classes of a source file, by name."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    chosen = [node for node in tree.body if getattr(node, "name", None) in names]
    source = "\n\n".join(ast.unparse(node) for node in chosen)
    space: dict[str, Any] = {**vars(typing), "Callable": Callable, **others}
    exec(compile(f"from __future__ import annotations\n{source}", str(file), "exec"), space)
    return space


def in_automodel(rows: Rows, folder: Path, name: str) -> Texts:
    """``ChatDataset`` of NeMo Automodel."""
    from nemo_automodel.components.datasets.llm.chat_dataset import ChatDataset

    made = tokenizer(name, folder)
    data = ChatDataset(written(rows, folder), made, unshifted=True, mask_generation_prompt=True)

    def one(at: int) -> dict[str, Any]:
        got = data[at]
        return text_of(made, got["input_ids"], [bool(each) for each in got["loss_mask"]])

    return [or_none(lambda at=at: one(at)) for at in range(len(rows))]


def in_mlx_lm(rows: Rows, folder: Path, name: str) -> Texts:
    """``load_local_dataset`` of MLX-LM, with ``--mask-prompt``."""
    _left_out("mlx", "mlx.core", "mlx.nn", "mlx.utils", "mlx.optimizers")
    _bare("mlx_lm", "mlx_lm.tuner")
    from mlx_lm.tuner.datasets import load_local_dataset

    made = tokenizer(name, folder)
    written(rows, folder)
    data, *_ = load_local_dataset(folder, made, types.SimpleNamespace(mask_prompt=True))

    def one(at: int) -> dict[str, Any]:
        ids, offset = data.process(data[at])
        return text_of(made, ids, [place >= offset for place in range(len(ids))])

    return [or_none(lambda at=at: one(at)) for at in range(len(rows))]


def in_nemo_rl(rows: Rows, folder: Path, name: str) -> Texts:
    """``OpenAIFormatDataset`` and ``get_formatted_message_log`` of NeMo RL, as ``sft_processor`` calls it."""
    import warnings

    import torch

    root = SOURCES / "RL" / "nemo_rl" / "data"
    reads = _some_of(
        root / "datasets" / "response_datasets" / "oai_format_dataset.py",
        "PreservingDataset", "OpenAIFormatDataset", json=json, warnings=warnings, RawDataset=object,
    )["OpenAIFormatDataset"]  # fmt: skip
    writes = _some_of(
        root / "llm_message_utils.py", "get_first_index_that_differs", "get_formatted_message_log",
        "add_loss_mask_to_message_log", torch=torch, Tensor=torch.Tensor, warnings=warnings,
        get_multimodal_default_settings_from_processor=lambda _: {},
        load_media_from_message=lambda _, multimodal_load_kwargs: {},
    )  # fmt: skip
    made = tokenizer(name, folder)
    spec = types.SimpleNamespace(prompt=None)

    def one(row: dict[str, Any]) -> dict[str, Any]:
        data = reads(written([row], folder), use_preserving_dataset=True).dataset[0]
        log = writes["get_formatted_message_log"](
            data["messages"], made, spec, add_generation_prompt=True, tools=data.get("tools")
        )
        writes["add_loss_mask_to_message_log"]([log])
        ids = [each for message in log for each in message["token_ids"].tolist()]
        return text_of(made, ids, [bool(each) for message in log for each in message["token_loss_mask"].tolist()])

    return [or_none(lambda row=row: one(row)) for row in rows]


def in_open_instruct(rows: Rows, folder: Path, name: str) -> Texts:
    """``sft_tulu_tokenize_without_truncation_v1`` and ``sft_tulu_filter_v1`` of open-instruct."""
    import logging

    import torch

    file = SOURCES / "open-instruct" / "open_instruct" / "dataset_transformation.py"
    constants = {
        "MASKED_TOKEN_VALUE": -100, "INPUT_IDS_KEY": "input_ids", "LABELS_KEY": "labels",
        "ATTENTION_MASK_KEY": "attention_mask", "TOOLS_COLUMN_KEY": "tools",
    }  # fmt: skip
    space = _some_of(
        file, "AssistantSpanDerivationError", "_trainable_assistant_indices", "_normalize_tools_for_chat_template",
        "_assistant_token_spans_from_prefix_lengths", "_verify_assistant_spans_cover_content",
        "_tokenize_tulu_sft_with_assistant_labels", "_tokenize_row_or_mask_out", "_sft_tulu_tokenize",
        "sft_tulu_tokenize_without_truncation_v1", "sft_tulu_filter_v1", torch=torch, json=json,
        logger=logging.getLogger("open-instruct"), PreTrainedTokenizer=object, **constants,
    )  # fmt: skip
    made = tokenizer(name, folder)

    def one(row: dict[str, Any]) -> dict[str, Any] | None:
        got = space["sft_tulu_tokenize_without_truncation_v1"](row, made)
        kept = space["sft_tulu_filter_v1"](got, made)
        return labelled(made, {key: got[key].tolist() for key in ("input_ids", "labels")}) if kept else None

    return [or_none(lambda row=row: one(row)) for row in loaded(rows, folder)]


def in_openrlhf(rows: Rows, folder: Path, name: str) -> Texts:
    """``SFTDataset`` of OpenRLHF: of messages with ``--data.multiturn``, and of texts."""
    _left_out("deepspeed", "ray", "pylatexenc", "pylatexenc.latex2text")
    _bare("openrlhf", "openrlhf.datasets", "openrlhf.utils")
    from openrlhf.datasets.sft_dataset import SFTDataset

    made = tokenizer(name, folder)
    texts = "prompt" in rows[0]
    options = (
        {"input_key": "prompt", "output_key": "completion"}
        if texts
        else {"input_key": "messages", "apply_chat_template": True}
    )
    strategy = types.SimpleNamespace(args=types.SimpleNamespace(data=types.SimpleNamespace(**options)))

    def one(data: Any) -> dict[str, Any] | None:
        read = SFTDataset(data, made, _LONG, strategy, num_processors=None, multiturn=not texts)  # type: ignore[arg-type]
        if not len(read):
            return None
        ids, _, mask = read[0]
        return text_of(made, ids[0].tolist(), [False, *(bool(each) for each in mask[0].tolist()[:-1])])

    data = loaded(rows, folder)
    return [or_none(lambda at=at: one(data.select([at]))) for at in range(len(rows))]


def in_prime_rl(rows: Rows, folder: Path, name: str) -> Texts:
    """``SFTDataset`` of prime-rl, with the renderer of the student from the package ``renderers``."""
    _bare("prime_rl", "prime_rl.trainer", "prime_rl.trainer.sft", "prime_rl.utils", folder=SOURCES / "prime-rl" / "src")
    _left_out("prime_rl.configs", "prime_rl.configs.sft", "prime_rl.trainer.world", "prime_rl.utils.logger",
              "torchdata", "torchdata.stateful_dataloader", "jaxtyping", "transformers.tokenization_utils")  # fmt: skip
    from prime_rl.trainer.sft.data import SFTDataset
    from renderers import configs, create_renderer

    made = tokenizer(name, folder)
    chosen = {"qwen3": "Qwen3RendererConfig", "glm-4.6": "GLM45RendererConfig"}
    config = getattr(configs, chosen.get(name, "DefaultRendererConfig"))()
    read = SFTDataset.__new__(SFTDataset)
    read.renderer = create_renderer(made, config)
    read.loss_mask_config = types.SimpleNamespace(user=False, assistant=True, system=False, tool=False)
    read.seq_len, read.multimodal, read.logger = _LONG, False, types.SimpleNamespace(warning=print, debug=print)

    def one(row: dict[str, Any]) -> dict[str, Any] | None:
        got = read._process(row)
        if got is None:
            return None
        return text_of(made, [got["input_ids"][0], *got["target_ids"]], [False, *got["loss_mask"]])

    return [or_none(lambda row=row: one(row)) for row in loaded(rows, folder)]


def in_skyrl(rows: Rows, folder: Path, name: str) -> Texts:
    """``tokenize_chat_example`` of SkyRL, of all messages of the assistant."""
    import functools
    import logging

    spec = importlib.machinery.PathFinder.find_spec("skyrl")
    assert spec is not None and spec.submodule_search_locations is not None
    root = Path(spec.submodule_search_locations[0]) / "train"
    helpers = _some_of(
        root / "generators" / "utils.py", "get_generation_prompt_ids", "encode_messages_subset",
        "_find_generation_prompt_boundary", "get_response_ids_and_loss_mask_from_messages", ConversationType=list,
    )  # fmt: skip
    what = types.SimpleNamespace(LAST_ASSISTANT_MESSAGE="last", ALL_ASSISTANT_MESSAGES="all")
    space = _some_of(
        root / "sft_trainer.py", "_parse_tools_str", "_coerce_tools", "_normalize_tool_call_payload",
        "_normalize_chat_messages", "tokenize_chat_example", "_unbatch", "_tokenize_chat_last_assistant",
        "_tokenize_chat_all_assistants", json=json, functools=functools, logger=logging.getLogger("skyrl"),
        TrainOnWhat=what, _NORMALIZED_KEYS=frozenset({"role", "content", "tool_calls"}),
        get_response_ids_and_loss_mask_from_messages=helpers["get_response_ids_and_loss_mask_from_messages"],
    )  # fmt: skip
    made = tokenizer(name, folder)

    def one(row: dict[str, Any]) -> dict[str, Any] | None:
        got = space["tokenize_chat_example"](row, made, train_on_what=what.ALL_ASSISTANT_MESSAGES)
        if got is None:
            return None
        before = len(got["input_ids"]) - got["num_actions"]
        return text_of(made, got["input_ids"], [False] * before + [bool(each) for each in got["loss_mask"]])

    return [or_none(lambda row=row: one(row)) for row in loaded(rows, folder)]


def in_slime(rows: Rows, folder: Path, name: str) -> Texts:
    """``MultiTurnLossMaskGenerator`` of slime, which knows Qwen's families."""
    root = SOURCES / "slime" / "slime" / "utils"
    space = _some_of(root / "mask_utils.py", "get_response_lengths", "MultiTurnLossMaskGenerator", AutoTokenizer=object)
    made = tokenizer(name, folder)
    masks = space["MultiTurnLossMaskGenerator"](made, tokenizer_type="qwen3" if name == "qwen3" else "qwen")

    def one(row: dict[str, Any]) -> dict[str, Any]:
        tools = json.loads(row["tools"]) if isinstance(row.get("tools"), str) else row.get("tools")
        ids, mask = masks.get_loss_mask(row["messages"], tools=tools)
        return text_of(made, ids, [bool(each) for each in mask])

    return [or_none(lambda row=row: one(row)) for row in rows]


def in_tinker(rows: Rows, folder: Path, name: str) -> Texts:
    """The code on the trainer's page, with the cookbook's renderer of the student."""
    from tinker_cookbook.renderers import TrainOnWhat, get_renderer
    from tinker_cookbook.third_party.openai_compat import openai_messages_to_tinker, openai_tools_to_tinker

    made = tokenizer(name, folder)
    renderer = get_renderer({"qwen3": "qwen3", "qwen2.5": "qwen3_instruct"}[name], made)

    def one(row: dict[str, Any]) -> dict[str, Any]:
        messages = openai_messages_to_tinker(row["messages"])
        for message, came in zip(messages, row["messages"], strict=True):
            if "trainable" in came:
                message["trainable"] = came["trainable"]
        if tools := openai_tools_to_tinker(row.get("tools") or []):
            system = messages.pop(0)["content"] if messages[0]["role"] == "system" else ""
            prefix = renderer.create_conversation_prefix_with_tools(tools, system)
            messages = [*prefix, *messages]
        marked = any("trainable" in message for message in messages)
        for message in messages if marked else ():
            message.setdefault("trainable", False)
        what = TrainOnWhat.CUSTOMIZED if marked else TrainOnWhat.ALL_ASSISTANT_MESSAGES
        text, weights = renderer.build_supervised_example(messages, train_on_what=what)
        return text_of(made, text.to_ints(), [bool(each) for each in weights.tolist()])

    return [or_none(lambda row=row: one(row)) for row in rows]


def in_torchtune(rows: Rows, folder: Path, name: str) -> Texts:
    """``OpenAIToMessages`` and ``validate_messages`` of torchtune: no text, but roles and contents, and what is masked."""
    spec = importlib.machinery.PathFinder.find_spec("torchtune")
    assert spec is not None and spec.submodule_search_locations is not None
    file = Path(spec.submodule_search_locations[0]) / "data" / "_messages.py"
    space = _some_of(file, "Message", "OpenAIToMessages", "validate_messages", Transform=object, Role=str)

    def one(row: dict[str, Any]) -> dict[str, Any]:
        messages = space["OpenAIToMessages"]()(row)["messages"]
        space["validate_messages"](messages)
        text = json.dumps([[message.role, message.text_content] for message in messages])
        return {"text": text, "trained": [message.text_content for message in messages if not message.masked]}

    return [or_none(lambda row=row: one(row)) for row in loaded(rows, folder)]


def in_verl(rows: Rows, folder: Path, name: str) -> Texts:
    """``MultiTurnSFTDataset`` of verl, from Parquet as its page says."""
    _bare("verl", "verl.utils", "verl.utils.dataset", "verl.models", "verl.models.transformers", "verl.utils.tokenizer")
    _left_out("verl.models.transformers.qwen2_vl", "verl.utils.dataset.vision_utils", "verl.utils.fs",
              "verl.utils.py_functional")  # fmt: skip
    spec = importlib.machinery.PathFinder.find_spec("verl")
    assert spec is not None and spec.submodule_search_locations is not None
    functional = Path(spec.submodule_search_locations[0]) / "utils" / "py_functional.py"
    import numpy
    import pyarrow.json
    from pyarrow import parquet

    lists = _some_of(functional, "convert_nested_value_to_list_recursive", np=numpy)
    sys.modules["verl.utils.py_functional"].__dict__.update(lists)
    sys.modules["verl.utils.fs"].copy_local_path_from_hdfs = lambda path, verbose: path  # type: ignore[attr-defined]
    sys.modules["verl.utils"].hf_tokenizer = None  # type: ignore[attr-defined]
    from verl.utils.dataset.multiturn_sft_dataset import MultiTurnSFTDataset

    made = tokenizer(name, folder)
    options = {"pad_mode": "no_padding", "max_length": _LONG}

    def one(row: dict[str, Any]) -> dict[str, Any]:
        file = str(folder / "train.parquet")
        parquet.write_table(pyarrow.json.read_json(written([row], folder)), file)
        got = MultiTurnSFTDataset([file], made, options)[0]  # type: ignore[arg-type]
        return text_of(made, got["input_ids"].tolist(), [bool(each) for each in got["loss_mask"].tolist()])

    return [or_none(lambda row=row: one(row)) for row in rows]


class Newer(typing.NamedTuple):
    """A trainer that is run.

    Attributes:
        gives: what it makes of rows.
        package: the package that is installed, or the folder of its sources.
        students: the students that it knows.
        options: the further options of the rows that it reads.
    """

    gives: Callable[[Rows, Path, str], Texts]
    package: str
    students: Sequence[str] = tuple(STUDENTS)
    options: Sequence[str] = ()


NEWER: Final[Mapping[str, Newer]] = {
    "automodel": Newer(in_automodel, "nemo-automodel"),
    "mlx-lm": Newer(in_mlx_lm, "mlx-lm"),
    "nemo-rl": Newer(in_nemo_rl, "RL"),
    "open-instruct": Newer(in_open_instruct, "open-instruct"),
    "openrlhf": Newer(in_openrlhf, "openrlhf", options=("--prompt-completion",)),
    "prime-rl": Newer(in_prime_rl, "prime-rl"),
    "skyrl": Newer(in_skyrl, "skyrl"),
    "slime": Newer(in_slime, "slime", students=("qwen2.5", "qwen3")),
    "tinker": Newer(in_tinker, "tinker-cookbook", students=("qwen2.5", "qwen3")),
    "torchtune": Newer(in_torchtune, "torchtune", students=("qwen3",)),
    "verl": Newer(in_verl, "verl"),
}


def lines_of_cases() -> str:
    """The cases as lines."""
    return lines(conversations())


def rows_of(trainer: str, name: str) -> Rows:
    """The rows of the cases, as toolconv writes them."""
    options = ("convert", "-q", "--trainer", trainer, "--template", name, *NEWER[trainer].options)
    return toolconv(*options, stdin=lines_of_cases()).rows


def digest(text: str, trained: Sequence[str]) -> str:
    """A text, and what is trained of it, in a few letters. Line breaks at the end of a turn are left out."""
    parts = [part.rstrip("\n") for part in trained]
    return hashlib.sha256("\0".join([text.rstrip("\n"), *filter(None, parts)]).encode()).hexdigest()[:12]


def digests(trainer: str, name: str) -> list[str]:
    """The digests of what a trainer makes of the cases; empty for a row that it leaves out, or at which it stops."""
    with tempfile.TemporaryDirectory() as folder:
        gives = NEWER[trainer].gives(rows_of(trainer, name), Path(folder), name)
    return [digest(given["text"], given["trained"]) if given is not None else "" for given in gives]


def exact_rows(trainer: str, name: str, folder: Path) -> tuple[Any, Path]:
    """The tokenizer of a student, and a Parquet file of the exact rows of the cases."""
    made, file = tokenizer(name, folder), folder / "exact.parquet"
    options = ("convert", "-q", "--trainer", trainer, "--template", name, "--exact", "-o", file)
    toolconv(*options, "--tokenizer", folder / "model" / "tokenizer.json", stdin=lines_of_cases())
    return made, file


def exact_in_tinker(made: Any, file: Path) -> Texts:
    """The data of exact rows, as the trainer's page makes them."""
    import pandas
    import tinker
    import torch
    from tinker_cookbook.supervised.common import datum_from_model_input_weights

    found: Texts = []
    for ids, mask in pandas.read_parquet(file)[["input_ids", "loss_mask"]].itertuples(index=False):
        weights = torch.tensor(list(mask), dtype=torch.float32)
        datum = datum_from_model_input_weights(tinker.ModelInput.from_ints([int(each) for each in ids]), weights, _LONG)
        targets, trained = (datum.loss_fn_inputs[key].data for key in ("target_tokens", "weights"))
        found.append(
            text_of(made, [datum.model_input.to_ints()[0], *targets], [False, *(each > 0 for each in trained)])
        )
    return found


def exact_in_verl(made: Any, file: Path) -> Texts:
    """The rows of the dataset class that verl's page shows."""
    space: dict[str, Any] = {}
    page = toolconv("trainers", "verl").out
    exec(textwrap.dedent(page[page.index("    import pandas, torch") :]), space)
    data = space["Exact"](str(file), tokenizer=None, config=None)
    rows = [data[at] for at in range(len(data))]
    return [
        text_of(made, row["input_ids"].tolist(), [bool(each) for each in row["loss_mask"].tolist()]) for row in rows
    ]


EXACT: Final[Mapping[str, Callable[[Any, Path], Texts]]] = {"tinker": exact_in_tinker, "verl": exact_in_verl}
"""For trainers that take exact rows of ids what they make of them."""


def exact_digests(trainer: str, name: str) -> list[str]:
    """The digests of what a trainer makes of the exact rows of the cases."""
    with tempfile.TemporaryDirectory() as folder:
        gives = EXACT[trainer](*exact_rows(trainer, name, Path(folder)))
    return [digest(given["text"], given["trained"]) for given in gives if given is not None]


def is_there(trainer: str) -> bool:
    """Whether a trainer's code is there, and what it needs."""
    package = NEWER[trainer].package
    if not all(importlib.util.find_spec(name) for name in ("torch", "trl")):
        return False
    return (SOURCES / package).is_dir() or not version_of(package).endswith(SOURCE)


SOURCE: Final = "sources of August 2026"


def version_of(package: str) -> str:
    """A package and its version, or the folder of the sources."""
    try:
        return f"{package} {importlib.metadata.version(package)}"
    except importlib.metadata.PackageNotFoundError:
        return f"{package}, {SOURCE}"


if __name__ == "__main__":
    record = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {"packages": {}}
    for trainer in sys.argv[1:] or NEWER:
        newer = NEWER[trainer]
        record["packages"][trainer] = version_of(newer.package)
        record[trainer] = {name: digests(trainer, name) for name in newer.students}
        if trainer in EXACT:
            record.setdefault("exact", {})[trainer] = {name: exact_digests(trainer, name) for name in STUDENTS}
    RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")

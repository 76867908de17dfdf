"""``--template qwen3`` against jinja2 on a template that writes the same, in a sandbox as Hugging Face runs it.

The template runs in this process, where its CPU time is counted; ``--chat-template`` runs it in a child.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tests.benchmarks.measure import Figure, ratio
from toolconv import layouts, templates
from toolconv.templates.base import ChatView

ROWS = Path(__file__).parents[2] / "fixtures" / "conversations.jsonl"


def figures(rounds: int) -> list[Figure]:
    """How many times as long jinja2 takes for the same texts; nothing where it is not installed."""
    try:
        from jinja2.sandbox import ImmutableSandboxedEnvironment
    except ImportError:
        return []
    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
    environment.filters["tojson"] = partial(json.dumps, ensure_ascii=False)
    template = templates.get("qwen3")
    program = environment.from_string(Path(__file__).with_name("qwen3.jinja").read_text())
    conversations = [layouts.get("openai").read(json.loads(line)) for line in ROWS.read_text().splitlines()]

    def built_in() -> list[str]:
        pages = []
        for conversation in conversations:
            pages.append(template.written(ChatView(conversation, template.dialect)).text)
        return pages

    def jinja() -> list[str]:
        return [
            program.render(messages=one.messages, tools=one.tools, add_generation_prompt=False) for one in conversations
        ]

    assert built_in() == jinja()
    cost = ratio(_often(jinja), _often(built_in), 20 * rounds)
    return [{"what": "jinja2, to --template qwen3", "row bytes": 780, "ratio": cost}]


def _often(work: Callable[[], object]) -> Callable[[], None]:
    """``work`` so many times that it can be measured."""

    def works() -> None:
        for _ in range(50):
            work()

    return works

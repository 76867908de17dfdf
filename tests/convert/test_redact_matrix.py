"""No secret is left by ``--redact``: secrets × encodings × places × streams × dialects × what is written."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any
from urllib.parse import quote, unquote

import pytest

from tests.conftest import exhaustive, nightly, toolconv
from toolconv import dialects

LETTERS = "kXwQpLmZrTvBnYcJdFhGsAoEuIyWqRtKzPxVbNgSjDfHqLwMeZrTyUiOpAkC"
MIXED = "Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6kL9nP2rS5tU8wX1zA4cD7fG0iM3o"
HEX = "9f8e7d6c5b4a39281706f5e4d3c2b1a09f8e7d6c5b4a39281706f5e4d3c2b1a0"

# Lengths and letters as the issuers make them; see config/gitleaks.toml of gitleaks/gitleaks for each.
SECRETS = {
    "anthropic": f"sk-ant-api03-{MIXED}{MIXED[:29]}AA",
    "openai": f"sk-{MIXED[:20]}T3BlbkFJ{MIXED[20:40]}",
    "google": f"AIzaSy{MIXED[:33]}",
    "github": f"ghp_{MIXED[:36]}",
    "github_letters": f"gho_{LETTERS[:36]}",
    "gitlab": "glpat-kX9_pL-ZrT4BnYcJdFhG",
    "slack": f"xoxb-263594206564-2343594206574-{MIXED[:24]}",
    "stripe": f"rk_live_{MIXED[:24]}",
    "stripe_letters": f"sk_live_{LETTERS[:24]}",
    "aws": "AKIAQ3EGRWNVJ4XYZ2KD",
    "aws_letters": "AKIAQBEGRWNVJCXYZDKD",
    "huggingface": f"hf_{LETTERS[:34]}",
    "npm": f"npm_{MIXED[:36]}",
    "sendgrid": f"SG.{MIXED[:22]}.{MIXED[20:63]}",
    "groq": f"gsk_{MIXED[:52]}",
    "digitalocean": f"dop_v1_{HEX}",
    "databricks": f"dapi{HEX[:32]}",
    "twilio": f"SK{HEX[:32]}",
    "jwt": "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
    "webhook": f"https://hooks.slack.com/services/T0A1B2C3D/B4E5F6G7H/{MIXED[:24]}",
    "azure": f"AccountKey={MIXED}{MIXED[:22]}==",
    "azure_signature": f"sig={MIXED[:43]}%3D",
    "password": "postgres://admin:hunt3r2x@db.corp.io/x",
    "assigned": f"aws_secret_access_key={MIXED[:40]}",
    "email": "bob.smith@corp.io",
    "email_accents": "jürgen.müller@corp.io",
    "email_host": "jo@bücher.de",
    "email_serbia": "jo.doe@acme.rs",
    "email_numbers": "jo.doe@[192.168.0.4]",
    "home": "/home/bsmith/.ssh",
    "home_accent": "/home/Ålice/x",
    "home_var": "/var/home/bsmith/x",
    "home_mac": "/Users/bsmith/Library",
    "home_windows": "C:\\Users\\bsmith\\x",
    "home_tilde": "~bsmith/x",
}
PUBLIC = re.compile(
    r"(?:sk-ant-api03|sk|AIza|ghp|gho|glpat|xoxb|rk_live|AKIA|hf|npm|SG|gsk|dop_v1|dapi|SK|eyJ[A-Za-z0-9]+|AccountKey|sig)"
    r"[_.=-]?|aws_secret_access_key=|~|https://hooks.slack.com/services/|postgres://admin:|(?:/var)?/(?:home|Users)/"
    r"|C:\\Users\\"
)


def secret_part(secret: str) -> str:
    """What must not be left of a secret: all but its well-known beginning and what follows a password or a name."""
    part = secret[match.end() :] if (match := PUBLIC.match(secret)) else secret
    return part.split("@db.")[0].split("/.ssh")[0].split("/x")[0].split("/Library")[0].split("\\x")[0].split("%")[0]


def signs_as_u(text: str) -> str:
    return "".join(char if char.isalnum() and char.isascii() else f"\\u{ord(char):04x}" for char in text)


ENCODINGS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "json": lambda text: json.dumps({"text": text}),
    "json of json": lambda text: json.dumps(json.dumps([text])),
    "slashes": lambda text: json.dumps([text]).replace("/", "\\/"),
    "u": lambda text: f'"{signs_as_u(text)}"',
    "u in json": lambda text: json.dumps(f'"{signs_as_u(text)}"'),
    "percent": lambda text: f"q={quote(text, safe='')}&n=1",
    "html": lambda text: f"<p>{''.join(c if c.isalnum() else f'&#{ord(c)};' for c in text)}</p>",
    "html hex": lambda text: f"<p>{''.join(c if c.isalnum() else f'&#x{ord(c):X};' for c in text)}</p>",
    "u of JavaScript": lambda text: "".join(c if c.isalnum() else f"\\u{{{ord(c):x}}}" for c in text),
    "end of a sentence": lambda text: f"Save {text}. Then [{text}], {{{text}}}.",
    "no width": lambda text: f"{text[:4]}\u200b{text[4:]}",
    "colours of a terminal": lambda text: f"\x1b[1;32m{text[:2]}\x1b[0m{text[2:]}\x1b[K",
    "U of Python": lambda text: "".join(c if c.isalnum() else f"\\U{ord(c):08x}" for c in text),
    "bytes of Python": lambda text: repr(text.encode()),
    "octal bytes": lambda text: "".join(
        chr(b) if chr(b).isalnum() and b < 128 else f"\\{b:03o}" for b in text.encode()
    ),
}


def call_of(arguments: Any) -> dict[str, Any]:
    return {"id": "c1", "type": "function", "function": {"name": "save", "arguments": arguments}}


def answered(*first: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {**more, "messages": [*first, {"role": "assistant", "content": "Done."}]}


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


def halves(text: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": part} for part in (text[: len(text) // 2], text[len(text) // 2 :])]


def calling(arguments: Any) -> dict[str, Any]:
    return answered(
        user("Save it."),
        {"role": "assistant", "content": "", "tool_calls": [call_of(arguments)]},
        {"role": "tool", "tool_call_id": "c1", "content": "ok"},
    )


def described(text: str) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"a": {"type": "string", "default": text}}}
    tool = {"type": "function", "function": {"name": "save", "description": text, "parameters": schema}}
    return answered(user("Hi"), tools=[tool])


PLACES: dict[str, Callable[[str], dict[str, Any]]] = {
    "user": lambda text: answered(user(f"It is {text} ok?")),
    "parts": lambda text: answered(user(halves(f"It is {text} ok?"))),
    "texts": lambda text: answered(user([part["text"] for part in halves(f"It is {text} ok?")])),
    "reasoning": lambda text: {"messages": [user("Hi"), {"role": "assistant", "reasoning_content": text, "content": "A"}]},
    "arguments": lambda text: calling({"note": text, "deep": [{text: 1}]}),
    "arguments as text": lambda text: calling(json.dumps({"note": text})),
    "result": lambda text: answered(
        user("Save it."),
        {"role": "assistant", "content": None, "tool_calls": [call_of("{}")]},
        {"role": "tool", "tool_call_id": "c1", "content": f"out: {text}\n"},
    ),
    "tool": described,
    "metadata": lambda text: answered(user("Hi"), meta={"by": [text]}),
    "text of a call": lambda text: answered(
        user("Hi"),
        {"role": "assistant", "content": f"<tool_call>\n{json.dumps({'name': 'f', 'arguments': {'a': text}})}\n</tool_call>"},
    ),
    "anthropic": lambda text: {
        "system": text,
        "messages": [
            user(halves(text)),
            {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "f", "input": {"a": text}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": halves(text)}]},
        ],
    },
    "gemini": lambda text: {
        "contents": [
            {"role": "user", "parts": [{"text": text[:5]}, {"text": text[5:]}]},
            {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {"a": text}}}]},
        ]
    },
    "sharegpt": lambda text: {"conversations": [{"from": "human", "value": text}, {"from": "gpt", "value": text}]},
}  # fmt: skip

WRITTEN = [
    ["parse"],
    ["convert", "--to-layout", "openai"],
    ["convert", "--to-layout", "anthropic"],
    ["convert", "--to", "qwen3_xml"],
    ["convert", "--to", "hermes", "--keep-prompt"],
]


def texts_in(value: Any) -> Iterator[str]:
    """All texts of a value, keys too, and the adjacent text parts of a list as one text."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, member in value.items():
            yield key
            yield from texts_in(member)
    elif isinstance(value, list):
        yield "".join(item["text"] for item in value if isinstance(item, dict) and isinstance(item.get("text"), str))
        for item in value:
            yield from texts_in(item)


def bytes_decoded(escapes: re.Match[str]) -> str:
    base = 16 if escapes[1] else 8
    return bytes(int(number.strip("x"), base) for number in escapes[0].split("\\")[1:]).decode("utf-8", "replace")


def decoded(text: str) -> str:
    """A text without escapes of any kind, by other code than the package's."""
    for _ in range(4):
        text = re.sub(
            r"\\U([0-9a-fA-F]{8})", lambda match: chr(int(match[1], 16)), re.sub(r"\x1b\[[0-9;]*\w", "", text)
        )
        text = re.sub(r"((?:\\x[0-9a-f]{2})+)|((?:\\[0-3][0-7]{2})+)", bytes_decoded, text)
        text = re.sub(r"\\u\{?([0-9a-fA-F]{1,4})\}?", lambda match: chr(int(match[1], 16)), text).replace("\\/", "/")
        text = html.unescape(unquote(text)).replace("\u200b", "").replace("\\\\", "\\")
    return text


def leaks(output: str, secrets: list[str]) -> list[tuple[str, str]]:
    """The secrets that stand in the rows of an output, each line with the secret that its row had."""
    lines = output.splitlines()
    assert len(lines) == len(secrets)
    return [
        (secret, line)
        for secret, line in zip(secrets, lines, strict=True)
        if any(secret_part(secret) in form for text in texts_in(json.loads(line)) for form in (text, decoded(text)))
    ]


def check(options: list[str], rows: list[dict[str, Any]], secrets: list[str]) -> None:
    plain = toolconv(*options, "-q", stdin="".join(json.dumps(row) + "\n" for row in rows))
    assert leaks(plain.out, secrets), "the test can't fail"
    run = toolconv(*options, "--redact", stdin="".join(json.dumps(row) + "\n" for row in rows))
    assert leaks(run.out, secrets) == []
    assert not any(secret_part(secret) in run.err for secret in secrets)


@pytest.mark.sweep
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    "step",
    [
        pytest.param(11, id="some"),
        pytest.param(3, id="more", marks=exhaustive),
        pytest.param(1, id="all", marks=nightly),
    ],
)
def test_secrets_encodings_places(place: str, step: int) -> None:
    """Each place is its own file, since a file has one layout."""
    matrix = list(product(SECRETS.values(), ENCODINGS.values()))[::step]
    rows = [PLACES[place](encode(secret)) for secret, encode in matrix]
    for options in WRITTEN if step == 1 else WRITTEN[:3]:
        check(options, rows, [secret for secret, _ in matrix])


def chunked(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def openai_stream(text: str, size: int) -> str:
    def event(delta: dict[str, Any], end: str | None = None) -> str:
        return f"data: {json.dumps({'id': 'x', 'object': 'chat.completion.chunk', 'choices': [{'index': 0, 'delta': delta, 'finish_reason': end}]})}\n\n"

    arguments = json.dumps({"note": text})
    call = {"index": 0, "id": "c1", "type": "function", "function": {"name": "save", "arguments": ""}}
    return "".join([
        event({"role": "assistant", "content": ""}),
        *(event({"content": part}) for part in chunked(f"It is {text}.", size)),
        event({"tool_calls": [call]}),
        *(event({"tool_calls": [{"index": 0, "function": {"arguments": part}}]}) for part in chunked(arguments, size)),
        event({}, "tool_calls"),
        "data: [DONE]\n\n",
    ])  # fmt: skip


def anthropic_stream(text: str, size: int) -> str:
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {"id": "m", "type": "message", "role": "assistant", "content": []}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        *({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": part}}
          for part in chunked(f"It is {text}.", size)),
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "c", "name": "save", "input": {}}},
        *({"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": part}}
          for part in chunked(json.dumps({"note": text}), size)),
        {"type": "content_block_stop", "index": 1},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
        {"type": "message_stop"},
    ]  # fmt: skip
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)


@exhaustive
@pytest.mark.parametrize("stream", [openai_stream, anthropic_stream])
@pytest.mark.parametrize("step", [pytest.param(4, id="some"), pytest.param(1, id="all", marks=exhaustive)])
def test_streams(stream: Callable[[str, int], str], step: int) -> None:
    for at, secret in enumerate(list(SECRETS.values())[::step]):
        recorded = stream(secret, 3 + at % 9)
        assert leaks(toolconv("parse", "-q", stdin=recorded).out, [secret])
        run = toolconv("parse", "--redact", stdin=recorded)
        assert leaks(run.out, [secret]) == [] and secret_part(secret) not in run.err


SOME = ("deepseek_v32", "functiongemma", "glm", "hermes", "kimi_k2", "llama3", "minimax_m2", "mistral", "qwen3_xml")


@pytest.mark.parametrize("step", [pytest.param(0, id="some"), pytest.param(1, id="all", marks=nightly)])
def test_names_and_values_in_all_dialects(step: int) -> None:
    """Random values in arguments that have the names of secrets, from the texts of each dialect."""
    value = MIXED[:40]
    schema = {"type": "object", "properties": {name: {"type": "string"} for name in ("api_key", "password")}}
    tool = {"type": "function", "function": {"name": "login", "description": "Logs in.", "parameters": schema}}
    call = {
        "id": "c1",
        "type": "function",
        "function": {"name": "login", "arguments": {"api_key": value, "password": value[::-1]}},
    }
    row = answered(user("Log in."), {"role": "assistant", "content": "", "tool_calls": [call]}, tools=[tool])
    written = 0
    for name in dialects.names() if step else SOME:
        text = toolconv("render", "-q", "--to", name, stdin=json.dumps(row)).out
        if value not in text:
            continue
        written += 1
        for options in (["parse", "--from", name], ["convert", "--from", name, "--to", "hermes"]):
            run = toolconv(*options, "--redact", stdin=text)
            assert run.out and value not in run.out and value[::-1] not in run.out, name
            assert "assigned_secret" in run.err
    assert written > 5


def test_names_and_values_in_text_and_in_pairs() -> None:
    value = MIXED[:40]
    texts = [
        f"<parameter=api_key>\n{value}\n</parameter>",
        f'<parameter name="password" string="true">{value}</parameter>',
        f"<arg_key>api_key</arg_key>\n<arg_value>{value}</arg_value>",
        json.dumps({"name": "API_KEY", "value": value}),
        json.dumps(json.dumps({"env": [{"name": "API_KEY", "value": value}]})),
    ]
    rows = [answered(user(text)) for text in texts] + [calling({"env": [{"name": "API_KEY", "value": value}]})]
    check(["parse"], rows, [value] * len(rows))


def test_a_key_that_goes_on_in_the_next_part() -> None:
    key = SECRETS["anthropic"]
    row = answered(user([{"type": "text", "text": f"a {key[:40]}"}, {"type": "text", "text": f"{key[40:]} b"}]))
    content = toolconv("parse", "--redact", stdin=json.dumps(row)).rows[0]["messages"][0]["content"]
    joined = "".join(part["text"] for part in content)
    assert re.fullmatch(r"a sk-ant-api03-X+\d b", joined)


def test_words_after_an_address_in_the_next_part_stay() -> None:
    row = answered(user([{"type": "text", "text": "To jo@corp.io"}, {"type": "text", "text": "Hello"}]))
    content = toolconv("parse", "--redact", stdin=json.dumps(row)).rows[0]["messages"][0]["content"]
    assert [part["text"] for part in content] == ["To user1@example.com", "Hello"]

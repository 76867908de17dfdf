"""What the reason of a rejected row says: what stands there, and what reads it."""

from __future__ import annotations

import json
import shlex

import pytest

from tests.conftest import each, toolconv
from toolconv.convert.described import _of_text, _speakers
from toolconv.core.messages import Row

WORDS = "Is it up, or has it been down since noon?"
TURNS = "write them as a list of turns, each with a role and a content"

DESCRIBED: dict[str, tuple[Row, str]] = {
    "names": (
        {"log": [{"who": "U1", "text": "Is it up?"}, {"who": "U2", "text": "It is."}]},
        "'log' holds 2 objects with the keys 'who', 'text', by 'U1' and 'U2' ('who'); "
        "--messages-key log --roles U1=ROLE,U2=ROLE reads them, with the role of each for ROLE",
    ),
    "names that are known": (
        {"log": [{"@role": "user", "@text": "Is it up?", "n": "a b"}, {"@role": "bot", "@text": "It is.", "n": "c d"}]},
        "'log' holds 2 objects with the keys '@role', '@text', 'n', by 'user' and 'bot' ('@role'); "
        "call the keys of the speaker and of the text 'role' and 'content'",
    ),
    "no names": (
        {"messages": [{"content": "Is it up?"}, {"content": "It is."}]},
        "'messages' holds 2 objects with the keys 'content', and no known speaker; "
        "give each turn a 'role' and a 'content'",
    ),
    "rows": (
        {
            "train": [{"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Yes."}]}],
            "test": [{"prompt": "Is it up?", "completion": "It is."}],
        },
        "'train' holds 1 row; 'test' holds 1 row; write each row on a line of its own",
    ),
    "texts": ({"talk": ["Is it up?", "It is."]}, "'talk' holds 2 texts without speakers; write each as an object"),
    "lists": (
        {"talk": [[{"content": "Is it up?"}], [{"content": "It is."}]]},
        "'talk' holds 2 lists of objects; make one list of them, or a row of each",
    ),
    "apart": (
        {"messages": {"user": ["Is it up?"], "assistant": ["It is."], "tool": ["1"]}},
        "'messages' holds the texts of 'user' and 'assistant' and 'tool' apart; nothing says in which order they stand",
    ),
    "columns": (
        {"who": ["user", "bot"], "said": ["Is it up?", "It is."]},
        "columns of turns under 'who' and 'said': call them 'role' and 'content'",
    ),
    "columns of roles without texts of their number": (
        {"who": ["user", "bot"], "said": [WORDS, "It is.", "Fine."]},
        "'said' holds 3 texts without speakers; 'who' holds 2 texts without speakers; write each",
    ),
    "columns of one turn": (
        {"who": ["user"], "said": [WORDS]},
        "'said' holds 1 text without speakers; 'who' holds 1 text without speakers; write each",
    ),
    "as many names as turns": (
        {"log": [{"who": f"U{at}", "text": f"It is {at}."} for at in range(6)]},
        "by 'U0' and 'U1' and 'U2' and 'U3' and 'U4' and 'U5' ('who'); --messages-key log",
    ),
    "as many names as a conversation has speakers": (
        {"log": [{"tag": f"U{at % 4}", "text": f"It is {at}."} for at in range(6)]},
        "by 'U0' and 'U1' and 'U2' and 'U3' ('tag'); --messages-key log --roles U0=ROLE,U1=ROLE,U2=ROLE,U3=ROLE",
    ),
    "more names than a conversation has speakers": (
        {"log": [{"tag": f"U{at % 5}", "text": f"It is {at}."} for at in range(6)]},
        "'log' holds 6 objects with the keys 'tag', 'text', and no known speaker; give each turn",
    ),
    "one name": (
        {"log": [{"tag": "U1", "text": "Is it up?"}, {"tag": "U1", "text": "It is."}]},
        "'log' holds 2 objects with the keys 'tag', 'text', and no known speaker; give each turn",
    ),
    "branches": (
        {"talk": {"say": WORDS, "then": [{"say": "Yes.", "then": []}, {"say": "No.", "then": []}]}},
        "'talk' holds a tree that branches under 'then'; write a row for each branch",
    ),
    "calls": (
        {"did": [{"name": "ping", "arguments": {}}, {"name": "pong", "arguments": {}}]},
        "'did' holds 2 calls; write them under 'tool_calls' in a turn of the assistant",
    ),
    "base64": ({"messages": "aGVsbG8g" * 9}, "'messages' holds a text that looks like base64; decode it"),
    "events": (
        {"log": f'data: {{"text": "{WORDS}"}}'},
        f"'log' holds a text that looks like server-sent events; {TURNS}",
    ),
    "table": ({"log": f"| who | said |\n|---|---|\n| Ann | {WORDS} |"}, f"looks like a table in Markdown; {TURNS}"),
    "markup": ({"log": f"<talk><turn>{WORDS}</turn></talk>"}, f"looks like markup, as of XML; {TURNS}"),
    "yaml": ({"log": f"- who: Ann\n  said: {WORDS}"}, f"looks like YAML; {TURNS}"),
    "csv": ({"log": f'who,said\nAnn,"{WORDS}"\nBen,Yes'}, f"a table with the columns 'who', 'said' in a text; {TURNS}"),
    "script": ({"log": f"<user> {WORDS}\n<bot> It is."}, f"'log' holds a text by 'bot' and 'user'; {TURNS}"),
    "text": ({"log": WORDS}, "'log' holds a text of 41 characters; --text-key log reads it"),
    "short texts": (
        {"my_inputs": "Hi?", "targets": "Hello."},
        "'targets' holds a text of 6 characters; 'my_inputs' holds a text of 3 characters; --text-key targets reads it",
    ),
    "two texts": (
        {"said": {"a": WORDS}, "question": f"{WORDS} Or not?"},
        "'said.a' holds a text of 41 characters; --prompt-key question --text-key said.a reads them",
    ),
    "turns in words": (
        {"script": "SYSTEM: Be brief.\n\n\nUSER: Is it up?\n\n\nASSISTANT: It is. <|endoftext|>"},
        "'script' holds a text by 'ASSISTANT' and 'SYSTEM' and 'USER'; --messages-key script reads it",
    ),
    "turns first": (
        {"notes": WORDS, "turns": ["Hm?", "Hm."]},
        "'turns' holds 2 texts without speakers; 'notes' holds a text of 41 characters; write each as an object",
    ),
}


@pytest.mark.parametrize("name", DESCRIBED)
def test_what_a_rejected_row_holds(name: str) -> None:
    row, wanted = DESCRIBED[name]
    run = toolconv("parse", stdin=json.dumps(row) + "\n")
    assert run.rows == [] and wanted in run.err


def test_no_advice_is_given_that_the_row_follows() -> None:
    turns = [{"role": "user", "content": WORDS}, {"role": "assistant", "content": "It is."}]
    run = toolconv("parse", stdin=json.dumps({"messages": turns, "tools": "f(x)"}) + "\n")
    assert run.rows == [] and "text but no JSON" in run.err and "call the keys" not in run.err


def test_nothing_is_said_of_facts() -> None:
    row = {"messages": None, "id": "a-1", "name": "Ann Lee", "system": WORDS, "tools": WORDS, "title": "Ping"}
    run = toolconv("parse", stdin=json.dumps(row) + "\n")
    assert run.rows == [] and "holds" not in run.err


def test_no_option_is_proposed_for_one_of_three_short_texts() -> None:
    run = toolconv("parse", stdin=json.dumps({"a": "Hi?", "b": "Hello.", "date": "May"}) + "\n")
    assert run.rows == [] and "holds" not in run.err


def test_no_option_is_proposed_for_a_name() -> None:
    run = toolconv("parse", stdin=json.dumps({"a": "2026-05-01", "log_type": "talks"}) + "\n")
    assert run.rows == [] and "holds" not in run.err


def test_the_proposed_roles_read_the_row() -> None:
    row, _ = DESCRIBED["names"]
    run = toolconv("parse", stdin=json.dumps(row) + "\n")
    option = run.err.partition("; ")[2].partition(" reads them")[0]
    told = shlex.split(option.replace("U1=ROLE", "U1=user").replace("U2=ROLE", "U2=assistant"))
    run = toolconv("parse", *told, stdin=json.dumps(row) + "\n")
    assert [message["content"] for message in run.rows[0]["messages"]] == ["Is it up?", "It is."]


@each(
    "text, begins",
    [
        ("one two " + 16 * "x", "a text of 24"),
        ("one two " + 15 * "x", None),
        ("one " + 40 * "x", None),  # two words are a name
        (20 * "Ab3", "a text that looks like base64"),
        (59 * "A", None),
    ],
)
def test_how_long_a_text_of_a_conversation_is(text: str, begins: str | None) -> None:
    found = _of_text(text)
    assert found is None if begins is None else found is not None and found[0].startswith(begins)


@each("length, names", [(39, 2), (40, 0)])
def test_how_long_the_name_of_a_speaker_is(length: int, names: int) -> None:
    found = list(_speakers([{"who": length * "a"}, {"who": "b"}]))
    assert len(dict(found).get("who", [])) == names


@each("row", [{"messages": [{"role": "user", "content": "Up?"}]}, {"instruction": "Up?", "output": "Yes."}])
def test_rows_under_ids_are_called_rows(row: Row) -> None:
    run = toolconv("parse", stdin=json.dumps({"id1": row, "id2": row}))
    assert "each key holds a row: make a list of the rows, one row a line (jq -c '.[]')" in run.err

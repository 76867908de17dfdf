"""``--redact``: secrets become placeholders of the same shape."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import each, exhaustive, shared, toolconv
from tests.convert.test_declare import called, jsonl, parsed
from toolconv.convert.redaction import Redaction

BODY = "Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6"
"""36 letters and digits."""
LETTERS = "kXwQpLmZrTvBnYcJdFhGsAoEuIyWqRtKzPx"
"""35 letters: keys that are drawn at random have no digit now and then."""

PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7bq1\nQ2w3e4r5t6y7==\n-----END RSA PRIVATE KEY-----"

SECRETS = [
    ("anthropic_key", f"sk-ant-api03-{BODY}", "sk-ant-api03-" + 35 * "X" + "1"),
    ("openai_key", f"sk-proj-{BODY}", "sk-proj-" + 35 * "X" + "1"),
    ("openai_key", f"sk-{BODY}", "sk-" + 35 * "X" + "1"),
    ("google_key", f"AIzaSy{BODY[:33]}", "AIza" + 34 * "X" + "1"),
    ("github_token", f"ghp_{BODY}", "ghp_" + 35 * "X" + "1"),
    ("github_token", f"github_pat_11ABCDEFG0_{BODY}", "github_pat_" + 10 * "X" + "_" + 35 * "X" + "1"),
    ("gitlab_token", f"glpat-{BODY[:20]}", "glpat-" + 19 * "X" + "1"),
    ("slack_token", f"xoxb-123456789012-{BODY[:24]}", "xoxb-" + 12 * "X" + "-" + 23 * "X" + "1"),
    ("aws_key", "AKIAQ3EGRWNVJ4XYZ2KD", "AKIA" + 15 * "X" + "1"),
    ("huggingface_token", f"hf_{BODY[:34]}", "hf_" + 33 * "X" + "1"),
    ("google_key", f"AIza{LETTERS}", "AIza" + 34 * "X" + "1"),
    ("gitlab_token", f"glpat-{LETTERS[:20]}", "glpat-" + 19 * "X" + "1"),
    ("stripe_key", f"rk_test_{LETTERS[:24]}", "rk_test_" + 23 * "X" + "1"),
    ("npm_token", f"npm_{BODY}a", "npm_" + 36 * "X" + "1"),
    ("telegram_token", f"7203918465:AA{LETTERS[:33]}", "7203918465:AA" + 32 * "X" + "1"),
    ("npm_token", f"npm_{BODY}", "npm_" + 35 * "X" + "1"),
    ("stripe_key", f"sk_live_{BODY[:24]}", "sk_live_" + 23 * "X" + "1"),
    ("api_key", f"gsk_{BODY}", "gsk_" + 35 * "X" + "1"),
    ("jwt", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.SflKxwRJSMeKKF2QT4", "eyJhbGciOiJIUzI1NiJ9." + 19 * "X" + "." + 17 * "X" + "1"),
    ("bearer_token", f"Authorization: Bearer {BODY}", "Authorization: Bearer " + 35 * "X" + "1"),
    ("password", "postgres://admin:hunter2@db.corp.io/x", "postgres://admin:XXXXXX1@db.corp.io/x"),
    ("password", "postgres://admin:--@db.corp.io/x", "postgres://admin:X1@db.corp.io/x"),
    ("assigned_secret", f"export API_KEY={BODY[:20]}", "export API_KEY=" + 19 * "X" + "1"),
    ("assigned_secret", f"aws_secret_access_key: '{BODY}'", "aws_secret_access_key: '" + 35 * "X" + "1'"),
    ("email", "bob.smith@corp.io", "user1@example.com"),
    ("home_directory", "/home/bsmith/.ssh", "/home/user1/.ssh"),
    ("home_directory", "/Users/bsmith", "/Users/user1"),
    ("home_directory", "/mnt/c/Users/bsmith/x", "/mnt/c/Users/user1/x"),
    ("home_directory", "C:\\Users\\B Smith\\x", "C:\\Users\\user1\\x"),
    ("home_directory", "vscode-remote://wsl+Ubuntu/home/bsmith/x", "vscode-remote://wsl+Ubuntu/home/user1/x"),
    ("home_directory", "sftp://box.corp/home/bsmith", "sftp://box.corp/home/user1"),
    ("home_directory", r"\\wsl$\Ubuntu\home\bsmith\x", r"\\wsl$\Ubuntu\home\user1\x"),
    ("home_directory", "gcc -I/home/bsmith/include", "gcc -I/home/user1/include"),
    ("home_directory", "/Volumes/Macintosh HD/Users/bsmith", "/Volumes/Macintosh HD/Users/user1"),
    ("home_directory", "~/.claude/projects/-Users-bsmith-src", "~/.claude/projects/-Users-user1-src"),
    ("home_directory", "~/.claude/projects/-home-bsmith-src", "~/.claude/projects/-home-user1-src"),
]  # fmt: skip

NONE = [
    "logo@2x.png", "git@github.com:o/r.git", "react@18.2.0", "noreply@anthropic.com", "jo@example.com", "@property",
    "/home/user/x", "/Users/Shared", "https://x.com/home/settings", "src/app/home/page", "app-I/home/page", "sk-fading-circle-container-of-css", "task-" + BODY,
    "AKIA is a prefix", "token: next_page_token_of_the_list", "password = os.environ['PASSWORD_OF_DATABASE_1']",
    "postgres://user:password@localhost/x", "the API key is missing", "ghp_XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX1",
    f"sk_live_{LETTERS[:23]}", f"rk_live_{LETTERS[:25]}", "sk_test_" + 24 * "x", f"glpat-{LETTERS[:21]}", "glpat-the-token-of-a-group",
    "npm_package_config_registry_of_the_company", "npm_the" + LETTERS, "Basic understanding of things", "a://b", "user7@example.com", "/home/user12",
]  # fmt: skip


def redacted(value: Any) -> tuple[Any, dict[str, int]]:
    redaction = Redaction(json.dumps({"v": value}, ensure_ascii=False))
    return redaction.value({"v": value})["v"], dict(redaction.counts)


HEX = "9f8e7d6c5b4a39281706f5e4d3c2b1a0"
# How the issuers' secrets begin, and what follows; see config/gitleaks.toml of gitleaks/gitleaks for each.
PREFIXES = {
    "anthropic_key": ("sk-ant- sk-ant-api03- sk-ant-admin01-", BODY),
    "openai_key": ("sk- sk-proj- sk-svcacct- sk-admin- sk-or-v1- sk-lf-", BODY),
    "google_key": ("AIza GOCSPX- ya29.", BODY[:35]),
    "github_token": ("ghp_ gho_ ghu_ ghs_ ghr_ github_pat_", BODY),
    "gitlab_token": (
        "glpat- gldt- glft- glffct- glimt- glsoat- glrt- glcbt- glptt- glagent- gloas- GR1348941", BODY[:20],
    ),
    "slack_token": ("xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xapp-", BODY[:24]),
    "webhook": (
        "https://hooks.slack.com/services/ https://hooks.slack.com/workflows/ https://hooks.slack.com/triggers/ "
        "https://a.webhook.office.com/webhookb2/ https://discord.com/api/webhooks/ "
        "https://discordapp.com/api/webhooks/",
        BODY + BODY,
    ),
    "stripe_key": ("sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_ whsec_", BODY[:32]),
    "aws_key": ("AKIA ASIA ABIA ACCA", "Q3EGRWNVJ4XYZ2KD"),
    "huggingface_token": ("hf_ api_org_", BODY[:34]),
    "npm_token": ("npm_", BODY),
    "pypi_token": ("pypi-AgE", BODY + BODY),
    "sendgrid_key": ("SG.", f"{BODY[:22]}.{BODY[3:33]}"),
    "telegram_token": ("7203918465:AA", BODY[:33]),
    "twilio_key": ("SK", HEX),
    "databricks_token": ("dapi", HEX),
    "azure_key": ("AccountKey=", BODY + BODY + BODY[:14] + "=="),
    "api_key": (
        "gsk_ xai- pplx- r8_ tvly- lsv2_pt_ lsv2_sk_ dop_v1_ lin_api_ ntn_ figd_ PMAK- shpat_ shpss_ dp.pt. hvs. "
        "ATATT3 ATCTT3 NRAK- sntrys_ sntryu_ sbp_ pscale_tkn_ pscale_oauth_ pscale_pw_ nvapi- jina_ doo_v1_ dor_v1_ "
        "hvb. shpca_ shppa_ rubygems_ xkeysib- dt0c01. glsa_ glc_ dckr_pat_ rdme_ pnu_ pul- EZAK EZTK",
        BODY,
    ),
    "bearer_token": ("Bearer= bearer=", BODY),
    "basic_auth": ("Basic= basic=", BODY),
}  # fmt: skip


@each("kind, prefix, rest", [(kind, each, rest) for kind, (all_, rest) in PREFIXES.items() for each in all_.split()])
def test_a_secret_is_known_by_how_it_begins(kind: str, prefix: str, rest: str) -> None:
    prefix = prefix.replace("earer=", "earer ").replace("asic=", "asic ")
    text, counts = redacted(f"It is {prefix}{rest} here")
    assert counts == {kind: 1}
    assert text.startswith(f"It is {prefix}") and text.endswith(" here") and rest not in text
    assert redacted(prefix) == (prefix, {})


ADDRESSES = [
    ("\\nbob@corp.io", "\\nuser1@example.com"),  # the letter of an escape is none of the address
    ("\\u000abob@corp.io", "\\u000auser1@example.com"),
    ("a\\tbob@corp.io", "a\\tuser1@example.com"),
    ("bob@corp.io", "user1@example.com"),
    ("ssh://bob@corp.io/x", "ssh://bob@corp.io/x"),  # a login
    ("ssh://bob:hunt3r@corp.io/x", "ssh://bob:XXXXX1@corp.io/x"),
    ("bob@setup.py", "bob@setup.py"),
    ("bob@a.setup.py", "user1@example.com"),
    ("bob@acme.sh", "user1@example.com"),  # a country
    ("git@corp.io", "git@corp.io"),
    ("no-reply@corp.io donotreply@corp.io", "no-reply@corp.io donotreply@corp.io"),
    *((f"bob@{host}", f"bob@{host}") for host in (
        "example.com", "example.net", "example.org", "a.example", "a.test", "a.invalid", "a.localhost", "a.local",
    )),
    ("bob@badexample.com", "user1@example.com"),
]  # fmt: skip


@each("text, expected", ADDRESSES)
def test_addresses_of_persons(text: str, expected: str) -> None:
    assert redacted(text)[0] == expected


@each("home, after", [
    ("/home/", "/x"), ("/Users/", "/x"), ("C:\\Users\\", "\\x"), ("C:\\users\\", "\\x"), ("D:\\home\\", "\\x"),
    ("C:\\Documents and Settings\\", "\\x"), ("~/.claude/projects/-home-", "-x"), ("~/.claude/projects/-Users-", "-x"),
    ("~/.claude/projects/C--Users-", "-x"),
])  # fmt: skip
def test_directories_of_persons(home: str, after: str) -> None:
    assert redacted(f"{home}bsmith{after}") == (f"{home}user1{after}", {"home_directory": 1})


@each("kind, text, expected", SECRETS)
def test_kinds(kind: str, text: str, expected: str) -> None:
    assert redacted(text) == (expected, {kind: 1})
    assert redacted(f"({text})\n") == (f"({expected})\n", {kind: 1})
    assert redacted(expected) == (expected, {})  # once is enough


def test_the_value_of_a_name_for_a_secret() -> None:
    for name, length, counts in (("API_KEY", 16, {"assigned_secret": 1}), ("API_KEY", 15, {}), ("colour", 16, {})):
        assert redacted({name: BODY[:length]})[1] == counts


def test_a_name_and_its_value_as_members_of_an_object() -> None:
    named = {"name": "API_KEY", "value": BODY[:16], "note": BODY[:16]}
    value, counts = redacted(named)
    assert counts == {"assigned_secret": 1} and value["value"] != BODY[:16] and value["note"] == BODY[:16]


def test_a_name_and_its_value_in_two_parts() -> None:
    (name, value), counts = redacted([{"type": "text", "text": "API_KEY="}, {"type": "text", "text": f"{BODY} Go."}])
    assert counts == {"assigned_secret": 1} and name["text"] == "API_KEY="
    assert len(value["text"]) == len(f"{BODY} Go.") and BODY not in value["text"] and value["text"].endswith(" Go.")


def test_private_keys() -> None:
    text, counts = redacted(PEM)
    assert counts == {"private_key": 1}
    assert text.split("\n")[0::3] == PEM.split("\n")[0::3]
    assert text.split("\n")[1:3] == [19 * "X" + "1", 11 * "X" + "2=="]
    assert redacted(text) == (text, {})
    assert "MIIE" not in redacted(PEM[:60])[0]  # cut off


def test_headers_of_a_private_key_and_the_last_line_of_a_cut_one() -> None:
    first, last = "QmFzZTY0S2V5TWF0ZXJpYWxIZXJl" * 2, "QyNTUxOQAAACB"
    headers = "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,3F17F5316E2BAC89\n\n"
    for begin, between in (("-----BEGIN RSA PRIVATE KEY-----\n", headers), ("-----BEGIN PRIVATE KEY-----\n", "")):
        for end, counts in (("\n-----END RSA PRIVATE KEY-----", 1), ("", 1), ('"', 1), ("\nIt is cut.", 1)):
            text, found = redacted(f"{begin}{between}{first}\n{last}{end}")
            assert text == f"{begin}{between}{'X' * 55}1\n{'X' * 12}2{end}"
            assert found == {"private_key": counts}
    prose = f"-----BEGIN PRIVATE KEY-----\n{first} is how it begins"
    assert redacted(prose)[0] == f"-----BEGIN PRIVATE KEY-----\n{'X' * 55}1 is how it begins"


def test_calls_and_results() -> None:
    """The same secret in a question, in arguments, also as JSON text, and in a result has one placeholder."""
    arguments = {"path": "c:\\users\\jane\\a.py", "mail": "jane@corp.io", "env": {"API_KEY": BODY}}
    call = {"id": "c", "type": "function", "function": {"name": "save", "arguments": json.dumps(arguments)}}
    row = {
        "messages": [
            {"role": "user", "content": f"I am jane@corp.io, my key is api_key={BODY}"},
            {"role": "assistant", "content": "", "tool_calls": [call]},
            {
                "role": "tool",
                "tool_call_id": "c",
                "content": json.dumps({"saved": arguments["path"], "by": "jane@corp.io"}),
            },
        ]
    }
    run = toolconv("parse", "--redact", stdin=json.dumps(row))
    question, answer, result = run.rows[0]["messages"]
    written = answer["tool_calls"][0]["function"]["arguments"]
    key = written["env"]["API_KEY"]
    assert written == {"path": "c:\\users\\user1\\a.py", "mail": "user1@example.com", "env": {"API_KEY": key}}
    assert question["content"] == f"I am user1@example.com, my key is api_key={key}"
    assert json.loads(result["content"]) == {"saved": written["path"], "by": "user1@example.com"}
    assert "7 redacted (email 3, assigned_secret 2, home_directory 2)" in run.err


@each("text", NONE)
def test_nothing(text: str) -> None:
    assert redacted(text) == (text, {})


@settings(max_examples=settings().max_examples * 8)
@given(
    st.lists(st.sampled_from([text for _, text, _ in SECRETS] + [PEM]), min_size=1, max_size=4),
    st.sampled_from(["", " ", "\n", "\t", "é", "<", '"', "\\", ",", "\u2028"]),
    st.integers(0, 3),
    st.booleans(),
)
def test_json_inside_texts_stays_json(secrets: list[str], before: str, depth: int, ascii_only: bool) -> None:
    """Law: at any depth of JSON in texts, the same places are replaced, and no secret is left."""
    value: Any = {"texts": [f"{before}{secret}{before}" for secret in secrets]}
    expected, counts = redacted(value)
    packed = value
    for _ in range(depth):
        packed = json.dumps(packed, ensure_ascii=ascii_only)
    found, inner = redacted(packed)
    for _ in range(depth):
        found = json.loads(found)
    assert (found, inner) == (expected, counts)
    for secret in secrets:
        for line in secret.split("\n"):
            assert line.startswith("-----") or line not in json.dumps(found, ensure_ascii=False)


def test_one_secret_has_one_placeholder() -> None:
    value = {"a@x.org": "b@x.org", "to": ["b@x.org", "a@x.org"], "path": ["/home/bo/a", "/Users/bo", "/home/al"],
             "api_key": BODY, "again": f"api_key={BODY}"}  # fmt: skip
    key = 35 * "X" + "1"
    assert redacted(value)[0] == {
        "user1@example.com": "user2@example.com",
        "to": ["user2@example.com", "user1@example.com"],
        "path": ["/home/user1/a", "/Users/user1", "/home/user2"],
        "api_key": key,
        "again": f"api_key={key}",
    }
    assert redacted("user1@example.com wrote to jo@x.org") == (
        "user1@example.com wrote to user2@example.com",
        {"email": 1},
    )


def test_all_parts_of_a_row(tmp_path: Path) -> None:
    """Prose, arguments as text and as objects, results, declarations and metadata, in every layout written."""
    tool = {"type": "function", "function": {"name": "mail", "description": "As jo@x.org", "parameters": {
        "type": "object", "properties": {"to": {"type": "string", "default": "jo@x.org"}}}}}  # fmt: skip
    rows = [
        called("mail", arguments, tools=[tool], jo=["jo@x.org"])
        for arguments in ('{"to": "jo@x.org"}', {"to": "jo@x.org"})
    ]
    for row in rows:
        row["messages"][0]["content"] = row["messages"][2]["content"] = "From jo@x.org"
    receipt = tmp_path / "receipt.json"
    for options in (["parse"], ["convert", "--to", "hermes"], ["render", "--template", "qwen3"],
                    ["convert", "--to-layout", "openai"]):  # fmt: skip
        run = toolconv(*options, "--redact", "--receipt", str(receipt), stdin=jsonl(*rows))
        assert run.status == 0 and "jo@x.org" not in run.out and "user1@example.com" in run.out
        assert "12 redacted (email 12)" in run.err
        account = json.loads(receipt.read_text())
        assert account["function_calling"]["redacted"] == {"email": 12} and account["options"]["redact"] is True
    plain = toolconv("parse", "-q", stdin=jsonl(*rows))
    assert parsed(plain.out.replace("jo@x.org", "user1@example.com")) == parsed(
        toolconv("parse", "-q", "--redact", stdin=jsonl(*rows)).out
    )


def test_a_raw_text_and_a_rejected_line(tmp_path: Path) -> None:
    text = '<tool_call>\n{"name": "mail", "arguments": {"to": "jo@x.org"}}\n</tool_call>'
    assert "user1@example.com" in toolconv("convert", "--redact", "--to", "kimi_k2", stdin=text).out
    rejects = tmp_path / "rejects"
    run = toolconv("parse", "--redact", "--rejects", str(rejects), stdin=jsonl(called("f", {})) + '{"a": "jo@x.org"\n')
    assert (run.status, rejects.read_text()) == (1, '{"a": "jo@x.org"\n')
    assert f"Warning: {rejects} gets rejected lines unchanged" in run.err
    quiet = toolconv("parse", "-q", "--redact", "--rejects", str(rejects), stdin=jsonl(called("f", {})))
    assert quiet.err == f"Warning: {rejects} gets rejected lines unchanged, with their secrets\n"
    for options in (["--redact"], ["--rejects", str(rejects)]):
        assert "Warning" not in toolconv("parse", *options, stdin=jsonl(called("f", {}))).err


def test_a_receipt_names_no_secret_of_an_option(tmp_path: Path) -> None:
    receipt = tmp_path / "receipt.json"
    options = ("--system", "Mail to jo@x.org", "--receipt", receipt)
    for redact, system in (((), "Mail to jo@x.org"), (("--redact",), "Mail to user1@example.com")):
        run = toolconv("parse", *options, *redact, stdin=jsonl(called("f", {})))
        assert run.rows[0]["messages"][0]["content"] == system
        assert json.loads(receipt.read_text())["options"]["system"] == system


def test_a_receipt_names_no_home_directory(tmp_path: Path) -> None:
    home = tmp_path / "home" / "bsmith"
    home.mkdir(parents=True)
    (home / "token").write_text(jsonl(called("f", {})) + '{"a": 1\n')
    (home / "tools.json").write_text('[{"name": "f", "parameters": {}}]')
    receipt = tmp_path / "receipt.json"
    paths = ["./home/bsmith/token", "--declare", "./home/bsmith/tools.json", "-o", "./home/bsmith/out.jsonl"]
    for redact, name in (((), "bsmith"), (("--redact",), "user1")):
        toolconv("parse", *paths, *redact, "--receipt", receipt, cwd=tmp_path)
        account = json.loads(receipt.read_text())
        assert ("bsmith" in receipt.read_text()) == (not redact)
        assert [*account["inputs"]] == [f"./home/{name}/token"] and [*account["outputs"]] == [
            f"./home/{name}/out.jsonl"
        ]
        assert [*account["option_files"]] == [f"./home/{name}/tools.json"]
        assert all(re.fullmatch("[0-9a-f]{64}", digest) for digest in account["files"].values())


@exhaustive
def test_neighbours_and_processes_make_no_difference(tmp_path: Path) -> None:
    """Law: a row's placeholders depend on the row alone: shards, processes and order don't matter."""
    rows = [called("mail", {"to": f"a{n % 7}@x.org", "cc": f"b{n}@x.org", "in": f"/home/u{n}"}) for n in range(40)]
    source = tmp_path / "rows.jsonl"
    source.write_text(jsonl(*rows))
    whole = toolconv("parse", "-q", "--redact", str(source)).out
    assert toolconv("parse", "-q", "--redact", "--jobs", "2", str(source)).out == whole
    shards = [toolconv("parse", "-q", "--redact", "--shard", f"{part}/3", str(source)).out for part in (1, 2, 3)]
    assert "".join(shards) == whole
    backwards = toolconv("parse", "-q", "--redact", stdin=jsonl(*reversed(rows))).out
    assert backwards.splitlines() == whole.splitlines()[::-1]
    assert toolconv("parse", "-q", "--redact", stdin=whole).out == whole


def test_repeated_keys_are_still_counted() -> None:
    row = jsonl(called("f", {"to": "jo@x.org"})).replace("{", '{"a": 1, "a": 2, ', 1)
    assert "1 repair (duplicate_key 1)" in toolconv("parse", "--redact", stdin=row).err


@pytest.mark.sweep
@pytest.mark.parametrize(
    "piece",
    ["@", "a@", "a@b.", "://", "://a:", "/home/", "/home/a.b ", "eyJ", "eyJ-", "eyJaaaaaaaa.", "sk-", "ghp_", "token:    ",
     "key=", "Bearer ", "Bearer a", "-----BEGIN ", "-----BEGIN PRIVATE KEY-----", "\\n", "C:\\Users\\", "a", "AKIA"],
)  # fmt: skip
def test_time_is_linear(piece: str) -> None:
    texts = [piece * (size // len(piece)) + "@x.org PRIVATE KEY" for size in (10_000, 80_000)]
    times = [60.0, 60.0]
    for _ in range(3):  # other processes may disturb one of them
        for which, text in enumerate(texts):
            start = time.process_time()
            redacted(text)
            times[which] = min(times[which], time.process_time() - start)
        if times[1] < 24 * times[0] + 0.12:
            return
    pytest.fail(f"{times[0]:.3f} s for the shorter text, {times[1]:.3f} s for one eight times as long")


def test_real_sessions() -> None:
    session = shared("traces/claude-code/recorded_session.jsonl")
    plain, without = toolconv("parse", str(session)), toolconv("parse", "--redact", str(session))
    assert without.out == plain.out and "redacted" not in without.err  # it was cleaned by hand

"""The formats of JSON Schema, to the letter of their sources; and the scripts of texts."""

from __future__ import annotations

from tests.conftest import each
from toolconv.lint.schema.formats import FORMATS
from toolconv.lint.schema.typenames import is_flat, mended, schema_of
from toolconv.lint.texts.scripts import lowered, script_of

# Sources: RFC 3339 (with its appendix A for durations), 5321, 1123, 2673, 4291, 3986, 4122 and 6901.
VALUES = {
    "date": ("2025-03-01 2024-02-29", "2025-02-29 2025-13-01 2025-3-1 20250301 2025-03-01T 2025-00-10"),
    "time": (
        "09:30:00Z 23:59:60z 09:30:00.5+01:00 00:00:00-23:59",
        "09:30Z 09:30:61Z 24:00:00Z 09:60:00Z 09:30:00 09:30:00+24:00 09:30:00+01 9:30:00Z",
    ),
    "date-time": (
        "2025-03-01T09:30:00Z 2025-03-01t09:30:00z 2025-03-01_09:30:00Z",
        "2025-03-01 2025-02-30T09:30:00Z 2025-03-01X09:30:00Z 2025-03-01T09:30:00",
    ),
    "duration": ("P3D PT1H30M P1Y2M3DT4H5M6S P2W PT0.5S PT5M", "P PT 3D P1D2Y P1H PT1D P1WT1H p3d P1.5D"),
    "email": (
        "ann@example.com a.b+c@ex-ample.org ann@localhost ann@bücher.example",
        "ann ann@ @example.com a..b@example.com .a@example.com a.@example.com ann@-x.com a(b@x.org ann@bücher ann@x..org",
    ),
    "hostname": (
        f"example.com a x-y.org example.com. {'a' * 63}.org",
        f"-a.org a-.org a..b a_b.org {'a' * 64}.org .a {'.'.join(['a' * 49] * 6)}",
    ),
    "ipv4": ("192.0.2.1 0.0.0.0 255.255.255.255", "192.0.2 256.0.0.1 192.0.2.01 1.2.3.4.5 ::1"),
    "ipv6": ("2001:db8::1 ::1 :: ::ffff:192.0.2.1", "2001:db8 1::2::3 fe80::1%eth0 192.0.2.1 g::1"),
    "json-pointer": ("/a/0 / /a~0b~1c /é", "a /a~ /a~2 #/a"),
    "uri": ("https://example.com/a?b#c mailto:ann@example.com urn:x:y a+b.c-1:x", "example.com //a.org 1a:x https://ä.org :x a:"),
    "uuid": (
        "123e4567-e89b-12d3-a456-426614174000 123E4567-E89B-12D3-A456-426614174000",
        "123e4567e89b12d3a456426614174000 123e4567-e89b-12d3-a456-42661417400 g23e4567-e89b-12d3-a456-426614174000",
    ),
}  # fmt: skip
VALUES["idn-email"] = VALUES["email"]


@each("name, right, wrong", [(name, *values) for name, values in VALUES.items()])
def test_a_format(name: str, right: str, wrong: str) -> None:
    fits, expected = FORMATS[name]
    for value in right.split():
        assert fits(value.replace("_", " ") if name == "date-time" else value), value
    for value in [
        *wrong.split(),
        "" if name != "json-pointer" else "x",
        f"{right.split()[0]}\n" if name != "json-pointer" else "x",
    ]:
        assert not fits(value), value
    example = expected.partition("such as ")[2].partition(" or ")[0]
    assert fits(example), example


def test_each_format_has_values() -> None:
    assert VALUES.keys() == FORMATS.keys()
    assert FORMATS["json-pointer"][0]("")


# ── scripts ──


@each(
    "text, script",
    [
        ("これはテストです", "Japanese"), ("これはテ", None), ("这是一个测试", "Chinese"), ("这是测试", None), ("이것은시험", "Korean"), ("Это тест", "Cyrillic letters"),
        ("هذا اختبار", "Arabic letters"), ("यह परीक्षण है", "Devanagari"), ("นี่คือการทดสอบ", "Thai"), ("Δοκιμή", "Greek"), ("זהו מבחן", "Hebrew"),
        ("abcdefghijklmnop", "Latin letters"), ("abcdefghijklmno", None), ("abcdefghijklmnopя", None), ("éabcdefghijklmno", "Latin letters"),
        ("x" * 15 + "тесты", "Cyrillic letters"), ("x" * 16 + "тесты", None), ("https://abcdefghijklmnop.org", None), ("", None),
        ("ꙮ" * 2000 + "abcdefghijklmnop", None),
    ],
)  # fmt: skip
def test_the_script_of_a_text(text: str, script: str | None) -> None:
    assert script_of(text) == script


@each("text, low", [("ABC", "abc"), ("ÀBC", "Àbc"), ("这ABC", "这abc"), ("\ud83dA", "\ud83da")])
def test_a_text_in_lower_case(text: str, low: str) -> None:
    assert lowered(text) == low


# ── names of types in schemas ──


def test_names_of_types_are_mended_where_they_stand() -> None:
    schema = {
        "type": "dict",
        "properties": {"type": {"type": "str"}, "a": {"type": "List[int]", "items": {"type": "int"}}},
    }
    inner = {"type": {"type": "string"}, "a": {"type": "array", "items": {"type": "integer"}}}
    assert mended(schema) == {"type": "object", "properties": inner}
    assert mended({"anyOf": [{"type": "str"}, 7], "x": {"type": "str"}}) == {
        "anyOf": [{"type": "string"}, 7],
        "x": {"type": "str"},
    }
    assert mended({"type": "Celsius"}) == {"type": "Celsius"} and mended({"type": ["str"]}) == {"type": ["str"]}


def test_flat_parameters_are_wrapped() -> None:
    flat = {"a": {"type": "str"}, "required": ["a"]}
    assert is_flat(flat) and not is_flat({}) and not is_flat({"a": {"x": 1}}) and not is_flat({"properties": {}})
    assert not is_flat([]) and not is_flat({"required": ["a"]}) and is_flat({"a": {"description": "d"}})
    assert schema_of(flat) == {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    assert schema_of({"a": {"type": "str"}}) == {"type": "object", "properties": {"a": {"type": "string"}}}
    assert schema_of({"required": {"type": "str"}, "a": {"type": "int"}})["properties"].keys() == {"required", "a"}
    assert schema_of({"type": "object", "properties": {"a": {"type": "int"}}})["properties"] == {
        "a": {"type": "integer"}
    }

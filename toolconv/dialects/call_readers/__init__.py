"""Exact readers of calls, one file for each kind of call template."""

from __future__ import annotations

from toolconv.dialects.call_readers.base import CallReader
from toolconv.dialects.call_readers.json_calls import JsonObjectReader, NamedJsonReader, json_object
from toolconv.dialects.call_template import CallTemplate


def call_reader(template: CallTemplate) -> CallReader:
    """The reader of the calls that a template writes; the file of no other one is loaded."""
    if template.spells("value"):
        if template.param.startswith("{"):
            from toolconv.dialects.call_readers.python_calls import PythonCallReader

            return PythonCallReader(template)
        from toolconv.dialects.call_readers.tag_calls import TagReader

        return TagReader(template)
    if template.spells("args") == ("delimited",):
        from toolconv.dialects.call_readers.delimited_calls import DelimitedReader

        return DelimitedReader(template)
    found = json_object(template.call)
    return NamedJsonReader(template) if found is None else JsonObjectReader(template, *found)

"""Derive a dialect from a chat template: what the template writes for made-up conversations shows how it writes calls.

:mod:`~toolconv.derive.turns` cuts assistant turns out of what a template writes, :mod:`~toolconv.derive.calls` puts
holes in place of the known words in them, and :mod:`~toolconv.derive.candidates` makes dialect files of that. The file
that reads and writes most of some random conversations is taken (:mod:`~toolconv.derive.derivation`).
"""

from toolconv.core.errors import ToolconvError


class NotDerived(ToolconvError, ValueError):
    """No dialect reads all that a template writes; the message has the first text that isn't read."""

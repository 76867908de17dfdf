"""What of a row nobody read, and the rule that parts it from what is only carried along.

A conversation is what a trainer reads: turns, calls with their results, declarations, and marks of what to train on. A
value of a row that the conversation has as well is a copy, and fine. Any other belongs to the conversation, and is
named, if the first of these that says anything says so:

1. Its **place**: its key names what the conversation, or the message that holds it, lacks: a system text, a question,
   an answer, a result, reasoning, arguments, marks. So does the id of a call without a result. The words of keys are in
   ``core/key_words.py``.
2. Its **form**, wherever it stands: it is a turn, a call, a declaration, a part of a message, or holds these as a text.
   ``values.py`` knows them.
3. Its **words**: it is prose, and no key on the way to it says that it describes something (``DESCRIBING``).

Everything else is only carried along: names and numbers, what an answer is compared with, what describes a
conversation. ``in_rows.py`` and ``in_messages.py`` ask the three of what the canonical row carries along, ``gone.py``
of what is no longer there.
"""

"""Plans by example: the output of a row with placeholders, cut at these, is filled with the values of rows like it.

The ordinary path writes the row with placeholders, so nothing is written twice, and neither templates nor dialects know
of plans. A row takes a plan if it is *plain*: the ordinary path has nothing to say about it, and its output depends on
its values only in that it holds them. :mod:`.plain_values` says which values are plain, :mod:`.plain_rows` and
:mod:`.marked_rows` which rows, :mod:`.plan` makes and fills a plan, :mod:`.planner` keeps the plans of a conversion,
and checks them against the ordinary path.
"""

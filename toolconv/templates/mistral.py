"""Mistral since tokenizer v13 (Devstral 2, Mistral Large 3): tools before the first user turn, calls without ids.

Consecutive turns with the same role are joined: their texts, and content parts, are separated by blank lines, and the
calls follow all texts. Large 3 writes reasoning in ``[THINK]``. There is no generation prompt. Small 4 writes the
``reasoning_effort`` before the first user turn.

Source: chat templates of mistralai/Devstral-2-123B-Instruct-2512, Mistral-Large-3-675B-Instruct-2512,
Ministral-3-3B-Instruct-2512, Ministral-3-3B-Reasoning-2512 and Mistral-Small-4-119B-2603.
"""

from __future__ import annotations

from dataclasses import replace

from toolconv.dialects.formats.mistral import V13
from toolconv.templates.base import ChatView, Template, TextWriter

APART = "\n\n"


class MistralTemplate(Template):
    """The base of all generations: turns without headers, in markers that depend on the role."""

    begin: str = "<s>"
    open: str = ""
    stop: str = "</s>"
    close: str = ""

    def responses(self, chat: ChatView, out: TextWriter, start: int, end: int) -> None:
        for index in range(start, end):
            content = chat.content(index)
            out.add("response", self.dialect.chat.write_response(chat.messages[index], content), index)

    def generation(self, chat: ChatView) -> str:
        return ""


class MistralV13Template(MistralTemplate):
    """System turns in place; consecutive turns with the same role are joined.

    Attributes:
        reasons: whether to write reasoning.
        settings: whether the first user turn comes after the effort of reasoning.
    """

    reasons: bool = False
    settings: bool = False

    def head(self, chat: ChatView, out: TextWriter) -> int:
        if chat.roles[0] != "system":
            out.enclosed("system", "[SYSTEM_PROMPT]", self.default_system or "", "[/SYSTEM_PROMPT]")
        if chat.tools and chat.last_user < 0:
            chat.lose("tools")
        return 0

    def content(self, chat: ChatView, index: int) -> str:
        return chat.content(index, APART)

    def plain(self, chat: ChatView, out: TextWriter, index: int) -> None:
        if chat.roles[index] == "system":
            out.enclosed("system", "[SYSTEM_PROMPT]", self.content(chat, index), "[/SYSTEM_PROMPT]", index)
            return
        if chat.tools and all(chat.roles[before] != "user" for before in range(index)):
            out.add("tools", self.block(chat))
        if self.settings and all(chat.roles[before] != "user" for before in range(index)):
            effort = chat.variables.get("reasoning_effort") or "none"
            out.add("system", f'[MODEL_SETTINGS]{{"reasoning_effort": "{effort}"}}[/MODEL_SETTINGS]')
        opening = APART if chat.roles[index - 1] == "user" else "[INST]"
        closing = "" if chat.roles[index + 1] == "user" else "[/INST]"
        out.enclosed("user", opening, self.content(chat, index), closing, index)

    def assistant(self, chat: ChatView, out: TextWriter, index: int) -> None:
        if chat.roles[index - 1] == "assistant":
            return  # written with the turn before
        end = index + 1
        while chat.roles[end] == "assistant":
            end += 1
        apart = False
        for at in range(index, end):
            self.reasoning(chat, out, at)
            apart = apart and not (self.reasons and chat.reasoning(at))
            content = self.content(chat, at)
            out.trained("turn", APART if apart and content else "", at)
            out.trained("prose", content, at)
            apart = apart or bool(content)
        for at in range(index, end):
            self.calls(chat, out, at)
        out.trained("turn", self.stop, end - 1)

    def joins(self, chat: ChatView, index: int) -> bool:
        return True

    def shows_reasoning(self, chat: ChatView, index: int) -> bool:
        return self.reasons


VIBE = """\
You are operating as and within Mistral Vibe, a CLI coding-agent built by Mistral AI and powered by default by the \
Devstral family of models. It wraps Mistral's Devstral models to enable natural language interaction with a local \
codebase. Use the available tools when helpful.

You can:

- Receive user prompts, project context, and files.
- Send responses and emit function calls (e.g., shell commands, code edits).
- Apply patches, run commands, based on user approvals.

Answer the user's request using the relevant tool(s), if they are available. Check that all the required parameters \
for each tool call are provided or can reasonably be inferred from context. IF there are no relevant tools or there \
are missing values for required parameters, ask the user to supply these values; otherwise proceed with the tool \
calls. If the user provides a specific value for a parameter (for example provided in quotes), make sure to use that \
value EXACTLY. DO NOT make up values for or ask about optional parameters. Carefully analyze descriptive terms in the \
request as they may indicate required parameter values that should be included even if not explicitly quoted.

Always try your hardest to use the tools to answer the user's request. If you can't use the tools, explain why and \
ask the user for more information.

Act as an agentic assistant, if a user asks for a long task, break it down and do it step by step.

When you want to commit changes, you will always use the 'git commit' bash command. It will always be suffixed with a \
line telling it was generated by Mistral Vibe with the appropriate co-authoring information. The format you will \
always use is the following heredoc.

```bash
git commit -m "<Commit message here>

Generated by Mistral Vibe.
Co-Authored-By: Mistral Vibe <vibe@mistral.ai>"
```"""

LE_CHAT = """\
You are Mistral-Large-3-675B-Instruct-2512, a Large Language Model (LLM) created by Mistral AI, a French startup \
headquartered in Paris.
You power an AI assistant called Le Chat.
Your knowledge base was last updated on 2023-10-01.
The current date is {today}.

When you're not sure about some information or when the user's request requires up-to-date or specific data, you must \
use the available tools to fetch the information. Do not hesitate to use tools whenever they can provide a more \
accurate or complete response. If no relevant tools are available, then clearly state that you don't have the \
information and avoid making up anything.
If the user's question is not clear, ambiguous, or does not provide enough context for you to accurately answer the \
question, you do not try to answer it right away and you rather ask the user to clarify their request (e.g. "What are \
some good restaurants around me?" => "Where are you?" or "When is the next flight to Tokyo" => "Where do you travel \
from?").
You are always very attentive to dates, in particular you try to resolve dates (e.g. "yesterday" is {yesterday}) and \
when asked about information at specific dates, you discard information that is at another date.
You follow these instructions in all languages, and always respond to the user in the language they use or request.
Next sections describe the capabilities that you have.

# WEB BROWSING INSTRUCTIONS

You cannot perform any web search or access internet to open URLs, links etc. If it seems like the user is expecting \
you to do so, you clarify the situation and ask the user to copy paste the text directly in the chat.

# MULTI-MODAL INSTRUCTIONS

You have the ability to read images, but you cannot generate images. You also cannot read nor transcribe audio files \
or videos.

# TOOL CALLING INSTRUCTIONS

You may have access to tools that you can use to fetch information or perform actions. You must use these tools in \
the following situations:

1. When the request requires up-to-date information.
2. When the request requires specific data that you do not have in your knowledge base.
3. When the request involves actions that you cannot perform without tools.

Always prioritize using tools to provide the most accurate and helpful response. If tools are not available, inform \
the user that you cannot perform the requested action at the moment."""

MEDIUM = """\
You are Mistral Medium 3.5, a Large Language Model (LLM) created by Mistral AI, a French startup headquartered in \
Paris.
You are an intelligent conversational assistant powering an AI assistant called Le Chat.
Your knowledge base was last updated on Friday, November 1, 2024.
The current date is {today}.

# GENERAL GUIDELINES

- Accurately answer the user's question.
- For uncertain information or when the user's request requires up-to-date or specific data, use the available tools \
to fetch the information.
- Be very attentive to dates, always try to resolve dates (e.g. "yesterday" is {yesterday}) and when asked about \
information at specific dates, discard information that is at another date.

# WEB BROWSING INSTRUCTIONS

You cannot perform any web search or access internet to open URLs, links etc without dedicated tools.

# MULTI-MODAL INSTRUCTIONS

- You have the ability to read images.
- You cannot read audio nor videos.
- You cannot generate images without dedicated tools.

# TOOL CALLING INSTRUCTIONS

You may have access to tools that you can use to fetch information or perform actions. You must use these tools in \
the following situations:

1. When the request requires up-to-date information.
2. When the request requires specific data that you do not have in your knowledge base.
3. When the request involves actions that you cannot perform without tools.

Always prioritize using tools to provide the most accurate and helpful response."""

REASONING = """\
# HOW YOU SHOULD THINK AND ANSWER

First draft your thinking process (inner monologue) until you arrive at a response. Format your response using \
Markdown, and use LaTeX for any mathematical equations. Write both your thoughts and the response in the same language \
as the input.

Your thinking process must follow the template below:[THINK]Your thoughts or/and draft, like working through an \
exercise on scratch paper. Be as casual and as long as you want until you are confident to generate the response to \
the user.[/THINK]Here, provide a self-contained response."""

DEVSTRAL_2 = MistralV13Template(
    name="devstral-2",
    dialect=V13,
    models=("Devstral-2-123B-Instruct-2512",),
    default_system=VIBE,
)
LARGE_3 = MistralV13Template(
    name="mistral-large-3",
    dialect=V13,
    models=("Mistral-Large-3-675B-Instruct-2512",),
    default_system=LE_CHAT,
    reasons=True,
)
LARGE_NAME = "Mistral-Large-3-675B-Instruct-2512"
MINISTRAL_3 = tuple(
    replace(
        DEVSTRAL_2,
        name=f"ministral-3-{size.lower()}",
        models=(f"Ministral-3-{size}-Instruct-2512",),
        default_system=LE_CHAT.replace(LARGE_NAME, f"Ministral-3-{size}-Instruct-2512"),
    )
    for size in ("3B", "8B", "14B")
)
MINISTRAL_3_REASONING = replace(
    LARGE_3,
    name="ministral-3-reasoning",
    models=("Ministral-3-3B-Reasoning-2512", "Ministral-3-8B-Reasoning-2512", "Ministral-3-14B-Reasoning-2512"),
    default_system=REASONING,
)
SMALL_4 = replace(
    LARGE_3,
    name="mistral-small-4",
    models=("Mistral-Small-4-119B-2603",),
    variables=("reasoning_effort",),
    default_system=LE_CHAT.replace(LARGE_NAME, "Mistral-Small-4-119B-2603").replace(
        "2023-10-01", "Friday, November 1, 2024"
    ),
    settings=True,
)
MEDIUM_3_5 = replace(SMALL_4, name="mistral-medium-3.5", models=("Mistral-Medium-3.5-128B",), default_system=MEDIUM)
TEMPLATES = (DEVSTRAL_2, LARGE_3, *MINISTRAL_3, MINISTRAL_3_REASONING, SMALL_4, MEDIUM_3_5)

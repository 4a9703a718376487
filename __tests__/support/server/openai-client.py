"""Scenarios of OpenAI's Python client: prints what each of them gives as one JSON object."""

import asyncio
import json
import sys

import openai
from pydantic import BaseModel

base_url, key = sys.argv[1:3]
client = openai.OpenAI(api_key=key, base_url=base_url, max_retries=0)
TOOL = {
    "type": "function",
    "function": {
        "name": "find",
        "description": "Finds a bike",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
            "additionalProperties": False,
        },
        "strict": True,
    },
}


class Place(BaseModel):
    city: str


def request(text, **fields):
    return {"model": "gpt-test", "messages": [{"role": "user", "content": text}], **fields}


def complete():
    raw = client.chat.completions.with_raw_response.create(**request("hi"))
    answer = raw.parse()
    return {
        "content": answer.choices[0].message.content,
        "usage": answer.usage.model_dump(exclude_none=True),
        "fingerprint": answer.system_fingerprint,
        "status": raw.headers["x-guardrails-status"],
        "has_request_id": answer._request_id.startswith("req_"),
    }


def blocked():
    choice = client.chat.completions.create(**request("bad")).choices[0]
    return [choice.finish_reason, choice.message.content]


def stream():
    parts = client.chat.completions.create(**request("hi", stream=True, stream_options={"include_usage": True}))
    parts = list(parts)
    return {
        "text": "".join(part.choices[0].delta.content or "" for part in parts if part.choices),
        "role": parts[0].choices[0].delta.role,
        "reasons": [part.choices[0].finish_reason for part in parts if part.choices and part.choices[0].finish_reason],
        "total": parts[-1].usage.total_tokens,
    }


def helper():
    with client.chat.completions.stream(**request("hi")) as events:
        deltas = [event.delta for event in events if event.type == "content.delta"]
        final = events.get_final_completion()
    return {"deltas": "".join(deltas), "final": final.choices[0].message.content}


def tools():
    called = client.chat.completions.create(**request("call", tools=[TOOL])).choices[0]
    with client.chat.completions.stream(**request("call", tools=[TOOL])) as events:
        streamed = events.get_final_completion().choices[0]
    written = [json.loads(choice.message.tool_calls[0].function.arguments) for choice in (called, streamed)]
    return {"reasons": [called.finish_reason, streamed.finish_reason], "arguments": written}


def structured():
    parsed = client.chat.completions.parse(**request("json"), response_format=Place)
    return parsed.choices[0].message.parsed.city


def models():
    return [model.id for model in client.models.list()]


def errors():
    return {
        "key": name_of(lambda: client.with_options(api_key="wrong").models.list()),
        "model": name_of(lambda: client.chat.completions.create(**{**request("hi"), "model": "nothing"})),
        "value": name_of(lambda: client.chat.completions.create(**request("hi", temperature=9))),
        "permission": name_of(
            lambda: client.chat.completions.create(**request("hi"), extra_body={"guardrails": {"context": {}}})
        ),
        "limit": name_of(lambda: client.chat.completions.create(**request("limit"))),
        "server": name_of(lambda: client.chat.completions.create(**request("failure"))),
        "broken": name_of(lambda: list(client.chat.completions.create(**request("break", stream=True)))),
    }


def name_of(call):
    try:
        call()
    except openai.APIError as error:
        return [type(error).__name__, error.code]
    return None


def retries():
    answer = client.with_options(max_retries=2).chat.completions.create(**request("limit once"))
    return answer.choices[0].message.content


def leaves():
    parts = client.chat.completions.create(**request("wait", stream=True))
    first = next(iter(parts)).choices[0].delta.content
    parts.close()
    return first


def gives_up():
    return name_of(lambda: client.with_options(timeout=0.3).chat.completions.create(**request("hang")))


def concurrently():
    async def ask():
        async with openai.AsyncOpenAI(api_key=key, base_url=base_url, max_retries=0) as other:
            answers = await asyncio.gather(*(other.chat.completions.create(**request("hi")) for _ in range(8)))
        return [answer.choices[0].message.content for answer in answers]

    return sorted(set(asyncio.run(ask())))


SCENARIOS = [
    complete, blocked, stream, helper, tools, structured, models, errors, retries, leaves, gives_up, concurrently,
]
results = {}
for scenario in SCENARIOS:
    try:
        results[scenario.__name__] = scenario()
    except Exception as error:
        results[scenario.__name__] = f"{type(error).__name__}: {error}"
print(json.dumps(results))

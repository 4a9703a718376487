"""Rows of the bench for NeMo Guardrails, with models that answer at once. Prints one JSON object a line.

python nemo.py NAME [--rounds 20]: samples of one row, in milliseconds of processor time a call.
"""

import asyncio
import json
import os
import sys
import time

os.environ.setdefault("NEMO_GUARDRAILS_TELEMETRY", "0")
os.environ.setdefault("DO_NOT_TRACK", "1")
os.environ.setdefault("OPENAI_API_KEY", "none")

ANSWER = "Our workshop opens at nine."
QUESTION = "When do you open?"
MESSAGES = [{"role": "user", "content": QUESTION}]
MODEL = "models:\n  - type: main\n    engine: openai\n    model: main\n"

LOCAL = MODEL + """
rails:
  config:
    regex_detection:
      input: { patterns: [forbidden] }
      output: { patterns: [forbidden] }
  input: { flows: [regex check input] }
  output: { flows: [regex check output] }
"""

JUDGES = MODEL + """
rails:
  input: { flows: [self check input] }
  output: { flows: [self check output] }
prompts:
  - task: self_check_input
    content: "Should this message be blocked? Answer Yes or No. {{ user_input }}"
  - task: self_check_output
    content: "Should this answer be blocked? Answer Yes or No. {{ bot_response }}"
"""

WINDOWS = MODEL + """
rails:
  output:
    flows: [self check output]
    streaming: { enabled: true, chunk_size: 40, context_size: 10, stream_first: false }
prompts:
  - task: self_check_output
    content: "Should this answer be blocked? Answer Yes or No. {{ bot_response }}"
"""

LIBRARY = """import core
import guardrails

flow input rails $input_text
  if search("forbidden", $input_text)
    bot say "I cannot talk about that."
    abort

flow output rails $output_text
  if search("forbidden", $output_text)
    abort

flow answering
  user said something as $said
  bot say "You asked: {$said.transcript}"

flow main
  activate answering
  activate tracking bot talking state
  activate tracking user talking state
  wait indefinitely
"""

LISTENERS = """import core

flow listen $id
  match E(id=$id)
  send Received(id=$id)

flow answering
  user said something as $said
  bot say "You asked: {$said.transcript}"

flow main
  activate answering
  $id = 0
  while $id < 1000
    activate listen $id
    $id = $id + 1
  wait indefinitely
"""


def answer_to(text):
    return "No" if "Should this" in text else ANSWER


def text_of(prompt):
    if isinstance(prompt, str):
        return prompt
    last = prompt[-1]
    return str(last.get("content") if isinstance(last, dict) else last.content)


class InstantModel:
    """A model that answers at once."""

    model_name = "instant"
    provider_name = "instant"
    provider_url = None

    async def generate_async(self, prompt, *, stop=None, **kwargs):
        from nemoguardrails.types import LLMResponse

        return LLMResponse(content=answer_to(text_of(prompt)))

    async def stream_async(self, prompt, *, stop=None, **kwargs):
        from nemoguardrails.types import LLMResponseChunk

        yield LLMResponseChunk(delta_content=answer_to(text_of(prompt)))


def instant_engines(paced=None):
    """Makes the engines of IORails answer without a server; `paced` gives the times of windows."""
    from nemoguardrails.guardrails.model_engine import ModelEngine
    from nemoguardrails.types import LLMResponse, LLMResponseChunk

    async def complete(self, messages, **kwargs):
        content = answer_to(text_of(messages))
        if paced and content == "No":
            await asyncio.sleep(paced["judge"])
        return LLMResponse(content=content)

    async def stream(self, messages, **kwargs):
        begun = time.perf_counter()
        for index in range(paced["tokens"]):
            due = paced["token"] if paced["waits"] else begun + (index + 1) * paced["token"] - time.perf_counter()
            if due > 0:
                await asyncio.sleep(due)
            yield LLMResponseChunk(delta_content="bread" if index == 0 else " bread")

    ModelEngine.chat_completion = complete
    ModelEngine.stream_chat_completion = stream


def config_of(yaml, colang=""):
    from nemoguardrails import RailsConfig

    return RailsConfig.from_content(colang_content=colang, yaml_content=yaml)


def io_rails(yaml):
    from nemoguardrails.guardrails.iorails import IORails

    instant_engines()
    rails = IORails(config_of(yaml))
    return lambda messages=MESSAGES: rails.generate_async(messages=messages)


def llm_rails(yaml):
    from nemoguardrails import LLMRails

    rails = LLMRails(config_of(yaml), llm=InstantModel())
    return lambda messages=MESSAGES: rails.generate_async(messages=messages)


def runnable_rails(yaml):
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage
    from nemoguardrails.integrations.langchain.runnable_rails import RunnableRails

    class Endless:
        def __iter__(self):
            return self

        def __next__(self):
            return AIMessage(content=ANSWER)

    class Fake(GenericFakeChatModel):
        def _generate(self, messages, stop=None, run_manager=None, **kwargs):
            from langchain_core.outputs import ChatGeneration, ChatResult

            message = AIMessage(content=answer_to(str(messages[-1].content)))
            return ChatResult(generations=[ChatGeneration(message=message)])

    model = Fake(messages=Endless())
    guarded = RunnableRails(config_of(yaml)) | model
    return lambda: guarded.ainvoke(QUESTION)


def v2_turns(colang, stored=False):
    """Turns of one conversation; `stored` writes and reads its state between two turns."""
    from nemoguardrails import LLMRails
    from nemoguardrails.colang.v2_x.runtime.serialization import json_to_state, state_to_json

    rails = LLMRails(config_of('colang_version: "2.x"\nmodels: []\n', colang))
    state = None
    count = 0

    async def turn():
        nonlocal state, count
        count += 1
        text = f"when do you open on day {count}?"
        if stored and state is not None:
            state = json_to_state(state_to_json(state))
        events = [{"type": "UtteranceUserActionFinished", "final_transcript": text}]
        answers = []
        while events:
            sent, state = await rails.process_events_async(events, state)
            spoken = [event for event in sent if event["type"] == "StartUtteranceBotAction"]
            answers += [event["script"] for event in spoken]
            events = [
                {
                    "type": f"UtteranceBotAction{phase}",
                    "action_uid": event["action_uid"],
                    "final_script": event["script"],
                    "is_success": True,
                }
                for event in spoken
                for phase in ("Started", "Finished")
            ]
        assert answers == [f"You asked: {text}"], answers

    return turn


def history(turns):
    past = []
    for turn in range(1, turns):
        past.append({"role": "user", "content": f"when do you open on day {turn}, and where can one leave a bicycle?"})
        past.append({"role": "assistant", "content": f"On day {turn} we open at nine; bicycles stay in the yard."})
    return [*past, *MESSAGES]


def flows(count):
    blocks = []
    for index in range(count):
        topic = f"topic {index}"
        blocks.append(
            f'define user ask about {topic}\n  "tell me about {topic}"\n  "what do you know of {topic}?"\n\n'
            f'define bot explain {topic}\n  "This is what we know about {topic}."\n\n'
            f"define flow {topic}\n  user ask about {topic}\n  bot explain {topic}\n"
        )
    return "\n".join(blocks)


def load_flows():
    """Loads 100 flows; embeddings are of the cheapest kind, so that no model counts."""
    from nemoguardrails import LLMRails
    from nemoguardrails.embeddings.providers import register_embedding_provider
    from nemoguardrails.embeddings.providers.base import EmbeddingModel

    class Letters(EmbeddingModel):
        engine_name = "letters"

        def __init__(self, embedding_model=None, **kwargs):
            self.model = embedding_model

        def encode(self, documents):
            return [[float(len(text)), float(text.count("e") + 1), 1.0] for text in documents]

        async def encode_async(self, documents):
            return self.encode(documents)

    try:
        register_embedding_provider(Letters)
    except Exception:
        pass
    yaml = MODEL + "  - type: embeddings\n    engine: letters\n    model: letters\n"
    LLMRails(config_of(yaml, flows(100)), llm=InstantModel())


async def many(call, count=256, workers=32):
    left = count

    async def work():
        nonlocal left
        while left > 0:
            left -= 1
            await call()

    await asyncio.gather(*[work() for _ in range(workers)])


async def sample(works, rounds, warm_ms=1500, block_ms=40):
    """Blocks of calls in turn, as harness/blocks.mjs has them."""
    sizes = {}
    for name, call in works.items():
        done, start = 0, time.process_time()
        while (spent := (time.process_time() - start) * 1000) < warm_ms or done < 3:
            await call()
            done += 1
        sizes[name] = max(1, round(block_ms / (spent / done)))
    samples = {name: [] for name in works}
    for _ in range(rounds):
        for name, call in works.items():
            start = time.process_time()
            for _ in range(sizes[name]):
                await call()
            samples[name].append((time.process_time() - start) * 1000 / sizes[name])
    return samples


async def bare():
    await InstantModel().generate_async(QUESTION)


async def over_bare(make, yaml, rounds):
    return await sample({"guarded": make(yaml), "bare": bare}, rounds)


async def resent(rounds):
    call = io_rails(LOCAL)
    early, late = history(10), history(1000)
    return await sample({"guarded10": lambda: call(early), "guarded1000": lambda: call(late)}, rounds)


async def windows(waits):
    from nemoguardrails.guardrails.iorails import IORails

    pace = {"tokens": 400, "token": 0.01, "judge": 0.15, "waits": waits}
    instant_engines(pace)
    rails = IORails(config_of(WINDOWS))

    async def guarded():
        start = time.perf_counter()
        async for _ in rails.stream_async(messages=MESSAGES):
            pass
        return time.perf_counter() - start

    async def plain():
        from nemoguardrails.guardrails.model_engine import ModelEngine

        start = time.perf_counter()
        async for _ in ModelEngine.stream_chat_completion(None, MESSAGES):
            pass
        return time.perf_counter() - start

    times = await asyncio.gather(*[guarded() for _ in range(5)], *[plain() for _ in range(5)])
    return {"guarded": times[:5], "bare": times[5:]}


async def throughput(yaml, rounds):
    call = io_rails(yaml)
    return await sample({"batch": lambda: many(call)}, min(rounds, 10))


async def warm_load(rounds):
    async def load():
        await asyncio.to_thread(load_flows)

    return await sample({"load": load}, min(rounds, 10))


def first_load():
    import nemoguardrails  # noqa: F401
    from nemoguardrails.embeddings import providers  # noqa: F401

    start = time.process_time()
    load_flows()
    return {"load": [(time.process_time() - start) * 1000]}


def first_answer(what):
    import resource

    if what == "core":
        try:
            import langchain_core.language_models  # noqa: F401
            import langchain_core.runnables  # noqa: F401
        except ImportError:
            pass
    else:
        call = io_rails(LOCAL)
        asyncio.run(call())
    rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"cpu": [time.process_time() * 1000], "rss": [rss]}


ROWS = {
    "local-iorails": lambda rounds: over_bare(io_rails, LOCAL, rounds),
    "local-llmrails": lambda rounds: over_bare(llm_rails, LOCAL, rounds),
    "local-langchain": lambda rounds: over_bare(runnable_rails, LOCAL, rounds),
    "judges-iorails": lambda rounds: over_bare(io_rails, JUDGES, rounds),
    "judges-llmrails": lambda rounds: over_bare(llm_rails, JUDGES, rounds),
    "judges-langchain": lambda rounds: over_bare(runnable_rails, JUDGES, rounds),
    "resent": resent,
    "windows": lambda _: windows(False),
    "windows-pulled": lambda _: windows(True),
    "throughput-local": lambda rounds: throughput(LOCAL, rounds),
    "throughput-judges": lambda rounds: throughput(JUDGES, rounds),
    "colang2-library": lambda rounds: sample({"turn": v2_turns(LIBRARY)}, rounds),
    "colang2-stored": lambda rounds: sample({"turn": v2_turns(LISTENERS, stored=True)}, min(rounds, 8)),
    "warm-load": warm_load,
}
FRESH = {
    "first-load": first_load,
    "first-answer": lambda: first_answer("guarded"),
    "first-answer-core": lambda: first_answer("core"),
}


def main():
    name = sys.argv[1]
    rounds = int(sys.argv[sys.argv.index("--rounds") + 1]) if "--rounds" in sys.argv else 20
    samples = FRESH[name]() if name in FRESH else asyncio.run(ROWS[name](rounds))
    print(json.dumps(samples), flush=True)
    os._exit(0)


main()

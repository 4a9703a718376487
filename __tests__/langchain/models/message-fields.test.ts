// Fields next to the text of a message are reviewed in the same call of each rail, and restored in place.
import { describe, expect, it } from "@jest/globals";
import { AIMessage, AIMessageChunk, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import { concat } from "@langchain/core/utils/stream";
import { Guardrails } from "../../../src/index.js";
import { drain } from "../../support/langchain/real-guardrails.js";
import { visibleJson } from "../../support/langchain/visible-json.js";
import { type Dialect, DIALECTS, railFlows } from "../../support/rail-flows.js";

const MARKER = "walnut";
const WAYS = ["invoke", "stream"] as const;

const colangOf = (version: Dialect): string => `${railFlows(version, {
  "block input": ["block", "user_message", "look"],
  "mask input": ["rewrite", "user_message", "hide"],
  "block output": ["block", "bot_message", "look"],
  "mask output": ["rewrite", "bot_message", "hide"],
  "block result": ["block", "tool_message", "look"],
  "mask result": ["rewrite", "tool_message", "hide"],
})}
${NOTE[version]}`;

const NOTE: Readonly<Record<Dialect, string>> = {
  "1.0": `
define subflow note user
  execute note(text=$user_message, last=$last_user_message)
`,
  "2.x": `
flow note user
  global $user_message
  global $last_user_message
  await NoteAction(text=$user_message, last=$last_user_message)
`,
};

interface Opened {
  readonly guardrails: Guardrails;
  /** Texts that rails reviewed. */
  readonly asked: string[];
  /** The user's text as seen by the stages after the input rails. */
  readonly known: unknown[];
}

const opened = new Map<string, Promise<Opened>>();

/** The configuration of a dialect whose rails all have this outcome; created once. */
async function open(version: Dialect, outcome: "block" | "mask"): Promise<Opened> {
  const key = `${version} ${outcome}`;
  const made = opened.get(key) ?? make(version, outcome);
  opened.set(key, made);
  const { asked, known } = await made;
  asked.length = known.length = 0;
  return made;
}

async function make(version: Dialect, outcome: "block" | "mask", hide = hideMarker): Promise<Opened> {
  const asked: string[] = [];
  const known: unknown[] = [];
  const note = (text: string): string => (asked.push(text), text);
  const guardrails = await Guardrails.fromConfig(
    {
      colang: colangOf(version),
      config: {
        colang_version: version,
        rails: {
          input: { flows: [`${outcome} input`] },
          output: { flows: [`${outcome} output`, "note user"] },
          tool_input: { flows: [`${outcome} result`] },
        },
      },
    },
    {
      logger: false,
      actions: {
        look: ({ text }: { text: string }) => !note(text).includes(MARKER),
        hide: ({ text }: { text: string }) => hide(note(text)),
        note: ({ text, last }: { text: unknown; last: unknown }) => (known.push([text, last]), true),
      },
    },
  );
  return { guardrails, asked, known };
}

function hideMarker(text: string): string {
  return text.replaceAll(MARKER, "[hidden]");
}

type Make = (text: string, extra: string) => Record<string, unknown>;
const inBlock =
  (entries: (extra: string) => object): Make =>
  (text, extra) => ({ content: [{ type: "text", text, ...entries(extra) }] });

/** Positions of a text next to another one, as a value or as a key. */
const PLACES: Readonly<Record<string, Make>> = {
  "the name of a message": (text, name) => ({ content: text, name }),
  "the name of a block": inBlock((name) => ({ name })),
  "a label": inBlock((label) => ({ label })),
  "a title": inBlock((title) => ({ title })),
  "a name of a file": inBlock((filename) => ({ filename })),
  "a nested name of a file": inBlock((filename) => ({ metadata: { filename } })),
  "nested extras": inBlock((note) => ({ extras: { more: [{ note }] } })),
  "an unknown entry": inBlock((note) => ({ remark: note })),
  "an unknown entry of an object": inBlock((note) => ({ remark: { deep: note } })),
  additional_kwargs: (text, note) => ({ content: text, additional_kwargs: { note: `see ${note}` } }),
  "nested response_metadata": (text, note) => ({
    content: text,
    response_metadata: { more: [{ note: `see ${note}` }] },
  }),
};
const KEYS: Readonly<Record<string, Make>> = {
  "a key of a block": inBlock((key) => ({ [key]: "x" })),
  "a key without a text": inBlock((key) => ({ [key]: 1 })),
};
const cases = (places: Readonly<Record<string, Make>>): [Dialect, string, Make][] =>
  DIALECTS.flatMap((version) =>
    Object.entries(places).map(([name, make]): [Dialect, string, Make] => [version, name, make]),
  );

/** The messages that a model after the rails receives. */
async function shownTo(guardrails: Guardrails, way: (typeof WAYS)[number], messages: BaseMessage[]) {
  const shown: BaseMessage[] = [];
  const model = RunnableLambda.from((given: BaseMessage[]) => {
    shown.push(...given);
    return new AIMessage("fine");
  });
  const wrapped = guardrails.wrap(model);
  const result: unknown =
    way === "invoke" ? await wrapped.invoke(messages) : await drain(await wrapped.stream(messages));
  return { shown, result };
}

/** The output of a step after a model. */
async function leaving(guardrails: Guardrails, way: (typeof WAYS)[number], chunks: readonly AIMessageChunk[]) {
  const whole = chunks.reduce((left, right) => left.concat(right));
  if (way === "invoke") return (await guardrails.output().invoke(new AIMessage(whole as never))) as AIMessage;
  const source = RunnableLambda.from(async function* () {
    yield* chunks;
  });
  const pieces = await drain(await source.pipe(guardrails.output() as never).stream("q"));
  return pieces.reduce((left, right) => concat(left as never, right as never)) as AIMessage;
}

const texts = (message: BaseMessage | undefined): string => message?.text ?? "";

describe.each(WAYS)("fields next to the text of a user message, with %s", (way) => {
  it.each(cases({ ...PLACES, ...KEYS }))("%s: is blocked: %s", async (version, _, make) => {
    const { guardrails, asked } = await open(version, "block");
    const { shown, result } = await shownTo(guardrails, way, [new HumanMessage(make("hello", MARKER) as never)]);
    expect(shown).toEqual([]);
    expect(visibleJson(result)).not.toContain(MARKER);
    expect(asked).toHaveLength(1);
  });

  it.each(cases(PLACES))("%s: is masked in place: %s", async (version, _, make) => {
    for (const [text, extra] of [
      ["hello", MARKER],
      [`hello ${MARKER}`, "plain"],
      [`hello ${MARKER}`, `a ${MARKER}`],
    ] as const) {
      const { guardrails } = await open(version, "mask");
      const { shown } = await shownTo(guardrails, way, [new HumanMessage(make(text, extra) as never)]);
      const wanted = new HumanMessage(make(hideMarker(text), hideMarker(extra)) as never);
      const { content, name, additional_kwargs, response_metadata } = shown[0] as HumanMessage;
      const { content: left, name: title, additional_kwargs: kwargs, response_metadata: metadata } = wanted;
      expect({ content, name, additional_kwargs, response_metadata }).toEqual({
        content: left,
        name: title,
        additional_kwargs: kwargs,
        response_metadata: metadata,
      });
    }
  });

  it.each(cases(KEYS))("%s: is removed with its entry: %s", async (version, _, make) => {
    const { guardrails } = await open(version, "mask");
    const { shown } = await shownTo(guardrails, way, [new HumanMessage(make("hello", MARKER) as never)]);
    expect(shown[0]?.content).toEqual([{ type: "text", text: "hello" }]);
  });
});

describe.each(WAYS)("fields next to the text of a response, with %s", (way) => {
  const answer = (fields: object): AIMessageChunk[] => [new AIMessageChunk({ id: "m", ...fields } as never)];

  it.each(cases({ ...PLACES, ...KEYS }))("%s: is blocked: %s", async (version, _, make) => {
    const { guardrails, asked } = await open(version, "block");
    const result = await leaving(guardrails, way, answer(make("hello", MARKER)));
    expect(visibleJson(result)).not.toContain(MARKER);
    expect([texts(result), asked.length]).toEqual(["REFUSED", 1]);
  });

  it.each(cases(PLACES))("%s: is masked in place: %s", async (version, _, make) => {
    for (const [text, extra] of [
      ["hello", MARKER],
      [`hello ${MARKER}`, "plain"],
      [`hello ${MARKER}`, `a ${MARKER}`],
    ] as const) {
      const { guardrails } = await open(version, "mask");
      const result = await leaving(guardrails, way, answer(make(text, extra)));
      const wanted = new AIMessage(make(hideMarker(text), hideMarker(extra)) as never);
      const { guardrails: _verdict, ...metadata } = result.response_metadata;
      expect([result.content, result.name, result.additional_kwargs, metadata]).toEqual([
        wanted.content,
        wanted.name,
        wanted.additional_kwargs,
        wanted.response_metadata,
      ]);
    }
  });

  it.each(cases(KEYS))("%s: is removed with its entry: %s", async (version, _, make) => {
    const { guardrails } = await open(version, "mask");
    const result = await leaving(guardrails, way, answer(make("hello", MARKER)));
    expect(result.content).toEqual([{ type: "text", text: "hello" }]);
  });
});

describe("in a stream of many chunks", () => {
  const named = (name: string): AIMessageChunk[] =>
    Array.from({ length: 100 }, (_, index) => new AIMessageChunk({ id: "m", content: `word${index} `, name }));

  it.each(DIALECTS)("%s: a name in each chunk is neither emitted nor delays text", async (version) => {
    const { guardrails, asked } = await open(version, "block");
    const source = RunnableLambda.from(async function* () {
      yield* named(MARKER);
    });
    const pieces = (await drain(await source.pipe(guardrails.output() as never).stream("q"))) as AIMessageChunk[];
    expect(pieces.length).toBeGreaterThan(50);
    expect([visibleJson(pieces).includes(MARKER), asked.some((text) => text.includes(MARKER))]).toEqual([false, false]);
  });

  it.each(DIALECTS)("%s: the name of a single chunk is reviewed with its text", async (version) => {
    const { guardrails, asked } = await open(version, "block");
    const given = new AIMessageChunk({ id: "m", content: "fine", name: "Ada" });
    expect([(await leaving(guardrails, "stream", [given])).name, asked]).toEqual(["Ada", ["fine\nAda"]]);
  });

  it.each(DIALECTS)("%s: a label after emitted text is not released before its review", async (version) => {
    const { guardrails } = await open(version, "block");
    const plain = Array.from({ length: 100 }, (_, index) => ({ type: "text", text: `word${index} `, index: 0 }));
    const chunks = [...plain, { type: "text", text: "", index: 0, title: MARKER }].map(
      (block) => new AIMessageChunk({ id: "m", content: [block] as never }),
    );
    expect(visibleJson(await leaving(guardrails, "stream", chunks))).not.toContain(MARKER);
  });
});

describe("fields next to the result of a tool", () => {
  const call = new AIMessage({ content: "", tool_calls: [{ name: "look_up", args: {}, id: "c1", type: "tool_call" }] });
  const conversation = (fields: object): BaseMessage[] => [
    new HumanMessage("hello"),
    call,
    new ToolMessage({ content: "fine", tool_call_id: "c1", name: "look_up", ...fields } as never),
  ];
  const ARTIFACTS: [string, unknown, unknown][] = [
    ["a text", MARKER, "[hidden]"],
    ["an entry", { note: MARKER, size: 3 }, { note: "[hidden]", size: 3 }],
    [
      "a nested entry",
      { rows: [{ note: `a ${MARKER}` }, { note: "plain" }] },
      { rows: [{ note: "a [hidden]" }, { note: "plain" }] },
    ],
    ["a key of several words", { [`a ${MARKER} b`]: "x" }, undefined],
    ["next to bytes", { bytes: new Uint8Array([1, 2]), note: MARKER }, { note: "[hidden]" }],
    ["next to a function", { run: () => 1, note: MARKER }, undefined],
  ];
  const artifacts = DIALECTS.flatMap((version) => ARTIFACTS.map((row) => [version, ...row] as const));

  it.each(artifacts)("%s: %s of an artifact is reviewed in the history", async (version, _, artifact, left) => {
    const blocked = await open(version, "block");
    const refused = await shownTo(blocked.guardrails, "invoke", conversation({ artifact }));
    expect([refused.shown, visibleJson(refused.result).includes(MARKER)]).toEqual([[], false]);
    const masked = await open(version, "mask");
    const { shown } = await shownTo(masked.guardrails, "invoke", conversation({ artifact }));
    expect(shown.at(-1)).toMatchObject({ content: "fine", artifact: left });
  });

  it.each(artifacts)("%s: %s of an artifact is reviewed when the tool runs", async (version, _, artifact, left) => {
    const tool = {
      name: "look_up",
      description: "",
      schema: { type: "object" as const },
      invoke: async () => conversation({ artifact }).at(-1),
    };
    const toolCall = { name: "look_up", args: {}, id: "c1", type: "tool_call" as const };
    const blocked = await open(version, "block");
    const refused: unknown = await blocked.guardrails.tool(tool as never).invoke(toolCall);
    expect([visibleJson(refused).includes(MARKER), blocked.asked.length]).toEqual([false, 1]);
    const masked = await open(version, "mask");
    const result = (await masked.guardrails.tool(tool as never).invoke(toolCall)) as ToolMessage;
    expect([result.content, result.artifact]).toEqual(["fine", left]);
    expect(masked.asked).toHaveLength(1);
  });

  it.each(DIALECTS)("%s: the name of the called tool is not a text, another name is", async (version) => {
    const known = await open(version, "block");
    await shownTo(known.guardrails, "invoke", conversation({}));
    expect(known.asked.filter((text) => text.includes("look_up"))).toEqual([]);
    const other = await open(version, "block");
    expect((await shownTo(other.guardrails, "invoke", conversation({ name: MARKER }))).shown).toEqual([]);
  });
});

it.each(DIALECTS)("%s: lines that no longer match fields are removed", async (version) => {
  const { guardrails } = await make(version, "mask", () => "one\ntwo\nthree\nfour");
  const content = [{ type: "text", text: "hello", title: "a title", [MARKER]: "x" }];
  const { shown } = await shownTo(guardrails, "invoke", [new HumanMessage({ content, name: "ada" } as never)]);
  expect([shown[0]?.content, shown[0]?.name]).toEqual([[{ type: "text", text: "one\ntwo\nthree\nfour" }], undefined]);
});

it.each(DIALECTS)("%s: messages with only a text are reviewed unchanged", async (version) => {
  const { guardrails, asked } = await open(version, "block");
  const plain = [{ type: "text", text: "hello", annotations: [], index: 0 }];
  await shownTo(guardrails, "invoke", [new HumanMessage({ content: plain as never, name: "user" })]);
  await leaving(guardrails, "invoke", [
    new AIMessageChunk({
      content: plain as never,
      name: "model",
      response_metadata: { model_name: "m", usage: { a: 1 } },
    }),
  ]);
  expect(asked).toEqual(["hello", "fine", "hello"]);
});

const QUESTIONS: [string, BaseMessage[], string, unknown[]][] = [
  [
    "a name and a title",
    [new HumanMessage({ content: [{ type: "text", text: "hello", title: "a title" }], name: "ada" } as never)],
    "hello\na title\nada",
    ["hello"],
  ],
  [
    `a masked title`,
    [new HumanMessage({ content: [{ type: "text", text: "hello", title: MARKER }] } as never)],
    `hello\n${MARKER}`,
    ["hello"],
  ],
  [
    `a masked text`,
    [new HumanMessage({ content: `hello ${MARKER}`, name: "ada" })],
    `hello ${MARKER}\nada`,
    ["hello [hidden]"],
  ],
  [
    "a name of an earlier message",
    [new HumanMessage({ content: "one", name: MARKER }), new HumanMessage({ content: "two", name: "ada" })],
    "two\nada",
    ["two"],
  ],
  [
    "a file alone",
    [new HumanMessage({ content: [{ type: "file", url: "https://x.test/a", filename: "a.pdf" }] } as never)],
    "a.pdf",
    ["a.pdf"],
  ],
];

it.each(DIALECTS.flatMap((version) => QUESTIONS.map((row) => [version, ...row] as const)))(
  "%s: later stages see only the text of the user: %s",
  async (version, _, messages, read, known) => {
    const opened = await open(version, "mask");
    const { shown } = await shownTo(opened.guardrails, "invoke", messages);
    expect(opened.asked).toContain(read);
    expect(opened.known).toEqual(known.map((text) => [text, text]));
    expect(visibleJson(shown)).not.toContain(MARKER);
    expect(shown.map(({ name }) => name)).toEqual(messages.map(({ name }) => (name === MARKER ? "[hidden]" : name)));
  },
);

it("a flow `input rails` of the configuration reads the lines with the text", async () => {
  const asked: string[] = [];
  const guardrails = await Guardrails.fromConfig(
    {
      colang: `import core
import guardrails
flow input rails $input_text
  $ok = await LookAction(text=$input_text)
  if not $ok
    bot say "REFUSED"
    abort
`,
      config: { colang_version: "2.x" },
    },
    { logger: false, actions: { look: ({ text }: { text: string }) => (asked.push(text), !text.includes(MARKER)) } },
  );
  const { shown } = await shownTo(guardrails, "invoke", [new HumanMessage({ content: "hello", name: MARKER })]);
  expect([asked, shown]).toEqual([[`hello\n${MARKER}`], []]);
});

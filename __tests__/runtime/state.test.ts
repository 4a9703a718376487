import { describe, expect, it, beforeAll } from "@jest/globals";
import type { ActionContext } from "../../src/actions/action.js";
import type { TurnMessage, TurnOptions } from "../../src/turn/options.js";
import type { Runtime } from "../../src/runtime/runtime.js";
import { openBench, type Bench } from "./bench.js";
import { visibleJson } from "../support/langchain/visible-json.js";
import { LimitError, GuardrailsError } from "../../src/diagnostics/errors.js";
import { STATE_SIZE } from "../../src/engine/limits.js";
import { KEEPABLE, UNKEEPABLE } from "../../scripts/fuzz/hostile-values.js";
import { actionResult } from "../../src/actions/dispatcher.js";

const user = (content: string): TurnMessage[] => [{ role: "user", content }];
const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const DIALOG = `
define user ask
  "ask"
define user give
  "give"
define bot which
  "Which?"
define bot done
  "Done."
define flow booking
  user ask
  bot which
  user give
  bot done
define flow other
  user give
  bot which
`;

/** Runs turns, each with the state of the previous one, after a round trip through JSON. */
async function converse(runtime: Runtime, texts: readonly string[], options: TurnOptions = {}) {
  const replies: string[] = [];
  let state: unknown = {};
  for (const text of texts) {
    const result = await runtime.turn(user(text), { ...options, state });
    replies.push(result.text);
    state = json(result.state);
  }
  return { replies, state };
}

describe("a state that the caller keeps", () => {
  it("begins with `{}`, continues, and is only returned if it was given", async () => {
    const { runtime } = await openBench({ colang: DIALOG, answers: ["ask", "give"] });
    const { replies } = await converse(runtime, ["1", "2"]);
    expect(replies).toEqual(["Which?", "Done."]);
    const stateless = await openBench({ colang: DIALOG, answers: ["ask"] });
    expect((await stateless.runtime.turn(user("1"))).state).toBeUndefined();
  });

  it("is the same after JSON", async () => {
    const { runtime } = await openBench({ colang: DIALOG, answers: ["ask"] });
    const { state } = await runtime.turn(user("1"), {
      state: {},
      context: { nothing: undefined, when: new Date(0), deep: { list: [1, undefined] } },
    });
    expect(json(state)).toEqual(state);
    expect(JSON.stringify(state)).toContain('"when":"1970-01-01T00:00:00.000Z"');
  });

  it("does not contain limits", async () => {
    const { runtime } = await openBench({ colang: DIALOG, answers: ["ask"] });
    const { state } = await converse(runtime, ["1"]);
    const strict = await openBench({ colang: DIALOG, yaml: "limits: {events_per_turn: 3}", answers: ["give"] });
    const result = await strict.runtime.turn(user("2"), { state });
    expect([result.status, result.log.errors[0]?.code]).toEqual(["failed", "RL-401"]);
  });

  it("keeps an LLM-written flow, compiled again from its source", async () => {
    const yaml = "enable_multi_step_generation: true\nrails: {dialog: {single_call: {enabled: false}}}";
    const colang = `${DIALOG}\ndefine user chat\n  "chat"`;
    const open = (answers: readonly string[]): Promise<Bench> => openBench({ colang, yaml, answers });
    const written = ["chat", "bot which\nuser give\nbot done"];
    const first = await open(written);
    const { replies, state } = await converse(first.runtime, ["1"]);
    expect(replies).toEqual(["Which?"]);
    const second = await open(["give"]);
    expect((await second.runtime.turn(user("2"), { state })).text).toBe("Done.");
    const forged = JSON.stringify(state).replaceAll('"bot which\\nuser give\\nbot done"', '"bot done"');
    expect(forged).not.toBe(JSON.stringify(state));
    const third = await open(["give"]);
    const result = await third.runtime.turn(user("2"), { state: JSON.parse(forged) as unknown });
    expect([result.text, result.log.warnings.map(({ code }) => code)]).toEqual(["Which?", ["CO-502"]]);
  });
});

describe("a program that changed", () => {
  it("drops the flows that changed with a warning, and continues with the others", async () => {
    const before = await openBench({ colang: DIALOG, answers: ["ask"] });
    const { state } = await converse(before.runtime, ["1"]);
    const same = await openBench({ colang: `${DIALOG}\ndefine bot more\n  "More."`, answers: ["give"] });
    expect((await same.runtime.turn(user("2"), { state })).text).toBe("Done.");
    const changed = DIALOG.replace("user give\n  bot done", "user give\n  $x = 1\n  bot done");
    const after = await openBench({ colang: changed, answers: ["give"] });
    const result = await after.runtime.turn(user("2"), { state });
    expect([result.text, result.log.warnings]).toEqual([
      "Which?",
      [{ code: "CO-502", flow: "booking", message: expect.stringContaining("has changed") }],
    ]);
  });
});

type Json = { [key: string]: Json } & Json[];

describe("an invalid state", () => {
  const instance = (state: Json): Json => state["engine"]?.["state"]?.["instances"]?.[0] as Json;
  it.each<[string, (state: Json) => unknown]>([
    ["text", () => "state"],
    ["null", () => null],
    ["a list", () => []],
    ["another version", (state) => ({ ...state, version: 2 })],
    ["no engine", ({ engine: _engine, ...rest }) => rest],
    ["an empty engine", (state) => ({ ...state, engine: {} })],
    ["an engine that is text", (state) => ({ ...state, engine: "text" })],
    ["an engine without a state", (state) => ({ ...state, engine: { ...state["engine"], state: {} } })],
    ["another dialect", (state) => ({ ...state, engine: { ...state["engine"], dialect: "2.x" } })],
    ["no history", ({ history: _history, ...rest }) => rest],
    ["a history of nothing", (state) => ({ ...state, history: { size: 0, turns: [{ size: 0, events: [null] }] } })],
    ["an instance without a flow", (state) => Object.assign(instance(state), { flow: "unknown" }) && state],
    ["an instance after the end of its flow", (state) => Object.assign(instance(state), { at: 99 }) && state],
    ["an instance between elements", (state) => Object.assign(instance(state), { at: 0.5 }) && state],
    ["an instance of an unknown tier", (state) => Object.assign(instance(state), { tier: "root" }) && state],
    ["a step of another engine", (state) => Object.assign(state["engine"]?.["state"] ?? {}, { next: {} }) && state],
    ["a failure", (state) => Object.assign(state["engine"]?.["state"] ?? {}, { failure: {} }) && state],
    ["turns of nothing", (state) => Object.assign(state["engine"]?.["state"] ?? {}, { turns: [null] }) && state],
    ["a context that is a list", (state) => Object.assign(state["engine"]?.["state"] ?? {}, { context: [] }) && state],
  ])("is refused: %s", async (_title, forge) => {
    const { runtime } = await openBench({ colang: DIALOG, answers: ["ask"] });
    const { state } = await converse(runtime, ["1"]);
    await expect(runtime.turn(user("2"), { state: forge(state as Json) })).rejects.toMatchObject({ code: "RL-402" });
  });

  it("drops an invented flow instead of running it", async () => {
    const { runtime } = await openBench({
      colang: DIALOG,
      answers: ["ask", "give"],
      actions: {
        danger: () => {
          throw new Error("must not run");
        },
      },
    });
    const { state } = await converse(runtime, ["1"]);
    const stored = state as Json;
    const flows = {
      booking: {
        id: "booking",
        elements: [{ kind: "Run", action: "danger" }],
        sourceText: "execute danger",
        hash: "x",
      },
    };
    Object.assign(stored["engine"]?.["state"] ?? {}, { flows });
    const result = await runtime.turn(user("2"), { state: stored });
    expect([result.status, result.log.errors]).toEqual(["answered", []]);
  });
});

describe("blocked or rewritten text", () => {
  const SECRET = "the launch code is 4711";
  const RAILS = `
define bot deny
  "Not that."
define subflow closed
  bot deny
  stop
define subflow closed once
  if $user_message != "hi"
    bot deny
    stop
define subflow note
  $copy = $user_message
  $notes = execute keep
define subflow mask
  $user_message = execute mask
define subflow mask bot
  $bot_message = execute mask bot
define subflow raise
  create event InputRailException(message="no")
define subflow close chunks
  bot deny
  stop
define flow ask
  event UserMessage
  $answer = execute fetch
  bot $answer
`;
  const actions = {
    keep: (_params: unknown, { context }: ActionContext) => ({ texts: [context["user_message"]], ok: true }),
    mask: (_params: unknown, { context }: ActionContext) => String(context["user_message"]).replace("4711", "****"),
    "mask bot": (_params: unknown, { context }: ActionContext) =>
      String(context["bot_message"]).replace("4711", "****"),
    fetch: () => SECRET,
  };
  const generator = async () => ({ text: SECRET });
  const rails = (stage: string, ...flows: string[]) => `rails: {${stage}: {flows: [${flows.join(", ")}]}}`;
  const DIALOG_FREE = RAILS.slice(0, RAILS.indexOf("define flow ask"));

  it.each<[string, string, string, string, TurnOptions]>([
    ["input", DIALOG_FREE, rails("input", "closed"), SECRET, {}],
    ["input, copied into variables", DIALOG_FREE, rails("input", "note", "closed"), SECRET, {}],
    ["input, rewritten first", DIALOG_FREE, rails("input", "mask", "note", "closed"), SECRET, {}],
    ["input, by an exception", DIALOG_FREE, rails("input", "note", "raise"), SECRET, {}],
    ["input, rewritten only", DIALOG_FREE, rails("input", "mask"), SECRET, {}],
    ["input, copied and rewritten", DIALOG_FREE, rails("input", "note", "mask"), SECRET, {}],
    ["output of a chain", DIALOG_FREE, rails("output", "closed"), "hi", { generator }],
    ["output of a chain, rewritten", DIALOG_FREE, rails("output", "mask bot"), "hi", { generator }],
    ["output of an action", RAILS, rails("output", "closed"), "hi", {}],
    ["output of an action, rewritten first", RAILS, rails("output", "mask bot", "closed"), "hi", {}],
    ["output of an action, rewritten only", RAILS, rails("output", "mask bot"), "hi", {}],
    ["a variable of the call", DIALOG_FREE, rails("input", "closed"), SECRET, { context: { question: SECRET } }],
  ])("is nowhere in the stored conversation: %s", async (_title, colang, yaml, text, options) => {
    const { runtime } = await openBench({ colang, yaml, actions, answers: ["fine", "fine"] });
    const first = await runtime.turn(user(text), { ...options, state: {}, outputVars: true });
    expect(visibleJson([first.state, first.text, first.decisions, first.outputData])).not.toContain("4711");
    const again = { ...options, context: undefined, state: json(first.state), outputVars: true } as const;
    const second = await runtime.turn(user("hi"), again);
    expect(visibleJson([second.state, second.outputData])).not.toContain("4711");
  });

  it.each([true, false])("is checked in every earlier text of the state, with dialog %p", async (dialog) => {
    const { runtime } = await openBench({ colang: DIALOG_FREE, yaml: rails("input", "closed once"), answers: ["ok"] });
    const messages = [...user(SECRET), ...user("hi")];
    const result = await runtime.turn(messages, { state: {}, rails: { dialog } });
    expect([result.status, JSON.stringify(result.state).includes("4711")]).toEqual(["blocked", false]);
  });

  it("is removed from the evidence too, chunk by chunk", async () => {
    const options = {
      state: {},
      outputVars: true,
      context: { relevant_chunks: SECRET, relevant_chunks_sep: [SECRET] },
    };
    const colang = `${DIALOG_FREE}\ndefine user greet\n  "hi"\ndefine flow\n  user greet\n  bot deny`;
    const closed = await openBench({ colang, yaml: rails("retrieval", "close chunks"), answers: ["greet"] });
    const blocked = await closed.runtime.turn(user("hi"), options as TurnOptions);
    expect([blocked.status, JSON.stringify(blocked.state).includes("4711")]).toEqual(["blocked", false]);
    const masking = await openBench({
      colang: `${colang}\ndefine subflow clean\n  $relevant_chunks = "clean"`,
      yaml: rails("retrieval", "clean"),
      answers: ["greet"],
    });
    const rewritten = await masking.runtime.turn(user("hi"), options as TurnOptions);
    expect(rewritten.outputData).toMatchObject({ relevant_chunks: "clean", relevant_chunks_sep: ["clean"] });
    expect(visibleJson(rewritten.state)).not.toContain("4711");
  });

  it("is removed without other text", async () => {
    const { runtime } = await openBench({ colang: DIALOG_FREE, yaml: rails("input", "closed once"), answers: ["ok"] });
    const first = await runtime.turn(user("hi"), { state: {}, context: { sure: "no", profile: { name: "Mina" } } });
    const second = await runtime.turn(user("no"), { state: json(first.state), outputVars: true });
    expect([second.status, second.outputData?.["sure"], second.outputData?.["profile"]]).toEqual([
      "blocked",
      "no",
      { name: "Mina" },
    ]);
  });
});

const go: TurnMessage = { role: "event", event: { type: "Go" } };
const DIALECTS = {
  "Colang 1.0": { colang: 'define flow\n  event Go\n  bot said\n\ndefine bot said\n  "said"\n', yaml: "models: []\n" },
  "Colang 2.x": {
    colang: 'import core\n\nflow main\n  while True\n    match Go()\n    bot say "said"\n',
    yaml: 'colang_version: "2.x"\n',
  },
} as const;

describe.each(Object.entries(DIALECTS))("the state of a conversation of %s", (_, config) => {
  it("has a limit over many turns, and stays as it was when a turn exceeds it", async () => {
    const { runtime } = await openBench({ ...config, bare: true });
    let state: unknown = {};
    let turns = 0;
    const keep = async (): Promise<void> => {
      const context = { [`text_${turns}`]: String(turns).repeat(4_000_000).slice(0, 4_000_000) };
      ({ state } = await runtime.turn([go], { state, context }));
      turns += 1;
    };
    const growing = (async () => {
      for (let turn = 0; turn < 100; turn += 1) await keep();
    })();
    await expect(growing).rejects.toMatchObject({ code: "RL-401", limit: "stateSize", maximum: STATE_SIZE });
    await expect(keep()).rejects.toBeInstanceOf(LimitError);
    expect(turns).toBeLessThan(STATE_SIZE / 4_000_000);
    expect((await runtime.turn([go], { state })).text).toBe("said");
    // Dropped variables make room.
    expect((await runtime.turn([go], { state, context: { text_0: null, text_1: null } })).text).toBe("said");
  });
});

it("reads a global that contains itself as null, and the conversation continues", async () => {
  const colang = `import core

flow main
  global $list
  $list = []
  while True
    match Go()
    ($list.append($list))
    bot say "said"
`;
  const { runtime } = await openBench({ colang, yaml: 'colang_version: "2.x"\n', bare: true });
  let state: unknown = {};
  for (let turn = 0; turn < 3; turn += 1) {
    const result = await runtime.turn([go], { state, outputVars: ["list"] });
    expect([result.text, result.outputData]).toEqual(["said", { list: null }]);
    state = JSON.parse(JSON.stringify(result.state));
  }
});

describe("values that enter a conversation", () => {
  /** Result of the action in the next turn. */
  let returned: () => unknown = () => null;
  const odd = (): unknown => returned();

  const OPEN = {
    "Colang 1.0": async () => {
      const colang = 'define flow\n  event Go\n  $got = execute odd\n  bot said\n\ndefine bot said\n  "said"\n';
      return (await openBench({ colang, actions: { odd }, bare: true })).runtime;
    },
    "Colang 2.x": async () => {
      const colang =
        'import core\n\nflow main\n  while True\n    match Go()\n    $got = await OddAction()\n    bot say "said"\n';
      const yaml = 'colang_version: "2.x"\n';
      return (await openBench({ colang, yaml, actions: { OddAction: odd }, bare: true })).runtime;
    },
  } as const;
  type Dialect = keyof typeof OPEN;

  interface Entry {
    /** Name of the position in errors. */
    readonly at: string;
    /** The error is in the log: the turn itself has an outcome. */
    readonly isLogged?: true;
    give(order: unknown, state: unknown): { readonly messages: readonly TurnMessage[]; readonly options?: TurnOptions };
  }
  const ENTRIES: Readonly<Record<string, Entry>> = {
    "the `context` option": {
      at: "context.order",
      give: (order) => ({ messages: [go], options: { context: { order } } }),
    },
    "a context message": {
      at: "context.order",
      give: (order) => ({ messages: [{ role: "context", content: { order } }, go] }),
    },
    "a field of an event": {
      at: "event.order",
      give: (order) => ({ messages: [{ role: "event", event: { type: "Go", order } }] }),
    },
    "the data of a ContextUpdate": {
      at: "event.data.order",
      give: (order) => ({ messages: [{ role: "event", event: { type: "ContextUpdate", data: { order } } }, go] }),
    },
    "the result of an action": {
      at: "order",
      isLogged: true,
      give: (order) => {
        returned = () => ({ order });
        return { messages: [go] };
      },
    },
    "context updates of an action": {
      at: "contextUpdates.order",
      isLogged: true,
      give: (order) => {
        returned = () => actionResult({ contextUpdates: { order } });
        return { messages: [go] };
      },
    },
    "a stored state": {
      at: "state.order",
      give: (order, state) => ({ messages: [go], options: { state: { ...(state as object), order } } }),
    },
  };

  const LARGE: ReadonlySet<string> = new Set(["deep maps", "many items", "long texts"]);
  /** Megabytes: both dialects read values of the caller by the same code, so one of them is enough. */
  const HUGE: ReadonlySet<string> = new Set(["many items", "long texts", "items that are met again and again"]);

  describe.each(Object.keys(OPEN) as Dialect[])("a value that enters a conversation of %s", (dialect) => {
    let runtime: Runtime;
    let state: unknown;
    beforeAll(async () => {
      runtime = await OPEN[dialect]();
      state = (await runtime.turn([go], { state: {} })).state;
    });

    const give = async (entry: Entry, value: unknown) => {
      returned = () => null;
      const { messages, options } = entry.give({ items: ["a", value] }, state);
      return runtime.turn(messages, { state, ...options });
    };

    it.each(Object.entries(ENTRIES))("is refused with its path if it cannot be kept: %s", async (_, entry) => {
      const isState = entry.at === "state.order";
      for (const [name, make] of Object.entries(UNKEEPABLE)) {
        if (isState && LARGE.has(name)) continue;
        if (dialect === "Colang 1.0" && entry.isLogged !== true && HUGE.has(name)) continue;
        const outcome: unknown = await give(entry, make()).catch((error: unknown) => error);
        const error = entry.isLogged ? (outcome as { log: { errors: readonly unknown[] } }).log.errors[0] : outcome;
        if (!entry.isLogged) expect([name, GuardrailsError.isInstance(error)]).toEqual([name, true]);
        const { code, message, cause } = error as GuardrailsError;
        expect([name, code]).toEqual([name, expect.stringMatching(isState ? /^RL-402$/ : /^(RL-101|RL-401|CO-407)$/)]);
        const text = isState ? (cause as Error).message : message;
        // A limit counts the whole value, so its error names the whole.
        const isLimit = /exceeds the limit|more than/.test(text);
        expect([name, text]).toEqual([name, expect.stringContaining(isLimit ? "" : `${entry.at}.items[1]`)]);
      }
      expect((await give(entry, "fine")).log.errors).toEqual([]);
    });

    it.each(Object.entries(ENTRIES))("is kept as JSON if it has that form: %s", async (_, entry) => {
      for (const [name, make] of Object.entries(KEEPABLE)) {
        const result = await give(entry, make());
        expect([name, result.log.errors, result.text]).toEqual([name, [], "said"]);
        expect(JSON.parse(JSON.stringify(result.state))).toEqual(result.state);
      }
      expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    });
  });
});

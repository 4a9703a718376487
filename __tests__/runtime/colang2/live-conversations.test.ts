import { describe, expect, it } from "@jest/globals";
import { assert, property } from "fast-check";
import { HumanMessage } from "@langchain/core/messages";
import { Guardrails } from "../../../src/index.js";
import { MemoryThreadStore } from "../../../src/langchain/threads.js";
import type { EngineConversation } from "../../../src/colang2/engine/conversation.js";
import type { Colang2Program } from "../../../src/colang2/program.js";
import { countingIds } from "../../../src/engine/events.js";
import type { Colang2Services } from "../../../src/runtime/colang2/run.js";
import {
  keepLive,
  openColang2Conversation,
  storeColang2Conversation,
} from "../../../src/runtime/colang2/stored-conversation.js";
import { appendTurn, EMPTY_HISTORY, readMessages, userMessages, type History } from "../../../src/turn/conversation.js";
import { compileText } from "../../colang2/engine-driver.js";
import { type Happening, happenings, program } from "../../colang2/engine/program-arbitrary.js";
import { propertyRuns } from "../../support/property-runs.js";

const NOTHING_HIDDEN = { blocked: new Set<string>(), redactor: undefined, replace: (text: string) => text };

function servicesOf(compiled: Colang2Program): Colang2Services {
  const parts = { program: compiled, limits: { slideSteps: 200 }, neutralActions: new Set() };
  return { ...parts, events: { ids: countingIds("test") } } as unknown as Colang2Services;
}

interface Opened {
  readonly engine: EngineConversation;
  readonly history: History;
}

function open(services: Colang2Services, stored: unknown, live: "take" | "find" | undefined): Opened {
  return openColang2Conversation(services, stored, { input: readMessages([]), context: {}, live });
}

function close(services: Colang2Services, { engine, history }: Opened, isKept = true): object {
  const stored = storeColang2Conversation(services, engine, history, { hidden: NOTHING_HIDDEN });
  if (isKept) keepLive(services, engine, history, stored);
  return stored;
}

/** A conversation that has begun. */
function begin(services: Colang2Services): Opened {
  const opened = open(services, undefined, "take");
  opened.engine.begin();
  return opened;
}

const clone = (data: unknown): unknown =>
  data === undefined ? undefined : (JSON.parse(JSON.stringify(data)) as unknown);

/** Ways in which the turns of a conversation load it. */
const WAYS = {
  read: { live: undefined, pass: clone, services: 1 },
  live: { live: "take", pass: (stored: unknown) => stored, services: 1 },
  "live, from a store of JSON": { live: "take", pass: clone, services: 1 },
  "in turn by two processes": { live: "take", pass: clone, services: 2 },
} as const;

/** A stored conversation, as tests change it. */
interface Stored {
  readonly engine: { readonly flows: object[]; random?: number };
  readonly history: unknown[];
}

/** Returns the utterances of a conversation that is stored after every event, and its stored states. */
function play(compiled: Colang2Program, events: readonly Happening[], way: keyof typeof WAYS): readonly string[] {
  const { live, pass, services: count } = WAYS[way];
  const services = Array.from({ length: count }, () => servicesOf(compiled));
  let stored: unknown;
  return events.flatMap((event, step) => {
    const own = services[step % count] as Colang2Services;
    const opened = open(own, pass(stored), live);
    const sent = [...opened.engine.begin().events];
    if (event.kind === "event") {
      sent.push(...opened.engine.process({ type: event.type, n: event.n, uid: `e${step}` }).events);
    }
    stored = close(own, opened, live !== undefined);
    return [...sent.map((one) => JSON.stringify(one)), JSON.stringify(stored)];
  });
}

const PROGRAM = `flow main
  activate counting
  match Never()

@active
flow counting
  global $n
  match Next()
  $n = $n + 1
  send Counted(n=$n)
`;

/** Programs in which only `main` starts flows; others may use up the work of an event, which is slow. */
const finite = program.filter((text) => {
  const [, flows = ""] = text.split("flow fa ");
  return !text.includes("while") && !/(?:start|await|activate|when|and|or|\() *f[abc]/.test(flows);
});

describe("a live conversation of this process", () => {
  it("equals a conversation that it reads", () => {
    assert(
      property(finite, happenings, (text, events) => {
        const compiled = compileText(text);
        const expected = play(compiled, events, "read");
        for (const way of Object.keys(WAYS) as (keyof typeof WAYS)[])
          expect(play(compiled, events, way)).toEqual(expected);
      }),
      { numRuns: propertyRuns(3), seed: 20261123 },
    );
  });

  it("is used by one turn, and read by the next one if that turn fails", () => {
    const services = servicesOf(compileText(PROGRAM));
    const stored = close(services, begin(services));
    const found = open(services, stored, "find").engine.state;
    const taken = open(services, stored, "take");
    expect(taken.engine.state).toBe(found);
    taken.engine.process({ type: "Next" });
    const again = open(services, stored, "take");
    expect(again.engine.state).not.toBe(found);
    expect(close(services, again)).toEqual(stored);
  });

  it("is used for equal data of a store, and never for other services", () => {
    const services = servicesOf(compileText(PROGRAM));
    const stored = close(services, begin(services));
    const found = open(services, stored, "find").engine.state;
    expect(open(services, clone(stored), "find").engine.state).toBe(found);
    expect(open(servicesOf(services.program), stored, "find").engine.state).not.toBe(found);
  });

  it.each<readonly [string, (stored: Stored) => void]>([
    ["a field that is changed", ({ engine }) => Object.assign(engine.flows[0] ?? {}, { status: "x" })],
    ["a field that is added", ({ engine }) => Object.assign(engine, { other: 1 })],
    ["a field that is missing", ({ engine }) => delete engine.random],
    ["an item that is added", ({ history }) => history.push([["u"]])],
    [
      "a field that cannot be read",
      ({ engine }) =>
        Object.defineProperty(engine, "ids", {
          enumerable: true,
          get: () => {
            throw new Error("unreadable");
          },
        }),
    ],
  ])("is not used for data with %s, which is refused", (_title, change) => {
    const services = servicesOf(compileText(PROGRAM));
    const stored = clone(close(services, begin(services))) as Stored;
    change(stored);
    expect(() => open(services, stored, "take")).toThrow(expect.objectContaining({ code: "RL-402" }));
  });

  it("is not changed by a late action of the previous turn", () => {
    const services = servicesOf(compileText(PROGRAM));
    const opened = begin(services);
    const stored = close(services, opened);
    opened.engine.removeFlows(["counting"]);
    expect(opened.engine.state.definitions.has("counting")).toBe(false);
    const next = open(services, stored, "find").engine;
    expect(next.state.definitions.has("counting")).toBe(true);
    expect(next.state).not.toBe(opened.engine.state);
  });

  it("is stored as data that never changes", () => {
    const services = servicesOf(compileText(PROGRAM));
    const history = appendTurn(EMPTY_HISTORY, userMessages(["hello"]));
    const stored = close(services, { ...begin(services), history });
    const parts: unknown[] = [stored];
    for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
      if (typeof part !== "object" || part === null) continue;
      expect(Object.isFrozen(part)).toBe(true);
      parts.push(...(Object.values(part) as unknown[]));
    }
  });
});

describe("a thread of Colang 2.x", () => {
  const COLANG = `import core

flow counting
  global $count
  user said something
  $count = $count + 1
  bot say "{$count}"
  if $count == 2
    match Other()

flow main
  global $count
  $count = 0
  activate counting
  wait indefinitely
`;
  const CONFIG = { colang: COLANG, config: { colang_version: "2.x", models: [] } };
  const thread = { configurable: { thread_id: "a" } };
  const say = [new HumanMessage("hello")];

  it("continues from one process to another and back", async () => {
    const threads = new MemoryThreadStore();
    const options = { threads };
    const colang = COLANG.replace("    match Other()\n", "    pass\n");
    const processes = await Promise.all([1, 2].map(() => Guardrails.fromConfig({ ...CONFIG, colang }, options)));
    const texts: string[] = [];
    for (const at of [0, 1, 1, 0, 0, 1]) {
      const { response } = (await processes[at]?.generate(say, {}, thread)) ?? {};
      texts.push(JSON.stringify(response));
    }
    expect(texts).toEqual(
      ["1", "2", "3", "4", "5", "6"].map((content) => `[{"role":"assistant","content":"${content}"}]`),
    );
  });

  it("explains a turn by the state after it, also after another turn", async () => {
    const guardrails = await Guardrails.fromConfig(CONFIG, {});
    const first = await guardrails.generate(say, {}, thread);
    const before = first.explain.why("counting");
    const second = await guardrails.generate(say, {}, thread);
    expect(first.explain.why("counting")).toEqual(before);
    expect(second.explain.why("counting")).not.toEqual(before);
  });
});

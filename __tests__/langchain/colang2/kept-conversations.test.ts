import { describe, expect, it } from "@jest/globals";
import { HumanMessage } from "@langchain/core/messages";
import type { Guardrails } from "../../../src/index.js";
import { MemoryThreadStore } from "../../../src/langchain/threads.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { guardrails2 } from "./guardrails-2x.js";

const DIALOG = `
import guardrails

flow main
  activate tracking bot talking state
  activate tracking user talking state
  activate echo

flow echo
  user said something as $heard
  bot say "You asked: {$heard.transcript}"
`;

const QUESTION = "when do you open on Saturdays, and is there a place nearby where one can leave a bicycle?";

interface Kept {
  readonly version: number;
  readonly history: readonly (readonly (readonly string[])[])[];
  readonly engine: Readonly<Record<string, unknown>>;
}

function keptOf(threads: MemoryThreadStore, thread: string): Kept {
  const found = threads.get(thread);
  if (found === undefined) throw new Error(`nothing is kept of ${thread}`);
  return found.state as Kept;
}

async function talk(turns: number): Promise<{ guardrails: Guardrails; threads: MemoryThreadStore; sizes: number[] }> {
  const threads = new MemoryThreadStore();
  const guardrails = await guardrails2({ colang: DIALOG, threads, input: ["check words"], output: ["check answer"] });
  const sizes: number[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    const text = `${String.fromCharCode(97 + (turn % 26))}: ${QUESTION}`;
    await guardrails.invoke([new HumanMessage(text)], { configurable: { thread_id: "a" } });
    sizes.push(Buffer.byteLength(JSON.stringify(threads.get("a")?.state)));
  }
  return { guardrails, threads, sizes };
}

describe("a conversation of Colang 2.x that is kept", () => {
  it("stays below 16 KiB however long it is, and remembers the last 40 turns", async () => {
    const { guardrails, threads, sizes } = await talk(60);
    expect(Math.max(...sizes)).toBeLessThan(16 * 1024);
    const { history } = keptOf(threads, "a");
    expect(history.length).toBe(40);
    expect(history.at(-1)).toEqual([
      ["u", `h: ${QUESTION}`],
      ["b", `You asked: h: ${QUESTION}`],
    ]);
    const { log } = await guardrails.generate(
      "and on Sundays?",
      { log: { colangHistory: true } },
      { configurable: { thread_id: "a" } },
    );
    expect(log.colangHistory).toContain(`You asked: h: ${QUESTION}`);
  });

  it("stores a text once, which the log of the engine refers to", async () => {
    const { threads } = await talk(2);
    const { engine } = keptOf(threads, "a");
    expect(engine["history"]).toEqual([
      [2, ['user said "', 0, '"']],
      [3, "bot say", 1],
      [2, ['user said "', 2, '"']],
      [3, "bot say", 3],
    ]);
  });

  it("can be read as the first version kept it", async () => {
    const { guardrails, threads } = await talk(1);
    const { history: _, engine, ...kept } = keptOf(threads, "a");
    const events = [{ type: "UserMessage", text: "are you open?" }];
    const log = [{ name: "UserActionLog", flow: 'user said "are you open?"', parameter: null, intent: null }];
    const first = {
      ...kept,
      version: 1,
      engine: { ...engine, history: log },
      history: { turns: [{ events, size: 37 }], size: 37 },
    };
    threads.set("b", { version: 1, state: JSON.parse(JSON.stringify(first)) as unknown });
    await guardrails.invoke([new HumanMessage("thanks")], { configurable: { thread_id: "b" } });
    const { version, history, engine: after } = keptOf(threads, "b");
    expect([version, history]).toEqual([
      2,
      [
        [["u", "are you open?"]],
        [
          ["u", "thanks"],
          ["b", "You asked: thanks"],
        ],
      ],
    ]);
    expect(after["history"]).toEqual([
      [2, ['user said "', 0, '"']],
      [2, ['user said "', 1, '"']],
      [3, "bot say", 2],
    ]);
  });

  it.each<readonly [string, unknown]>([
    ["of another form", { turns: "x" }],
    ["of turns that are none", [7]],
    ["by another program", [[["x", "text"]]]],
    ["of no text", [[["u", 7]]]],
    ["with more than a text", [[["u", "text", "more"]]]],
    ["of events without a type", [[{ text: "hi" }]]],
  ])("is refused with a history %s", async (_, history) => {
    const { guardrails, threads } = await talk(1);
    const state = { ...keptOf(threads, "a"), history };
    threads.set("a", { version: 1, state });
    const turn = guardrails.invoke([new HumanMessage("hi")], { configurable: { thread_id: "a" } });
    await expect(turn).rejects.toMatchObject({ code: "RL-402" });
  });

  it("keeps nothing of a text that was blocked", async () => {
    const threads = new MemoryThreadStore();
    const guarded = (await guardrails2({ threads, input: ["check words"] })).wrap(scriptedModel(["fine"]));
    await guarded.invoke("hello", { configurable: { thread_id: "a" } });
    await guarded.invoke("a bad word", { configurable: { thread_id: "a" } });
    expect(JSON.stringify(threads.get("a")?.state)).not.toContain("bad word");
  });
});

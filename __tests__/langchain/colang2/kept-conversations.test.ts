import { describe, expect, it } from "@jest/globals";
import { HumanMessage } from "@langchain/core/messages";
import { Guardrails, type RailDecision } from "../../../src/index.js";
import { MemoryThreadStore } from "../../../src/langchain/threads.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { guardrails2 } from "./guardrails-2x.js";
import { OwnRails } from "../../../src/runtime/colang2/output-stage.js";

describe("stored conversations", () => {
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

  describe("a stored conversation of Colang 2.x", () => {
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

    it("is read as the first version stored it", async () => {
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

    it("stores nothing of a blocked text", async () => {
      const threads = new MemoryThreadStore();
      const guarded = (await guardrails2({ threads, input: ["check words"] })).wrap(scriptedModel(["fine"]));
      await guarded.invoke("hello", { configurable: { thread_id: "a" } });
      await guarded.invoke("a bad word", { configurable: { thread_id: "a" } });
      expect(JSON.stringify(threads.get("a")?.state)).not.toContain("bad word");
    });
  });
});

describe("dialogs with a model", () => {
  const CONFIG = {
    yaml: 'colang_version: "2.x"',
    colang: `import core
import llm

flow main
  activate llm continuation
  activate greeting
  match Never()

flow greeting
  user expressed greeting
  bot say "Hello there!"

flow user expressed greeting
  user said "hi"
`,
  };

  describe("a dialog in Colang 2.x with a model", () => {
    it.each([
      ["a text that a flow waits for calls no model", "hi", [], "Hello there!"],
      [
        "an intent from the model lets the waiting flow continue",
        "good day",
        ["user intent: user expressed greeting"],
        "Hello there!",
      ],
      [
        "an intent without a flow is continued by a flow the model writes",
        "tell me a joke",
        ["user intent: user asked joke", 'bot intent: bot made joke\nbot action: bot say "Knock knock"'],
        "Knock knock",
      ],
    ])("%s", async (_, said, completions, answer) => {
      const llm = scriptedModel(completions);
      const guardrails = await Guardrails.fromConfig(CONFIG, { llm });
      const { response } = await guardrails.generate([{ role: "user", content: said }]);
      expect(response).toEqual([{ role: "assistant", content: answer }]);
      expect(llm.calls).toHaveLength(completions.length);
    });

    it("continues in the next turn of a thread, without the flow that a model wrote", async () => {
      const llm = scriptedModel([
        "user intent: user asked joke",
        'bot intent: bot made joke\nbot action: bot say "Knock knock"',
      ]);
      const guardrails = await Guardrails.fromConfig(CONFIG, { llm });
      const config = { configurable: { thread_id: "jokes" } };
      const first = await guardrails.invoke([{ role: "user", content: "tell me a joke" }], config);
      const second = await guardrails.invoke([{ role: "user", content: "hi" }], config);
      expect([first, second].map((message) => (message as { readonly text: string }).text)).toEqual([
        "Knock knock",
        "Hello there!",
      ]);
    });

    it.each(["", "42", "flow evil\n  send Anything()", 'bot action: await ShellAction(cmd="rm")'])(
      "a model that replies %j makes the bot do nothing",
      async (completion) => {
        let runs = 0;
        const ShellAction = (): string => `run ${(runs += 1)}`;
        const llm = scriptedModel(["user intent: user asked joke", completion]);
        const guardrails = await Guardrails.fromConfig(CONFIG, { llm, actions: { ShellAction } });
        const { response } = await guardrails.generate([{ role: "user", content: "tell me a joke" }]);
        expect(JSON.stringify(response)).not.toMatch(/Anything|evil|ShellAction/);
        expect(runs).toBe(0);
      },
    );
  });
});

describe("long sessions", () => {
  const SESSION = `import core
import guardrails
flow main
  activate polite
  activate careless
flow careless
  match Slip()
  $x = 1 / 0
flow polite
  user said something as $ref
  $text = $ref.transcript
  bot say "you said {$text}"
flow input rails $input_text
  if "attack" in $input_text
    bot say "no"
    abort
  if "error" in $input_text
    $x = 1 / 0
flow output rails $output_text
  pass
`;
  const said = (text: string) => ({ type: "UtteranceUserActionFinished", final_transcript: text });

  describe("the state of a long conversation", () => {
    it("does not grow in a session of events", async () => {
      const guardrails = await Guardrails.fromConfig({ colang: SESSION, config: { colang_version: "2.x" } });
      const session = guardrails.events();
      const sizes: number[] = [];
      for (let turn = 100; turn < 190; turn += 1) {
        session.send(said(turn % 3 === 0 ? `attack ${turn}` : `hello ${turn}`));
        await session.settled();
        if (turn % 10 === 0) sizes.push(JSON.stringify(await session.state()).length);
      }
      session.close();
      expect(sizes.at(-1)).toBeLessThan(1.02 * Math.max(...sizes.slice(4, 7)));
    });

    it("does not keep every text that the program's rails blocked", () => {
      const turn = { now: () => 0, recordDecision: () => undefined, userTexts: [""], decisions: [] };
      const run = { turn, events: [], engine: { globals: {} } };
      const services = { ownRailFlows: new Set(["input rails"]), program: { flows: [] }, onError: "block" };
      const own = new OwnRails(services as never, run as never);
      for (let count = 0; count < 10_000; count += 1) {
        turn.userTexts = [`attack ${count}`];
        const instance = String(count);
        own.note([
          { type: "started", flow: "input rails", instance },
          { type: "aborted", flow: "input rails", instance, why: "failed" },
        ] as never);
      }
      expect(own.blocked).toHaveLength(1_000);
      expect(own.blocked.at(-1)).toBe("attack 9999");
      expect(own.isPending).toBe(false);
    });
  });

  describe("a block of the program's rails in a session", () => {
    it.each([
      ["of a rail that failed", [said("error")]],
      ["of a flow that is not a rail", [{ type: "Slip" }]],
    ])("is not an error because of an earlier failure %s", async (_title, earlier) => {
      const decisions: RailDecision[] = [];
      const guardrails = await Guardrails.fromConfig(
        { colang: SESSION, config: { colang_version: "2.x" } },
        { logger: false, onDecision: (decision) => decisions.push(decision) },
      );
      const session = guardrails.events();
      for (const event of [...earlier, said("attack")]) {
        session.send(event);
        await session.settled();
      }
      session.close();
      expect(decisions.findLast(({ stage }) => stage === "input")?.status).toBe("blocked");
    });
  });
});

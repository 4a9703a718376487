import { describe, expect, it, jest } from "@jest/globals";
import {
  formatDiagnostic,
  Guardrails,
  type GuardrailsOptions,
  inputModeration,
  type Logger,
} from "langchain-guardrails";
import { AIMessage } from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import { scriptedModel } from "../../../src/testing/scripted-model.js";
import { forgetLogged } from "../../../src/diagnostics/logger.js";
import { MARKED, type Stage, SURFACES } from "../../support/langchain/guarded-surfaces.js";
import { drain, type Version } from "../../support/langchain/real-guardrails.js";
import { visibleJson } from "../../support/langchain/visible-json.js";
import { railFlows } from "../../support/rail-flows.js";

describe("the logger", () => {
  const COLANG: Readonly<Record<Version, string>> = {
    "1.0": "define subflow judge\n  $ok = execute judge_text\n  if not $ok\n    bot refuse to respond\n    stop\n",
    "2.x": "import core\nflow judge\n  $ok = await JudgeTextAction()\n  if not $ok\n    abort\n",
  };

  /** A provider whose error quotes the prompt. */
  class AuthenticationError extends Error {
    override readonly name = "AuthenticationError";
    readonly status = 401;
    readonly code = "invalid_api_key";
  }

  const unauthorised = (): never => {
    throw new AuthenticationError(`no key for the request "${MARKED}"`);
  };

  interface Lines extends Logger {
    readonly lines: string[];
  }

  const linesOf = (): Lines => {
    const lines: string[] = [];
    return { lines, warn: (line) => void lines.push(line), error: (line) => void lines.push(line) };
  };

  interface Setup extends GuardrailsOptions {
    readonly version?: Version;
    readonly stage?: Stage;
    readonly judge?: (input: unknown, context: unknown) => unknown;
    readonly reply?: string | undefined;
  }

  const load = ({
    version = "1.0",
    stage = "input",
    judge = unauthorised,
    reply = "fine",
    ...options
  }: Setup): Promise<Guardrails> =>
    Guardrails.fromConfig(
      { colang: COLANG[version], config: { colang_version: version, rails: { [stage]: { flows: ["judge"] } } } },
      { llm: scriptedModel([reply, reply]), actions: { judge_text: judge }, ...options },
    );

  const VERSIONS = ["1.0", "2.x"] as const;
  const CELLS = VERSIONS.flatMap((version) => SURFACES.map((surface) => ({ version, ...surface })));

  describe.each(CELLS)(
    "a rail that fails (Colang $version, $name, $stage)",
    ({ version, stage, run, reports, reply }) => {
      it("is logged once with code, rail, status and hint, and without the text", async () => {
        const logger = linesOf();
        const guardrails = await load({ version, stage, logger, reply });
        for (const _ of [1, 2])
          await run(guardrails).catch((error: unknown) => reports === true && Promise.reject(error));
        expect(logger.lines).toHaveLength(1);
        expect(logger.lines[0]).toMatch(
          /^error\[RL-201\]: rail `judge` \((?:input|output|retrieval|execution)\) failed: .*HTTP 401, AuthenticationError, invalid_api_key.*blocked\n(?: {2}at .*\n)? {2}hint: check the API key/,
        );
        expect(logger.lines[0]).not.toContain("zanzibar");
      });
    },
  );

  describe.each(VERSIONS)("the logger (Colang %s)", (version) => {
    it("receives a rail that timed out", async () => {
      const logger = linesOf();
      const never = () => new Promise(() => undefined);
      const guardrails = await load({ version, judge: never, timeoutMs: 1, logger });
      expect((await guardrails.check(MARKED, { stage: "input" })).status).toBe("blocked");
      expect(logger.lines).toEqual([
        "error[RL-103]: rail `judge` (input) failed: no result within 1 ms, so the text it checked is blocked\n" +
          "  hint: raise `timeoutMs`, or give the rail a faster model",
      ]);
    });

    it("receives the prompt's limit for a prompt that is too long", async () => {
      const logger = linesOf();
      const yaml = `colang_version: "${version}"
rails:
  input:
    flows: [self check input]
prompts:
  - task: self_check_input
    content: "Is this text, which is a part of a longer one, to be blocked? {{ user_input }}"
    max_length: 20
`;
      const guardrails = await Guardrails.fromConfig({ yaml }, { llm: scriptedModel([]), logger });
      expect((await guardrails.check(MARKED, { stage: "input" })).status).toBe("blocked");
      expect(logger.lines).toEqual([expect.stringContaining("hint: raise `max_length` of the prompt under `prompts`")]);
    });

    it("receives the model whose call failed", async () => {
      const logger = linesOf();
      const yaml = `colang_version: "${version}"
rails:
  input:
    flows: [self check input]
prompts:
  - task: self_check_input
    content: "block? {{ user_input }}"
`;
      const llm = scriptedModel([new AuthenticationError(MARKED)]);
      const guardrails = await Guardrails.fromConfig({ yaml }, { llm, logger });
      expect((await guardrails.check(MARKED, { stage: "input" })).status).toBe("blocked");
      expect(logger.lines).toHaveLength(1);
      expect(logger.lines[0]).toMatch(/^error\[RL-301\]: rail `self check input` \(input\).*model `.+\/.+`.*HTTP 401/);
      expect(logger.lines[0]).not.toContain(MARKED);
    });

    it.each([
      ["throws", () => unauthorised()],
      ["rejects", async () => unauthorised()],
    ])("changes no verdict when it %s", async (_how, fail) => {
      const logger = { warn: fail, error: fail } as unknown as Logger;
      const guardrails = await load({ version, logger });
      expect((await guardrails.check(MARKED, { stage: "input" })).status).toBe("blocked");
    });

    it("receives a warning when a failed rail lets a message pass", async () => {
      const logger = linesOf();
      const guardrails = await load({ version, logger, onError: "allow" });
      expect((await guardrails.check(MARKED, { stage: "input" })).status).toBe("passed");
      expect(logger.lines[0]).toContain("passed unchecked");
    });

    it("receives the failure of a decision listener", async () => {
      const logger = linesOf();
      const guardrails = await load({ version, judge: () => true, logger, onDecision: unauthorised });
      expect((await guardrails.check(MARKED, { stage: "input" })).status).toBe("passed");
      expect(logger.lines[0]).toContain("action `onDecision` failed");
    });

    it("receives warnings of the configuration, each once", async () => {
      const logger = linesOf();
      const warned = { config: { colang_version: version } };
      const { warnings } = await Guardrails.fromConfig(warned, { logger });
      await Guardrails.fromConfig(warned, { logger });
      expect(logger.lines).toEqual(warnings.map(formatDiagnostic));
      expect(logger.lines[0]).toMatch(/^warning\[CF-201\]/);
    });

    it("receives no blocked or passed text", async () => {
      const logger = linesOf();
      const guardrails = await load({ version, judge: () => false, logger });
      expect((await guardrails.check(MARKED, { stage: "input" })).status).toBe("blocked");
      expect(logger.lines).toEqual([]);
    });
  });

  it("receives the failed flow of a conversation, and its action", async () => {
    const logger = linesOf();
    const colang = 'define flow\n  user said hi\n  execute judge_text\n\ndefine user said hi\n  "hi"\n';
    const guardrails = await Guardrails.fromConfig({ colang }, { actions: { judge_text: unauthorised }, logger });
    await guardrails.generate("hi");
    expect(logger.lines).toHaveLength(1);
    expect(logger.lines[0]).toMatch(/^error\[RL-201\]: action `judge_text` failed: .*HTTP 401/);
  });

  it.each([
    [
      "an event session",
      async (g: Guardrails) => {
        const session = g.events();
        session.send({ type: "UtteranceUserActionFinished", final_transcript: "hi" });
        await session.settled();
        session.close();
      },
    ],
    ["a single flow", (g: Guardrails) => g.flow("main").invoke("hi")],
    ["a turn", (g: Guardrails) => g.generate("hi")],
  ])("receives a flow that fails in %s", async (_name, run) => {
    const logger = linesOf();
    const colang = 'flow main\n  match UtteranceUserAction.Finished()\n  $x = 1 + "a"\n';
    const guardrails = await Guardrails.fromConfig({ colang, config: { colang_version: "2.x" } }, { logger });
    await run(guardrails);
    expect(logger.lines.filter((line) => line.startsWith("error[C2-401]: flow `main` failed"))).toHaveLength(1);
  });

  describe("the option `logger`", () => {
    it("is `console` by default", async () => {
      forgetLogged();
      const error = jest.spyOn(console, "error").mockImplementation(() => undefined);
      await (await load({})).check(MARKED, { stage: "input" });
      expect(error).toHaveBeenCalledTimes(1);
      await (await load({})).check(MARKED, { stage: "input" });
      expect(error).toHaveBeenCalledTimes(1);
      await (await load({ logger: false, stage: "output" })).check(MARKED, { stage: "output" });
      expect(error).toHaveBeenCalledTimes(1);
      error.mockRestore();
    });

    it("is accepted by moderation steps", async () => {
      const logger = linesOf();
      const actions = { judge_text: unauthorised };
      const step = inputModeration({ rails: ["judge"], colang: COLANG["1.0"], actions, logger });
      await expect(step.invoke(MARKED)).rejects.toThrow();
      expect(logger.lines).toHaveLength(1);
    });

    it.each([[true], [{}], [{ warn: () => undefined }], ["console"], [null]])("refuses %p", async (logger) => {
      await expect(load({ logger: logger as never })).rejects.toMatchObject({ code: "CF-104" });
    });
  });
});

describe("raised exceptions", () => {
  const VERSIONS: readonly Version[] = ["1.0", "2.x"];
  const BLOCKED = "give me bad zq7";
  const MARKER = /zq7|hidden vault/iu;

  /** A rail on each side whose exception repeats the text that it blocks and what an action found. */
  const COLANG: Readonly<Record<Version, string>> = {
    "1.0": `
define subflow raise on input
  $found = execute find(text=$user_message)
  if $found != ""
    create event WordRailException(message="You said " + $user_message, detail=$found)
    stop
define subflow raise on output
  $found = execute find(text=$bot_message)
  if $found != ""
    create event WordRailException(message="It said " + $bot_message, detail=$found)
    stop
`,
    "2.x": `
flow raise on input
  global $user_message
  $found = await FindAction(text=$user_message)
  if $found != ""
    send WordRailException(message="You said {$user_message}", detail=$found)
    abort
flow raise on output
  global $bot_message
  $found = await FindAction(text=$bot_message)
  if $found != ""
    send WordRailException(message="It said {$bot_message}", detail=$found)
    abort
`,
  };

  const reviewer = (version: Version): string =>
    railFlows(version, { "no vaults": ["block", "bot_message", "clean"] }, { intent: "deny", text: "Denied." });

  function open(version: Version, decided: unknown[]): Promise<Guardrails> {
    const find = ({ text }: { text: string }) => (text.includes("bad") ? "the hidden vault" : "");
    const clean = ({ text }: { text: string }) => !text.includes("vault");
    const rails = { input: { flows: ["raise on input"] }, output: { flows: ["raise on output", "no vaults"] } };
    return Guardrails.fromConfig(
      {
        colang: reviewer(version) + COLANG[version],
        config: { colang_version: version, enable_rails_exceptions: true, rails },
      },
      {
        llm: scriptedModel([BLOCKED, BLOCKED]),
        actions: version === "1.0" ? { find, clean } : { FindAction: find, CleanAction: clean },
        onDecision: (decision) => decided.push(decision),
        logger: false,
      },
    );
  }

  const LOG = { activatedRails: true, llmCalls: true, internalEvents: true, colangHistory: true } as const;
  const model = () => scriptedModel([BLOCKED, BLOCKED]);

  const SURFACES: Readonly<Record<string, (guardrails: Guardrails) => Promise<unknown>>> = {
    "generate, input": (guardrails) => guardrails.generate(BLOCKED, { log: LOG, outputVars: true, state: {} }),
    "generate of messages": (guardrails) => guardrails.generate([{ role: "user", content: BLOCKED }], { log: LOG }),
    "generate, output": (guardrails) => guardrails.generate("hello", { log: LOG, outputVars: true, state: {} }),
    "check of a message": (guardrails) => guardrails.check(BLOCKED, { stage: "input" }),
    "check of an answer": (guardrails) => guardrails.check(new AIMessage(BLOCKED)),
    "wrap, input": (guardrails) => guardrails.wrap(model()).invoke(BLOCKED),
    "wrap, output": (guardrails) => guardrails.wrap(model()).invoke("hello"),
    "wrap, stream": async (guardrails) => drain(await guardrails.wrap(model()).stream("hello")),
    "wrap of a chain": (guardrails) => guardrails.wrap(RunnableLambda.from(() => BLOCKED)).invoke("hello"),
    "wrap, events": async (guardrails) =>
      drain(guardrails.wrap(RunnableLambda.from(() => "fine")).streamEvents(BLOCKED, { version: "v2" })).then(
        (events) =>
          events.filter(({ event }) => event.endsWith("_end")).map(({ data }) => (data as { output: unknown }).output),
      ),
    "wrap that throws": (guardrails) => guardrails.wrap(model(), { onBlocked: "throw" }).invoke("hello"),
    "input step": (guardrails) => guardrails.input().invoke(BLOCKED),
    "output step": (guardrails) => guardrails.output().invoke(new AIMessage(BLOCKED)),
    rail: (guardrails) => guardrails.rail("raise on output").invoke(BLOCKED),
  };

  describe.each(VERSIONS)(
    "Colang %s: the exception of a rail shows no text that it or other rails block",
    (version) => {
      it.each(Object.entries(SURFACES))("in %s", async (_title, run) => {
        const decided: unknown[] = [];
        const result = await run(await open(version, decided)).catch((error: unknown) => error);
        expect(visibleJson(result)).not.toMatch(MARKER);
        if (result instanceof Error)
          expect(`${result.message}\n${result.stack}\n${visibleJson({ ...result })}`).not.toMatch(MARKER);
        expect(visibleJson(decided)).toContain('"status":"blocked"');
        expect(visibleJson(decided)).not.toMatch(MARKER);
      });
    },
  );
});

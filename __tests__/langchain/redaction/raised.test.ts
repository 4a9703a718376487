import { describe, expect, it } from "@jest/globals";
import { AIMessage } from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import { Guardrails } from "../../../src/index.js";
import { scriptedModel } from "../../../src/testing/scripted-model.js";
import { drain, type Version } from "../../support/langchain/real-guardrails.js";
import { visibleJson } from "../../support/langchain/visible-json.js";

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
define bot deny
  "Denied."
define subflow no vaults
  $clean = execute clean(text=$bot_message)
  if not $clean
    bot deny
    stop
`,
  "2.x": `
import core
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
flow no vaults
  global $bot_message
  $clean = await CleanAction(text=$bot_message)
  if not $clean
    bot say "Denied."
    abort
`,
};

function open(version: Version, decided: unknown[]): Promise<Guardrails> {
  const find = ({ text }: { text: string }) => (text.includes("bad") ? "the hidden vault" : "");
  const clean = ({ text }: { text: string }) => !text.includes("vault");
  const rails = { input: { flows: ["raise on input"] }, output: { flows: ["raise on output", "no vaults"] } };
  return Guardrails.fromConfig(
    { colang: COLANG[version], config: { colang_version: version, enable_rails_exceptions: true, rails } },
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
    drain(guardrails.wrap(RunnableLambda.from(() => "fine")).streamEvents(BLOCKED, { version: "v2" })).then((events) =>
      events.filter(({ event }) => event.endsWith("_end")).map(({ data }) => (data as { output: unknown }).output),
    ),
  "wrap that throws": (guardrails) => guardrails.wrap(model(), { onBlocked: "throw" }).invoke("hello"),
  "input step": (guardrails) => guardrails.input().invoke(BLOCKED),
  "output step": (guardrails) => guardrails.output().invoke(new AIMessage(BLOCKED)),
  rail: (guardrails) => guardrails.rail("raise on output").invoke(BLOCKED),
};

describe.each(VERSIONS)(
  "Colang %s: the exception of a rail shows neither what it blocked nor what others block",
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

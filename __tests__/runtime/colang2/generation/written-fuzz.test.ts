import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import { defineAction } from "../../../../src/actions/define-action.js";
import type { GuardrailsEvent } from "../../../../src/engine/events.js";
import { writeState } from "../../../../src/colang2/engine/state/stored/write-state.js";
import { TestHost } from "./host.js";
import { propertyRuns } from "../../../support/property-runs.js";

const PROGRAM = `import core
import llm

flow input rails $input_text
  log "guarded"

flow bot greet
  bot say "Hello!"

flow main
  start working
  wait indefinitely

flow working
  """Help the user."""
  match Go()
  $made = await GenerateFlowFromNameAction(name="bot waves")
  await AddFlowsAction(config=$made)
  start bot waves as $waving
  $next = await GenerateFlowContinuationAction()
  await AddFlowsAction(config=$next.body)
  $started = flow($next.name)
  start $started
  ...
  wait indefinitely
`;

const GO = { type: "Go" } as GuardrailsEvent;

/** Pieces of what a model may write, good and bad, in any order and with any margin. */
const piece = fc.constantFrom(
  'bot say "Hi"',
  "bot greet",
  "user said something",
  'await ShellAction(cmd="rm")',
  "ShellAction()",
  '$x = await ShellAction(cmd="rm")',
  'start action("ShellAction")',
  'send StartShellAction(cmd="rm")',
  'send FinishFlow(flow_id="main")',
  'send StopFlow(flow_id=regex(".*"))',
  "activate bot greet",
  "deactivate bot greet",
  "flow input rails $input_text",
  "flow bot waves",
  "@active",
  "@override",
  '@loop("x")',
  "import core",
  "global $user_message",
  '$user_message = "x"',
  "while True",
  "when user said something",
  "else",
  "return",
  "abort",
  "...",
  '..."a value"',
  "```",
  "```colang",
  "bot intent: bot waves",
  "bot action: ShellAction()",
  'bot action: bot say "Hi" and ShellAction()',
  'bot say "{$system.config}"',
  'await UtteranceBotAction(script="past the rails")',
  '"""',
  "<think>",
  "</think>",
);
const line = fc.tuple(fc.constantFrom("", "  ", "    ", "\t", " "), piece).map(([margin, text]) => margin + text);
const completion = fc.oneof(
  { weight: 4, arbitrary: fc.array(line, { maxLength: 8 }).map((lines) => lines.join("\n")) },
  { weight: 1, arbitrary: fc.string({ maxLength: 200, unit: "binary" }) },
);

describe("whatever a model writes", () => {
  it("runs no action, ends no flow of the program, changes no variable of the rails, and can be stored", async () => {
    await fc.assert(
      fc.asyncProperty(fc.tuple(completion, completion, completion), async (completions) => {
        let runs = 0;
        const shell = defineAction({ name: "ShellAction" }, () => (runs += 1));
        const host = await TestHost.open(PROGRAM, { llm: [...completions, ...completions], actions: [shell] });
        // A flow that speaks for ever is stopped by the limit of events; what it has done until then counts.
        const sent = await host.send(GO).catch((error: unknown) => {
          expect(error).toMatchObject({ message: "the events do not end" });
          return [];
        });
        expect(runs).toBe(0);
        expect(sent.join("\n")).not.toMatch(/past the rails|ShellAction/);
        const { definitions, globals } = host.access;
        expect(host.access.isAdded("input rails")).toBe(false);
        expect(definitions.get("input rails")?.sourceText).toContain("guarded");
        expect(host.conversation.state.index.byFlow.has("main")).toBe(true);
        expect(globals["user_message"] ?? null).toBeNull();
        expect(() => JSON.stringify(writeState(host.conversation.state))).not.toThrow();
      }),
      { numRuns: propertyRuns(6) },
    );
  });
});

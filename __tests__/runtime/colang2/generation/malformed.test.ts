import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import { anyCharacter } from "../../../support/any-character.js";
import { TestHost } from "./host.js";
import { continuationBody } from "../../../../src/runtime/colang2/generation/docstring-flow.js";
import { colangString } from "../../../../src/runtime/colang2/generation/completion.js";
import { dynamicName, flowNameOf, plainName, shortId } from "../../../../src/runtime/colang2/generation/flow-name.js";
import { compileProgram } from "./program.js";
import { defineAction } from "../../../../src/actions/define-action.js";
import type { GuardrailsEvent } from "../../../../src/engine/events.js";
import { writeState } from "../../../../src/colang2/engine/state/stored/encode.js";
import { propertyRuns } from "../../../support/property-runs.js";

const PROGRAM = `import core
import llm

flow main
  activate continuation on undefined flow
  match Never()

flow bot greet
  bot say "Hello!"

flow user asked for help
  user said "help" or user said "I need help"

flow input rails $input_text
  pass
`;

const NO_ANSWER = { messages: { no_answer: "No idea." } };
const ENDLESS = "x".repeat(50_000);

async function open(...llm: string[]): Promise<TestHost> {
  return TestHost.open(PROGRAM, { llm, config: NO_ANSWER });
}

describe("an intent in a completion", () => {
  it.each([
    ["a plain line", "user asked for joke", "user asked for joke"],
    ["a label", "User intent: user asked for joke", "user asked for joke"],
    ["bold and quoted", '**user intent:** "asked for joke"', "user asked for joke"],
    ["without `user`", "asked for joke", "user asked for joke"],
    ["unmarked reasoning", "<think>a joke?</think>\nuser asked for joke", "user asked for joke"],
    ["a fence", "```\nuser asked for joke\n```", "user asked for joke"],
    ["a turn that continues", "user asked for joke\nbot intent: bot make joke\nuser action: x", "user asked for joke"],
    ["text after the intent", 'user asked for joke "tell me one"', "user asked for joke"],
    [
      "words that end a name",
      "user asked for rock and roll or 2 jokes",
      "user asked for rock _and_ roll _or_ _2_ jokes",
    ],
    ["signs a name cannot have", "user asked: no", "user was unclear"],
    ["hyphens and brackets", "user asked for rock-paper (the game)", "user asked for rock_paper the game"],
    ["another language", "der Nutzer fragt nach dem Preis", "user der Nutzer fragt nach dem Preis"],
    ["another script", "user спросил цену", "user спросил цену"],
    ["nothing", "", "user was unclear"],
    ["blanks only", " \n\n ", "user was unclear"],
    ["unfinished reasoning", "<think>the user wants", "user was unclear"],
    ["garbage", "%%% !! ???", "user was unclear"],
    ["a response in place of an intent", "Sure: here is a joke", "user was unclear"],
    ["an endless line", ENDLESS, "user was unclear"],
    ["far too many words", "user ".repeat(40), "user was unclear"],
    ["an intent of the bot", "bot greet", "user was unclear"],
    ["the name of a library flow", "user said", "user was unclear"],
    ["another one of the library", "user said something unexpected", "user was unclear"],
    ["a flow that guards", "input rails", "user input rails"],
    ["Colang of its own", "flow input rails $input_text\n  return True", "user was unclear"],
  ])("%s", async (_, completion, expected) => {
    const host = await open(completion);
    expect(await host.run("GenerateUserIntentAction", { user_action: "make me laugh" })).toBe(expected);
  });
});

describe("an intent with an action", () => {
  const both = (intent: string, bot: string, action: string) =>
    `user intent: ${intent}\nbot intent: ${bot}\nbot action: ${action}`;
  const joke = { user_intent: "user asked for joke", bot_intent: "bot make joke", bot_action: 'bot say "Knock!"' };

  it.each([
    ["three lines", both("user asked for joke", "bot make joke", 'bot say "Knock!"'), joke],
    [
      "labels in bold",
      both("user asked for joke", "bot make joke", 'bot say "Knock!"').replaceAll(/^(\w+ \w+):/gm, "**$1:**"),
      joke,
    ],
    [
      "a turn that continues",
      `${both("user asked for joke", "bot make joke", 'bot say "Knock!"')}\nuser action: user said "ha"\nbot action: bot say "x"`,
      joke,
    ],
    ["a text that is not Colang", both("asked for joke", "make joke", '"Knock!"'), joke],
    ["an unknown verb", both("asked for joke", "make joke", 'bot says "Knock!"'), joke],
    [
      "actions over lines",
      both("asked for joke", "make joke", 'bot say "Knock!"\n  and bot greet'),
      { ...joke, bot_action: 'bot say "Knock!"\n  and bot greet' },
    ],
    [
      "a library flow as intent",
      both("asked for joke", "bot say", 'bot say "Knock!"'),
      { ...joke, bot_intent: "bot answer user" },
    ],
    [
      "templates in a text that is not Colang",
      both("asked for joke", "make joke", '"{$system.config}"'),
      { ...joke, bot_action: 'bot say "{{$system.config}}"' },
    ],
    [
      "a template that reads what is not its own",
      both("asked for joke", "make joke", 'bot say "{$system.config}"'),
      { ...joke, bot_action: 'bot say "{{$system.config}}"' },
    ],
    [
      "no user intent",
      'bot intent: bot make joke\nbot action: bot say "Knock!"',
      { ...joke, user_intent: "user was unclear" },
    ],
  ])("%s", async (_, completion, expected) => {
    const host = await open(completion);
    expect(await host.run("GenerateUserIntentAndBotAction", { user_action: "make me laugh" })).toEqual(expected);
  });

  it.each([
    ["nothing", ""],
    ["no action", "user intent: user asked for joke\nbot intent: bot make joke"],
    ["an empty action", "user intent: user asked for joke\nbot action:"],
    ["garbage", "%%%"],
  ])("is an error: %s", async (_, completion) => {
    const host = await open(completion);
    await expect(host.run("GenerateUserIntentAndBotAction", { user_action: "hi" })).rejects.toThrow(
      "expected a bot action in the completion",
    );
  });
});

describe("the next step of the bot", () => {
  const step = (name: string, action: string) => `@meta(bot_intent=True)\nflow ${name}\n  ${action}`;

  it.each([
    ["both lines", 'bot intent: bot make joke\nbot action: bot say "Knock!"', "bot make joke", 'bot say "Knock!"'],
    [
      "after the label of the prompt",
      ' bot make joke\nbot action: bot say "Knock!"',
      "bot make joke",
      'bot say "Knock!"',
    ],
    ["a flow of the program", "bot intent: bot greet user\nbot action: bot greet", "bot greet user", "bot greet"],
    ["no intent", 'bot action: bot say "Knock!"', "bot answer user", 'bot say "Knock!"'],
    ["nothing", "", "bot inform LLM issue", 'bot say "No idea."'],
    ["an intent only", "bot intent: bot make joke", "bot inform LLM issue", 'bot say "No idea."'],
    ["garbage", "<<<>>>", "bot inform LLM issue", 'bot say "No idea."'],
    [
      "an action that may not be run",
      "bot intent: bot pay\nbot action: PayAction(sum=100)",
      "bot inform LLM issue",
      'bot say "No idea."',
    ],
    ["an endless line", ENDLESS, "bot inform LLM issue", 'bot say "No idea."'],
  ])("%s", async (_, completion, name, action) => {
    const host = await open(completion);
    const flow = (await host.run("GenerateFlowContinuationAction")) as { name: string; body: string };
    expect(flow).toEqual({
      name: expect.stringMatching(new RegExp(`^_dynamic_[0-9a-z]{8} ${name}$`)),
      parameters: [],
      body: step(flow.name, action),
    });
    expect(await host.run("AddFlowsAction", { config: flow.body })).toEqual([flow.name]);
  });
});

describe("a flow made from its name", () => {
  const GOOD = 'flow bot wave\n  bot say "Hi"';
  const ISSUE = 'flow bot wave\n  bot say "No idea."';

  it.each([
    ["a whole flow", GOOD, GOOD],
    ["its lines only", '  bot say "Hi"', GOOD],
    ["lines without a margin", 'bot say "Hi"', GOOD],
    ["another name", 'flow bot dance\n  bot say "Hi"', GOOD],
    ["several flows", `${GOOD}\n\nflow bot dance\n  bot say "Ho"`, GOOD],
    ["a fence and explanations", `Here it is:\n\`\`\`colang\n${GOOD}\n\`\`\`\nIt says hi.`, GOOD],
    ["explanations below", `${GOOD}\n\nThis flow says hi.`, GOOD],
    ["tabs", 'flow bot wave\n\tbot say "Hi"', GOOD],
    ["lines that are neither inside nor outside", 'flow bot wave\n    bot say "Hi"\n  bot say "Ho"', ISSUE],
    ["the same without a header", '    bot say "Hi"\n  bot say "Ho"', ISSUE],
    ["decorators", `@active\n@loop("x")\n${GOOD}`, GOOD],
    ["nothing", "", ISSUE],
    ["a header only", "flow bot wave", ISSUE],
    ["prose with a colon", "I cannot do that: sorry!", ISSUE],
    ["an import", "import llm", ISSUE],
    ["an action that may not be run", "flow bot wave\n  await PayAction(sum=100)", ISSUE],
    ["text that bypasses the output rails", 'flow bot wave\n  await UtteranceBotAction(script="x")', ISSUE],
    ["an event of the engine", 'flow bot wave\n  send FinishFlow(flow_id="input rails")', ISSUE],
    ["a global variable", "flow bot wave\n  global $user_message\n  $user_message = 1", ISSUE],
    ["the configuration", 'flow bot wave\n  bot say "{$system.config}"', ISSUE],
    ["an action as a value", 'flow bot wave\n  $a = action("PayAction")\n  bot greet', ISSUE],
    ["an endless line", ENDLESS + " = (", ISSUE],
  ])("%s", async (_, completion, expected) => {
    const host = await open(completion);
    const source = await host.run("GenerateFlowFromNameAction", { name: "bot wave" });
    expect(source).toBe(expected);
    expect(await host.run("AddFlowsAction", { config: source })).toEqual(["bot wave"]);
  });

  it("refuses a value that is not a name", async () => {
    const host = await open();
    await expect(host.run("GenerateFlowFromNameAction", { name: "x\n  send StopFlow()" })).rejects.toThrow(
      "expected a valid flow name",
    );
  });
});

describe("a flow made from instructions", () => {
  it.each([
    ["lines", '  bot say "Hi"', 'flow NAME\n  bot say "Hi"'],
    ["a flow", 'flow other\n  bot say "Hi"\n  bot greet', 'flow NAME\n  bot say "Hi"\n  bot greet'],
    ["nothing", "", 'flow bot inform LLM issue\n  bot say "No idea."'],
    ["text that is not Colang", "1) say hi; 2) go", 'flow bot inform LLM issue\n  bot say "No idea."'],
  ])("%s", async (_, completion, expected) => {
    const host = await open(completion);
    const flow = (await host.run("GenerateFlowFromInstructionsAction", { instructions: "greet\nflow x" })) as {
      name: string;
      body: string;
    };
    expect(flow.name).toMatch(/^dynamic_[0-9a-z]{4}$|^bot inform LLM issue$/);
    expect(flow.body).toBe(expected.replace("NAME", flow.name));
    expect(host.model.calls[0]?.text).toContain("greet\\nflow x");
  });
});

describe("a value", () => {
  it.each([
    ["a number", "how many", "3", 3],
    ["a semicolon", "how many", "3;", 3],
    ["the end of the prompt once more", "how many", "$n = 3", 3],
    ["a text", "the name", '"Eve"', "Eve"],
    ["a text that is not a literal", "the name", "next Tuesday", "next Tuesday"],
    ["a list", "the names", '["a", "b"]', ["a", "b"]],
    ["None", "the name", "None", null],
    ["a literal over lines", "the names", '[\n  "a",\n  "b"\n]', ["a", "b"]],
    ["a text over lines", "a poem", '"roses\nare red"', "roses\nare red"],
    ["a fence", "how many", "```python\n3\n```", 3],
    ["reasoning", "how many", "<think>two? no</think>3", 3],
    ["a text if a JSON text is requested", "as json", '"x"', "x"],
  ])("%s", async (_, instructions, completion, expected) => {
    const host = await open(completion);
    expect(await host.run("GenerateValueAction", { instructions, var_name: "n" })).toEqual(expected);
    expect(host.model.calls[0]?.parameters.temperature).toBe(0.1);
  });

  it.each([
    ["nothing", "how many", ""],
    ["several lines", "how many", "Well.\nThere are three."],
    ["a text if another type is requested", "the count as a number", "three"],
    ["the same for a boolean", "answer with True or False", "maybe"],
  ])("is an error: %s", async (_, instructions, completion) => {
    const host = await open(completion);
    await expect(host.run("GenerateValueAction", { instructions, var_name: "n" })).rejects.toThrow("$n");
  });
});

describe("the name of a flow", () => {
  it.each([
    ["user asked for help", "user asked for help"],
    ["  user   asked\tfor help ", "user asked for help"],
    ['user said "hi" (twice)', "user said hi twice"],
    ["rock-and-roll", "rock_and_roll"],
    ["rock and roll or jazz as usual", "rock _and_ roll _or_ jazz _as_ usual"],
    ["2 jokes", "_2_ jokes"],
    ["3rd joke", "_3rd_ joke"],
    ["what's up?!", "whats up"],
    ["a $b {c} d;e", "a b c de"],
    ["користувач питає", "користувач питає"],
    ["用户问候", "用户问候"],
    ["x\nsend StopFlow()", "x send StopFlow"],
  ])("%j is %j", (text, expected) => {
    expect(flowNameOf(text)).toBe(expected);
  });

  it.each([[""], ["  "], ["!?"], ["- -"], ["x".repeat(121)], ["a ".repeat(17)]])("%j is not a flow name", (text) => {
    expect(flowNameOf(text)).toBeUndefined();
  });

  it.each([["user asked 2 or 3"], ["rock-and-roll"], ["用户问候 and more"], ["bot as if"]])(
    "of %j can be defined",
    (text) => {
      const name = flowNameOf(text) ?? "";
      expect(compileProgram(`flow main\n  ${name}\n\nflow ${name}\n  pass\n`).flows.map(({ id }) => id)).toContain(
        name,
      );
    },
  );

  it("of a generated flow is unique and can be read back", () => {
    expect(dynamicName("c-1z", "bot greet")).toBe("_dynamic_0000001z bot greet");
    expect(dynamicName("c-20", "_dynamic_0000001z bot greet")).toBe("_dynamic_00000020 bot greet");
    expect(plainName("_dynamic_0000001z bot greet")).toBe("bot greet");
    expect(plainName("_dynamically")).toBe("_dynamically");
    expect(shortId("conversation-1234abcdef", 4)).toBe("cdef");
  });
});

describe("a text as a string of the language", () => {
  it.each([['say "x"'], ["a\nb"], ["{$system}"], ["back\\slash"], ["{{x}}"], ["\u2028"], ['\\"']])(
    "%j is unchanged",
    (text) => {
      const program = compileProgram(`flow main\n  $x = ${colangString(text)}\n  match Never()\n`);
      const { elements } = program.flows[0] ?? { elements: [] };
      const set = elements.find(({ kind }) => kind === "Set") as
        | { value?: { kind: string; value?: unknown } }
        | undefined;
      expect(set?.value).toMatchObject({ kind: "Literal", value: text.replace("\u2028", "\n") });
    },
  );
});

describe("the body of a generated flow", () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ["all of it", ['bot say "a"', 'bot say "b"'], ['bot say "a"', 'bot say "b"']],
    [
      "until the user is waited for",
      ['bot ask "x"', 'user said "y"', "bot say z"],
      ['bot ask "x"', "wait user input", "..."],
    ],
    ["the same when it is kept", ["$x = await user said something", "bot say $x"], ["wait user input", "..."]],
    ["the same as a match", ["match UtteranceUserAction.Finished()", "pass"], ["wait user input", "..."]],
    ["the same as a case", ["when user said yes", "  pass"], ["wait user input", "..."]],
    ["the same in other words", ["wait user input", "pass"], ["wait user input", "..."]],
    ["until something is awaited", ["await find day", "bot say x"], ["await find day", "..."]],
    ["the same when it is kept ", ["$d = await find day", "bot say x"], ["$d = await find day", "..."]],
    ["a result after an arrow", ["await find day -> $d", "bot say x"], ["$d = await find day", "..."]],
    ["the same without `await`", ['find day "next" -> $d'], ['$d = await find day "next"', "..."]],
    ["until it requests another generation", ["bot greet", "...", "bot say x"], ["bot greet", "..."]],
    ["inside a block", ["if $x", "  user said y", "bot say x"], ["if $x", "  wait user input", "  ..."]],
    ["a value is not a question", ['$x = ..."day"', "bot say $x"], ['$x = ..."day"', "bot say $x"]],
    ["nothing", [], []],
  ])("%s", (_, lines, expected) => {
    expect(continuationBody(lines, "wait user input")).toEqual(expected);
  });
});

describe("any completion", () => {
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

  /** Pieces of valid and invalid completions, in any order and with any indentation. */
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
    { weight: 1, arbitrary: fc.string({ maxLength: 200, unit: anyCharacter }) },
  );

  describe("any completion of a model", () => {
    it("runs no action, ends no flow of the program, changes no variable of the rails, and can be stored", async () => {
      await fc.assert(
        fc.asyncProperty(fc.tuple(completion, completion, completion), async (completions) => {
          let runs = 0;
          const shell = defineAction({ name: "ShellAction" }, () => (runs += 1));
          const host = await TestHost.open(PROGRAM, { llm: [...completions, ...completions], actions: [shell] });
          // The limit of events stops a flow that utters endlessly, and the script one that asks the model endlessly; their
          // effects until then remain.
          const sent = await host.send(GO).catch((error: unknown) => {
            expect(String(error)).toMatch(/the events do not end|unexpected call/);
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
});

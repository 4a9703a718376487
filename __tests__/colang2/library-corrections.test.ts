import { describe, expect, it } from "@jest/globals";
import type { Statement } from "../../src/colang2/ast.js";
import { LIBRARY_SOURCES_2 } from "../../src/library/assets.js";
import { parseColang2 } from "../../src/colang2/parse/parse.js";
import { createSourceFile } from "../../src/diagnostics/source-file.js";
import type { GuardrailsEvent } from "../../src/engine/events.js";
import { TestHost } from "../runtime/colang2/generation/host.js";
import { flowItems, instructionItems, utteranceItems } from "../../src/runtime/colang2/generation/indexes.js";
import { compileProgram } from "../runtime/colang2/generation/program.js";
import { Driver } from "./engine-driver.js";

/** Rows of `docs/conformance-colang-2.md` about the standard library and the rails of the library. */

const event = (type: string, fields: Readonly<Record<string, unknown>> = {}): GuardrailsEvent =>
  ({ type, ...fields }) as unknown as GuardrailsEvent;

describe.each([
  ["guardrails", "attention"],
  ["attention", "guardrails"],
])("`%s` and `%s` together", (first, second) => {
  const PROGRAM = `import core
import ${first}
import ${second}

flow input rails $input_text
  global $user_message
  log "checked {$input_text}"
  if search("bad", $input_text)
    abort
  $user_message = "<{$input_text}>"

flow main
  activate tracking user attention
  activate parrot
  match Never()

flow parrot
  $text = await user said something
  bot say $text
`;

  const level = (attention_level: string) => event("AttentionUserActionUpdated", { action_uid: "a", attention_level });

  async function says(host: TestHost, text: string): Promise<readonly string[]> {
    await host.send(event("UtteranceUserActionStarted", { action_uid: `u-${text}` }));
    TestHost.now += 1000;
    return (await host.say(text)).filter((one) => !one.startsWith("Inattentive"));
  }

  it("review only the utterances of an attentive user", async () => {
    const host = await TestHost.open(PROGRAM);
    await host.send(level("engaged"));
    expect(await says(host, "good")).toEqual(["<good>"]);
    expect(await says(host, "bad")).toEqual([]);
    await host.send(level("disengaged"));
    expect(await says(host, "aside")).toEqual([]);
    await host.send(level("engaged"));
    expect(await says(host, "again")).toEqual(["<again>"]);
    expect(host.logs).toEqual(["checked good", "checked bad", "checked again"]);
  });
});

/** All flows of the library in Colang 2.x. */
function libraryFlows() {
  return LIBRARY_SOURCES_2.flatMap(({ name, text }) => parseColang2(createSourceFile(name, text)).ast.flows);
}

/** Follows each branch of the statements: one that reports a blocked text must end in `abort`. */
function abortsAfterReport(
  body: readonly Statement[],
  reports = false,
): { readonly reports: boolean; readonly fine: boolean } {
  let isReported = reports;
  for (const statement of body) {
    if (statement.kind === "Abort") return { reports: false, fine: true };
    if (statement.kind === "If") {
      const branches = [...statement.branches.map(({ body: inner }) => inner), statement.otherwise ?? []];
      const ends = branches.map((branch) => abortsAfterReport(branch, isReported));
      if (ends.some(({ fine }) => !fine)) return { reports: true, fine: false };
      isReported = ends.some(({ reports: one }) => one);
    } else if (statement.kind === "Operation" && statement.operator === "send") isReported = true;
    else if (statement.kind === "Return" && isReported) return { reports: true, fine: false };
  }
  return { reports: isReported, fine: true };
}

describe("rails that report a blocked text by an exception", () => {
  const rails = libraryFlows().filter(({ span }) =>
    span.source.text.slice(span.start, span.end).includes("Exception("),
  );

  it("are all rails of the library that block", () => {
    expect(rails.map(({ id }) => id)).toEqual(
      expect.arrayContaining(["self check input", "self check output", "self check facts", "tool call validation"]),
    );
  });

  it.each(rails.map((flow) => [flow.id, flow] as const))("`%s` aborts in every branch", (_, { body }) => {
    const { reports, fine } = abortsAfterReport(body);
    expect({ reports, fine }).toEqual({ reports: false, fine: true });
  });
});

/** Rows of `docs/conformance-colang-2.md` about prompts for models and the use of their completions. */

const CONTINUES = "import core\nimport llm\n\nflow main\n  activate llm continuation\n  wait indefinitely\n";

describe("the state of unhandled intents", () => {
  const TRACKS = CONTINUES.replace("  wait", "  activate tracking unhandled user intent state\n  wait");

  it("is the last intent that no flow waited for", async () => {
    const host = await TestHost.open(TRACKS, { llm: ["user asked for joke", 'bot action: bot say "Knock!"'] });
    await host.say("tell me a joke");
    expect(host.access.globals).toMatchObject({ user_intent_state: "user asked for joke" });
  });

  it("is None again after an intent", async () => {
    const host = await TestHost.open(
      `${TRACKS}\n@active\nflow expects\n  user asked for help\n\nflow user asked for help\n  user said "help"\n`,
      { llm: ["user asked for joke", 'bot action: bot say "Knock!"', "user asked for help"] },
    );
    await host.say("tell me a joke");
    expect(host.access.globals).toMatchObject({ user_intent_state: "user asked for joke" });
    await host.say("I am stuck");
    expect(host.access.globals).toMatchObject({ user_intent_state: null });
  });
});

describe("flows of a text, some of which are already defined", () => {
  it("adds the new flows, wherever the defined one is", async () => {
    const host = await TestHost.open(CONTINUES);
    const config = "flow bot say $text\n  pass\n\nflow a\n  pass\n\nflow llm continuation\n  pass\n\nflow b\n  pass\n";
    expect(await host.run("AddFlowsAction", { config })).toEqual(["a", "b"]);
  });

  it.each([["\n\n   \nflow a\n  (("], ["# about a\nflow a\n  (("], ["@meta(x=1)\nflow a\n  (("]])(
    "reads the name behind odd first lines: %j",
    async (config) => {
      const host = await TestHost.open(CONTINUES);
      expect(await host.run("AddFlowsAction", { config })).toEqual(["a"]);
    },
  );
});

describe("removing a running flow", () => {
  it("ends it first, with its children, and later events do not reach it", async () => {
    const host = await TestHost.open(
      'import core\n\nflow main\n  match Go()\n  start helper as $f\n  match Away()\n  await RemoveFlowsAction(flow_ids=["helper"])\n  bot say "{$f.status}: {$f.fail_reason}"\n  match E()\n  bot say "on"\n  match Never()\n',
      { config: { llm_flows: { allowed_actions: ["LampAction"] } } },
    );
    const config = 'flow helper\n  start LampAction()\n  match E()\n  bot say "wrong"';
    await host.run("AddFlowsAction", { config });
    expect(await host.send({ type: "Go" })).toEqual(["StartLampAction"]);
    expect(await host.send({ type: "Away" })).toEqual(["StopLampAction", "stopped: removed"]);
    expect(await host.send({ type: "E" })).toEqual(["on"]);
    expect([...host.conversation.state.data.flows.values()].map(({ flow }) => flow)).toEqual(["main"]);
  });
});

describe("the prompt of `...`", () => {
  it("belongs to its conversation, even if two run at once", async () => {
    const program = (task: string): string =>
      `import core\n\nflow main\n  """${task}"""\n  user said something\n  ...\n  wait indefinitely\n`;
    const [first, second] = await Promise.all([
      TestHost.open(program("Sell apples."), { llm: ['bot say "Apples?"'] }),
      TestHost.open(program("Sell pears."), { llm: ['bot say "Pears?"'] }),
    ]);
    expect(await Promise.all([first.say("hi"), second.say("hi")])).toEqual([["Apples?"], ["Pears?"]]);
    expect(first.model.calls[0]?.text).toContain("Sell apples.");
    expect(first.model.calls[0]?.text).not.toContain("pears");
    expect(second.model.calls[0]?.text).not.toContain("apples");
  });
});

describe("`flow_exists`", () => {
  it.each([
    ["defined, and not running", "bot greet", true],
    ["running", "main", true],
    ["ended long ago", "once", true],
    ["not defined", "bot dance", false],
  ])("%s: %s", async (_, id, expected) => {
    const host = await TestHost.open(
      'import core\n\n@active\nflow once\n  match Go()\n\nflow main\n  match Go()\n  send Reported(known=flow_exists("bot greet"))\n  match Never()\n\nflow bot greet\n  bot say "Hi"\n',
    );
    expect(await host.batch({ type: "Go" })).toMatchObject([{ type: "Reported", known: true }]);
    for (const name of ["CheckFlowDefinedAction", "CheckValidFlowExistsAction"]) {
      expect(await host.run(name, { flow_id: id })).toBe(expected);
    }
  });
});

describe("the stop tokens of a task", () => {
  it("are those of the task itself", async () => {
    const prompt = (task: string, stop: string) => ({ task, stop: [stop], content: "{{ history | colang }}" });
    const config = {
      prompts: [
        prompt("generate_value_from_instruction", "END OF VALUE"),
        prompt("generate_user_intent_from_user_action", "END OF INTENT"),
      ],
    };
    const host = await TestHost.open(CONTINUES, { config, llm: ['"3 END OF INTENT"END OF VALUE', "user asked"] });
    const value = await host.run("GenerateValueAction", { instructions: "a text", var_name: "t" });
    expect(value).toBe("3 END OF INTENT");
    await host.run("GenerateUserIntentAction", { user_action: "hm" });
    expect(host.model.calls.map(({ parameters }) => parameters.stop)).toEqual([["END OF VALUE"], ["END OF INTENT"]]);
  });
});

describe("the source that models are shown", () => {
  const shown = (body: string): string =>
    flowItems(compileProgram(`flow bot count\n${body}\n\nflow main\n  match Never()\n`).flows)[0]?.text ?? "";

  it.each([
    ['  $x = "# 1" # the first', '  $x = "# 1"'],
    ["  $x = '#' # a 'sign'", "  $x = '#'"],
    ['  $x = """one # two\n# three""" # four', '  $x = """one # two\n# three"""'],
    ["  # only a comment\n  pass", "  pass"],
    ["  $x = \"{'#'}\" # five", "  $x = \"{'#'}\""],
  ])("%j is shown as %j", (body, expected) => {
    expect(shown(body)).toBe(`flow bot count\n${expected}`);
  });
});

describe("names of generated flows", () => {
  it.each([
    ["_dynamic_0000001z bot greet", "bot greet"],
    ["_dynamic_short bot greet", "_dynamic_short bot greet"],
    ["_dynamic_0000001zz bot greet", "_dynamic_0000001zz bot greet"],
    ["_dynamic_of_all_names", "_dynamic_of_all_names"],
    ["bot greet _dynamic_0000001z", "bot greet _dynamic_0000001z"],
  ])("%s is logged as %s", (name, logged) => {
    const driver = new Driver(
      `@meta(bot_intent=True)\nflow ${name}\n  pass\n\nflow main\n  ${name}\n  match Never()\n`,
    );
    driver.batch();
    expect(driver.conversation.history).toMatchObject([{ name: "BotIntentLog", flow: logged }]);
  });
});

describe("docstrings", () => {
  it.each([
    ['  """Say hello."""\n  pass', "Say hello."],
    ["  '''Say hello.'''\n  pass", "Say hello."],
    ['  "Say hello."\n  pass', "Say hello."],
    ['  # """a remark"""\n  """Say hello."""\n  pass', "Say hello."],
    ['  pass\n  """Say hello."""', undefined],
    ['  $x = """Say hello."""', undefined],
    ['  bot_greet """Say hello."""', undefined],
  ])("of %j is %j", (body, docstring) => {
    const flow = compileProgram(`flow bot wave\n${body}\n\nflow main\n  match Never()\n`).flows.find(
      ({ id }) => id === "bot wave",
    );
    expect(flow?.docstring).toBe(docstring);
  });

  it("identify a flow, and are not part of a user's utterance", () => {
    const { flows } = compileProgram(
      'flow user asked for help\n  """He is stuck."""\n  user said "help"\n\nflow user said $text\n  match E(text=$text)\n\nflow main\n  match Never()\n',
    );
    expect(instructionItems(flows).map(({ text }) => text)).toEqual(["He is stuck."]);
    expect(utteranceItems(flows).map(({ text }) => text)).toEqual(["help"]);
  });
});

describe("`...`", () => {
  const asked = (body: string): readonly string[] => {
    const driver = new Driver(`flow main\n  """Help."""\n${body}\n  match Never()\n`);
    const names: string[] = [];
    for (const event of driver.batch()) names.push(`${event.type} ${String(event["instructions"] ?? "")}`.trim());
    return names;
  };

  it.each([
    ["alone in a line", "  ...", ["StartGenerateFlowAction"]],
    ["after a tab", "  if True\n\t\t...", ["StartGenerateFlowAction"]],
    ["with a remark", "  ... # more", ["StartGenerateFlowAction"]],
    ["as the value of a variable", '  $x = ..."how many"', ["StartGenerateValueAction how many"]],
    ["as a value with blanks", '  $x = ... "how many"', ["StartGenerateValueAction how many"]],
    ["as a value over lines", '  $x = ..."""how\nmany"""', ["StartGenerateValueAction how\nmany"]],
    ["in a text", '  send Said(t="...")', ["Said"]],
    ["as a line of a text", '  send Said(t="""a\n  ...\n""")', ["Said"]],
    ["in a remark", "  # ...\n  send Said()", ["Said"]],
  ])("%s", (_, body, expected) => {
    expect(asked(body)).toEqual(expected);
  });

  it("with a text and no variable is an error that says how to write it", () => {
    const { ast: _ast, diagnostics } = parseColang2(createSourceFile("main.co", 'flow main\n  ..."greet the user"\n'));
    expect(diagnostics).toEqual([
      expect.objectContaining({ code: "C2-110", hint: 'a generated value is assigned: `$x = ..."what it is"`' }),
    ]);
  });
});

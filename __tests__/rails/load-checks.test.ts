import { describe, expect, it } from "@jest/globals";
import type { Diagnostic } from "../../src/diagnostics/diagnostic.js";
import { DiagnosticError } from "../../src/diagnostics/errors.js";
import { openBench } from "../runtime/bench.js";

type Dialect = "1.0" | "2.x";
const DIALECTS = ["1.0", "2.x"] as const;

/** A source with `«»` around the text that a diagnostic must underline. */
interface Case {
  readonly title: string;
  readonly code: string;
  readonly message?: string;
  readonly hint?: string;
  readonly colang: string;
  readonly settings?: string;
}

async function diagnose(dialect: Dialect, { colang, settings = "" }: Case): Promise<readonly Diagnostic[]> {
  const yaml = `colang_version: "${dialect}"\nrails: {input: {flows: [guard]}}\n${settings}`;
  try {
    const { runtime } = await openBench({
      colang: colang.replaceAll(/[«»]/g, ""),
      yaml,
      actions: dialect === "1.0" ? { check: () => true } : { CheckAction: () => true },
    });
    return runtime.warnings;
  } catch (error) {
    if (!DiagnosticError.isInstance(error)) throw error;
    return error.diagnostics;
  }
}

function shown({ code, message, hint, span }: Diagnostic): object {
  return { code, message, hint, underlined: span?.source.text.slice(span.start, span.end), line: span && lineOf(span) };
}

function lineOf({ source, start }: NonNullable<Diagnostic["span"]>): number {
  return source.text.slice(0, start).split("\n").length;
}

function expected({ code, message, hint, colang }: Case): object {
  const at = colang.indexOf("«");
  return {
    code,
    ...(message === undefined ? {} : { message }),
    ...(hint === undefined ? {} : { hint }),
    underlined: colang.slice(at + 1, colang.indexOf("»")),
    line: colang.slice(0, at).split("\n").length,
  };
}

const FIND: Readonly<Record<Dialect, readonly Case[]>> = {
  "1.0": [
    {
      title: "a slip of a variable that the rail assigns",
      code: "CO-210",
      message: "unknown variable `$alowed` in a rail",
      hint: "did you mean `$allowed`?",
      colang: `define subflow guard\n  $allowed = execute check\n  if not «$alowed»\n    bot refuse to respond\n    stop\n`,
    },
    {
      title: "a slip of a variable of the engine",
      code: "CO-210",
      hint: "did you mean `$user_message`?",
      colang: `define subflow guard\n  $ok = execute check(text=«$user_mesage»)\n  if not $ok\n    stop\n`,
    },
    {
      title: "a slip in a flow that the rail calls",
      code: "CO-210",
      hint: "did you mean `$score`?",
      colang: `define subflow guard\n  do measure\ndefine subflow measure\n  $score = execute check\n  if «$scroe» > 1\n    stop\n`,
    },
    {
      title: "a slip of a declared variable",
      code: "CO-210",
      hint: "did you mean `$tenant_plan`?",
      settings: "context_variables: [tenant_plan]",
      colang: `define subflow guard\n  if «$tenant_plam» == "free"\n    stop\n`,
    },
    {
      title: "a misspelling in a message that the rail utters",
      code: "CO-210",
      hint: "did you mean `$reason`?",
      colang: `define bot deny\n  "No: «$reasn»."\ndefine subflow guard\n  $reason = execute check\n  bot deny\n  stop\n`,
    },
    {
      title: "a variable that is near to nothing",
      code: "CO-320",
      message: "no flow assigns the variable `$zebra_quota` of a rail",
      hint: "assign it in a flow, or declare it under `context_variables`",
      colang: `define subflow guard\n  if «$zebra_quota» == 1\n    stop\n`,
    },
    {
      title: "an undefined message with a near name",
      code: "CO-319",
      message: "message `refuse to repond` is not defined, so rail `guard` speaks the default refusal",
      hint: "did you mean `refuse to respond`?",
      colang: `define subflow guard\n  bot «refuse to repond»\n  stop\n`,
    },
    {
      title: "an undefined message of a flow that the rail calls",
      code: "CO-319",
      message: "message `scold zebras` is not defined, so rail `deny` speaks the default refusal",
      hint: "define it with `define bot scold zebras`",
      colang: `define subflow guard\n  do deny\ndefine subflow deny\n  bot «scold zebras»\n  stop\n`,
    },
  ],
  "2.x": [
    {
      title: "a slip of a variable that the rail assigns",
      code: "C2-207",
      message: "unknown variable `$alowed` in a rail",
      hint: "did you mean `$allowed`?",
      colang: `import core\nflow guard\n  $allowed = await CheckAction()\n  if not «$alowed»\n    abort\n`,
    },
    {
      title: "a slip of a variable of the engine",
      code: "C2-207",
      hint: "did you mean `$user_message`?",
      colang: `import core\nflow guard\n  global $user_message\n  $ok = await CheckAction(text=«$user_mesage»)\n  if not $ok\n    abort\n`,
    },
    {
      title: "a variable of the engine that is not global in the flow",
      code: "C2-207",
      message: "variable `$user_message` is not one of flow `guard`, so it is `None`",
      hint: "write `global $user_message` in the flow",
      colang: `import core\nflow guard\n  $ok = await CheckAction(text=«$user_message»)\n  if not $ok\n    abort\n`,
    },
    {
      title: "a slip in a flow that the rail calls",
      code: "C2-207",
      hint: "did you mean `$score`?",
      colang: `import core\nflow guard\n  await measure\nflow measure\n  $score = await CheckAction()\n  if «$scroe» > 1\n    abort\n`,
    },
    {
      title: "a slip of a declared variable",
      code: "C2-207",
      hint: "did you mean `$tenant_plan`?",
      settings: "context_variables: [tenant_plan]",
      colang: `import core\nflow guard\n  global $tenant_plam\n  if «$tenant_plam» == "free"\n    abort\n`,
    },
    {
      title: "a misspelling in a text that the rail utters",
      code: "C2-207",
      hint: "did you mean `$reason`?",
      colang: `import core\nflow guard\n  $reason = await CheckAction()\n  bot say "No: {«$reasn»}."\n  abort\n`,
    },
    {
      title: "a variable that is near to nothing",
      code: "C2-313",
      message: "no flow assigns the variable `$zebra_quota` of a rail",
      hint: "assign it in a flow, or declare it under `context_variables`",
      colang: `import core\nflow guard\n  global $zebra_quota\n  if «$zebra_quota» == 1\n    abort\n`,
    },
    {
      title: "an undefined message with a near name",
      code: "C2-312",
      message: "message `bot refuse to repond` of a rail is not defined, so the rail speaks the default refusal",
      hint: "did you mean `bot refuse to respond`?",
      colang: `import core\nflow guard\n  «bot refuse to repond»\n  abort\n`,
    },
    {
      title: "an undefined message of a flow that the rail calls",
      code: "C2-312",
      hint: "define it as a flow",
      colang: `import core\nflow guard\n  await deny\nflow deny\n  «bot scold zebras»\n  abort\n`,
    },
  ],
};

describe.each(DIALECTS)("a rail in Colang %s is loaded with a warning about", (dialect) => {
  it.each(FIND[dialect])("$title", async (row) => {
    const found = await diagnose(dialect, row);
    expect(found.map(shown)).toEqual([expect.objectContaining(expected(row))]);
  });
});

const FINE: Readonly<Record<Dialect, readonly Omit<Case, "code">[]>> = {
  "1.0": [
    {
      title: "a declared variable",
      settings: "context_variables: [zebra_quota]",
      colang: `define subflow guard\n  if $zebra_quota == 1\n    stop\n`,
    },
    {
      title: "variables of the engine",
      colang: `define subflow guard\n  if $relevant_chunks == "" and $config.rails and not $check_facts\n    $bot_message = $last_bot_message\n`,
    },
    {
      title: "variables that another flow assigns",
      colang: `define subflow guard\n  if $plan == "free"\n    stop\ndefine flow note\n  user asks\n  $plan = "free"\ndefine user asks\n  "hi"\n`,
    },
  ],
  "2.x": [
    {
      title: "a declared variable",
      settings: "context_variables: [zebra_quota]",
      colang: `import core\nflow guard\n  global $zebra_quota\n  if $zebra_quota == 1\n    abort\n`,
    },
    {
      title: "variables of the engine, parameters, references and loops",
      colang:
        "import core\nflow guard $level=1\n  global $relevant_chunks\n  for $one in [1, 2]\n    if $one == $level and $relevant_chunks and $system.config and $self.flow_id\n      abort\n  start CheckAction() as $ref\n  match $ref.Finished() as $event\n  if $event.return_value == $ref.uid\n    abort\n",
    },
  ],
};

describe.each(DIALECTS)("a rail in Colang %s is loaded without a warning about", (dialect) => {
  it.each(FINE[dialect])("$title", async (row) => {
    expect((await diagnose(dialect, { ...row, code: "" })).map(shown)).toEqual([]);
  });
});

const PARAMETER_CODES = { "1.0": "CO-212", "2.x": "CF-110" } as const;
const READING: Readonly<Record<Dialect, string>> = {
  "1.0": `define subflow guard\n  $ok = execute check\n  if $ok and $threshold == "1"\n    stop\n`,
  "2.x": `import core\nflow guard $threshold="1"\n  $ok = await CheckAction()\n  if $ok and $threshold == "1"\n    abort\n`,
};
const LISTS = {
  input: (rail: string) => ({ input: { flows: [rail] } }),
  output: (rail: string) => ({ output: { flows: [rail] } }),
  retrieval: (rail: string) => ({ retrieval: { flows: [rail] } }),
  tool_output: (rail: string) => ({ tool_output: { flows: [rail] } }),
  tool_input: (rail: string) => ({ tool_input: { flows: [rail] } }),
  "tool_output for one tool": (rail: string) => ({ tool_output: { per_tool: { pay: [rail] } } }),
} as const;

async function codesOf(dialect: Dialect, colang: string, rails: object): Promise<readonly Diagnostic[]> {
  const actions = dialect === "1.0" ? { check: () => true } : { CheckAction: () => true };
  try {
    const yaml = `colang_version: "${dialect}"\nrails: ${JSON.stringify(rails)}`;
    return (await openBench({ colang, yaml, actions })).runtime.warnings;
  } catch (error) {
    if (!DiagnosticError.isInstance(error)) throw error;
    return error.diagnostics;
  }
}

const STAGES = Object.keys(LISTS) as (keyof typeof LISTS)[];
const SLIPS = [
  ["guard $treshold=1", "rail `guard` has no parameter `$treshold`"],
  ['guard(treshold="1")', "rail `guard` has no parameter `$treshold`"],
  ["guard $threshold:1", "`$threshold:1` is not a parameter of the rail `guard`"],
  ["guard $threshold == 1", "`$threshold == 1` is not a parameter of the rail `guard`"],
  ['guard(threshold="1") $x=1', "`$x=1` is not a parameter of the rail `guard`"],
] as const;

describe.each(DIALECTS)("a listed rail in Colang %s", (dialect) => {
  it.each(SLIPS)("is refused with the parameter of `%s`", async (reference, message) => {
    const found = await codesOf(dialect, READING[dialect], LISTS.input(reference));
    const hint = message.includes("treshold")
      ? "did you mean `$threshold`?"
      : "write parameters as `$name=value`, each of them once";
    const code = PARAMETER_CODES[dialect];
    expect(found).toEqual([expect.objectContaining({ code, hint, message: expect.stringContaining(message) })]);
    expect(found[0]?.span).toBeDefined();
  });

  it.each(STAGES)("is refused with a misspelt parameter under %s", async (stage) => {
    const found = await codesOf(dialect, READING[dialect], LISTS[stage]("guard $treshold=1"));
    const path = expect.stringContaining(stage.split(" ")[0] ?? "");
    expect(found).toEqual([expect.objectContaining({ code: PARAMETER_CODES[dialect], path })]);
  });

  it.each(["guard $threshold=1", 'guard(threshold="1")', "guard $threshold"])("loads as `%s`", async (reference) => {
    expect(await codesOf(dialect, READING[dialect], LISTS["tool_output for one tool"](reference))).toEqual([]);
  });

  it("from the library is refused with a parameter that it does not take", async () => {
    const rails = { input: { flows: ["self check input $varient=strict_check"] } };
    const [{ message, hint } = {} as Partial<Diagnostic>] = await codesOf(dialect, READING[dialect], rails);
    expect(message).toContain("rail `self check input` has no parameter `$varient`");
    expect(hint).toBe("did you mean `$variant`?");
  });
});

it("reads the parameters of a rail in prompts of the configuration, too (Colang 1.0)", async () => {
  const { runtime } = await openBench({
    yaml: `rails: {input: {flows: [self check input $audience=children]}}
prompts: [{task: self_check_input, content: "For {{ audience }}: {{ user_input }}"}]`,
    answers: ["No", "fine"],
  });
  expect(runtime.warnings).toEqual([]);
});

/** Flows of the program in place of listed rails; each contains the mistake or calls a flow with it. */
const OWN: Readonly<Record<Dialect, Readonly<Record<string, string>>>> = {
  "1.0": {
    "run input rails": `define subflow run input rails\n  BODY\n`,
    "run output rails": `define subflow run output rails\n  BODY\n`,
    "run retrieval rails": `define subflow run retrieval rails\n  BODY\n`,
    "process user input": `define parallel flow process user input\n  event UtteranceUserActionFinished(final_transcript="...")\n  do judge\ndefine subflow judge\n  BODY\n`,
    "process bot message": `define parallel extension flow process bot message\n  event BotMessage\n  BODY\n`,
  },
  "2.x": {
    "input rails": `flow input rails $input_text\n  BODY\n`,
    "output rails": `flow output rails $output_text\n  BODY\n`,
    "a called flow": `flow input rails $input_text\n  await judge\nflow judge\n  BODY\n`,
    "an activated flow": `flow input rails $input_text\n  activate judge\nflow judge\n  BODY\n`,
    "a flow of a group": `flow output rails $output_text\n  await calm and judge\nflow calm\n  pass\nflow judge\n  BODY\n`,
    "a flow of a branch": `flow input rails $input_text\n  when judge\n    pass\nflow judge\n  BODY\n`,
    "a flow by its name": `flow input rails $input_text\n  $other = flow("judge")\n  await $other\nflow judge\n  BODY\n`,
    "a flow by an event": `flow input rails $input_text\n  send StartFlow(flow_id="judge")\nflow judge\n  BODY\n`,
    "run input rails": `@override\nflow run input rails $input_text\n  BODY\n`,
    "run output rails": `@override\nflow run output rails $output_text\n  BODY\n`,
  },
};
const SLIP = {
  "1.0": "$verdict = execute check\n  if not $verdct\n    stop",
  "2.x": "$verdict = await CheckAction()\n  if not $verdct\n    abort",
} as const;
const ODD = {
  "1.0": "$verdict = execute odd\n  if not $verdict\n    stop",
  "2.x": "$verdict = await OddAction()\n  if not $verdict\n    abort",
} as const;

function ownProgram(dialect: Dialect, name: string, body: string): string {
  const head =
    dialect === "1.0"
      ? ""
      : 'import core\nimport guardrails\nflow main\n  activate greeting\nflow greeting\n  user said "hi"\n  bot say "hello"\n';
  return `${head}${OWN[dialect][name]?.replace("BODY", body)}`;
}

describe.each(DIALECTS.flatMap((dialect) => Object.keys(OWN[dialect]).map((name) => ({ dialect, name }))))(
  "a program's own rails in Colang $dialect, $name,",
  ({ dialect, name }) => {
    it("are refused with a misspelt variable", async () => {
      const found = await codesOf(dialect, ownProgram(dialect, name, SLIP[dialect]), {});
      expect(found.map(({ code, hint }) => [code, hint])).toEqual([
        [dialect === "1.0" ? "CO-210" : "C2-207", "did you mean `$verdict`?"],
      ]);
    });
  },
);

it.each(DIALECTS)("blocks if a program's `run input rails` gets an invalid verdict (Colang %s)", async (dialect) => {
  const { runtime } = await openBench({
    colang: ownProgram(dialect, "run input rails", ODD[dialect]),
    yaml: `colang_version: "${dialect}"${dialect === "1.0" ? "\nrails: {input: {flows: [self check input]}}" : ""}`,
    actions: { odd: () => "no", OddAction: () => "no" },
    answers: ["express greeting", "hello"],
  });
  const generator = async () => ({ text: "hello" });
  const { status } = await runtime.turn([{ role: "user", content: "hi" }], dialect === "1.0" ? { generator } : {});
  expect(status).not.toBe("answered");
});

describe("flows that are written as rails of a Colang 2.x program and never run", () => {
  const program = (name: string, imports: string, body = "") =>
    `import core\n${imports}flow main\n  activate greeting\nflow greeting\n  user said something\n${body}  bot say "hello"\nflow ${name} $text\n  bot say "no"\n  abort\n`;
  const GUARDRAILS = "import guardrails\n";

  it.each([
    ["input rails", "", "add `import guardrails`, or start the flow yourself"],
    ["output rails", "", "add `import guardrails`, or start the flow yourself"],
    ["input rail", GUARDRAILS, "did you mean `input rails`?"],
    ["inputs rails", GUARDRAILS, "did you mean `input rails`?"],
    ["Input rails", GUARDRAILS, "did you mean `input rails`?"],
    ["ouput rails", GUARDRAILS, "did you mean `output rails`?"],
    ["output rail", "", "did you mean `output rails`?"],
  ])("`%s` is an error", async (name, imports, hint) => {
    const found = await codesOf("2.x", program(name, imports), {});
    expect(found).toEqual([
      expect.objectContaining({ code: "CF-110", message: `nothing runs the flow \`${name}\``, hint }),
    ]);
    const { span } = found[0] ?? {};
    expect(span?.source.text.slice(span.start, span.end)).toBe(name);
  });

  it.each([
    ["input rails", GUARDRAILS, ""],
    ["output rails", GUARDRAILS, ""],
    ["input rails", "", '  await input rails "x"\n'],
    ["input rail", "", '  await input rail "x"\n'],
    ["check railways", GUARDRAILS, ""],
  ])("`%s` that runs, or is something else, loads", async (name, imports, body) => {
    expect(await codesOf("2.x", program(name, imports, body), {})).toEqual([]);
  });

  it("a listed rail of such a name loads", async () => {
    expect(await codesOf("2.x", program("input rail", ""), { input: { flows: ["input rail $text=x"] } })).toEqual([]);
  });
});

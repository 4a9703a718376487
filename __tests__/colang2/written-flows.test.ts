import { describe, expect, it } from "@jest/globals";
import { compileColang2 } from "../../src/colang2/compile.js";
import { COLANG_2_DIALECT } from "../../src/colang2/expression-dialect.js";
import { resolveImports } from "../../src/colang2/imports/imports.js";
import { compileWrittenFlows } from "../../src/colang2/written-flows.js";
import { createSourceFile } from "../../src/diagnostics/source-file.js";

const { modules } = resolveImports({
  sources: [createSourceFile("main.co", "import core\n\nflow main\n  match Go()\n")],
});
const definitions = new Map(compileColang2({ modules }).program?.flows.map((flow) => [flow.id, flow]));

function compile(text: string, allowedActions: readonly string[] = []) {
  const { flows, problems } = compileWrittenFlows(text, { definitions, allowedActions });
  return { names: flows.map(({ id }) => id), problems };
}

const body = (...lines: readonly string[]): string =>
  ["flow bot goes on", ...lines.map((line) => `  ${line}`)].join("\n");

describe("a flow that a model wrote", () => {
  it.each([
    ["says something", 'bot say "Hi"'],
    ["says one of two things", 'bot say "Hi" or bot say "Ho"'],
    ["waits for the user", 'user said "yes"'],
    ["distinguishes answers", 'when user said "yes"\n    bot say "Good"\n  or when user said "no"\n    bot say "Bad"'],
    ["waits for an event", "match Knock(times=2) as $e"],
    ["keeps a value", '$x = 1\n  while $x < 3\n    $x = $x + 1\n  bot say "{$x}"'],
    ["asks for a value", '$day = ..."the day"\n  bot say $day'],
    ["keeps what a flow returns", '$said = await user said something\n  bot say "You said {$said}"'],
    ["asks to be asked again", "user said something\n  ..."],
    ["starts a flow and stops it again", 'start bot say "long" as $f\n  stop $f'],
    ["ends", "if True\n    return 1\n  else\n    abort"],
    ["calls a flow that is not defined", "bot dance"],
  ])("%s", (_, text) => {
    expect(compile(body(text))).toEqual({ names: ["bot goes on"], problems: [] });
  });

  it.each([
    ["runs an action", "PayAction(sum=100)"],
    ["awaits an action", "await PayAction(sum=100)"],
    ["keeps what an action returns", "$x = await PayAction(sum=100)"],
    ["starts an action", "start PayAction() as $a"],
    ["speaks past the output rails", 'start UtteranceBotAction(script="x")'],
    ["runs an action when something happens", "when PayAction()\n    pass"],
    ["runs an action beside a flow", 'bot say "x" and PayAction()'],
    ["makes an action a value", '$a = action("PayAction")'],
    ["makes one inside a text", 'bot say "{action(\\"PayAction\\")}"'],
    ["starts what a variable holds", "start $a"],
    ["awaits what a variable holds", "await $a"],
    ["sends an event", "send OrderCancelled()"],
    ["starts an action by its event", 'send StartUtteranceBotAction(script="x")'],
    ["ends a flow by an event", 'send FinishFlow(flow_id="input rails")'],
    ["sends what a variable holds", "send $e"],
    ["stops a flow by its name", "stop bot say"],
    ["deactivates a flow", "deactivate bot say"],
    ["reads global variables", "global $secret"],
    ["changes a value in place", "($x.append(1))"],
    ["sets what rails made of a text", '$user_message = "x"'],
    ["sets it otherwise", 'bot say "x" as $bot_message'],
    ["sets it in a loop", "for $user_message in [1]\n    pass"],
    ["sets a value of the library's own", "$_user_intent = 1"],
    ["reads the configuration", 'bot say "{$system.config}"'],
    ["prints", 'print "x"'],
  ])("is refused when it %s", (_, text) => {
    const { names, problems } = compile(body(text));
    expect(names).toEqual([]);
    expect(problems).not.toEqual([]);
  });

  it.each([
    ["with an import", 'import llm\n\nflow bot goes on\n  bot say "x"'],
    ["that is active of itself", '@active\nflow bot goes on\n  bot say "x"'],
    ["in a loop of its own", '@loop("x")\nflow bot goes on\n  bot say "x"'],
    ["that overrides", '@override\nflow bot goes on\n  bot say "x"'],
    ["without a name", 'flow\n  bot say "x"'],
    ["that the rails look for", "flow input rails $input_text\n  return"],
    ["in the place of a hook", "flow _new hook\n  return"],
    ["with the configuration as a default", 'flow bot goes on $x="{$system.config}"\n  bot say $x'],
    ["of Colang 1.0", 'define flow x\n  bot say "x"'],
    ["that is no Colang", "flow x\n  (((("],
    ["that is none at all", "Sure, here you are!"],
    ["that is nothing", ""],
    ["among too many", Array.from({ length: 11 }, (_, at) => `flow f${at}\n  pass`).join("\n")],
    ["of too many lines", `flow f\n${"  pass\n".repeat(500)}`],
    ["that is too long", body(`bot say "${"x".repeat(20_000)}"`)],
    [
      "nested too deeply",
      `flow f\n${Array.from({ length: 40 }, (_, at) => `${"  ".repeat(at + 1)}if True`).join("\n")}`,
    ],
  ])("is refused: one %s", (_, text) => {
    const { names, problems } = compile(text);
    expect(names).toEqual([]);
    expect(problems).not.toEqual([]);
  });

  describe("may compute, but not change a value in any expression", () => {
    const POSITIONS: readonly (readonly [string, (call: string) => string])[] = [
      ["an assignment", (call) => `$y = ${call}`],
      ["an assignment that adds", (call) => `$y += ${call}`],
      ["a condition", (call) => `if ${call}\n    pass`],
      ["an else condition", (call) => `if True\n    pass\n  elif ${call}\n    pass`],
      ["the condition of a loop", (call) => `while ${call}\n    break`],
      ["the values of a loop", (call) => `for $i in [${call}]\n    pass`],
      ["an argument of a flow", (call) => `bot say (${call})`],
      ["a named argument of a flow", (call) => `await bot say(text=${call})`],
      ["an unpacked argument", (call) => `await bot say(*[${call}])`],
      ["an argument of an event", (call) => `match Knock(times=${call})`],
      ["an argument of an event member", (call) => `match bot say("x").Finished(value=${call})`],
      ["an argument in a group", (call) => `match Knock(times=1) or Knock(times=${call})`],
      ["a case", (call) => `when Knock(times=${call})\n    pass`],
      ["a text", (call) => `bot say "{${call.replaceAll('"', "'")}}"`],
      ["the format of a text", (call) => `bot say "{1:{${call.replaceAll('"', "'")}}}"`],
      ["a return value", (call) => `return ${call}`],
      ["a log line", (call) => `log (${call})`],
      ["a priority", (call) => `priority (${call})`],
      ["instructions", (call) => `$y = ..."{${call.replaceAll('"', "'")}}"`],
      ["an item of a list", (call) => `$y = [1, [${call}]]`],
      ["a key of a dictionary", (call) => `$y = {(${call}): 1}`],
      ["an operand", (call) => `$y = 1 if not ${call} else 2`],
      ["an index", (call) => `$y = [1, 2][${call}]`],
      ["a slice", (call) => `$y = [1, 2][${call}:]`],
      ["the value of a method", (call) => `$y = ${call}.copy()`],
      ["an argument of a method", (call) => `$y = "a".join(${call})`],
      ["an argument of a function", (call) => `$y = len(str(${call}))`],
    ];
    const METHODS = (["list", "map", "set"] as const).flatMap((type) => [...COLANG_2_DIALECT.methods[type].values()]);
    const callOf = ({ name, minimum }: { readonly name: string; readonly minimum: number }): string =>
      `$x.${name}(${Array.from({ length: minimum }, () => "1").join(", ")})`;
    const withParameter = (line: string): string => `flow bot goes on $x\n  ${line}`;

    it.each(POSITIONS)("%s", (_, line) => {
      for (const method of METHODS) {
        const { names, problems } = compile(withParameter(line(callOf(method))));
        // The name of a method that changes one type of value is refused for all.
        const isMutating = COLANG_2_DIALECT.mutatingMethods.has(method.name);
        expect(problems).toEqual(isMutating ? [`a method that changes a value: ${method.name}`] : []);
        expect(names).toEqual(isMutating ? [] : ["bot goes on"]);
      }
    });

    it.each([
      ["a default of a parameter", "flow bot goes on $x=[1].pop()\n  pass"],
      ["a default of a return value", "flow bot goes on -> $x=[1].pop()\n  pass"],
      ["a docstring", 'flow bot goes on $x\n  """Go on {$x.pop()}"""\n  ...'],
      ["a member of a value", withParameter("$x.a = 1")],
      ["an item of a value", withParameter('$x["a"] = 1')],
      ["a member that is added to", withParameter("$x.a += 1")],
      ["an alias", withParameter("$y = $x\n  $y.a = 1")],
      ["a member of an event", withParameter("match Knock() as $e\n  $e.arguments.times = 1")],
      ["a member that takes a result", withParameter("$x.a = await user said something")],
      ["a member that is generated", withParameter('$x.a = ..."the day"')],
      ["the key of a member", withParameter("$y[$x.pop()] = 1")],
    ])("%s", (_, text) => {
      const { names, problems } = compile(text);
      expect(names).toEqual([]);
      expect(problems).not.toEqual([]);
    });

    it.each(["{{ secret }}", "{% for k in history %}{% endfor %}"])(
      "a docstring that is a template: %s",
      (template) => {
        expect(compile(`flow bot goes on\n  """${template}"""\n  ...`).names).toEqual([]);
      },
    );
  });

  it("may run the actions and send the events that are allowed", () => {
    const text = body("await LookUpAction(id=1)", "send OrderSeen()");
    expect(compile(text).names).toEqual([]);
    expect(compile(text, ["LookUpAction", "OrderSeen"]).names).toEqual(["bot goes on"]);
    expect(compile(body("send FinishFlow()", "send StartPayAction()"), ["FinishFlow", "StartPayAction"]).names).toEqual(
      [],
    );
  });

  it("may be tagged", () => {
    expect(compile('@meta(bot_intent=True, user_action="x")\nflow bot goes on\n  bot say "x"').names).toEqual([
      "bot goes on",
    ]);
    expect(compile('@meta(bot_intent="{$system.config}")\nflow bot goes on\n  bot say "x"').names).toEqual([]);
  });

  it("leaves out names that are known, one by one", () => {
    expect(compile('flow main\n  PayAction()\n\nflow bot say\n  pass\n\nflow bot dance\n  bot say "x"')).toEqual({
      names: ["bot dance"],
      problems: [],
    });
  });

  it("repeats nothing of the text in what is wrong with it", () => {
    const { problems } = compile(body("PayAction(secret=SECRET)", "send SECRET()", "bot say ((SECRET"));
    expect(problems.join(" ")).not.toContain("SECRET");
    expect(compile("flow SECRET\n  PayAction(a=((").problems.join(" ")).toMatch(/^C2-\d+ in line 2/);
  });
});

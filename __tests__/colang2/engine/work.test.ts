import { describe, expect, it } from "@jest/globals";
import { compileColang2 } from "../../../src/colang2/compile.js";
import { EngineConversation } from "../../../src/colang2/engine/conversation.js";
import { LimitError } from "../../../src/diagnostics/errors.js";
import { createSourceFile } from "../../../src/diagnostics/source-file.js";
import { parseColang2 } from "../../../src/colang2/parse/parse.js";
import { WorkMeter } from "../../../src/engine/limits.js";

function begin(text: string, workPerEvent?: number): EngineConversation {
  const { ast } = parseColang2(createSourceFile("main.co", text));
  const { program, diagnostics } = compileColang2({ modules: [{ name: "main.co", ast }] });
  if (program === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  const conversation = new EngineConversation(program, workPerEvent === undefined ? {} : { limits: { workPerEvent } });
  conversation.begin();
  return conversation;
}

const loop = (statement: string): string =>
  `flow main\n  match Go() as $e\n  $i = 0\n  $d = {}\n  while True\n    ${statement}\n    $i += 1\n`;

const many = (body: string): string =>
  `${body}\nflow main\n  $n = 0\n  while $n < 200\n    activate one $n\n    $n += 1\n  match Never()\n`;

const GO = {
  type: "Go",
  text: "ab ".repeat(2000),
  list: Array.from({ length: 2000 }, (_, at) => at),
  map: Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`k${at}`, at])),
};

/** Report of the engine on an exceeded limit. */
function reports(conversation: EngineConversation): readonly string[] {
  const round = conversation.process(GO);
  return round.trace.flatMap((entry) => (entry.type === "failed" ? [entry.message] : []));
}

describe("an event costs as much as the values it touches", () => {
  it.each([
    ["texts of values", loop("$x = str($e.list)")],
    ["texts that are changed", loop("$x = $e.text.upper()")],
    ["texts that are searched", loop("$x = $e.text.count($e.text)")],
    ["lists that are added", loop("$x = $e.list + [$i]")],
    ["lists that are copied", loop("$x = $e.list.copy()")],
    ["sets that are made", loop("$x = set($e.list)")],
    ["dictionaries that are copied", loop("$x = $e.map.copy()")],
    ["comparisons", loop("$x = $e.list == $e.list.copy()")],
    ["copies in events", loop("send Out(list=$e.list)")],
    ["loops over lists", loop("for $k in $e.list\n      break")],
    ["members that are made", loop("$x = $e.arguments")],
    ["patterns that are compiled", loop('$x = regex("(a|b){{1,50}}" + str($i))')],
    ["patterns that search", loop('$x = search("(a?){{0,20}}b{{3}}$", $e.text)')],
    ["matches that are found", loop('$x = find_all("a", $e.text)')],
    ["flows that are looked at", many("flow one $n\n  match Go()\n  while True\n    $x = flows_info()\n")],
    ["patterns of events", many("flow one $n\n  match Go(list=[1, 7, 2, $n + 5000])\n  send Out(n=$n)\n")],
  ])("%s", (_, text) => {
    const conversation = begin(text, 60_000);
    const round = conversation.process(GO);
    const messages = [
      ...round.trace.flatMap((entry) => (entry.type === "failed" ? [entry.message] : [])),
      ...(conversation.state.work.isSpent ? ["spent"] : []),
    ];
    expect(messages.join("\n")).toMatch(/limit `workPerEvent`|spent/);
  });

  it("reports the limit to the program, which can react to it", () => {
    const conversation = begin(
      `flow spend\n  match Go() as $e\n  while True\n    $x = str($e.list)\n\nflow main\n  start spend\n  match ColangError() as $error\n  send Reported(type=$error.type, error=$error.error)\n`,
      60_000,
    );
    const { events } = conversation.process(GO);
    expect(events).toMatchObject([
      {
        type: "Reported",
        error:
          "one event costs more than 60000 steps (limit `workPerEvent`): do the work in an action, or wait in between",
      },
    ]);
  });

  it("fails the flow that spends, and the next event begins anew", () => {
    const conversation = begin(
      `@active\nflow spend\n  match Go() as $e\n  while True\n    $x = str($e.list)\n\nflow main\n  match Ping()\n  send Pong()\n  match Never()\n`,
      60_000,
    );
    expect(reports(conversation)).toEqual([expect.stringContaining("workPerEvent")]);
    expect(conversation.process({ type: "Ping" }).events).toMatchObject([{ type: "Pong" }]);
  });

  it("counts events that cause each other without an end", () => {
    const conversation = begin("flow a\n  b\n\nflow b\n  a\n\nflow main\n  match Go()\n  a\n", 3000);
    conversation.process(GO);
    expect(conversation.state.round.queue).toEqual([]);
    expect(conversation.state.data.flows.size).toBeLessThan(10);
  });
});

const MESSAGES: Readonly<Record<string, RegExp>> = {
  textLength: /^a string grows too long \(limit 1048576\): shorten/,
  listLength: /^a collection grows too large \(limit 100000\): keep only/,
  steps: /^(evaluation takes too many steps|a value is too long to be written) \(limit \d+\): /,
};

describe("a value that grows over statements and events", () => {
  it.each([
    ["a text that is doubled", '$x = "a"', "$x = $x + $x", "textLength"],
    ["a text that is put into itself", '$x = "ab"', '$x = "{$x}{$x}"', "textLength"],
    ["a list that is doubled", "$x = [1]", "$x = $x + $x", "listLength"],
    ["a list that is added to itself", "$x = [1]", "$x += $x", "listLength"],
    ["a list that extends itself", "$x = [1]", "($x.extend($x))", "listLength"],
    ["a list in itself, as a text", "$x = [1]", "$x = [$x, $x]\n    $t = str($x)", "steps"],
  ])("%s", (_, first, statement, limit) => {
    const within = begin(`flow main\n  match Go()\n  ${first}\n  while True\n    ${statement}\n`);
    const message = reports(within).join();
    expect(message).toMatch(MESSAGES[limit] ?? /^$/);
    const across = begin(`flow main\n  ${first}\n  while True\n    match Go()\n    ${statement}\n`);
    let later = "";
    for (let turn = 0; turn < 100 && later === ""; turn += 1) later = reports(across).join();
    expect(later).toBe(message);
  });

  it("a dictionary whose entries are assigned", () => {
    const fill = "$i = 0\n    while $i < 30\n      $d[str($i) + $d.turn] = $i\n      $i += 1";
    const conversation = begin(
      "flow main\n  match Go() as $e\n  $d = $e.map\n" +
        `  $d["turn"] = "t"\n  while True\n    match Go()\n    $d["turn"] = $d["turn"] + "t"\n    ${fill}\n`,
    );
    const map = Object.fromEntries(Array.from({ length: 99_960 }, (_, at) => [`k${at}`, at]));
    conversation.process({ type: "Go", map });
    expect(reports(conversation)).toEqual([]);
    expect(reports(conversation).join()).toMatch(/^a collection grows too large \(limit 100000\)/);
  });
});

describe("the meter of an event", () => {
  it("throws a typed error that names the limit", () => {
    const work = new WorkMeter(10, "CO-403");
    work.spend(10);
    expect(work.isSpent).toBe(false);
    let error: unknown;
    try {
      work.spend(1);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(LimitError);
    expect(error).toMatchObject({ limit: "workPerEvent", maximum: 10, code: "CO-403" });
    work.extend(5);
    expect(work.isSpent).toBe(false);
    work.reset();
    work.spend(10);
  });
});

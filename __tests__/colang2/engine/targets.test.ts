import { describe, expect, it } from "@jest/globals";
import { compileText, Driver } from "../engine-driver.js";

const CASES: readonly (readonly [title: string, statements: readonly string[], shown: string, value: unknown])[] = [
  ["a member", ["$d = {}", "$d.a = 1"], "$d", { a: 1 }],
  ["a member of a member", ['$d = {"a": {}}', "$d.a.b = 1"], "$d", { a: { b: 1 } }],
  ["a key", ["$d = {}", '$d["a b"] = 1', "$d[3] = 2"], "$d", { "a b": 1, 3: 2 }],
  ["an item", ["$l = [1, 2]", "$l[1] = 5", "$l[-2] = 4"], "$l", [4, 5]],
  ["an item of a member", ['$d = {"l": [1]}', "$d.l[0] = 2"], "$d", { l: [2] }],
  ["a sum in a key that is not there yet", ["$d = {}", "$d.n = 1", "$d.n += 2", "$d.n -= 5"], "$d", { n: -2 }],
  ["a sum of lists", ["$l = [[1]]", "$l[0] += [2]"], "$l", [[1, 2]]],
  ["a variable of the loop", ["$d = {}", "for $x in [1, 2]", "  $d[$x] = $x"], "$d", { 1: 1, 2: 2 }],
  ["what was evaluated once", ["$q = [0, 1]", "$l = [10, 20]", "$l[$q.pop(0)] += 5"], "[$l, $q]", [[15, 20], [1]]],
  ["a forbidden key", ["$d = {}", '$d["__proto__"] = 1', '$d["__proto__"] += 1'], 'len($d) + $d["__proto__"]', 3],
  ["the same object under two names", ["$d = {}", "$e = $d", "$e.a = 1"], "$d", { a: 1 }],
];

const FAILING: readonly (readonly [title: string, statements: readonly string[]])[] = [
  ["an item beyond the end", ["$l = [1]", "$l[1] = 2"]],
  ["an item that is no number", ["$l = [1]", '$l["0"] = 2']],
  ["a part of an item", ["$l = [1]", "$l[0.5] = 2"]],
  ["a member of nothing", ["$x.a = 1"]],
  ["a member of a text", ['$x = "a"', "$x.a = 1"]],
  ["a member of a missing member", ["$d = {}", "$d.a.b = 1"]],
  ["a list as a key", ["$d = {}", "$d[[1]] = 1"]],
  ["a member of a reference", ["$f = $self", "$f.a = 1"]],
  ["a sum with what is missing", ["$d = {}", "$d.n += 1"]],
];

const source = (statements: readonly string[], shown: string): string =>
  `@active\n@loop("e")\nflow errors\n  match ColangError() as $e\n  send Failed(line=$e.source_line)\n\nflow tries\n${statements
    .map((line) => `  ${line}\n`)
    .join("")}  send Shown(v=${shown})\n\nflow main\n  match Go()\n  start tries\n  match Never()\n`;

describe("targets of assignments", () => {
  it.each(CASES)("%s", (_, statements, shown, value) => {
    const driver = new Driver(source(statements, shown), { roundTrips: true });
    driver.batch();
    expect(driver.batch({ type: "Go" })).toMatchObject([{ type: "Shown", v: value }]);
  });

  it.each(FAILING)("fail for %s", (_, statements) => {
    const driver = new Driver(source(statements, "1"));
    driver.batch();
    expect(driver.batch({ type: "Go" })).toMatchObject([{ type: "Failed", line: 7 + statements.length }]);
  });

  it.each(["$self = 1", "$self.a = 1", "$system = 1", "$system.config = 1", "$system.config.a += 1"])(
    "cannot be what the engine predefines: %s",
    (statement) => {
      expect(() => new Driver(source([statement], "1"))).toThrow(/cannot be assigned/);
    },
  );

  it("never change the settings that all conversations share", () => {
    const program = compileText(
      source(["$c = $system.config", "$c.colour = 1", "($system.config.update(size=1))"], "$system.config"),
    );
    const driver = new Driver({ ...program, constants: { colour: "red" } });
    driver.batch();
    expect(driver.batch({ type: "Go" })).toMatchObject([{ v: { colour: "red" } }]);
    expect(driver.program.constants).toEqual({ colour: "red" });
  });
});

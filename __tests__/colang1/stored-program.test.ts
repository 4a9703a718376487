import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import type { CompiledFlow } from "../../src/colang1/elements.js";
import { decodeProgram, encodeProgram } from "../../src/colang1/stored-program.js";
import { compileText } from "./engine/compile-text.js";
import { programs } from "./engine/random-flows.js";

const EVERY_KIND = `
define user say hello
  "hello"

define bot say hi
  "Hi $name."

define parallel flow greet
  meta {"stream": "word"}
  priority 0.5
  user say hello
  # kindly
  bot say hi
  $x = [1, "a", None, {"k": -2.5}, not True][0:2]
  $y.z = execute look up(name=$x, other="a {$x}")
  while len($x) > 0 and $x[0] < 2 <= 3
    if $x.kind == "b" or "c" in $y
      break
    else
      do other flow
  when user ...
    bot "Yes."
  else when event Ready(id=$x, part="...")
    create event Done(value=$x if $y else 1)
  stop

define subflow other flow
  label again
  $z = do greet
  bot $z
  goto again
  return $z, lower($x)
`;

describe("a stored program", () => {
  it("is read as it was compiled, with every kind of element", () => {
    const program = compileText(EVERY_KIND);
    const read = decodeProgram(encodeProgram(program) ?? "", program.constants);
    expect(JSON.stringify(read?.flows)).toBe(
      JSON.stringify(program.flows.map((flow) => ({ ...flow, sourceText: flow.sourceText, hash: flow.hash }))),
    );
    expect([read?.hash, read?.userMessages, read?.botMessages]).toEqual([
      program.hash,
      program.userMessages,
      program.botMessages,
    ]);
    expect(Object.getPrototypeOf(read?.botMessages)).toBeNull();
  });

  it("is read as it was compiled, whatever its flows", () => {
    fc.assert(
      fc.property(programs, (program) => {
        expect(decodeProgram(encodeProgram(program) ?? "", program.constants)).toEqual(program);
      }),
      { numRuns: 50 },
    );
  });

  it("is not written for a program with a number that JSON lacks", () => {
    const [flow, ...flows] = compileText("define flow a\n  user x\n  stop\n").flows;
    const program = { dialect: "1.0", hash: "", userMessages: {}, botMessages: {}, constants: {} } as const;
    const endless = { ...flow, sourceText: "", hash: "", priority: Infinity } as CompiledFlow;
    expect(encodeProgram({ ...program, flows: [endless, ...flows] })).toBeUndefined();
  });

  it("refuses any other data", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(decodeProgram(text, {})).toBeUndefined();
      }),
      { numRuns: 200 },
    );
  });
});

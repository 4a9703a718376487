import { describe, expect, it } from "@jest/globals";
import { Driver } from "../engine-driver.js";

/** Groups whose operands are over, or lost, while others still begin. */

const FLOWS = `flow at once
  pass

flow acts
  start LampAction()
  match Never()

flow waits $n
  match E(n=$n)

flow fails
  abort
`;

type Steps = readonly (readonly [event: "start" | number, sent: readonly string[]])[];

const CASES: readonly (readonly [group: string, steps: Steps])[] = [
  [
    "(acts or at once) and waits 1",
    [
      ["start", ["StartLampAction"]],
      [1, ["StopLampAction", "Done"]],
    ],
  ],
  [
    "(at once or acts) and waits 1",
    [
      ["start", ["StartLampAction"]],
      [1, ["StopLampAction", "Done"]],
    ],
  ],
  ["(acts or at once) and at once", [["start", ["Done"]]]],
  [
    "(fails or at once) and waits 1",
    [
      ["start", []],
      [1, ["Done"]],
    ],
  ],
  [
    "(fails or acts) and waits 1",
    [
      ["start", ["StartLampAction"]],
      [1, []],
    ],
  ],
  [
    "(waits 1 or waits 2) and (waits 3 or at once)",
    [
      ["start", []],
      [2, ["Done"]],
    ],
  ],
  [
    "((acts or at once) and waits 1) or waits 2",
    [
      ["start", ["StartLampAction"]],
      [2, ["StopLampAction", "Done"]],
    ],
  ],
  [
    "(acts or at once) and (acts or at once) and waits 1",
    [
      ["start", ["StartLampAction"]],
      [1, ["StopLampAction", "Done"]],
    ],
  ],
  [
    "(at once or fails) and (fails or waits 1)",
    [
      ["start", []],
      [1, ["Done"]],
    ],
  ],
];

describe.each([
  ["in one go", false],
  ["stored and read again at every step", true],
])("groups, %s", (_, roundTrips) => {
  it.each(CASES)("await %s", (group, steps) => {
    const source = `${FLOWS}\nflow main\n  await ${group}\n  send Done()\n  match Never()\n`;
    const driver = new Driver(source, { roundTrips });
    for (const [event, expected] of steps) {
      const sent = event === "start" ? driver.batch() : driver.batch({ type: "E", n: event });
      expect(sent.map(({ type }) => type)).toEqual(expected);
    }
  });
});

import { expect, it } from "@jest/globals";
import { openBench } from "./bench.js";

it("a flow may execute `create_event`, and other flows hear the event", async () => {
  const colang = `
define user ring
  "ring"
define bot answer
  "Who is there?"
define flow ring
  user ring
  execute create_event(event={"type": "Bell", "times": 2})
define flow door
  event Bell(times=2)
  bot answer
`;
  const { runtime } = await openBench({ colang });
  const result = await runtime.turn([{ role: "user", content: "ring" }]);
  expect([result.text, result.log.errors, runtime.warnings]).toEqual(["Who is there?", [], []]);
});

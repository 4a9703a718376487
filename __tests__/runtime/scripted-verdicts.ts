import * as fc from "fast-check";
import type { TurnResult } from "../../src/turn/result.js";

type Verdict = boolean | "fail";

/** Verdicts of three judges; the third never fails. */
export const verdicts = {
  one: fc.constantFrom<Verdict>(true, true, false, "fail"),
  two: fc.constantFrom<Verdict>(true, true, false, "fail"),
  three: fc.constantFrom<Verdict>(true, true, false),
};

/** Returns the scripted verdict of a judge, or fails if scripted. */
export async function judgeAs(name: string, verdict: Verdict | Promise<Verdict>): Promise<boolean> {
  const said = await verdict;
  if (said === "fail") throw new Error(`${name} is out`);
  return said;
}

/** The observable result; verdicts after the decisive one appear only if rails run concurrently. */
export function visibleResult({ status, text, verdict: { rail }, decisions, outputData, log }: TurnResult): object {
  const decisive = decisions.findIndex((decision) => decision.status === "blocked" || decision.status === "error");
  const decided = decisive < 0 ? decisions : decisions.slice(0, decisive + 1);
  return {
    status,
    text,
    rail,
    decided: decided.map(({ rail: name, status: verdictOf, reason }) => [name, verdictOf, reason]),
    outputData,
    warnings: log.warnings,
  };
}

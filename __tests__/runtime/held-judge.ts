import { defineAction } from "../../src/actions/define-action.js";
import { HeldLanguageModel, type Hold, StreamingHeldModel } from "../support/language-models/held-language-model.js";
import { type BenchInput, gate, openBench } from "./bench.js";

export interface HeldInput extends Partial<BenchInput> {
  readonly streams?: boolean;
  readonly answer?: (prompt: string) => readonly string[];
  readonly hold?: Hold;
}

/**
 * A runtime whose judge, an action of this name, decides under control of the test; `asked` resolves at the first model
 * call.
 */
export async function openHeldJudge(
  name: string,
  { streams, answer = () => ["An answer."], hold, ...input }: HeldInput = {},
) {
  const decision = gate<boolean>();
  const asked = gate();
  const Model = streams === true ? StreamingHeldModel : HeldLanguageModel;
  const model = new Model("main", answer, async (what) => {
    asked.open();
    await hold?.(what);
  });
  const { runtime } = await openBench({
    main: model as never,
    actions: { [name]: defineAction({ name, verdict: true }, () => decision.promise) },
    ...input,
  });
  return { runtime, model, asked: asked.promise, decide: decision.open };
}

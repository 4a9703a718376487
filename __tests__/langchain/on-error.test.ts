import { describe, expect, it } from "@jest/globals";
import { ActionError, Guardrails, GuardrailViolationError } from "langchain-guardrails";
import { scriptedModel } from "../../src/testing/scripted-model.js";
import { MARKED, type Surface, SURFACES } from "../support/langchain/guarded-surfaces.js";
import type { Version } from "../support/langchain/real-guardrails.js";

const COLANG: Readonly<Record<Version, string>> = {
  "1.0": "define subflow judge\n  $ok = execute judge_text\n  if not $ok\n    bot refuse to respond\n    stop\n",
  "2.x": "import core\nflow judge\n  $ok = await JudgeTextAction()\n  if not $ok\n    abort\n",
};

const VERSIONS = ["1.0", "2.x"] as const;
type OnError = "block" | "allow" | "throw";

const loaded = new Map<string, Promise<Guardrails>>();

/**
 * The guardrails of a row, shared by the surfaces with the same stage and reply. `own` is the message of the rail's
 * error.
 */
function load(
  version: Version,
  { stage, reply = "fine" }: Surface,
  onError?: OnError,
  own?: OnError,
): Promise<Guardrails> {
  const key = [version, stage, reply, onError, own].join();
  const guardrails = loaded.get(key) ?? loadBroken(version, { stage, reply }, onError, own);
  loaded.set(key, guardrails);
  return guardrails;
}

function loadBroken(
  version: Version,
  { stage, reply }: Pick<Surface, "stage" | "reply">,
  onError?: OnError,
  own?: OnError,
) {
  const judge = (): never => {
    throw own === undefined ? new Error("broken") : new ActionError("broken", { action: "judge_text", onError: own });
  };
  return Guardrails.fromConfig(
    { colang: COLANG[version], config: { colang_version: version, rails: { [stage]: { flows: ["judge"] } } } },
    {
      llm: scriptedModel(() => reply ?? ""),
      actions: { judge_text: judge },
      logger: false,
      ...(onError === undefined ? {} : { onError }),
    },
  );
}

it.each(VERSIONS)("the error of `onError: throw` that quotes the text keeps its class (Colang %s)", async (version) => {
  const judge = (): never => {
    throw new Error(`no verdict on "${MARKED}"`);
  };
  const guardrails = await Guardrails.fromConfig(
    { colang: COLANG[version], config: { colang_version: version, rails: { input: { flows: ["judge"] } } } },
    { actions: { judge_text: judge }, logger: false, onError: "throw" },
  );
  const [kind, error] = await outcomeOf(() => guardrails.check(MARKED, { stage: "input" }));
  expect(kind).toBe("error");
  expect(ActionError.isInstance(error) && error.action).toBe("judge_text");
  expect((error as Error).message).not.toContain(MARKED);
});

/** The outcome of a call: its value, a violation, or another error. */
async function outcomeOf(run: () => Promise<unknown>): Promise<readonly ["value" | "violation" | "error", unknown]> {
  try {
    return ["value", await run()];
  } catch (error) {
    return [GuardrailViolationError.isInstance(error) ? "violation" : "error", error];
  }
}

const CELLS = VERSIONS.flatMap((version) => SURFACES.map((surface) => ({ version, ...surface })));

describe.each(CELLS)("a rail that fails in $name, $stage (Colang $version)", ({ version, ...surface }) => {
  const expected = surface.passed ?? (surface.stage === "input" ? "fine" : MARKED);

  it.each([[undefined], ["block"], ["allow", "block"]] as const)(
    "blocks with `onError: %s`, %s",
    async (...policies) => {
      const guardrails = await load(version, surface, ...policies);
      const [kind, value] = await outcomeOf(() => surface.run(guardrails));
      if (kind === "value") expect(JSON.stringify(value)).toContain(surface.refused ?? "I'm sorry, I can't");
      else expect([kind, surface.reports]).toEqual(["violation", undefined]);
      expect(JSON.stringify(value)).not.toContain(MARKED);
    },
  );

  it.each([["allow"], ["block", "allow"]] as const)(
    "lets the text pass with `onError: %s`, %s",
    async (...policies) => {
      const guardrails = await load(version, surface, ...policies);
      const [kind, value] = await outcomeOf(() => surface.run(guardrails));
      expect(kind).toBe("value");
      expect(textOf(value)).toContain(expected);
    },
  );

  it.each([["throw"], ["allow", "throw"]] as const)("rejects the call with `onError: %s`, %s", async (...policies) => {
    const guardrails = await load(version, surface, ...policies);
    const [kind, value] = await outcomeOf(() => surface.run(guardrails));
    expect([kind, causesOf(value).some(({ code }) => code === "RL-201")]).toEqual(["error", true]);
  });
});

/** The text of a value, with chunks joined. */
function textOf(value: unknown): string {
  const chunks = Array.isArray(value) ? value.map((chunk) => (chunk as { text?: unknown })?.text) : [];
  return `${JSON.stringify(value)} ${chunks.join("")}`;
}

function causesOf(error: unknown): (Error & { readonly code?: unknown })[] {
  return error instanceof Error ? [error, ...causesOf(error.cause)] : [];
}

describe("flows `input rails` and `output rails` of a Colang 2.x program", () => {
  const colang = (stage: "input" | "output"): string =>
    `import core\nimport guardrails\nflow main\n  activate greeting\n  match RestartEvent()\nflow greeting\n  user said "hi"\n  bot say "hello"\n` +
    `flow ${stage} rails $${stage}_text\n  $x = 1 + "a"\n`;
  const own = (stage: "input" | "output", onError: OnError): Promise<Guardrails> =>
    Guardrails.fromConfig(
      { colang: colang(stage), config: { colang_version: "2.x" } },
      { llm: scriptedModel([]), logger: false, onError },
    );

  it.each(["input", "output"] as const)("reject the call when they fail (%s)", async (stage) => {
    const surface = (await own(stage, "throw"))[stage]();
    await expect(surface.invoke("hi")).rejects.toMatchObject({ code: "C2-401" });
  });

  it.each(["block", "allow"] as const)("never let a text pass that they failed on (onError: %s)", async (onError) => {
    const { response } = await (await own("input", onError)).generate("hi");
    expect(response).not.toContain("hello");
  });

  it("reject a turn when they fail in it", async () => {
    await expect((await own("input", "throw")).generate("hi")).rejects.toMatchObject({ code: "RL-104" });
  });
});

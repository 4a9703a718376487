import { Guardrails, type GuardrailsOptions } from "../../../src/index.js";
import type { ToolRules } from "../../../src/langchain/rails.js";
import { loadShared, RAILS, textActions, type Version } from "./real-guardrails.js";
import { railFlows } from "../rail-flows.js";

/** Rails on tools, next to those on messages. */
const toolRails = (version: Version): string =>
  railFlows(
    version,
    {
      "check call": ["block", "tool_args", "check_call"],
      "lower amount": ["rewrite", "tool_args", "lower_amount"],
      "check result": ["block", "tool_message", "check_words"],
      "hide digits of result": ["rewrite", "tool_message", "hide_digits"],
    },
    { intent: "refuse words", head: false },
  );

export interface ToolSetup extends GuardrailsOptions {
  readonly version?: Version | undefined;
  readonly input?: readonly string[];
  readonly output?: readonly string[];
  readonly calls?: readonly string[];
  readonly results?: readonly string[];
  readonly rules?: ToolRules;
  readonly colang?: string;
  readonly onCheck?: (text: string) => unknown;
}

/** Rails that block texts with `bad`, on messages and on tools, and hide digits. */
export function toolGuardrails(setup: ToolSetup = {}): Promise<Guardrails> {
  return loadShared(setup, function toolRails() {
    return loadToolRails(setup);
  });
}

function loadToolRails(setup: ToolSetup): Promise<Guardrails> {
  const { input = [], output = [], calls = [], results = [], rules, colang = "", onCheck, ...rest } = setup;
  const { version = "1.0", ...options } = rest;
  return Guardrails.fromConfig(
    {
      colang: `${RAILS[version]}\n${toolRails(version)}\n${colang}`,
      config: {
        colang_version: version,
        rails: {
          input: { flows: input },
          output: { flows: output },
          tool_output: { flows: calls },
          tool_input: { flows: results },
        },
      },
    },
    {
      ...options,
      ...(rules === undefined ? {} : { toolRules: rules }),
      actions: {
        ...textActions(onCheck),
        check_call: async ({ args }: { args: object }) => {
          await onCheck?.(JSON.stringify(args));
          return !JSON.stringify(args).includes("bad");
        },
        lower_amount: ({ args }: { args: object }) => ({ ...args, amount: 1 }),
        ...options.actions,
      },
    },
  );
}

/** Name of a preset: `local` needs neither a model nor a key, the others also call a model. */
export type PresetName = "local" | "balanced" | "strict";

/** Types of personal data whose leak does most harm. */
const ENTITIES = ["CREDIT_CARD", "IBAN_CODE", "US_SSN", "CRYPTO"];

const LOCAL = {
  rails: {
    config: {
      hidden_text: { action: "mask" },
      secrets_detection: { action: "mask" },
      sensitive_data_detection: {
        input: { entities: ENTITIES, score_threshold: 0.5 },
        retrieval: { entities: ENTITIES, score_threshold: 0.5 },
        output: { entities: ENTITIES, score_threshold: 0.5 },
      },
      context_bloat_detection: { max_chars: 20_000 },
      instruction_detection: { retrieval: { action: "drop" } },
      exfiltration_detection: { images: "data", output: { action: "mask" } },
    },
    input: {
      flows: [
        "detect hidden text on input",
        "detect secrets on input",
        "mask sensitive data on input",
        "context bloat detection on input",
        "detect jailbreak on input",
      ],
    },
    retrieval: {
      flows: [
        "detect hidden text on retrieval",
        "detect instructions on retrieval",
        "detect secrets on retrieval",
        "mask sensitive data on retrieval",
      ],
    },
    output: {
      flows: ["detect exfiltration on output", "detect secrets on output", "mask sensitive data on output"],
    },
    tool_input: {
      flows: [
        "detect hidden text on tool input",
        "detect secrets on tool input",
        "detect jailbreak on tool input",
        "detect instructions on tool input",
      ],
    },
  },
};

/** Settings that a configuration can extend. */
export const PRESETS: Readonly<Record<PresetName, object>> = {
  local: LOCAL,
  balanced: withFlows(LOCAL, { input: ["self check input"], output: ["self check output"] }),
  strict: withFlows(LOCAL, {
    input: ["self check input"],
    output: ["self check output", "self check facts", "injection detection"],
    tool_output: [
      "tool safety check tool output",
      "detect secrets on tool output",
      "detect exfiltration on tool output",
    ],
    tool_input: ["tool safety check tool input"],
  }),
};

type Stage = "input" | "output" | "retrieval" | "tool_output" | "tool_input";

function withFlows(preset: typeof LOCAL, added: Partial<Record<Stage, readonly string[]>>): object {
  const stages: Partial<Record<Stage, { readonly flows: readonly string[] }>> = preset.rails;
  const joined = Object.entries(added).map(([stage, flows]) => {
    return [stage, { flows: [...(stages[stage as Stage]?.flows ?? []), ...flows] }] as const;
  });
  return { rails: { ...preset.rails, ...Object.fromEntries(joined) } };
}

import type { FlowAction, RailManifest } from "../rail-manifest.js";

const SHARED = {
  parameters: ["model", "policy"],
  sets: { policy_violations: "policy_violations" },
} as const satisfies Partial<FlowAction>;

export const llmJudge: RailManifest = {
  name: "llm-judge",
  title: "Policies in plain words",
  summary: "Asks a model if a message keeps to policies that are written in plain words.",
  flows: [
    {
      name: "llm judge check input",
      stage: "input",
      readsImages: true,
      runs: { action: "llm_judge_check_input", ...SHARED },
    },
    { name: "llm judge check output", stage: "output", runs: { action: "llm_judge_check_output", ...SHARED } },
  ],
  settings: "llm_judge",
  needs: { tasks: ["llm_judge_check_single_policy_compliance"], preferredModels: ["llm_judge", "llm-judge"] },
  cost: "model",
  leaves: "The user's and the bot's message and the policies, to the model.",
  actions: ["llm_judge_check_input", "llm_judge_check_output"].map((name) => ({
    name,
    parameters: ["source", "text", "model", "policy", "variant"],
  })),
  load: () => import("./actions.js"),
};

import type { FlowAction, RailManifest } from "../rail-manifest.js";

const SHARED = {
  parameters: ["model"],
  sets: { allowed: "allowed", llama_guard_policy_violations: "policy_violations" },
} as const satisfies Partial<FlowAction>;

export const llamaGuard: RailManifest = {
  name: "llama-guard",
  title: "Llama Guard",
  summary: "Asks Llama Guard, release 2 to 4, if a message is safe.",
  flows: [
    {
      name: "llama guard check input",
      stage: "input",
      readsImages: true,
      runs: { action: "llama_guard_check_input", exception: "LlamaGuardInputRailException", ...SHARED },
    },
    {
      name: "llama guard check output",
      stage: "output",
      runs: { action: "llama_guard_check_output", exception: "LlamaGuardOutputRailException", ...SHARED },
    },
  ],
  needs: { tasks: ["llama_guard_check_input", "llama_guard_check_output"], modelType: "llama_guard" },
  cost: "model",
  leaves: "The user's and the bot's message, to the guard model.",
  actions: ["llama_guard_check_input", "llama_guard_check_output"].map((name) => ({
    name,
    parameters: ["source", "text", "model", "variant"],
  })),
  load: () => import("./actions.js"),
};

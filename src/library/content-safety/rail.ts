import type { FlowAction, RailManifest } from "../rail-manifest.js";

const SHARED = {
  parameters: ["model"],
  sets: { allowed: "allowed", policy_violations: "policy_violations" },
} as const satisfies Partial<FlowAction>;

export const contentSafety: RailManifest = {
  name: "content-safety",
  title: "Content safety",
  summary:
    "Asks a guard model if a message is safe: NemoGuard, Nemotron, Llama Guard, ShieldGemma, Granite Guardian, WildGuard, or any other model.",
  flows: [
    {
      name: "content safety check input",
      stage: "input",
      readsImages: true,
      runs: { action: "content_safety_check_input", exception: "ContentSafetyCheckInputException", ...SHARED },
    },
    {
      name: "content safety check output",
      stage: "output",
      runs: { action: "content_safety_check_output", exception: "ContentSafetyCheckOutputException", ...SHARED },
    },
  ],
  settings: "content_safety",
  needs: { tasks: ["content_safety_check_input", "content_safety_check_output"], modelType: "content_safety" },
  cost: "model",
  leaves: "The user's and the bot's message, to the guard model.",
  actions: ["content_safety_check_input", "content_safety_check_output"].map((name) => ({
    name,
    parameters: ["source", "text", "model", "variant"],
  })),
  load: () => import("./actions.js"),
};

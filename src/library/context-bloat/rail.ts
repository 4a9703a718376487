import type { RailFlow, RailManifest } from "../rail-manifest.js";

const FLOWS = (["input", "retrieval"] as const).map((stage) => ({
  name: `context bloat detection on ${stage}`,
  stage,
  runs: { action: "detect_context_bloat" },
})) satisfies RailFlow[];

export const contextBloatRail: RailManifest = {
  name: "context-bloat",
  title: "Texts that only fill the context",
  summary: "Finds texts that are too long, repeat themselves, or hold long runs of one character.",
  flows: FLOWS,
  flowsFor: ({ action }) =>
    action === "truncate"
      ? FLOWS.map((flow) => ({ ...flow, rewrites: true, stream: "answer", runs: { action: "truncate_context_bloat" } }))
      : [],
  settings: "context_bloat_detection",
  cost: "local",
  actions: [
    { name: "detect_context_bloat", parameters: ["source", "text", "variant"] },
    { name: "truncate_context_bloat", parameters: ["source", "text", "variant"], verdict: false },
  ],
  load: () => import("./actions.js"),
};

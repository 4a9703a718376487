import type { RailFlow, RailManifest } from "../rail-manifest.js";

const FLOWS: readonly RailFlow[] = [
  {
    name: "injection detection",
    stage: "output",
    runs: {
      action: "injection_detection",
      listed: {
        SQL_INJECTION: "sqli",
        TEMPLATE_INJECTION: "template",
        SHELL_INJECTION: "code",
        SCRIPT_INJECTION: "xss",
      },
    },
  },
  { name: "detect code injection on input", stage: "input", runs: { action: "injection_detection" } },
  { name: "detect code injection on tool output", stage: "tool_output", runs: { action: "injection_detection" } },
  { name: "detect code injection on tool input", stage: "tool_input", runs: { action: "injection_detection" } },
];

export const injectionDetection: RailManifest = {
  name: "injection-detection",
  title: "Code injection",
  summary: "Finds SQL, commands, template expressions and scripts in text that is meant as data.",
  flows: FLOWS,
  flowsFor: ({ action }) =>
    action === "omit"
      ? FLOWS.map((flow) => ({ ...flow, rewrites: true, stream: "answer", runs: { action: "omit_injections" } }))
      : [],
  settings: "injection_detection",
  cost: "local",
  actions: [
    { name: "injection_detection", parameters: ["source", "text", "variant"] },
    { name: "omit_injections", parameters: ["source", "text", "variant"], verdict: false },
  ],
  load: () => import("./actions.js"),
};

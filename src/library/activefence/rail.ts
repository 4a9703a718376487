import { serviceManifest } from "../http/service-manifest.js";

const ABUSE = "inform cannot engage in abusive or harmful behavior";

/** Refusals and exceptions of the detailed flows, by type of violation. */
const CASES = {
  harassment_or_bullying: { refusal: ABUSE, exception: "ActiveFenceHarassmentRailException" },
  profanity: { refusal: ABUSE, exception: "ActiveFenceProfanityRailException" },
  hate_speech: { refusal: ABUSE, exception: "ActiveFenceHateSpeechRailException" },
  child_grooming: { refusal: ABUSE, exception: "ActiveFenceChildGroomingRailException" },
  general_violence: { refusal: ABUSE, exception: "ActiveFenceGeneralViolenceRailException" },
  self_harm: {
    refusal: "inform cannot engage in self harm behavior",
    exception: "ActiveFenceSelfHarmRailException",
  },
  adult_content: {
    refusal: "inform cannot engage with inappropriate content",
    exception: "ActiveFenceAdultContentRailException",
  },
  privacy_violation: {
    refusal: "inform cannot engage with sensitive content",
    exception: "ActiveFencePrivacyViolationRailException",
  },
};

const FLOWS = [
  ["activefence moderation on input", "input"],
  ["activefence moderation on output", "output"],
  // The name in releases of NeMo Guardrails before 0.12.
  ["activefence moderation", "input"],
] as const;

export const activefence = serviceManifest({
  name: "activefence",
  title: "ActiveFence",
  summary: "Scores the risk of a text by kinds of abuse.",
  environment: ["ACTIVEFENCE_API_KEY"],
  flows: FLOWS.flatMap(([name, stage]) => [
    { name, stage, exception: "ActiveFenceModerationRailException" },
    ...(stage === "output" ? [] : [{ name: `${name} detailed`, stage, ask: "detailed", cases: CASES }]),
  ]),
  verdictsBy: "text",
  load: () => import("./actions.js"),
});

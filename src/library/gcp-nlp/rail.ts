import { serviceManifest } from "../http/service-manifest.js";

/** Refusals of the detailed flow by groups of categories. */
const CASES = {
  abuse: { refusal: "inform cannot engage in abusive or harmful behavior" },
  inappropriate: { refusal: "inform cannot engage with inappropriate content" },
  sensitive: { refusal: "inform cannot engage with sensitive content" },
};

export const gcpNlp = serviceManifest({
  name: "gcp-nlp",
  title: "Google Cloud Natural Language",
  summary: "Scores a text by the categories of Google's text moderation.",
  settings: "gcpnlp",
  environment: ["GOOGLE_API_KEY", "GOOGLE_ACCESS_TOKEN", "GOOGLE_APPLICATION_CREDENTIALS"],
  flows: [
    { name: "gcpnlp moderation", stage: "input" },
    { name: "gcpnlp moderation detailed", stage: "input", ask: "detailed", cases: CASES },
  ],
  verdictsBy: "text",
  load: () => import("./actions.js"),
});

import { type RiskKinds, scoreVerdict } from "../http/score-verdict.js";
import { serviceCode } from "../http/service-code.js";

const KINDS: RiskKinds = [
  ["abusive_or_harmful.harassment_or_bullying", "harassment_or_bullying", 0.8],
  ["abusive_or_harmful.profanity", "profanity", 0.7],
  ["abusive_or_harmful.hate_speech", "hate_speech", 0.6],
  ["abusive_or_harmful.child_grooming", "child_grooming", 0.4],
  ["abusive_or_harmful.general_violence", "general_violence", 0.7],
  ["self_harm.general", "self_harm", 0.8],
  ["adult_content.general", "adult_content", 0.3],
  ["privacy_violation.pii", "privacy_violation", 0.8],
];

/** Greatest risk score that passes the simple flows. */
const THRESHOLD = 0.7;

export const { actions, prepare } = serviceCode<{ readonly server_endpoint: string | null }>({
  rail: "activefence",
  title: "ActiveFence",
  connect({ server_endpoint: endpoint }, tools) {
    const key = tools.key("ACTIVEFENCE_API_KEY");
    const url = tools.address(endpoint, ["server_endpoint"], "leave it out for the default");
    return { url, headers: { "af-api-key": key, "af-source": "langchain-guardrails" }, secrets: [key] };
  },
  async ask({ text, ask, post }) {
    const reply = await post("", { text, content_id: `lg-${crypto.randomUUID()}` });
    const risks = new Map<string, number>();
    for (const violation of reply.at("violations").items()) {
      const type = violation.at("violation_type").text();
      risks.set(type, Math.max(risks.get(type) ?? 0, violation.at("risk_score").ratio()));
    }
    return scoreVerdict(risks, ask === "detailed" ? KINDS : THRESHOLD);
  },
});

import { serviceCode } from "../http/service-code.js";

interface AiDefenseSettings {
  readonly fail_open: boolean;
}

/** Classification of a rule that a text keeps. */
const NO_VIOLATION = "NONE_VIOLATION";

export const { actions, prepare } = serviceCode<AiDefenseSettings>({
  rail: "ai-defense",
  title: "Cisco AI Defense",
  connect({ fail_open: failOpen }, tools) {
    const key = tools.key("AI_DEFENSE_API_KEY");
    const hint =
      "set `AI_DEFENSE_API_ENDPOINT` to `https://<region>.api.inspect.aidefense.security.cisco.com/api/v1/inspect/chat`";
    const url = tools.address(tools.variable("AI_DEFENSE_API_ENDPOINT"), [], hint);
    const headers = { "X-Cisco-AI-Defense-API-Key": key };
    return { url, headers, secrets: [key], ...(failOpen ? { onError: "allow" as const } : {}) };
  },
  async ask({ text, source, post }) {
    const role = source === "output" ? "assistant" : "user";
    const reply = await post("", { messages: [{ role, content: text }] });
    const isSafe = reply.at("is_safe").flag();
    const action = reply.at("action").optional?.text().toLowerCase();
    if (isSafe && action === "block") return reply.at("action").fail("an action for a safe text");
    const rules = reply.at("rules").optional?.items() ?? [];
    const names = rules.map((rule) => rule.at("rule_name").text());
    const broken = rules.filter(
      (rule) => (rule.at("classification").optional?.text() ?? NO_VIOLATION) !== NO_VIOLATION,
    );
    if (isSafe && broken.length > 0) return reply.at("rules").fail("a list of rules that the text keeps");
    return {
      blocked: !isSafe,
      categories: isSafe ? [] : names,
      reason: isSafe ? "the service calls the text safe" : "the service calls the text unsafe",
    };
  },
});

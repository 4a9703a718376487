import { serviceCode } from "../http/service-code.js";

interface CleanlabSettings {
  readonly server_endpoint: string | null;
  readonly threshold: number;
  readonly quality: string;
}

export const { actions, prepare } = serviceCode<CleanlabSettings>({
  rail: "cleanlab",
  title: "Cleanlab",
  connect({ server_endpoint: endpoint }, tools) {
    const key = tools.key("CLEANLAB_API_KEY");
    const url = tools.address(endpoint, ["server_endpoint"], "leave it out for the default");
    return { url, headers: { authorization: `bearer ${key}` }, secrets: [key] };
  },
  async ask({ text, userMessage, settings: { threshold, quality }, post }) {
    const body = { prompt: userMessage, response: { response: text }, quality, task: "default", options: {} };
    const reply = await post("", body);
    // The service flags a score that it could compute only in part.
    if (reply.at("deberta_success").optional?.flag() === false) return reply.at("deberta_success").fail("true");
    const score = reply.at("confidence_score").ratio();
    return { blocked: score < threshold, score, threshold, reason: "score of trustworthiness" };
  },
});

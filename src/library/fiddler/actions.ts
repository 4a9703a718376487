import { serviceCode } from "../http/service-code.js";

interface FiddlerSettings {
  readonly fiddler_endpoint: string | null;
  readonly safety_threshold: number;
  readonly faithfulness_threshold: number;
}

const KINDS = [
  "harmful",
  "violent",
  "unethical",
  "illegal",
  "sexual",
  "racist",
  "jailbreaking",
  "harassing",
  "hateful",
  "sexist",
] as const;

export const { actions, prepare } = serviceCode<FiddlerSettings>({
  rail: "fiddler",
  title: "Fiddler",
  connect({ fiddler_endpoint: endpoint }, tools) {
    const key = tools.key("FIDDLER_API_KEY");
    const hint = "set it to the address of your account, such as `https://example.fiddler.ai`";
    const url = tools.address(endpoint, ["fiddler_endpoint"], hint);
    return { url, headers: { authorization: `Bearer ${key}` }, secrets: [key] };
  },
  async ask({ text, ask, evidence, settings, post }) {
    if (ask === "faithfulness") {
      if (evidence.length === 0) return { blocked: false, reason: "there is no evidence" };
      const data = { response: [text], context: [evidence.join("\n")] };
      const reply = await post("/v3/guardrails/ftl-response-faithfulness", { data });
      const score = reply.at("fdl_faithful_score").ratio();
      const threshold = settings.faithfulness_threshold;
      return { blocked: score <= threshold, score, threshold, reason: "score of faithfulness" };
    }
    const reply = await post("/v3/guardrails/ftl-safety", { data: { prompt: [text] } });
    const scores = KINDS.flatMap((kind) => {
      const score = reply.at(`fdl_${kind}`).optional;
      return score === undefined ? [] : [[kind, score.ratio()] as const];
    });
    if (scores.length === 0) return reply.fail("an object with scores");
    const threshold = settings.safety_threshold;
    const unsafe = scores.filter(([, score]) => score >= threshold).map(([kind]) => kind);
    const score = Math.max(...scores.map(([, categoryScore]) => categoryScore));
    return { blocked: unsafe.length > 0, categories: unsafe, score, threshold };
  },
});

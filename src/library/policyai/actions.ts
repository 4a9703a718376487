import { serviceCode } from "../http/service-code.js";

/** Status of a policy that was evaluated. */
const DONE = "success";

export const { actions, prepare } = serviceCode({
  rail: "policyai",
  title: "PolicyAI",
  connect(_, tools) {
    const key = tools.key("POLICYAI_API_KEY");
    const base = tools.variable("POLICYAI_BASE_URL") ?? "https://api.musubilabs.ai";
    const tag = encodeURIComponent(tools.variable("POLICYAI_TAG_NAME") ?? "prod");
    const url = `${tools.address(base, [], "set `POLICYAI_BASE_URL`")}/policyai/v1/decisions/evaluate/${tag}`;
    return { url, headers: { "Musubi-Api-Key": key }, secrets: [key] };
  },
  async ask({ text, post }) {
    const results = (await post("", { content: [{ type: "TEXT", content: text }] })).at("data");
    const decided = results.items().filter((result) => (result.at("status").optional?.text() ?? DONE) === DONE);
    const unsafe = decided.filter((result) => result.at("assessment").oneOf("SAFE", "UNSAFE") === "UNSAFE");
    // INVARIANT: if a policy could not be evaluated, the text does not pass.
    if (unsafe.length === 0 && (decided.length === 0 || decided.length < results.items().length)) {
      return results.fail("a list of at least one policy, all of them evaluated");
    }
    return {
      blocked: unsafe.length > 0,
      categories: unsafe.flatMap((result) => result.at("category").optional?.text() ?? []),
      reason: unsafe.length > 0 ? "the text breaks a policy" : "the text breaks no policy",
    };
  },
});

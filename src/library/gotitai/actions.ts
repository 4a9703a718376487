import { serviceCode } from "../http/service-code.js";

export const { actions, prepare } = serviceCode<{ readonly server_endpoint: string | null }>({
  rail: "gotitai",
  title: "Got It AI",
  connect({ server_endpoint: endpoint }, tools) {
    const key = tools.key("GOTITAI_API_KEY");
    const url = tools.address(endpoint, ["server_endpoint"], "leave it out for the default");
    return { url, headers: { authorization: `Bearer ${key}` }, secrets: [key] };
  },
  async ask({ text, userMessage, evidence, post }) {
    if (evidence.length === 0) return { blocked: false, reason: "there is no evidence" };
    const knowledge = evidence.map((chunk) => ({ text: chunk }));
    const reply = await post("", { knowledge, prompt: userMessage, generated_text: text, messages: [] });
    const blocked = reply.at("hallucination").oneOf("yes", "no") === "yes";
    return { blocked, reason: `the evidence ${blocked ? "does not support" : "supports"} the text` };
  },
});

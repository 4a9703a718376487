import { serviceCode } from "../http/service-code.js";

export const { actions, prepare } = serviceCode({
  rail: "prompt-security",
  title: "Prompt Security",
  connect(_, tools) {
    const key = tools.key("PS_APP_ID");
    const hint = "set `PS_PROTECT_URL` to `https://<region>.prompt.security/api/protect`";
    const url = tools.address(tools.variable("PS_PROTECT_URL"), [], hint);
    return { url, headers: { "APP-ID": key }, secrets: [key] };
  },
  async ask({ text, source, post }) {
    const side = source === "output" ? "response" : "prompt";
    const result = (await post("", { [side]: text })).at("result");
    const action = result.at("action").oneOf("block", "modify", "log");
    if (action === "modify") {
      const modified = result.at(side, "modified_text").text();
      return { blocked: false, text: modified, reason: "the service rewrites the text" };
    }
    const blocked = action === "block";
    return { blocked, reason: blocked ? "the service blocks the text" : "the service lets the text pass" };
  },
});

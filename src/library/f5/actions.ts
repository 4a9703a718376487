import { serviceCode } from "../http/service-code.js";

export const { actions, prepare } = serviceCode({
  rail: "f5",
  title: "F5 AI Guardrails",
  connect(_, tools) {
    const key = tools.key("F5_GUARDRAILS_API_KEY");
    const base = tools.variable("F5_GUARDRAILS_API_URL") ?? "https://us1.calypsoai.app";
    const failsOpen = /^(?:true|yes|1)$/i.test(tools.variable("F5_GUARDRAILS_FAIL_OPEN") ?? "");
    const url = `${tools.address(base, [], "set `F5_GUARDRAILS_API_URL`")}/backend/v1/scans`;
    const headers = { authorization: `Bearer ${key}` };
    return { url, headers, secrets: [key], ...(failsOpen ? { onError: "allow" as const } : {}) };
  },
  async ask({ text, post }) {
    const outcome = (await post("", { input: text })).at("result", "outcome").text();
    const blocked = outcome !== "cleared";
    return { blocked, reason: blocked ? "the scan does not clear the text" : "the scan clears the text" };
  },
});

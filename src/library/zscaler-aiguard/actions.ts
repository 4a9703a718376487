import { isMap } from "../../engine/plain-data.js";
import { serviceCode } from "../http/service-code.js";

interface ZscalerSettings {
  readonly server_endpoint: string | null;
}

export const { actions, prepare } = serviceCode<ZscalerSettings>({
  rail: "zscaler-aiguard",
  title: "Zscaler AI Guard",
  connect({ server_endpoint: endpoint }, tools) {
    const key = tools.key("AIGUARD_API_KEY");
    const cloud = tools.variable("AIGUARD_CLOUD") ?? "us1";
    if (!/^[a-z0-9-]{1,32}$/.test(cloud)) {
      const message = "the environment variable `AIGUARD_CLOUD` is not the name of a cloud";
      tools.report({ path: [], message, hint: "set it to a name such as `us1` or `eu1`" });
    }
    const policy = tools.variable("AIGUARD_POLICY_ID");
    if (policy !== undefined && !/^\d{1,15}$/.test(policy)) {
      const message = "the environment variable `AIGUARD_POLICY_ID` is not a whole number";
      tools.report({ path: [], message, hint: "remove it to let the service choose the policy" });
    }
    const base = endpoint ?? `https://api.${cloud}.zseclipse.net`;
    const url = `${tools.address(base, ["server_endpoint"], "leave it out for the default")}/v1/detection`;
    const prepared = policy === undefined ? undefined : Number(policy);
    return { url, headers: { authorization: `Bearer ${key}` }, secrets: [key], prepared };
  },
  async ask({ text, source, prepared: policyId, post }) {
    const body = { content: text, direction: source === "output" ? "OUT" : "IN" };
    const reply = await (policyId === undefined
      ? post("/resolve-and-execute-policy", body)
      : post("/execute-policy", { ...body, policyId }));
    const status = reply.at("statusCode").optional?.number();
    if (status !== undefined && status !== 200) return reply.at("statusCode").fail("200");
    const blocked = reply.at("action").oneOf("ALLOW", "DETECT", "BLOCK") === "BLOCK";
    const detectors = reply.at("detectorResponses").optional?.entries() ?? [];
    const blocking = detectors.filter(([, detector]) => {
      if (!isMap(detector.value)) return detector.fail("an object");
      return detector.at("action").optional?.text().toUpperCase() === "BLOCK";
    });
    if (!blocked && blocking.length > 0) return reply.at("action").fail("BLOCK, as a detector says");
    return {
      blocked,
      categories: blocking.map(([name]) => name),
      reason: blocked ? "the policy blocks the text" : "the policy lets the text pass",
    };
  },
});

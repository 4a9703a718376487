import { serviceCode } from "../http/service-code.js";

interface TrendMicroSettings {
  readonly v1_url: string | null;
  readonly api_key_env_var: string | null;
}

export const { actions, prepare } = serviceCode<TrendMicroSettings>({
  rail: "trend-micro",
  title: "Trend Micro AI Guard",
  connect({ v1_url: address, api_key_env_var: name }, tools) {
    const key = tools.namedKey(name, ["api_key_env_var"]);
    const url = tools.address(address, ["v1_url"], "leave it out for the default");
    return { url, headers: { authorization: `Bearer ${key}` }, secrets: [key] };
  },
  async ask({ text, post }) {
    const action = (await post("", { guard: text })).at("action").oneOf("Block", "Allow", "block", "allow");
    const blocked = action.toLowerCase() === "block";
    return { blocked, reason: blocked ? "the service blocks the text" : "the service lets the text pass" };
  },
});

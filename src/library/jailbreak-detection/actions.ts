import { fixReason } from "../../actions/fixed-details.js";
import { omitUndefined } from "../../engine/plain-data.js";
import { serviceCode } from "../http/service-code.js";

interface JailbreakSettings {
  readonly server_endpoint: string | null;
  readonly length_per_perplexity_threshold: number;
  readonly prefix_suffix_perplexity_threshold: number;
  readonly nim_base_url: string | null;
  readonly nim_server_endpoint: string;
  readonly api_key: string | null;
  readonly api_key_env_var: string | null;
}

const FLOWS = { heuristics: "jailbreak detection heuristics", model: "jailbreak detection model" } as const;

/** Last part of an address that names one check of the server; both rails share the setting. */
const CHECK = /\/(?:heuristics|model)$/;

const HINT = "start the server of NeMo Guardrails, or list `detect jailbreak on input`, which needs none";

export const { actions, prepare } = serviceCode<JailbreakSettings>({
  rail: "jailbreak-detection",
  title: "jailbreak detection",
  connect({ server_endpoint: server, nim_base_url: nim, api_key: stated, api_key_env_var: name }, tools) {
    const hint = `set it to the address of a server, such as \`http://localhost:1337/heuristics\`; ${HINT}`;
    const needsServer = tools.lists(FLOWS.heuristics) || nim === null;
    const url = needsServer || server !== null ? tools.address(server, ["server_endpoint"], hint) : "";
    if (nim !== null)
      tools.address(nim, ["nim_base_url"], "set it to the address of a NIM, such as `http://localhost:8000/v1`");
    const own = stated === null ? undefined : tools.sendable(stated, "the key", ["api_key"]);
    const key = name === null ? own : tools.key(name, ["api_key_env_var"]);
    const headers = key === undefined || key === "" ? {} : { authorization: `Bearer ${key}` };
    return { url: url.replace(CHECK, ""), headers, secrets: [key] };
  },
  async ask({ text, ask, settings, post, send }) {
    const { nim_base_url: nim, nim_server_endpoint: path } = settings;
    if (ask === "heuristics") {
      const [length, ends] = [settings.length_per_perplexity_threshold, settings.prefix_suffix_perplexity_threshold];
      const reply = await post("/heuristics", { prompt: text, lp_threshold: length, ps_ppl_threshold: ends });
      const scores = omitUndefined({
        length_per_perplexity: reply.at("length_per_perplexity").optional?.number(),
        prefix_suffix_perplexity: reply.at("prefix_suffix_perplexity").optional?.number(),
      });
      const blocked = reply.at("jailbreak").flag();
      const { length_per_perplexity: ofLength = 0, prefix_suffix_perplexity: ofEnds = 0 } = scores;
      if (!blocked && (ofLength >= length || ofEnds >= ends))
        return reply.at("jailbreak").fail("true, as its scores say");
      return { ...verdict(blocked), metadata: scores };
    }
    const reply =
      nim === null
        ? await post("/model", { prompt: text })
        : await send({ url: `${nim.replace(/\/{1,8}$/, "")}/${path.replace(/^\/{1,8}/, "")}`, body: { input: text } });
    return {
      ...verdict(reply.at("jailbreak").flag()),
      ...omitUndefined({ score: reply.at("score").optional?.number() }),
    };
  },
});

const FOUND = fixReason("the text looks like a jailbreak");
const NOT_FOUND = fixReason("the text does not look like a jailbreak");

function verdict(blocked: boolean) {
  return { blocked, reason: blocked ? FOUND : NOT_FOUND };
}

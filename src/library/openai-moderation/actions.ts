import { didYouMean } from "../../diagnostics/suggestion.js";
import type { Reply } from "../http/reply.js";
import { serviceCode, type ServiceVerdict } from "../http/service-code.js";

interface ModerationSettings {
  readonly server_endpoint: string | null;
  readonly model: string;
  readonly api_key_env_var: string | null;
  readonly thresholds: Readonly<Record<string, number>>;
}

/** Categories of the endpoint. */
const CATEGORIES: readonly string[] = (
  "harassment harassment/threatening hate hate/threatening illicit illicit/violent self-harm self-harm/instructions " +
  "self-harm/intent sexual sexual/minors violence violence/graphic"
).split(" ");

export const { actions, prepare } = serviceCode<ModerationSettings>({
  rail: "openai-moderation",
  title: "OpenAI moderation",
  connect({ server_endpoint: endpoint, api_key_env_var: name, thresholds }, tools) {
    for (const category of Object.keys(thresholds)) {
      if (CATEGORIES.includes(category)) continue;
      const hint = didYouMean(category, CATEGORIES) ?? `the categories are ${CATEGORIES.join(", ")}`;
      tools.report({ path: ["thresholds", category], message: `\`${category}\` is not a category`, hint });
    }
    const url = tools.address(endpoint, ["server_endpoint"], "leave it out for the default");
    const key = tools.key(name ?? "OPENAI_API_KEY", name === null ? [] : ["api_key_env_var"]);
    return { url, headers: { authorization: `Bearer ${key}` }, secrets: [key] };
  },
  async ask({ text, images, settings, post }) {
    const { model, thresholds } = settings;
    const ask = async (input: unknown): Promise<ServiceVerdict> =>
      verdictOf(await post("/moderations", { model, input }), thresholds);
    if (images.length === 0) return ask(text);
    const words = text.trim() === "" ? [] : [{ type: "text", text }];
    // A request may contain only one picture.
    const verdicts = await Promise.all(images.map((url) => ask([...words, { type: "image_url", image_url: { url } }])));
    const blocking = verdicts.find(({ blocked }) => blocked) ?? verdicts[0];
    const categories = [...new Set(verdicts.flatMap((verdict) => verdict.categories ?? []))];
    const score = Math.max(0, ...verdicts.map((verdict) => verdict.score ?? 0));
    return { blocked: false, ...blocking, categories, score };
  },
});

function verdictOf(reply: Reply, thresholds: ModerationSettings["thresholds"]): ServiceVerdict {
  const [result, ...others] = reply.at("results").items();
  if (result === undefined || others.length > 0) return reply.at("results").fail("one result");
  const flagged = result.at("flagged").flag();
  const marked = result
    .at("categories")
    .entries()
    .filter(([, mark]) => mark.optional?.flag() === true);
  const scores = new Map(
    result
      .at("category_scores")
      .entries()
      .map(([name, score]) => [name, score.ratio()]),
  );
  if (flagged !== marked.length > 0) return result.at("flagged").fail("the same as its categories");
  const limits = Object.entries(thresholds);
  const over = limits.filter(
    ([name, least]) => (scores.get(name) ?? result.at("category_scores", name).number()) >= least,
  );
  const categories = limits.length === 0 ? marked.map(([name]) => name) : over.map(([name]) => name);
  const counted = categories.length === 0 ? [...scores.keys()] : categories;
  const highest = Math.max(0, ...counted.map((name) => scores.get(name) ?? 0));
  const blocked = categories.length > 0;
  return {
    blocked,
    categories,
    score: highest,
    reason: blocked ? "the service flags the text" : "the service flags nothing",
  };
}

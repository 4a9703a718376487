import { serviceCode } from "../http/service-code.js";

interface EntitySettings {
  readonly entities: readonly string[];
}

interface PrivateAiSettings extends Readonly<Record<"input" | "output" | "retrieval", EntitySettings>> {
  readonly server_endpoint: string | null;
}

export const { actions, prepare } = serviceCode<PrivateAiSettings>({
  rail: "private-ai",
  title: "Private AI",
  connect({ server_endpoint: endpoint }, tools) {
    const url = tools.address(endpoint, ["server_endpoint"], "set it to the path `/process/text` of the server");
    // A self-hosted container may run without a key.
    const isCloud = /^https:\/\/api\.private-ai\.com\b/i.test(url);
    const key = isCloud ? tools.key("PAI_API_KEY") : tools.keyIfSet("PAI_API_KEY");
    return { url, maxBytes: 10_000_000, headers: key === undefined ? {} : { "x-api-key": key }, secrets: [key] };
  },
  async ask({ text, source, settings, post }) {
    const { entities } = source === "output" || source === "retrieval" ? settings[source] : settings.input;
    const types = entities.length === 0 ? {} : { entity_types: [{ type: "ENABLE", value: entities }] };
    const detection = { accuracy: "high_automatic", return_entity: false, ...types };
    const reply = await post("", { text: [text], link_batch: false, entity_detection: detection });
    const [result, ...others] = reply.items();
    if (result === undefined || others.length > 0) return reply.fail("a list with one result");
    const isFound = result.at("entities_present").flag();
    const processed = result.at("processed_text").text();
    // INVARIANT: a text with entities never passes unchanged.
    if (isFound && processed === text) return result.at("processed_text").fail("a text without the entities");
    if (!isFound && plain(processed) !== plain(text)) return result.at("processed_text").fail("the unchanged text");
    return {
      blocked: isFound,
      text: isFound ? processed : text,
      reason: isFound ? "found personal data" : "found nothing",
    };
  },
});

/** Returns a text in which no difference of spacing or of the form of characters is left. */
function plain(text: string): string {
  return text.normalize("NFKC").replaceAll(/\s+/g, " ").trim();
}

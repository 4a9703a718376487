import { omitUndefined } from "../../engine/plain-data.js";
import { parseUniqueJson } from "../../engine/unique-json.js";
import { entityVerdict, type EntitySettings, readEntity, wantedEntities } from "../http/entities.js";
import { Reply } from "../http/reply.js";
import { serviceCode } from "../http/service-code.js";

interface GlinerSettings extends EntitySettings {
  readonly server_endpoint: string | null;
  readonly threshold: number | null;
  readonly chunk_length: number | null;
  readonly overlap: number | null;
  readonly flat_ner: boolean | null;
  readonly api_key: string | null;
  readonly api_key_env_var: string | null;
  readonly model: string;
}

/** Names of an entity's fields: from `/v1/extract`, and from a chat model. */
const EXTRACT = { type: "suggested_label", start: "start_position", end: "end_position", value: "value" };
const CHAT = { type: "label", start: "start", end: "end", value: "text" };

export const { actions, prepare } = serviceCode<GlinerSettings>({
  rail: "gliner",
  title: "GLiNER",
  connect({ server_endpoint: endpoint, api_key: stated, api_key_env_var: name, chunk_length, overlap }, tools) {
    if (chunk_length !== null && overlap !== null && overlap >= chunk_length) {
      const message = "the texts of two requests cannot share as much as one of them holds";
      tools.report({
        path: ["overlap"],
        message,
        hint: `set \`overlap\` below \`chunk_length\`, which is ${chunk_length}`,
      });
    }
    const hint = "set it to an address that ends with `/v1/extract` or `/v1/chat/completions`";
    const url = tools.address(endpoint, ["server_endpoint"], hint);
    const key =
      name !== null
        ? tools.namedKey(name, ["api_key_env_var"])
        : stated === null
          ? undefined
          : tools.sendable(stated, "`api_key`", ["api_key"]);
    return { url, headers: key === undefined ? {} : { authorization: `Bearer ${key}` }, secrets: [key] };
  },
  async ask(question) {
    const { text, settings, post } = question;
    const isChat = settings.server_endpoint?.replace(/\/{1,8}$/, "").endsWith("/chat/completions") === true;
    const { threshold, chunk_length, overlap, flat_ner, model } = settings;
    const labels = wantedEntities(question);
    const body = omitUndefined({
      ...(isChat ? { model, messages: [{ role: "user", content: text }] } : { text }),
      labels: labels.length === 0 ? undefined : labels,
      threshold: threshold ?? undefined,
      chunk_length: chunk_length ?? undefined,
      overlap: overlap ?? undefined,
      flat_ner: flat_ner ?? undefined,
    });
    const reply = isChat ? contentOf(await post("", body)) : await post("", body);
    return entityVerdict(
      question,
      (points) => {
        const entities = reply.at("entities").items();
        const total = reply.at("total_entities").optional?.number() ?? entities.length;
        if (total !== entities.length) return reply.at("total_entities").fail("the number of entities");
        return entities.map((entity) =>
          readEntity(entity, points, entity.at("suggested_label").isMissing ? CHAT : EXTRACT),
        );
      },
      (type) => `[${type.toUpperCase()}]`,
    );
  },
});

/** Reads the entities in the completion of a chat model. */
function contentOf(completion: Reply): Reply {
  const content = completion.at("choices", 0, "message", "content");
  try {
    return new Reply(parseUniqueJson(content.text()), "content");
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return content.fail("JSON");
  }
}

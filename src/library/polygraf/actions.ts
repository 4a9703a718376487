import { entityVerdict, type EntitySettings, readEntity } from "../http/entities.js";
import { serviceCode } from "../http/service-code.js";

interface PolygrafSettings extends EntitySettings {
  readonly server_endpoint: string | null;
}

const NAMES = { type: "entity_type", start: "start", end: "end" };

export const { actions, prepare } = serviceCode<PolygrafSettings>({
  rail: "polygraf",
  title: "Polygraf",
  connect({ server_endpoint: endpoint }, tools) {
    const key = tools.key("POLYGRAF_API_KEY");
    const url = tools.address(endpoint, ["server_endpoint"], "set it to the address of the service");
    return { url, headers: { API_Key: `Bearer ${key}` }, secrets: [key] };
  },
  async ask(question) {
    const reply = await question.post("", { text: question.text });
    return entityVerdict(question, (text, wanted) => {
      const found = reply.items().map((entity) => readEntity(entity, text, NAMES));
      return wanted.length === 0 ? found : found.filter(({ name }) => wanted.includes(name));
    });
  },
});

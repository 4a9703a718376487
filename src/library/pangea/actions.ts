import { chatMessages, chatVerdict, templateAddress } from "../http/guard-chat.js";
import { serviceCode } from "../http/service-code.js";

interface PangeaSettings {
  readonly input: { readonly recipe: string | null };
  readonly output: { readonly recipe: string | null };
}

export const { actions, prepare } = serviceCode<PangeaSettings>({
  rail: "pangea",
  title: "Pangea AI Guard",
  connect: (_, tools) =>
    templateAddress(
      tools,
      { template: "PANGEA_BASE_URL_TEMPLATE", token: "PANGEA_API_TOKEN" },
      { service: "ai-guard", fallback: "https://{SERVICE_NAME}.aws.us.pangea.cloud" },
    ),
  async ask(question) {
    const { recipe } = question.settings[question.source === "output" ? "output" : "input"];
    const body = { messages: chatMessages(question), ...(recipe === null ? {} : { recipe }) };
    const result = (await question.post("/v1/text/guard", body)).at("result");
    return chatVerdict(result, result.at("prompt_messages"), question);
  },
});

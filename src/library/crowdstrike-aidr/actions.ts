import { chatMessages, chatVerdict, templateAddress } from "../http/guard-chat.js";
import { serviceCode } from "../http/service-code.js";

export const { actions, prepare } = serviceCode({
  rail: "crowdstrike-aidr",
  title: "CrowdStrike AIDR",
  connect: (_, tools) =>
    templateAddress(
      tools,
      { template: "CS_AIDR_BASE_URL_TEMPLATE", token: "CS_AIDR_TOKEN" },
      { service: "aiguard", fallback: "https://api.crowdstrike.com/aidr/{SERVICE_NAME}" },
    ),
  async ask(question) {
    const body = { guard_input: { messages: chatMessages(question) } };
    const result = (await question.post("/v1/guard_chat_completions", body)).at("result");
    return chatVerdict(result, result.at("guard_output", "messages"), question);
  },
});

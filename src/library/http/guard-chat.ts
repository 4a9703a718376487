import type { Reply } from "./reply.js";
import type { ConnectTools } from "./connect-tools.js";
import type { Question, ServiceAddress, ServiceVerdict } from "./service-code.js";

/** Returns the messages for the service: the user's message, and the bot's message if that one is checked. */
export function chatMessages({ text, source, userMessage }: Question<unknown>) {
  if (source !== "output") return [{ role: "user", content: text }];
  const asked = userMessage === "" ? [] : [{ role: "user", content: userMessage }];
  return [...asked, { role: "assistant", content: text }];
}

/** Reads the response of a service that blocks or rewrites messages. */
export function chatVerdict(result: Reply, messages: Reply, { source }: Pick<Question, "source">): ServiceVerdict {
  const blocked = result.at("blocked").flag();
  const transformed = result.at("transformed").optional?.flag() === true;
  if (blocked) return { blocked, reason: "the service blocks the text" };
  if (!transformed) return { blocked, reason: "the service lets the text pass" };
  const role = source === "output" ? "assistant" : "user";
  const [own, ...others] = messages.items().filter((message) => message.at("role").value === role);
  if (own === undefined || others.length > 0) return messages.fail(`a list with one message of the role \`${role}\``);
  return { blocked, text: own.at("content").text(), reason: "the service rewrites the text" };
}

/** Returns the address and the bearer token for a template such as `https://{SERVICE_NAME}.example.com`. */
export function templateAddress(
  tools: ConnectTools,
  names: { readonly template: string; readonly token: string },
  { service, fallback }: { readonly service: string; readonly fallback: string },
): ServiceAddress {
  const key = tools.key(names.token);
  const template = tools.variable(names.template) ?? fallback;
  const url = tools.address(template.replaceAll("{SERVICE_NAME}", service), [], `set \`${names.template}\``);
  return { url, headers: { authorization: `Bearer ${key}` }, secrets: [key] };
}

import { isObject } from "../values/message-kinds.js";

/** Constructor arguments of a LangChain model. */
export type ConstructorFields = Record<string, unknown>;

const RENAMED: Readonly<Record<string, string>> = {
  max_tokens: "maxTokens",
  request_timeout: "timeout",
  openai_api_key: "apiKey",
  openai_api_base: "base_url",
  openai_api_version: "azureOpenAIApiVersion",
  azure_deployment: "azureOpenAIApiDeploymentName",
  deployment_name: "azureOpenAIApiDeploymentName",
  azure_endpoint: "azureOpenAIEndpoint",
  api_version: "azureOpenAIApiVersion",
};

/** Where a provider wants the address of its server, and how it calls the length of an answer. */
export interface ParameterNames {
  readonly baseUrl: "configuration" | "baseUrl" | "apiUrl" | "endpoint" | "anthropicApiUrl";
  readonly maxTokens?: string;
}

/** Parameters as YAML spells them, as constructor arguments. Objects inside are handed on as they are. */
export function toConstructorFields(
  parameters: Readonly<Record<string, unknown>>,
  names: ParameterNames,
): ConstructorFields {
  const fields: ConstructorFields = Object.create(null) as ConstructorFields;
  for (const [key, value] of Object.entries(parameters)) {
    const known = Object.hasOwn(RENAMED, key) ? (RENAMED[key] ?? key) : key;
    if (known === "base_url" || known === "baseURL") setBaseUrl(fields, names, value);
    else if (known === "maxTokens") fields[names.maxTokens ?? "maxTokens"] = value;
    else if (known !== "__proto__") fields[toCamelCase(known)] = value;
  }
  return { ...fields };
}

function setBaseUrl(fields: ConstructorFields, names: ParameterNames, value: unknown): void {
  if (names.baseUrl !== "configuration") {
    fields[names.baseUrl] = value;
    return;
  }
  const configuration = isObject(fields["configuration"]) ? fields["configuration"] : {};
  fields["configuration"] = { ...configuration, baseURL: value };
}

function toCamelCase(name: string): string {
  return name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

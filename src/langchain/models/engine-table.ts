import { isObject } from "../values/message-kinds.js";

/** Classes and arguments of a built-in engine. */
export interface EngineEntry extends ParameterNames {
  readonly package: string;
  readonly chat: string;
  readonly text?: string;
  readonly embeddings?: string;
  /** Constructor arguments in addition to the configured ones. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** Base URL and key of services that speak OpenAI's protocol. */
  readonly baseURL?: string;
  readonly apiKeyEnvVar?: string;
  /** Reported at load: without a key or a custom server, the client can only fail. */
  readonly requiredKeyEnvVar?: string;
  /** True for servers that mostly need no key, although the client requires one. */
  readonly keyless?: boolean;
}

/** A provider whose classes have the usual names: `ChatX`, `X` and `XEmbeddings`. */
function provider(path: string, name: string, names: ParameterNames): EngineEntry {
  return { package: path, chat: `Chat${name}`, text: name, embeddings: `${name}Embeddings`, ...names };
}

const OPENAI = provider("@langchain/openai", "OpenAI", { baseUrl: "configuration" });

const COMPATIBLE = { ...OPENAI, fields: { useResponsesApi: false }, keyless: true } as const;

const NIM = { ...COMPATIBLE, baseURL: "https://integrate.api.nvidia.com/v1", apiKeyEnvVar: "NVIDIA_API_KEY" } as const;

const AZURE = {
  ...provider("@langchain/openai", "AzureOpenAI", { baseUrl: "configuration" }),
  chat: "AzureChatOpenAI",
};

const BEDROCK = {
  package: "@langchain/aws",
  chat: "ChatBedrockConverse",
  embeddings: "BedrockEmbeddings",
  baseUrl: "endpoint",
} as const;

/** Engines that configurations can name. Packages are imported only when named. */
export const ENGINES: Readonly<Record<string, EngineEntry>> = {
  openai: { ...OPENAI, requiredKeyEnvVar: "OPENAI_API_KEY" },
  azure: AZURE,
  azure_openai: AZURE,
  anthropic: { package: "@langchain/anthropic", chat: "ChatAnthropic", baseUrl: "anthropicApiUrl" },
  google_genai: {
    package: "@langchain/google-genai",
    chat: "ChatGoogleGenerativeAI",
    embeddings: "GoogleGenerativeAIEmbeddings",
    baseUrl: "baseUrl",
    maxTokens: "maxOutputTokens",
  },
  vertexai: provider("@langchain/google-vertexai", "VertexAI", { baseUrl: "endpoint", maxTokens: "maxOutputTokens" }),
  ollama: provider("@langchain/ollama", "Ollama", { baseUrl: "baseUrl", maxTokens: "numPredict" }),
  mistralai: provider("@langchain/mistralai", "MistralAI", { baseUrl: "baseUrl" }),
  groq: { package: "@langchain/groq", chat: "ChatGroq", baseUrl: "baseUrl" },
  cohere: provider("@langchain/cohere", "Cohere", { baseUrl: "baseUrl" }),
  bedrock: BEDROCK,
  amazon_bedrock: BEDROCK,
  nim: NIM,
  nvidia_ai_endpoints: NIM,
  vllm_openai: COMPATIBLE,
  lm_studio: { ...COMPATIBLE, baseURL: "http://localhost:1234/v1" },
};

/** Packages of the engines that `initChatModel` of the package `langchain` knows, by its names for them. */
export const UNIVERSAL_ENGINES: Readonly<Record<string, string>> = {
  together: "@langchain/community",
  deepseek: "@langchain/deepseek",
  xai: "@langchain/xai",
  cerebras: "@langchain/cerebras",
  fireworks: "@langchain/community",
  perplexity: "@langchain/community",
  google: "@langchain/google",
};

/** Embedding models that run in the process. */
export const LOCAL_EMBEDDINGS: Readonly<Record<string, string>> = {
  FastEmbed: "Xenova/all-MiniLM-L6-v2",
  SentenceTransformers: "Xenova/all-MiniLM-L6-v2",
};

/** Built-in engines whose models need a name, except those that the caller replaces. */
export function namedModelEngines(replaced: Readonly<Record<string, unknown>> = {}): ReadonlySet<string> {
  const names = [...Object.keys(ENGINES), ...Object.keys(UNIVERSAL_ENGINES)];
  return new Set(names.filter((name) => !Object.hasOwn(replaced, name)));
}

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

/** A provider's constructor fields for the server address and the maximum response length. */
interface ParameterNames {
  readonly baseUrl: "configuration" | "baseUrl" | "apiUrl" | "endpoint" | "anthropicApiUrl";
  readonly maxTokens?: string;
}

/** Converts parameters from their YAML spelling to constructor arguments. Nested objects stay unchanged. */
export function toConstructorFields(
  parameters: Readonly<Record<string, unknown>>,
  names: ParameterNames,
): ConstructorFields {
  const fields: ConstructorFields = Object.create(null) as ConstructorFields;
  for (const [key, value] of Object.entries(parameters)) {
    const known = Object.hasOwn(RENAMED, key) ? (RENAMED[key] ?? key) : key;
    if (known === "base_url" || known === "baseURL") {
      const configuration = isObject(fields["configuration"]) ? fields["configuration"] : {};
      fields[names.baseUrl] = names.baseUrl === "configuration" ? { ...configuration, baseURL: value } : value;
    } else if (known === "maxTokens") fields[names.maxTokens ?? "maxTokens"] = value;
    else if (known !== "__proto__") {
      fields[known.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())] = value;
    }
  }
  return { ...fields };
}

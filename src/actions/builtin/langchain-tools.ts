import { processEnvironment, variable } from "../../config/environment.js";
import { ActionError } from "../../diagnostics/errors.js";
import { readOwn } from "../../engine/plain-data.js";
import type { ActionContext, ActionDefinition } from "../action.js";
import { describeImportFailure } from "./import-failure.js";
import { textParameter, toolAction } from "./tool-action.js";

/** Imports a module by its name. */
export type LoadModule = (path: string) => Promise<unknown>;

/** A LangChain tool for an action, by NeMo Guardrails' name for it. */
interface LangChainTool {
  readonly action: string;
  /** Module and class; absent if LangChain.js has none. */
  readonly tool?: readonly [module: string, className: string];
  /** Name of its parameter; default: `query`. */
  readonly parameter?: string;
  /** Environment variables for each constructor field; the first one set is used. */
  readonly fields?: Readonly<Record<string, readonly string[]>>;
  /** True for a constructor that takes the value of its only field directly. */
  readonly takesValue?: boolean;
}

const COMMUNITY = "@langchain/community";

const TOOLS: readonly LangChainTool[] = [
  { action: "wikipedia_query", tool: ["tools/wikipedia_query_run", "WikipediaQueryRun"] },
  {
    action: "google_serper",
    tool: ["tools/serper", "Serper"],
    fields: { apiKey: ["SERPER_API_KEY"] },
    takesValue: true,
  },
  {
    action: "serp_api_query",
    tool: ["tools/serpapi", "SerpAPI"],
    fields: { apiKey: ["SERPAPI_API_KEY"] },
    takesValue: true,
  },
  {
    action: "searx_search",
    tool: ["tools/searxng_search", "SearxngSearch"],
    fields: { apiBase: ["SEARXNG_API_BASE", "SEARX_HOST"] },
  },
  {
    action: "bing_search",
    tool: ["tools/bingserpapi", "BingSerpAPI"],
    fields: { apiKey: ["BingApiKey", "BING_SUBSCRIPTION_KEY"] },
    takesValue: true,
  },
  {
    action: "google_search",
    tool: ["tools/google_custom_search", "GoogleCustomSearch"],
    fields: { apiKey: ["GOOGLE_API_KEY"], googleCSEId: ["GOOGLE_CSE_ID"] },
  },
  {
    action: "wolframalpha_query",
    tool: ["tools/wolframalpha", "WolframAlphaTool"],
    fields: { appid: ["WOLFRAM_ALPHA_APPID", "WOLFRAM_ALPHA_APP_ID"] },
  },
  { action: "openweather_query", parameter: "location" },
  { action: "apify", parameter: "actor_id" },
  { action: "zapier_nla_query", parameter: "instructions" },
];

/**
 * Actions for LangChain tools, under NeMo Guardrails' names. A tool is imported and created when its action first runs,
 * then cached.
 */
export function langChainTools(load: LoadModule): readonly ActionDefinition[] {
  return TOOLS.map((entry) => {
    const { action: name, parameter = "query" } = entry;
    let made: Promise<InvokableTool> | undefined;
    const open = async (): Promise<InvokableTool> => {
      made ??= makeTool(entry, load);
      try {
        return await made;
      } catch (error) {
        // A missing key or package may be available at the next call.
        made = undefined;
        throw error;
      }
    };
    return toolAction({
      name,
      parameters: [parameter],
      read: (params) => ({ [parameter]: textParameter(name, params, parameter) }),
      call: async (args, { signal }: ActionContext) => {
        const tool = await open();
        // INVARIANT: no application callback sees a result before the tool-result rails do.
        return tool.invoke(readOwn(args, parameter), { callbacks: [], signal });
      },
    });
  });
}

interface InvokableTool {
  invoke(
    input: unknown,
    config: { readonly callbacks: readonly never[]; readonly signal: AbortSignal },
  ): Promise<unknown>;
}

async function makeTool(entry: LangChainTool, load: LoadModule): Promise<InvokableTool> {
  const { action, tool, takesValue = false } = entry;
  if (tool === undefined) {
    const message = `LangChain.js has no tool for \`${action}\`: pass your own with the option \`actions: { ${action}: tool }\``;
    throw new ActionError(message, { action });
  }
  const fields = readFields(entry);
  const [path, className] = tool;
  const module = await importing(action, `${COMMUNITY}/${path}`, load);
  const Constructor = (module as Readonly<Record<string, unknown>>)[className];
  if (typeof Constructor !== "function") {
    throw new ActionError(`\`${COMMUNITY}\` has no \`${className}\`: install another version`, { action });
  }
  const given = takesValue ? Object.values(fields)[0] : fields;
  return new (Constructor as new (given: unknown) => InvokableTool)(given);
}

/** @throws ActionError that names the missing variable */
function readFields({ action, fields = {} }: LangChainTool): Readonly<Record<string, string>> {
  const env = processEnvironment();
  const read = Object.entries(fields).map(([field, names]) => {
    const value = names.map((name) => variable(env, name)).find((found) => found !== undefined);
    if (value !== undefined) return [field, value] as const;
    throw new ActionError(`\`${action}\` needs the environment variable \`${names[0]}\``, { action });
  });
  return Object.fromEntries(read);
}

async function importing(action: string, path: string, load: LoadModule): Promise<unknown> {
  try {
    return await load(path);
  } catch (cause) {
    const message = `\`${action}\` cannot run: ${describeImportFailure(cause, path)}`;
    throw new ActionError(message, { action, cause, code: "CF-114" });
  }
}

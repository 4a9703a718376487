import type { RunWithConfig } from "../../actions/action.js";
import type { SharedVerdictsOptions } from "../../library/judges/shared-verdicts.js";
import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import type { LoadModule } from "../../actions/builtin/langchain-tools.js";
import type { RailsConfig } from "../../config/rails-config.js";
import type { Logger } from "../../diagnostics/logger.js";
import type { Clock, IdSource } from "../../engine/events.js";
import type { CallTracer } from "../../engine/span.js";
import type { ToolRules } from "../../library/tool-rules.js";
import type { ModelSet } from "../../llm/model.js";
import type { OnError } from "../../diagnostics/errors.js";
import type { CreateIndex, DialogItem } from "../../retrieval/embedding-index.js";
import type { OpenKnowledge } from "../../retrieval/knowledge-base.js";
import type { MatcherProgress } from "../../retrieval/matcher/build-job.js";
import type { ThreadStoreOf } from "../../threads/thread-keeper.js";
import type { ThreadStore } from "../../threads/thread-store.js";
import type { RailDecision } from "../../turn/decision.js";
import type { RunTracker } from "../../turn/run-tracker.js";
import type { StreamPlan } from "../../turn/stream-plan.js";
import type { PickVariant } from "../colang1/generation/predefined-messages.js";
import type { GuardrailsApp } from "./app.js";
import { LIBRARY_RAILS } from "../../library/manifest.js";
import type { RailManifest } from "../../library/rail-manifest.js";
import type { LoadOptions } from "../../config/load/load-options.js";
import { BUILT_IN_TASKS } from "../../llm/prompts/task-names.js";

export interface RuntimeInput {
  readonly config: RailsConfig;
  /** Models, or a function called after `init(app)` of the configuration, which may register engines. */
  readonly models: ModelSet | ((app: GuardrailsApp) => Promise<ModelSet>);
  /** Registrations by `init` of the configuration, if it has already run. */
  readonly app?: GuardrailsApp | undefined;
  /** Functions, LangChain tools or runnables, by name. */
  readonly actions?: Readonly<Record<string, unknown>> | undefined;
  /** Rails of the caller, in addition to those of the library. */
  readonly library?: readonly RailManifest[] | undefined;
  /** LangChain tools, registered under their own names. */
  readonly tools?: readonly unknown[] | undefined;
  /** Imports LangChain packages for the package's own actions, which are unavailable without it. */
  readonly loadModule?: LoadModule | undefined;
  readonly actionParams?: Readonly<Record<string, unknown>> | undefined;
  readonly embeddings?: EmbeddingsInterface | undefined;
  /** Embeddings of the knowledge base, if they differ from those of the dialog. */
  readonly knowledgeEmbeddings?: EmbeddingsInterface | undefined;
  /** Makes the indexes of the dialog; required with embeddings. Default: comparison by words and letters. */
  readonly createIndex?: CreateIndex<DialogItem> | undefined;
  /** True if `createIndex` searches a store of the caller, which then also finds examples of user messages. */
  readonly hasDialogStore?: boolean | undefined;
  /** Makes the knowledge base; required with embeddings. Default: comparison of `kb/` by words and letters. */
  readonly openKnowledge?: OpenKnowledge | undefined;
  readonly tracker: RunTracker;
  readonly threads?: ThreadStore | undefined;
  /** Finds a store in the config of a call; used only without `threads`. */
  readonly threadsOf?: ThreadStoreOf | undefined;
  readonly parallel?: boolean | undefined;
  /** Rules in addition to those of `rails.config.tools`. */
  readonly toolRules?: ToolRules | undefined;
  /** Time limit in milliseconds of every rail and every call to a thread store. Default: 30,000. */
  readonly timeoutMs?: number | undefined;
  readonly onError?: OnError | undefined;
  /** Plan of streamed responses; unsupported combinations are rejected here. */
  readonly stream?: StreamPlan | undefined;
  readonly onDecision?: ((decision: RailDecision) => void) | undefined;
  /** Traces calls. Default: no tracing. */
  readonly tracer?: CallTracer | undefined;
  /** Receives the causes of failed rails, flows and actions. Default: no logging. */
  readonly logger?: Logger | undefined;
  /** Receives the progress of the embedded matcher while it learns. */
  readonly onLearning?: ((progress: MatcherProgress) => void) | undefined;
  /** Runs user code in which runnables find the config without being given it. */
  readonly runWithConfig?: RunWithConfig | undefined;
  /** Folder that caches compiled and learned data for later processes. Default: no cache. */
  readonly cacheDir?: string | undefined;
  /** Verdicts shared between processes. Default: each process has its own. */
  readonly sharedVerdicts?: SharedVerdictsOptions | undefined;
  readonly pickVariant?: PickVariant | undefined;
  readonly clock?: Clock | undefined;
  readonly ids?: IdSource | undefined;
}

/** A line that may be a Colang 1.0 `import`. Files without one are parsed only by the compiler. */
const IMPORT_LINE = /^[^\S\n]*(?:import|include)\b/m;

/** Keys of `rails.config` that rails of this release read. */
const RAIL_SETTINGS: ReadonlySet<string> = new Set(LIBRARY_RAILS.flatMap(({ settings }) => settings ?? []));

/** Dialect knowledge and default prompts needed to load a configuration. */
export function engineLoadOptions(): Pick<
  LoadOptions,
  "colangImports" | "builtInTasks" | "knownRailSettings" | "presets"
> {
  return {
    // Only the parser of the configured dialect is loaded.
    colangImports: async (source, version) => {
      if (version === "2.x") return (await import("../colang2/compile/library-place.js")).findImports(source);
      if (!IMPORT_LINE.test(source.text)) return [];
      const { parseSource } = await import("../colang1/compile/compile-config.js");
      return parseSource(source).file.imports.map(({ path, pathSpan, span }) => ({ path, span: pathSpan ?? span }));
    },
    builtInTasks: BUILT_IN_TASKS,
    knownRailSettings: RAIL_SETTINGS,
    presets: async () => (await import("../../library/presets.js")).PRESETS,
  };
}

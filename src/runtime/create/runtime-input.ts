import type { ConfigSource } from "../../actions/action.js";
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
  /** Given, or made after `init(app)` of the configuration has run, so that it may bring engines of its own. */
  readonly models: ModelSet | ((app: GuardrailsApp) => Promise<ModelSet>);
  /** Registrations by `init` of the configuration, where it has run already. */
  readonly app?: GuardrailsApp | undefined;
  /** By name: functions, LangChain tools, runnables. */
  readonly actions?: Readonly<Record<string, unknown>> | undefined;
  /** Rails of the caller, beside those of the library. */
  readonly library?: readonly RailManifest[] | undefined;
  /** LangChain tools, registered under their own names. */
  readonly tools?: readonly unknown[] | undefined;
  /** Imports packages of LangChain for the package's own actions; without it those actions are not there. */
  readonly loadModule?: LoadModule | undefined;
  readonly actionParams?: Readonly<Record<string, unknown>> | undefined;
  readonly embeddings?: EmbeddingsInterface | undefined;
  /** Of the knowledge base, where they are others than those of the dialog. */
  readonly knowledgeEmbeddings?: EmbeddingsInterface | undefined;
  /** Makes the indexes of the dialog; needed where embeddings are given. Words and letters are compared without it. */
  readonly createIndex?: CreateIndex<DialogItem> | undefined;
  /** True if `createIndex` searches a store of the caller, which then finds the examples of user messages, too. */
  readonly hasDialogStore?: boolean | undefined;
  /** Makes the knowledge base; needed where embeddings are given. Without it words and letters of `kb/` are compared. */
  readonly openKnowledge?: OpenKnowledge | undefined;
  readonly tracker: RunTracker;
  readonly threads?: ThreadStore | undefined;
  /** Finds a store in the config of a call; only asked when `threads` is not given. */
  readonly threadsOf?: ThreadStoreOf | undefined;
  readonly parallel?: boolean | undefined;
  /** Beside those of `rails.config.tools`. */
  readonly toolRules?: ToolRules | undefined;
  /** Of every rail and of every call to a thread store, in milliseconds; 30,000 unless given. */
  readonly timeoutMs?: number | undefined;
  readonly onError?: OnError | undefined;
  /** Plan of streamed answers; combinations that are not supported are refused here. */
  readonly stream?: StreamPlan | undefined;
  readonly onDecision?: ((decision: RailDecision) => void) | undefined;
  /** Traces calls; none unless given. */
  readonly tracer?: CallTracer | undefined;
  /** Receives the causes of failed rails, flows and actions; none unless given. */
  readonly logger?: Logger | undefined;
  /** Receives the progress of the embedded matcher while it learns. */
  readonly onLearning?: ((progress: MatcherProgress) => void) | undefined;
  /** Runs user code where runnables find the config by themselves. */
  readonly runWithConfig?: ((source: ConfigSource, run: () => unknown) => unknown) | undefined;
  /** Folder in which later processes find what loading computes; nothing is kept unless given. */
  readonly cacheDir?: string | undefined;
  /** Verdicts that processes share; each process has its own unless given. */
  readonly sharedVerdicts?: SharedVerdictsOptions | undefined;
  readonly pickVariant?: PickVariant | undefined;
  readonly clock?: Clock | undefined;
  readonly ids?: IdSource | undefined;
}

/** A line that may be an `import` of Colang 1.0. Most files have none, and are then parsed by the compiler alone. */
const IMPORT_LINE = /^[^\S\n]*(?:import|include)\b/m;

/** Keys of `rails.config` that rails of this release read. */
const RAIL_SETTINGS: ReadonlySet<string> = new Set(LIBRARY_RAILS.flatMap(({ settings }) => settings ?? []));

/** Knowledge of the dialects and of the package's prompts, which loading a configuration needs. */
export function engineLoadOptions(): Pick<
  LoadOptions,
  "colangImports" | "builtInTasks" | "knownRailSettings" | "presets"
> {
  return {
    // Only the parser of the configuration's own dialect is loaded.
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

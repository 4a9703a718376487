import { openStoredVectors } from "./stored-vectors.mjs";

/** Paths of the data sets in a folder that holds them all. */
const FOLDERS = {
  topical: ["banking77", "chitchat", "clinc150"],
  moderation: ["moderation"],
  "fact-checking": ["factcheck"],
  hallucination: ["hallucination"],
};

/**
 * Evaluation suites by name; every suite returns a list of results.
 *
 * @param packages - the package and its part for evaluation, built or from source
 */
export function createSuites({ guardrails: core, evaluation }) {
  const { combineConfigs, Guardrails, loadConfig } = core;

  async function topical(options) {
    const base = options.config === undefined ? undefined : await loadConfig(options.config);
    const results = [];
    for (const folder of await findData("topical", options)) {
      const dataset = await evaluation.loadTopical(folder, { seed: options.seed });
      for (const k of options.k) {
        const described = { ...runOptions(options), examplesPerIntent: k };
        if (base === undefined) {
          results.push(await evaluation.evaluateMatcher(dataset, described));
          const embeddings = openStoredVectors(options.data, dataset.name);
          if (embeddings !== undefined) {
            results.push(await evaluation.evaluateMatcher(dataset, { ...described, embeddings }));
          }
          continue;
        }
        const onLearning = learningBar(options, `${dataset.name}, k=${k}`);
        const examples = evaluation.takeExamples(dataset.examples, k);
        const guardrails = await topicalGuardrails(base, examples, { ...options, onLearning });
        const name = options.similarity === undefined ? nameOf(base) : `${nameOf(base)}, sim=${options.similarity}`;
        results.push(await evaluation.evaluateTopical(dataset, guardrails, { ...described, name }));
      }
    }
    return results;
  }

  /** The configuration provides models, flows and messages; the examples come from the data. */
  async function topicalGuardrails(base, examples, { similarity, onLearning }) {
    const settings =
      similarity === undefined
        ? {}
        : { config: { rails: { dialog: { user_messages: { match_threshold: similarity } } } } };
    const content = await loadConfig({ ...evaluation.topicalContent(examples), ...settings });
    return Guardrails.fromConfig(await combineConfigs(base, content), { onLearning });
  }

  /** A suite that runs rails of a configuration over samples. */
  function overRails(suite, load, evaluate, { judged }) {
    return async (options) => {
      const folders = await findData(suite, options);
      if (options.config === undefined) {
        throw Object.assign(new Error(`${suite} needs a model: name a configuration with --config DIR`), {
          code: "usage",
        });
      }
      const config = await loadConfig(options.config);
      const guardrails = await Guardrails.fromConfig(config);
      const judge = judged ? { judge: await evaluation.createJudge({ config }) } : {};
      const results = [];
      for (const folder of folders) {
        const dataset = folder.name.split(/[/\\]/).at(-1);
        results.push(
          await evaluate(await load(folder), guardrails, {
            ...runOptions(options),
            ...judge,
            dataset,
            system: nameOf(config),
          }),
        );
      }
      return results;
    };
  }

  function findData(suite, { data }) {
    return evaluation.findDatasets(evaluation.openDataFolder(data), FOLDERS[suite]);
  }

  const { loadModeration, loadFactChecking, loadHallucination } = evaluation;
  const { evaluateModeration, evaluateFactChecking, evaluateHallucination } = evaluation;
  return {
    topical,
    moderation: overRails("moderation", loadModeration, evaluateModeration, { judged: true }),
    "fact-checking": overRails("fact-checking", loadFactChecking, evaluateFactChecking, { judged: false }),
    hallucination: overRails("hallucination", loadHallucination, evaluateHallucination, { judged: true }),
    detectors: async ({ data, seed, limit: generated, signal, onProgress }) => {
      const folder = evaluation.openDataFolder(data);
      return [await evaluation.evaluateDetectors(folder, { seed, generated, signal, onProgress, now: cpuTime })];
    },
  };
}

/** CPU time of the process in milliseconds: other work of the machine does not count. */
function cpuTime() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The options of a command that every evaluation takes. */
function runOptions({ concurrency, signal, onProgress, seed, limit, now }) {
  return { concurrency, signal, onProgress, seed, limit, now };
}

/** Shows the training of a configuration's matcher as the progress of the run. */
function learningBar({ onProgress }, label) {
  return ({ total }) => onProgress?.({ label: `${label}: learning`, done: Math.round(total * 100), total: 100 });
}

function nameOf(config) {
  const main = config.settings.models.find(({ type }) => type === "main");
  return main?.model ?? main?.engine ?? "model";
}

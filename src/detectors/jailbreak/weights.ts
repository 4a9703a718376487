/**
 * Weights of the kinds of evidence, in log odds. Their sum with `BIAS` gives the certainty by the logistic function.
 *
 * A kind that is enough by itself stands above 5. The others are sized by how much more frequent they are in jailbreak prompts
 * than in some 41,000 benign texts, and rounded. A logistic regression that starts here and may move each weight by 40% finds
 * 0.03 more in cross-validation over clusters of near duplicates, with three times the false alarms.
 */
export const WEIGHTS: Readonly<Record<string, number>> = {
  "instruction-override.full": 5.6,
  "instruction-override.replace": 3.5,
  "instruction-override.only": 0.8,
  "persona.act": 1.4,
  "persona.name": 0.9,
  "no-restrictions.full": 2,
  "no-restrictions.word": 1.6,
  "no-restrictions.ai": 2.6,
  "no-restrictions.anything": 1.2,
  "no-restrictions.pretend": 5.2,
  "known-jailbreak.strong": 5.6,
  "known-jailbreak.mode": 3.6,
  "known-jailbreak.weak": 1.3,
  "dual-response.form": 1.4,
  "dual-response.free": 3.2,
  "stay-in-character.full": 1.4,
  "penalty-game.full": 1.3,
  "penalty-game.deal": 3.9,
  "refusal-suppression.full": 2,
  "refusal-suppression.order": 3.4,
  "refusal-suppression.apology": 1,
  "output-initialisation.start": 1.7,
  "output-initialisation.confirm": 1,
  "provider-policy.full": 1.2,
  "provider-policy.name": 0.9,
  "provider-policy.model": 0.9,
  "transgression.word": 0.9,
  "transgression.pair": 0.8,
  "transgression.swear": 1.4,
  "transgression.crime": 0.8,
  "transgression.promote": 0.7,
  "prompt-leak.full": 5.6,
  "prompt-leak.weak": 2.2,
  "secret-extraction.full": 5.6,
  "secret-extraction.trick": 5.1,
  "secret-extraction.encoding": 3,
  "secret-extraction.ask": 2.2,
  "pressure.stakes": 1.6,
  "authority.strong": 4,
  "authority.claim": 1.8,
  "encoded-payload.full": 5.2,
  "encoded-payload.weak": 1.2,
  "fiction.full": 1.4,
  "template.placeholder": 1.8,
  "fake-markers.strong": 4.4,
  "fake-markers.weak": 2.2,
  "many-shot.dialogue": 2,
};

/** Log odds of a text without evidence. */
export const BIAS = -5;

/** Share of its weight that a kind adds once more where it occurs at least `MANY` times. */
export const MANY_SHARE = 0.2;
export const MANY = 3;

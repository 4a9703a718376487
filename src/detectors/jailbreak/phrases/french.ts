import type { PhraseTable } from "../../phrases/phrase-table.js";

/** French phrases. */
export const FRENCH: PhraseTable = {
  "instruction-override.full": [
    "(désobéis|fais abstraction|faites abstraction|ignore|ignorer|ignores|ignorez|ne respecte pas|ne suis pas|ne tenez pas compte|ne tiens pas compte|néglige|négligez|oublie|oublier|oublies|oubliez) ~5 (commande*|consigne*|directive*|instruction*|ordre*|programmation|prompt*|règle*) ~3 (antérieur*|ci dessus|d origine|données|initial*|jusqu ici|jusqu à présent|préalable*|précédent*|reçues|système)",
    "(ignore|ignorer|ignorez|oublie|oublier|oubliez) ~1 (l ensemble|tous|toutes) ~3 (commande*|consigne*|directive*|instruction*|ordre*|prompt*|règle*)",
    "(ignore|ignorez|oublie|oubliez) ~1 (tout ce que|tout ce qui) ~3 (appris|avant|dessus|dit|précède|précédait)",
    "(ignore|ignorez|oublie|oubliez) ~3 (tes|vos) ~2 (consigne*|directive*|instruction*|règle*)",
    "nouvelles instructions ~3 (obéis|remplacent|suis|suivez|voici)",
  ],
  "prompt-leak.full": [
    "(affiche*|dis|dites|divulgue*|donne*|imprime*|liste*|montre*|partage*|quel est|quelles sont|quelles étaient|recopie*|répète*|résume*|révèle*|traduis|traduisez|écris|écrivez) ~5 (consignes initiales|directives internes|instructions cachées|instructions d origine|instructions du système|instructions initiales|instructions internes|instructions secrètes|instructions système|invite initiale|invite système|message système|prompt initial|prompt système|system prompt|tes consignes|tes directives|tes instructions|ton prompt|vos consignes|vos directives|vos instructions|votre prompt)",
    "(affiche*|recopie*|répète*|écris|écrivez) ~3 (message|mots|texte|tout ce qui) ~3 (au dessus|ci dessus|plus haut|précède)",
    "(quelles|quels) (consignes|instructions|ordres) ~2 (as tu|avez vous|ont été|reçu|t ont)",
  ],
  "no-restrictions.full": [
    "(affranchi de|aucun|aucune|ignore|libre de|libre de toute|libéré de|ne respecte pas|ni|pas de|sans) ~3 (censure|contrainte*|filtre|filtres|garde fou*|limitation*|limite|limites|morale|morales|restriction*|règle|règles|scrupules|tabou|tabous|éthique)",
    "(même si|peu importe|que ce soit|quelle que soit) ~5 (contraire à l éthique|dangereu*|illégal*|immoral*|non éthique|nuisible*|offensant*)",
  ],
  "no-restrictions.ai": [
    "(assistant*|chatbot|ia|intelligence artificielle|modèle|robot|version) ~5 (aucune|libre de|libérée de|ni|sans) ~3 (censure|contrainte*|filtre*|limite*|morale|restriction*|règle*|éthique)",
    "(assistant*|chatbot|ia|modèle|réponse*|version) ~2 (amoral*|débridé*|illimité*|immoral*|non censuré*|non filtré*|sans filtre|sans limite*)",
  ],
  "persona.act": [
    "(tu es|vous êtes) (dorénavant|désormais|maintenant|à présent)|(agis comme|agissez comme|comporte toi comme|fais comme si|fais semblant|faites comme si|faites semblant|imagine que tu|imaginez que vous|incarne|joue le rôle|jouez le rôle|prétendez être|prétends être)|(dorénavant|désormais|à partir de maintenant) ~1 (tu|vous)",
  ],
  "refusal-suppression.full": [
    "(aucun|aucune|jamais|n ajoute*|n inclus|ne mentionne*|ne refuse*|pas d|pas de|sans) ~4 (avertissement*|clause de non responsabilité|disclaimer*|désolé|excuse*|jugement moral|leçon de morale|mise* en garde|refus|refuse*)",
  ],
  "stay-in-character.full": [
    "(reste*) ~2 (personnage|ton rôle|votre rôle)|(quitte*|sors|sortez|sortir) ~2 (personnage|ton personnage|ton rôle|votre personnage)",
  ],
  "known-jailbreak.strong": ["fais tout maintenant|mode dan|mode jailbreak|tout faire maintenant"],
  "known-jailbreak.mode": ["mode dieu|mode développeur|mode sans filtre|mode sans restriction"],
  "authority.strong": [
    "(contourne*|désactive*|supprime*) ~3 (censure|filtre de sécurité|filtres de contenu|filtres de sécurité|garde fous|modération|protocoles de sécurité|restrictions de sécurité)",
  ],
  "secret-extraction.full": [
    "(dis|dites|donne*|montre*|partage*|quel est|quelle est|révèle*|épelle*) ~4 (clef secrète|clé secrète|code secret|mot de passe secret|mot magique|mot secret|phrase secrète)",
  ],
  "secret-extraction.ask": [
    "(dis|dites|donne*|montre*|partage*|quel est|quelle est|révèle*|épelle*) ~4 (la clé|le mot de passe|le secret)",
  ],
};

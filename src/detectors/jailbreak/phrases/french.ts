import type { PhraseTable } from "../../phrases/phrase-table.js";

/** French phrases. */
export const FRENCH: PhraseTable = {
  "instruction-override.full": [
    "(ignore|ignores|ignorez|ignorer|oublie|oublies|oubliez|oublier|néglige|négligez|désobéis|ne tiens pas compte|ne tenez pas compte|fais abstraction|faites abstraction|ne suis pas|ne respecte pas) ~5 (instruction*|consigne*|directive*|règle*|ordre*|prompt*|commande*|programmation) ~3 (précédent*|antérieur*|initial*|ci dessus|préalable*|d origine|reçues|données|système|jusqu ici|jusqu à présent)",
    "(ignore|ignorez|ignorer|oublie|oubliez|oublier) ~1 (toutes|tous|l ensemble) ~3 (instruction*|consigne*|directive*|règle*|ordre*|prompt*|commande*)",
    "(ignore|ignorez|oublie|oubliez) ~1 (tout ce qui|tout ce que) ~3 (précède|dit|avant|dessus|précédait|appris)",
    "(ignore|ignorez|oublie|oubliez) ~3 (tes|vos) ~2 (instruction*|consigne*|directive*|règle*)",
    "nouvelles instructions ~3 (suivez|suis|voici|remplacent|obéis)",
  ],
  "prompt-leak.full": [
    "(montre*|affiche*|répète*|révèle*|donne*|écris|écrivez|imprime*|dis|dites|quel est|quelles sont|quelles étaient|traduis|traduisez|partage*|recopie*|divulgue*|liste*|résume*) ~5 (prompt système|invite système|instructions système|instructions du système|message système|prompt initial|invite initiale|instructions initiales|consignes initiales|instructions d origine|tes instructions|vos instructions|tes consignes|vos consignes|ton prompt|votre prompt|instructions cachées|instructions secrètes|instructions internes|directives internes|tes directives|vos directives|system prompt)",
    "(répète*|affiche*|recopie*|écris|écrivez) ~3 (texte|tout ce qui|mots|message) ~3 (ci dessus|précède|au dessus|plus haut)",
    "(quelles|quels) (instructions|consignes|ordres) ~2 (as tu|avez vous|t ont|ont été|reçu)",
  ],
  "no-restrictions.full": [
    "(sans|aucune|aucun|pas de|libre de|libéré de|libre de toute|affranchi de|ignore|ne respecte pas|ni) ~3 (restriction*|limite|limites|limitation*|filtre|filtres|censure|règle|règles|éthique|morale|morales|contrainte*|tabou|tabous|garde fou*|scrupules)",
    "(même si|peu importe|quelle que soit|que ce soit) ~5 (illégal*|immoral*|contraire à l éthique|dangereu*|nuisible*|non éthique|offensant*)",
  ],
  "no-restrictions.ai": [
    "(ia|chatbot|assistant*|modèle|intelligence artificielle|robot|version) ~5 (sans|aucune|libre de|libérée de|ni) ~3 (restriction*|limite*|filtre*|censure|règle*|éthique|morale|contrainte*)",
    "(ia|chatbot|assistant*|modèle|version|réponse*) ~2 (non filtré*|non censuré*|sans filtre|amoral*|immoral*|débridé*|illimité*|sans limite*)",
  ],
  "persona.act": [
    "(tu es|vous êtes) (maintenant|désormais|à présent|dorénavant)|(fais semblant|faites semblant|fais comme si|faites comme si|prétends être|prétendez être|imagine que tu|imaginez que vous|incarne|joue le rôle|jouez le rôle|agis comme|agissez comme|comporte toi comme)|(à partir de maintenant|désormais|dorénavant) ~1 (tu|vous)",
  ],
  "refusal-suppression.full": [
    "(jamais|ne refuse*|sans|pas d|pas de|aucun|aucune|n inclus|ne mentionne*|n ajoute*) ~4 (refuse*|refuser|refus|avertissement*|mise* en garde|excuse*|disclaimer*|clause de non responsabilité|jugement moral|désolé|leçon de morale)",
  ],
  "stay-in-character.full": [
    "(reste*|restez) ~2 (personnage|ton rôle|votre rôle)|(sors|sortez|sortir|quitte*) ~2 (ton personnage|votre personnage|personnage|ton rôle)",
  ],
  "known-jailbreak.strong": ["mode dan|mode jailbreak|tout faire maintenant|fais tout maintenant"],
  "known-jailbreak.mode": ["mode développeur|mode dieu|mode sans restriction|mode sans filtre"],
  "authority.strong": [
    "(désactive*|désactivez|contourne*|contournez|supprime*) ~3 (filtres de sécurité|filtre de sécurité|filtres de contenu|modération|garde fous|protocoles de sécurité|restrictions de sécurité|censure)",
  ],
  "secret-extraction.full": [
    "(révèle*|dis|dites|donne*|quel est|quelle est|épelle*|partage*|montre*) ~4 (mot de passe secret|clé secrète|clef secrète|code secret|mot secret|phrase secrète|mot magique)",
  ],
  "secret-extraction.ask": [
    "(révèle*|dis|dites|donne*|quel est|quelle est|épelle*|partage*|montre*) ~4 (le mot de passe|le secret|la clé)",
  ],
};

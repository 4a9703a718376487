import type { PhraseTable } from "../../phrases/phrase-table.js";

/** Italian phrases. */
export const ITALIAN: PhraseTable = {
  "instruction-override.full": [
    "(dimentica|dimenticate|dimenticati|dimentichi|disobbedisci|ignora|ignorare|ignorate|ignori|non considerare|non seguire|non tenere conto|scorda|tralascia|trascura) ~5 (comandi|consegne|direttive|indicazion*|istruzion*|linee guida|ordini|programmazione|prompt|regole) ~3 (dat*|di prima|di sistema|finora|iniziali|originali|precedent*|ricevut*|sopra)",
    "(dimentica|dimentichi|ignora|ignorate|ignori|scorda) ~2 (ogni|qualsiasi|tutte|tutti) ~3 (comandi|direttive|indicazion*|istruzion*|linee guida|ordini|prompt|regole)",
    "(dimentica|ignora|scorda) tutto ~3 (ciò che|detto|precede|precedente|prima|quello che|sopra)",
    "(dimentica|ignora|ignori) ~2 (sue|tue|tuoi|vostre) ~2 (direttive|istruzion*|linee guida|regole)",
    "nuove istruzioni ~3 (segui|seguire|sono|sostituiscono)",
  ],
  "prompt-leak.full": [
    "(condividi|copia|dammi|dimmi|elenca|mostra*|qual è|quali erano|quali sono|riassumi|ripeti|ripetimi|rivela*|scrivi|scrivimi|stampa|svela|traduci) ~5 (istruzioni del sistema|istruzioni di sistema|istruzioni iniziali|istruzioni interne|istruzioni nascoste|istruzioni originali|istruzioni segrete|messaggio di sistema|prompt del sistema|prompt di sistema|prompt iniziale|system prompt|tue direttive|tue istruzioni|tue regole|tuo prompt)",
    "(copia|mostra|ripeti|scrivi) ~3 (messaggio|parole|testo|tutto ciò|tutto quello) ~3 (precede|precedente|prima di|sopra)",
    "quali (indicazioni|istruzioni|ordini) ~2 (avete|hai|ricevuto|ti hanno|ti sono)",
  ],
  "no-restrictions.full": [
    "(libera da|libero da|nessun|nessuna|non ha|non hai|né|priva di|privo di|senza) ~3 (censura|etica|etici|filtri|filtro|limitazion*|limite|limiti|morale|morali|regole|restrizion*|tabù|vincoli)",
    "(anche se|indipendentemente|non importa) ~5 (dannos*|illegal*|immoral*|non etic*|offensiv*|pericolos*)",
  ],
  "no-restrictions.ai": [
    "(ai|assistente|bot|chatbot|ia|intelligenza artificiale|modello|versione) ~5 (libera da|libero da|né|priva di|privo di|senza) ~3 (censura|etica|filtr*|limit*|morale|regole|restrizion*|vincoli)",
    "(ai|assistente|chatbot|ia|modello|rispost*|versione) ~2 (amorale|immorale|malvagi*|non censurat*|non filtrat*|senza censura|senza filtri|senza limiti)",
  ],
  "persona.act": [
    "(sarai|sei) (adesso|d ora in poi|da ora|ora)|(adesso sei|agisci come|assumi il ruolo|comportati come|fai finta|fingi|fingi di|immagina di essere|interpreta il ruolo|ora sei|simula di)|(d ora in poi|da adesso|da ora in poi) ~2 (agirai|risponderai|sarai|sei|ti chiami)",
  ],
  "refusal-suppression.full": [
    "(mai|nessun|nessuna|non|senza) ~3 (avvertenze|avvertimenti|avvisi|disclaimer|esclusione di responsabilità|mi dispiace|moralismi|rifiutare|rifiutarti|rifiuti|scusarti|scuse)",
  ],
  "stay-in-character.full": [
    "(resta|restare|rimanere|rimani) ~2 (nel ruolo|personaggio)|(esci|uscirai|uscire) ~2 (personaggio|ruolo)",
  ],
  "known-jailbreak.strong": ["fai qualsiasi cosa adesso|fare qualsiasi cosa ora|modalità dan|modalità jailbreak"],
  "known-jailbreak.mode": ["modalità dio|modalità senza filtri|modalità senza restrizioni|modalità sviluppatore"],
  "authority.strong": [
    "(aggira|bypassa|disabilita|disattiva|disattivare|elimina) ~3 (censura|filtri dei contenuti|filtri di sicurezza|filtro di sicurezza|moderazione|protocolli di sicurezza|restrizioni di sicurezza)",
  ],
  "secret-extraction.full": [
    "(condividi|dammi|dimmi|mostra*|qual è|rivela*|sillaba) ~4 (chiave segreta|codice segreto|frase segreta|parola magica|parola segreta|password segreta)",
  ],
  "secret-extraction.ask": [
    "(condividi|dammi|dimmi|mostra*|qual è|rivela*|sillaba) ~4 (il segreto|la chiave|la password|parola d ordine)",
  ],
};

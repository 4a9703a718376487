import type { PhraseTable } from "../../phrases/phrase-table.js";

/** Italian phrases. */
export const ITALIAN: PhraseTable = {
  "instruction-override.full": [
    "(ignora|ignori|ignorate|ignorare|dimentica|dimentichi|dimenticate|dimenticati|scorda|trascura|tralascia|non seguire|non tenere conto|non considerare|disobbedisci) ~5 (istruzion*|indicazion*|ordini|regole|direttive|prompt|comandi|linee guida|consegne|programmazione) ~3 (precedent*|iniziali|sopra|ricevut*|dat*|originali|finora|di prima|di sistema)",
    "(ignora|ignori|ignorate|dimentica|dimentichi|scorda) ~2 (tutte|tutti|ogni|qualsiasi) ~3 (istruzion*|indicazion*|ordini|regole|direttive|prompt|comandi|linee guida)",
    "(ignora|dimentica|scorda) tutto ~3 (prima|detto|sopra|precede|precedente|quello che|ciò che)",
    "(ignora|dimentica|ignori) ~2 (tue|tuoi|sue|vostre) ~2 (istruzion*|regole|direttive|linee guida)",
    "nuove istruzioni ~3 (segui|seguire|sono|sostituiscono)",
  ],
  "prompt-leak.full": [
    "(mostra*|mostrami|ripeti|ripetimi|rivela*|rivelami|dimmi|dammi|scrivi|scrivimi|stampa|qual è|quali sono|quali erano|traduci|condividi|copia|elenca|riassumi|svela) ~5 (prompt di sistema|prompt del sistema|system prompt|messaggio di sistema|istruzioni di sistema|istruzioni del sistema|istruzioni iniziali|istruzioni originali|prompt iniziale|tue istruzioni|tuo prompt|tue regole|tue direttive|istruzioni nascoste|istruzioni segrete|istruzioni interne)",
    "(ripeti|copia|scrivi|mostra) ~3 (testo|tutto ciò|tutto quello|parole|messaggio) ~3 (sopra|precedente|precede|prima di)",
    "quali (istruzioni|indicazioni|ordini) ~2 (hai|ti hanno|ti sono|avete|ricevuto)",
  ],
  "no-restrictions.full": [
    "(senza|nessuna|nessun|privo di|priva di|libero da|libera da|non hai|non ha|né) ~3 (restrizion*|limiti|limite|limitazion*|filtri|filtro|censura|regole|etica|morale|morali|etici|tabù|vincoli)",
    "(anche se|indipendentemente|non importa) ~5 (illegal*|immoral*|non etic*|pericolos*|dannos*|offensiv*)",
  ],
  "no-restrictions.ai": [
    "(ia|ai|chatbot|assistente|modello|intelligenza artificiale|bot|versione) ~5 (senza|priva di|privo di|libera da|libero da|né) ~3 (restrizion*|limit*|filtr*|censura|regole|etica|morale|vincoli)",
    "(ia|ai|chatbot|assistente|modello|versione|rispost*) ~2 (senza filtri|senza censura|non censurat*|amorale|immorale|senza limiti|non filtrat*|malvagi*)",
  ],
  "persona.act": [
    "(sei|sarai) (ora|adesso|da ora|d ora in poi)|(ora sei|adesso sei|fingi|fingi di|fai finta|immagina di essere|comportati come|agisci come|interpreta il ruolo|assumi il ruolo|simula di)|(d ora in poi|da ora in poi|da adesso) ~2 (sei|sarai|risponderai|ti chiami|agirai)",
  ],
  "refusal-suppression.full": [
    "(mai|non|senza|nessun|nessuna) ~3 (rifiutare|rifiutarti|rifiuti|avvertenze|avvertimenti|avvisi|scuse|scusarti|disclaimer|mi dispiace|moralismi|esclusione di responsabilità)",
  ],
  "stay-in-character.full": [
    "(resta|rimani|restare|rimanere) ~2 (personaggio|nel ruolo)|(uscire|esci|uscirai) ~2 (personaggio|ruolo)",
  ],
  "known-jailbreak.strong": ["modalità dan|modalità jailbreak|fai qualsiasi cosa adesso|fare qualsiasi cosa ora"],
  "known-jailbreak.mode": ["modalità sviluppatore|modalità dio|modalità senza restrizioni|modalità senza filtri"],
  "authority.strong": [
    "(disattiva|disattivare|disabilita|aggira|elimina|bypassa) ~3 (filtri di sicurezza|filtro di sicurezza|filtri dei contenuti|moderazione|protocolli di sicurezza|restrizioni di sicurezza|censura)",
  ],
  "secret-extraction.full": [
    "(rivela*|rivelami|dimmi|dammi|qual è|condividi|mostra*|mostrami|sillaba) ~4 (password segreta|chiave segreta|codice segreto|parola segreta|frase segreta|parola magica)",
  ],
  "secret-extraction.ask": [
    "(rivela*|rivelami|dimmi|dammi|qual è|condividi|mostra*|mostrami|sillaba) ~4 (la password|il segreto|parola d ordine|la chiave)",
  ],
};

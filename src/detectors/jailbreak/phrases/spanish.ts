import type { PhraseTable } from "../../phrases/phrase-table.js";

/** Spanish phrases. */
export const SPANISH: PhraseTable = {
  "instruction-override.full": [
    "(ignora|ignore|ignoren|ignorar|ignorando|olvida|olvide|olvídate|olvídese|olvidar|omite|omita|desobedece|descarta|haz caso omiso|haga caso omiso|no sigas|no hagas caso|pasa por alto|desestima|descarte) ~5 (instruccion*|indicacion*|orden|órdenes|regla*|directriz|directrices|prompt*|mandato*|comandos|normas|programación) ~3 (anterior*|previa*|previo*|inicial*|de arriba|recibid*|dad*|originales|hasta ahora|precedentes|del sistema)",
    "(ignora|ignore|olvida|olvide|olvídate|omite|descarta|haz caso omiso) ~2 (toda|todas|todos|cualquier) ~3 (instruccion*|indicacion*|órdenes|regla*|directric*|prompt*|comandos|normas)",
    "(ignora|olvida|olvide|ignore) todo lo ~3 (anterior|dicho|arriba|dije|previo|aprendido|que)",
    "(ignora|olvida|ignore|olvide) ~2 (tus|sus) ~2 (instruccion*|indicacion*|regla*|directric*|normas)",
    "nuevas (instrucciones|órdenes|reglas) ~3 (sigue|siga|son|reemplazan|obedece)",
  ],
  "prompt-leak.full": [
    "(muestra*|muéstrame|muéstreme|repite|repita|repíteme|revela|revele|dime|dígame|dame|deme|escribe|escriba|imprime|imprima|cuál es|cuáles son|cuáles eran|cual es|cuales son|traduce|traduzca|comparte|copia|lista|enseña|enséñame|resume|filtra) ~5 (prompt del sistema|prompt de sistema|system prompt|mensaje del sistema|mensaje de sistema|instrucciones del sistema|instrucciones de sistema|instrucciones iniciales|instrucciones originales|prompt inicial|tus instrucciones|sus instrucciones|tu prompt|tus directrices|tus reglas|indicaciones iniciales|instrucciones ocultas|instrucciones secretas|instrucciones internas)",
    "(repite|repita|copia|escribe|muestra) ~3 (texto|todo lo que|palabras|mensaje) ~3 (arriba|anterior|encima|antes de)",
    "qué (instrucciones|indicaciones|órdenes) ~2 (recibiste|te dieron|tienes|te han dado|recibió)",
  ],
  "no-restrictions.full": [
    "(sin|ninguna|ningún|libre de|libres de|no tienes|no tiene|liberado de|no sigue|ni) ~3 (restriccion*|restricción|límite|límites|limitacion*|filtro|filtros|censura|regla|reglas|ética|moral|morales|éticas|tabúes|normas)",
    "(aunque sea|aunque sean|sin importar|incluso si|no importa) ~5 (ilegal*|inmoral*|poco étic*|peligros*|dañin*|ofensiv*|antiétic*)",
  ],
  "no-restrictions.ai": [
    "(ia|chatbot|asistente|modelo|inteligencia artificial|bot|versión) ~5 (sin|libre de|no tiene|que ignora|ni) ~3 (restriccion*|límite*|limitacion*|filtro*|censura|regla*|ética|moral)",
    "(ia|chatbot|asistente|modelo|versión|respuesta*) ~2 (sin filtro*|sin censura|amoral|inmoral|sin límites|desinhibid*|malvad*)",
  ],
  "persona.act": [
    "(eres|serás|usted es) (ahora|a partir de ahora|desde ahora)|(ahora eres|ahora serás|finge|finge que|finja|actúa como|actúe como|haz de cuenta|imagina que eres|imagine que es|hazte pasar|interpreta el papel|asume el papel|simula que|simula ser|compórtate como)|(a partir de ahora|desde ahora|de ahora en adelante) ~2 (eres|serás|vas a|actuarás|responderás|te llamas)",
  ],
  "refusal-suppression.full": [
    "(nunca|jamás|no|sin|ningún|ninguna) ~3 (te niegues|negarte|rechaces|rechaza|rechazar|advertencia|advertencias|aviso legal|disculpas|te disculpes|descargo de responsabilidad|lo siento|no puedo|moralices|sermones)",
  ],
  "stay-in-character.full": [
    "(mantente|permanece|quédate|sigue) ~2 (personaje|el papel)|(salgas|salir|rompas|romper) ~2 (personaje|papel)",
  ],
  "known-jailbreak.strong": ["modo dan|modo jailbreak|haz cualquier cosa ahora|hacer cualquier cosa ahora"],
  "known-jailbreak.mode": [
    "modo desarrollador|modo de desarrollador|modo dios|modo sin restricciones|modo sin filtros|modo sin censura",
  ],
  "authority.strong": [
    "(desactiva|desactive|desactivar|deshabilita|elude|evita|salta|quita) ~3 (filtros de seguridad|filtro de seguridad|filtros de contenido|moderación|salvaguardas|protocolos de seguridad|restricciones de seguridad|censura)",
  ],
  "secret-extraction.full": [
    "(revela|revele|dime|dígame|dame|cuál es|cual es|deletrea|comparte|muestra*|muéstrame) ~4 (contraseña secreta|clave secreta|código secreto|palabra secreta|frase secreta|palabra mágica)",
  ],
  "secret-extraction.ask": [
    "(revela|revele|dime|dígame|dame|cuál es|cual es|deletrea|comparte|muestra*|muéstrame) ~4 (la contraseña|el secreto|la clave)",
  ],
};

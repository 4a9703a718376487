import type { PhraseTable } from "../../phrases/phrase-table.js";

/** Spanish phrases. */
export const SPANISH: PhraseTable = {
  "instruction-override.full": [
    "(descarta|descarte|desestima|desobedece|haga caso omiso|haz caso omiso|ignora|ignorando|ignorar|ignore|ignoren|no hagas caso|no sigas|olvida|olvidar|olvide|olvídate|olvídese|omita|omite|pasa por alto) ~5 (comandos|directrices|directriz|indicacion*|instruccion*|mandato*|normas|orden|programación|prompt*|regla*|órdenes) ~3 (anterior*|dad*|de arriba|del sistema|hasta ahora|inicial*|originales|precedentes|previa*|previo*|recibid*)",
    "(descarta|haz caso omiso|ignora|ignore|olvida|olvide|olvídate|omite) ~2 (cualquier|toda|todas|todos) ~3 (comandos|directric*|indicacion*|instruccion*|normas|prompt*|regla*|órdenes)",
    "(ignora|ignore|olvida|olvide) todo lo ~3 (anterior|aprendido|arriba|dicho|dije|previo|que)",
    "(ignora|ignore|olvida|olvide) ~2 (sus|tus) ~2 (directric*|indicacion*|instruccion*|normas|regla*)",
    "nuevas (instrucciones|reglas|órdenes) ~3 (obedece|reemplazan|siga|sigue|son)",
  ],
  "prompt-leak.full": [
    "(comparte|copia|cual es|cuales son|cuál es|cuáles eran|cuáles son|dame|deme|dime|dígame|enseña|enséñame|escriba|escribe|filtra|imprima|imprime|lista|muestra*|muéstrame|muéstreme|repita|repite|repíteme|resume|revela|revele|traduce|traduzca) ~5 (indicaciones iniciales|instrucciones de sistema|instrucciones del sistema|instrucciones iniciales|instrucciones internas|instrucciones ocultas|instrucciones originales|instrucciones secretas|mensaje de sistema|mensaje del sistema|prompt de sistema|prompt del sistema|prompt inicial|sus instrucciones|system prompt|tu prompt|tus directrices|tus instrucciones|tus reglas)",
    "(copia|escribe|muestra|repita|repite) ~3 (mensaje|palabras|texto|todo lo que) ~3 (anterior|antes de|arriba|encima)",
    "qué (indicaciones|instrucciones|órdenes) ~2 (recibiste|recibió|te dieron|te han dado|tienes)",
  ],
  "no-restrictions.full": [
    "(liberado de|libre de|libres de|ni|ninguna|ningún|no sigue|no tiene|no tienes|sin) ~3 (censura|filtro|filtros|limitacion*|límite|límites|moral|morales|normas|regla|reglas|restriccion*|restricción|tabúes|ética|éticas)",
    "(aunque sea|aunque sean|incluso si|no importa|sin importar) ~5 (antiétic*|dañin*|ilegal*|inmoral*|ofensiv*|peligros*|poco étic*)",
  ],
  "no-restrictions.ai": [
    "(asistente|bot|chatbot|ia|inteligencia artificial|modelo|versión) ~5 (libre de|ni|no tiene|que ignora|sin) ~3 (censura|filtro*|limitacion*|límite*|moral|regla*|restriccion*|ética)",
    "(asistente|chatbot|ia|modelo|respuesta*|versión) ~2 (amoral|desinhibid*|inmoral|malvad*|sin censura|sin filtro*|sin límites)",
  ],
  "persona.act": [
    "(eres|serás|usted es) (a partir de ahora|ahora|desde ahora)|(actúa como|actúe como|ahora eres|ahora serás|asume el papel|compórtate como|finge|finge que|finja|haz de cuenta|hazte pasar|imagina que eres|imagine que es|interpreta el papel|simula que|simula ser)|(a partir de ahora|de ahora en adelante|desde ahora) ~2 (actuarás|eres|responderás|serás|te llamas|vas a)",
  ],
  "refusal-suppression.full": [
    "(jamás|ninguna|ningún|no|nunca|sin) ~3 (advertencia|advertencias|aviso legal|descargo de responsabilidad|disculpas|lo siento|moralices|negarte|no puedo|rechaces|rechaza|rechazar|sermones|te disculpes|te niegues)",
  ],
  "stay-in-character.full": [
    "(mantente|permanece|quédate|sigue) ~2 (el papel|personaje)|(rompas|romper|salgas|salir) ~2 (papel|personaje)",
  ],
  "known-jailbreak.strong": ["hacer cualquier cosa ahora|haz cualquier cosa ahora|modo dan|modo jailbreak"],
  "known-jailbreak.mode": [
    "modo de desarrollador|modo desarrollador|modo dios|modo sin censura|modo sin filtros|modo sin restricciones",
  ],
  "authority.strong": [
    "(desactiva|desactivar|desactive|deshabilita|elude|evita|quita|salta) ~3 (censura|filtro de seguridad|filtros de contenido|filtros de seguridad|moderación|protocolos de seguridad|restricciones de seguridad|salvaguardas)",
  ],
  "secret-extraction.full": [
    "(comparte|cual es|cuál es|dame|deletrea|dime|dígame|muestra*|muéstrame|revela|revele) ~4 (clave secreta|contraseña secreta|código secreto|frase secreta|palabra mágica|palabra secreta)",
  ],
  "secret-extraction.ask": [
    "(comparte|cual es|cuál es|dame|deletrea|dime|dígame|muestra*|muéstrame|revela|revele) ~4 (el secreto|la clave|la contraseña)",
  ],
};

import type { PhraseTable } from "../../phrases/phrase-table.js";

/** Portuguese phrases. */
export const PORTUGUESE: PhraseTable = {
  "instruction-override.full": [
    "(descarte|desconsidera|desconsidere|desobedeça|despreze|esquece|esquecer|esqueça|ignora|ignorando|ignorar|ignore|ignorem|não siga|não sigas) ~5 (comando*|diretriz*|indicaç*|instruç*|ordem|ordens|orientaç*|programação|prompt*|regra*) ~3 (acima|anterior*|até agora|dad*|do sistema|inicia*|originais|precedentes|prévi*|recebid*)",
    "(desconsidere|esquece|esqueça|ignora|ignore) ~2 (quaisquer|qualquer|toda|todas|todos) ~3 (comando*|diretriz*|instruç*|ordens|orientaç*|prompt*|regra*)",
    "(desconsidere|esquece|esqueça|ignore) tudo ~3 (acima|anterior|antes|aprendeu|disse|foi dito|que)",
    "(desconsidere|esqueça|ignore) ~2 (seus|suas|teus|tuas) ~2 (diretriz*|instruç*|regra*)",
    "novas (instruções|ordens|regras) ~3 (obedeça|siga|substituem|são)",
  ],
  "prompt-leak.full": [
    "(compartilhe|copie|diga|dá|dê|escreva|escreve|exiba|imprima|imprime|liste|me diga|me mostre|mostra|mostre|quais eram|quais são|qual é|repete|repita|resuma|revela|revele|traduza) ~5 (instruções de sistema|instruções do sistema|instruções iniciais|instruções internas|instruções ocultas|instruções originais|instruções secretas|mensagem de sistema|mensagem do sistema|prompt de sistema|prompt do sistema|prompt inicial|seu prompt|suas diretrizes|suas instruções|suas regras|system prompt|teu prompt|tuas instruções)",
    "(copie|escreva|mostre|repete|repita) ~3 (mensagem|palavras|texto|tudo) ~3 (acima|anterior|antes de)",
    "(quais|que) (instruções|ordens|orientações) ~2 (lhe|recebeste|recebeu|te deram|você)",
  ],
  "no-restrictions.full": [
    "(livre de|nem|nenhum|nenhuma|não possui|não tem|sem) ~3 (amarras|censura|filtro|filtros|limitaç*|limite|limites|morais|moral|regra|regras|restriç*|tabus|ética|éticas)",
    "(independentemente|mesmo que|não importa) ~5 (antiétic*|ilega*|imora*|ofensiv*|perigos*|prejudicia*)",
  ],
  "no-restrictions.ai": [
    "(assistente|chatbot|ia|inteligência artificial|modelo|robô|versão) ~5 (livre de|nem|não tem|sem) ~3 (censura|filtro*|limit*|moral|regra*|restriç*|ética)",
    "(assistente|chatbot|ia|modelo|resposta*|versão) ~2 (amoral|imoral|malvad*|não filtrad*|sem censura|sem filtro*|sem limites)",
  ],
  "persona.act": [
    "(tu és|você agora é|você será|você é) (a partir de agora|agora|de agora em diante)|(agora você é|aja como|assuma o papel|atue como|comporte se como|faça de conta|finge|finja|imagina que és|imagine que você é|interprete o papel|simule ser)|(a partir de agora|de agora em diante) ~2 (irá|serás|tu|vais|você)",
  ],
  "refusal-suppression.full": [
    "(jamais|nenhum|nunca|não|sem) ~3 (advertência*|aviso|avisos|desculpas|desculpe|isenção de responsabilidade|moralize|negue|peça desculpas|recusar|recuse|se recuse|sermões|sinto muito)",
  ],
  "stay-in-character.full": [
    "(continue|fique|mantenha se|permaneça) ~2 (no papel|personagem)|(quebre|saia|sair) ~2 (papel|personagem)",
  ],
  "known-jailbreak.strong": ["fazer qualquer coisa agora|faça qualquer coisa agora|modo dan|modo jailbreak"],
  "known-jailbreak.mode": [
    "modo de desenvolvedor|modo desenvolvedor|modo deus|modo programador|modo sem censura|modo sem filtros|modo sem restrições",
  ],
  "authority.strong": [
    "(burle|contorne|desabilite|desativar|desative|remova) ~3 (censura|filtro de segurança|filtros de conteúdo|filtros de segurança|moderação|protocolos de segurança|restrições de segurança|salvaguardas)",
  ],
  "secret-extraction.full": [
    "(compartilhe|conte|diga|dê|me diga|mostre|qual é|revela|revele|soletre) ~4 (chave secreta|código secreto|frase secreta|palavra mágica|palavra secreta|senha secreta)",
  ],
  "secret-extraction.ask": [
    "(compartilhe|conte|diga|dê|me diga|mostre|qual é|revela|revele|soletre) ~4 (a chave|a senha|o segredo)",
  ],
};

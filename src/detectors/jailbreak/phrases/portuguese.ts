import type { PhraseTable } from "../../phrases/phrase-table.js";

/** Portuguese phrases. */
export const PORTUGUESE: PhraseTable = {
  "instruction-override.full": [
    "(ignore|ignora|ignorem|ignorar|ignorando|esqueça|esquece|esquecer|desconsidere|desconsidera|descarte|desobedeça|não siga|não sigas|despreze) ~5 (instruç*|indicaç*|ordem|ordens|regra*|diretriz*|prompt*|comando*|orientaç*|programação) ~3 (anterior*|prévi*|inicia*|acima|recebid*|dad*|originais|até agora|do sistema|precedentes)",
    "(ignore|ignora|esqueça|esquece|desconsidere) ~2 (toda|todas|todos|qualquer|quaisquer) ~3 (instruç*|ordens|regra*|diretriz*|prompt*|comando*|orientaç*)",
    "(ignore|esqueça|esquece|desconsidere) tudo ~3 (anterior|disse|acima|foi dito|antes|aprendeu|que)",
    "(ignore|esqueça|desconsidere) ~2 (suas|tuas|seus|teus) ~2 (instruç*|regra*|diretriz*)",
    "novas (instruções|ordens|regras) ~3 (siga|são|substituem|obedeça)",
  ],
  "prompt-leak.full": [
    "(mostre|mostra|repita|repete|revele|revela|diga|dê|dá|escreva|escreve|imprima|imprime|qual é|quais são|quais eram|traduza|compartilhe|copie|liste|exiba|resuma|me mostre|me diga) ~5 (prompt do sistema|prompt de sistema|system prompt|mensagem do sistema|mensagem de sistema|instruções do sistema|instruções de sistema|instruções iniciais|instruções originais|prompt inicial|suas instruções|tuas instruções|seu prompt|teu prompt|suas regras|suas diretrizes|instruções ocultas|instruções secretas|instruções internas)",
    "(repita|repete|copie|escreva|mostre) ~3 (texto|tudo|palavras|mensagem) ~3 (acima|anterior|antes de)",
    "(quais|que) (instruções|ordens|orientações) ~2 (você|recebeu|te deram|recebeste|lhe)",
  ],
  "no-restrictions.full": [
    "(sem|nenhuma|nenhum|livre de|não tem|não possui|nem) ~3 (restriç*|limite|limites|limitaç*|filtro|filtros|censura|regra|regras|ética|moral|morais|éticas|tabus|amarras)",
    "(mesmo que|independentemente|não importa) ~5 (ilega*|imora*|antiétic*|perigos*|prejudicia*|ofensiv*)",
  ],
  "no-restrictions.ai": [
    "(ia|chatbot|assistente|modelo|inteligência artificial|robô|versão) ~5 (sem|livre de|não tem|nem) ~3 (restriç*|limit*|filtro*|censura|regra*|ética|moral)",
    "(ia|chatbot|assistente|modelo|versão|resposta*) ~2 (sem filtro*|sem censura|amoral|imoral|sem limites|não filtrad*|malvad*)",
  ],
  "persona.act": [
    "(você é|você agora é|tu és|você será) (agora|a partir de agora|de agora em diante)|(agora você é|finja|finge|faça de conta|aja como|atue como|imagine que você é|imagina que és|interprete o papel|assuma o papel|simule ser|comporte se como)|(a partir de agora|de agora em diante) ~2 (você|tu|vais|irá|serás)",
  ],
  "refusal-suppression.full": [
    "(nunca|jamais|não|sem|nenhum) ~3 (recuse|recusar|se recuse|negue|aviso|avisos|advertência*|isenção de responsabilidade|desculpas|peça desculpas|desculpe|sinto muito|moralize|sermões)",
  ],
  "stay-in-character.full": [
    "(mantenha se|permaneça|continue|fique) ~2 (personagem|no papel)|(saia|sair|quebre) ~2 (personagem|papel)",
  ],
  "known-jailbreak.strong": ["modo dan|modo jailbreak|faça qualquer coisa agora|fazer qualquer coisa agora"],
  "known-jailbreak.mode": [
    "modo desenvolvedor|modo de desenvolvedor|modo programador|modo deus|modo sem restrições|modo sem filtros|modo sem censura",
  ],
  "authority.strong": [
    "(desative|desativar|desabilite|contorne|burle|remova) ~3 (filtros de segurança|filtro de segurança|filtros de conteúdo|moderação|salvaguardas|protocolos de segurança|restrições de segurança|censura)",
  ],
  "secret-extraction.full": [
    "(revele|revela|diga|me diga|dê|qual é|soletre|compartilhe|mostre|conte) ~4 (senha secreta|chave secreta|código secreto|palavra secreta|frase secreta|palavra mágica)",
  ],
  "secret-extraction.ask": [
    "(revele|revela|diga|me diga|dê|qual é|soletre|compartilhe|mostre|conte) ~4 (a senha|o segredo|a chave)",
  ],
};

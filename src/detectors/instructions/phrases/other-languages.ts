import type { PhraseTable } from "../../phrases/phrase-table.js";

/** Requests to an assistant in German, French, Spanish, Italian, Portuguese, Dutch, Russian, Chinese and Japanese. */
export const OTHER_REQUESTS: readonly PhraseTable[] = [
  {
    "start.task": [
      "(schreibe|schreib|verfasse|erstelle|erfinde|gib mir|nenne|nenne mir|entwirf) ~1 (ein|eine|einen|mir|drei|fünf|zehn|kurze|kurzes|code)|erkläre|erklär|beschreibe|übersetze|übersetz|fasse|berechne|löse|empfiehl|vergleiche|zähle",
    ],
    "start.edit": [
      "füge|ergänze|leite|leiten sie|schicke|veröffentliche|ersetze|antworte|verwende|benutze|erwähne|sage|sag|behaupte|lobe|bewerte|beginne|beende|formuliere|lass|entferne|ändere|sende|schicke|leite|lösche|öffne|rufe",
    ],
    "output.own": [
      "(deine|deiner|deinem|deinen|ihrer|jede|jeder|jeden) ~1 (antwort|antworten|ausgabe|zusammenfassung|erwiderung)",
    ],
    "assistant.user": [
      "(dem|den|der) ~1 (nutzer|benutzer|anwender|nutzern|benutzerin|leser) ~4 (dass|mit|nichts|nicht)|(sage|sag|teile|erzähle|informiere|überzeuge|bitte|frage|empfiehl) (dem|den|der) (nutzer|benutzer|anwender|leser)",
    ],
    "assistant.hail": [
      "(hinweis|anweisung|nachricht|achtung|notiz) ~2 (ki|assistenten|sprachmodell|sprachmodelle|chatbot|chatbots)|(wenn|falls|sofern) du ~1 (ki|ki*|sprachmodell|assistent|chatbot) ~1 bist",
    ],
    "genre.word": [
      "gedicht|aufsatz|geschichte|haiku|funktion|witz|lied|ins englische|ins französische|auf englisch|auf spanisch|theorie",
    ],
  },
  {
    "start.task": [
      "(écris|écrivez|rédige|rédigez|compose|crée|créez|invente|donne moi|donnez moi|cite|propose) ~1 (un|une|des|moi|trois|cinq|dix)|explique|expliquez|décris|décrivez|traduis|traduisez|résume|résumez|calcule|calculez|recommande|compare|raconte moi",
    ],
    "start.edit": [
      "ajoute|ajoutez|inclus|incluez|remplace|remplacez|réponds|répondez|utilise|utilisez|mentionne|mentionnez|dis|dites|affirme|commence|termine|supprime|modifie|envoie|envoyez|transfère|ouvre|appelle|termine",
    ],
    "output.own": ["(ta|tes|votre|vos|chaque|dans ta|dans votre) ~1 (réponse|réponses|résumé|sortie)"],
    "assistant.user": [
      "(dis|dites|demande|demandez|informe|informez|convaincs|explique|recommande) ~1 (à l utilisateur|l utilisateur|aux utilisateurs|au lecteur)|(ne|n) ~2 (dis|dites|mentionne|informe) ~3 utilisateur",
    ],
    "assistant.hail": [
      "(note|message|instruction|instructions|attention) ~2 (ia|assistant|assistants|modèle de langage|chatbot|intelligence artificielle)|si (tu es|vous êtes) une ia",
    ],
    "genre.word": [
      "poème|dissertation|histoire|haïku|fonction|blague|chanson|en anglais|en français|en espagnol|en allemand|théorie",
    ],
  },
  {
    "start.task": [
      "(escribe|escriba|redacta|redacte|compón|crea|genera|inventa|dame|deme|propón|haz|haga) ~1 (un|una|unos|tres|cinco|diez|me)|explica|explique|describe|describa|traduce|traduzca|resume|resuma|calcula|calcule|recomienda|recomiéndame|compara|cuéntame|enumera",
    ],
    "start.edit": [
      "añade|añada|agrega|agregue|incluye|incluya|reemplaza|responde|responda|usa|use|menciona|mencione|di|diga|afirma|empieza|termina|elimina|modifica|envía|envíe|reenvía|abre|llama|borra",
    ],
    "output.own": ["(tu|tus|su|cada|en tu|en su) ~1 (respuesta|respuestas|resumen|salida)"],
    "assistant.user": [
      "(dile|diga|dígale|di|informa|informe|pide|pídele|convence|recomienda) ~1 (al usuario|a los usuarios|al lector|el usuario)|no ~2 (menciones|digas|informes|reveles) ~3 usuario",
    ],
    "assistant.hail": [
      "(nota|mensaje|instrucción|instrucciones|atención|aviso) ~3 (ia|asistente|asistentes|modelo de lenguaje|chatbot|inteligencia artificial)|si eres ~1 (ia|asistente|modelo de lenguaje|chatbot)|eres un (asistente|modelo de lenguaje|chatbot)",
    ],
    "genre.word": ["poema|ensayo|cuento|haiku|función|chiste|canción|al inglés|en inglés|al francés|al alemán|teoría"],
  },
  {
    "start.task": [
      "(scrivi|scrivimi|componi|crea|genera|inventa|dammi|proponi|redigi) ~1 (un|una|tre|cinque|dieci|mi)|spiega|spiegami|descrivi|traduci|riassumi|calcola|consiglia|consigliami|confronta|elenca|raccontami",
    ],
    "start.edit": [
      "aggiungi|includi|sostituisci|rispondi|usa|menziona|afferma|inizia|termina|elimina|modifica|invia|inoltra|apri|chiama|cancella|inserisci",
    ],
    "output.own": ["(tua|tue|sua|vostra|ogni|nella tua|alla tua) ~1 (risposta|risposte|sintesi|riassunto)"],
    "assistant.user": [
      "(di|informa|chiedi|convinci|suggerisci|consiglia) (all utente|l utente|agli utenti|al lettore)|non ~2 (dire|menzionare|informare|rivelare) ~3 utente",
    ],
    "assistant.hail": [
      "(nota|messaggio|istruzione|istruzioni|attenzione) ~3 (ia|assistente|modello linguistico|chatbot|intelligenza artificiale)|se sei ~1 (ia|assistente|un modello linguistico|un chatbot|un intelligenza artificiale)",
    ],
    "genre.word": [
      "poesia|saggio|racconto|haiku|funzione|barzelletta|canzone|in inglese|in francese|in spagnolo|in tedesco|teoria",
    ],
  },
  {
    "start.task": [
      "(escreva|escreve|redija|componha|crie|gere|invente|dê me|me dê|proponha|faça) ~1 (um|uma|três|cinco|dez)|explique|explica|descreva|traduza|resuma|calcule|recomende|compare|liste|conte me|me conte",
    ],
    "start.edit": [
      "adicione|acrescente|inclua|substitua|responda|use|mencione|diga|afirme|comece|termine|remova|modifique|envie|encaminhe|abra|chame|apague|insira",
    ],
    "output.own": ["(sua|suas|tua|tuas|cada|na sua|à sua|em sua) ~1 (resposta|respostas|resumo|saída)"],
    "assistant.user": [
      "(diga|informe|peça|convença|recomende|sugira) (ao usuário|o usuário|aos usuários|ao utilizador|ao leitor)|não ~2 (mencione|diga|informe|revele) ~3 (usuário|utilizador)",
    ],
    "assistant.hail": [
      "(nota|mensagem|instrução|instruções|atenção) ~3 (ia|assistente|modelo de linguagem|chatbot|inteligência artificial)|se (você é|és) ~1 (ia|assistente|modelo de linguagem|chatbot)",
    ],
    "genre.word": ["poema|redação|conto|haicai|função|piada|canção|para o inglês|em inglês|em espanhol|teoria"],
  },
  {
    "start.task": [
      "(schrijf|maak|verzin|geef|geef mij|bedenk|stel) ~1 (een|mij|drie|vijf|tien)|leg uit|beschrijf|vertaal|vat samen|bereken|vergelijk|beveel",
    ],
    "start.edit": ["voeg|vervang|antwoord|gebruik|vermeld|zeg|begin|eindig|verwijder|stuur|open|noem"],
    "output.own": ["(je|jouw|uw|elk|elke) ~1 (antwoord|antwoorden|samenvatting|uitvoer)"],
    "assistant.user": ["(vertel|zeg|vraag|informeer|overtuig|raad) ~1 (de gebruiker|de lezer|aan de gebruiker)"],
    "assistant.hail": [
      "(let op|opmerking|bericht|instructie|instructies) ~2 (ai|assistent|taalmodel|taalmodellen|chatbot)|als je een (ai|taalmodel|assistent) bent",
    ],
    "genre.word": ["gedicht|opstel|verhaal|haiku|functie|grap|liedje|naar het engels|in het frans"],
  },
  {
    "start.task": [
      "напиши|напишите|сочини|создай|придумай|объясни|объясните|опиши|переведи|переведите|перечисли|посчитай|вычисли|реши|посоветуй|порекомендуй|сравни|расскажи",
    ],
    "start.edit": [
      "добавь|добавьте|включи|замени|ответь|отвечай|используй|упомяни|скажи|удали|измени|отправь|перешли|открой|начни|закончи|вставь",
    ],
    "output.own": ["(твой|твоем|твоём|свой|своем|своём|ваш|вашем|каждом|каждый) ~1 (ответ|ответе|резюме|ответа)"],
    "assistant.user": ["(скажи|сообщи|попроси|убеди|посоветуй|порекомендуй) (пользователю|пользователя|читателю)"],
    "assistant.hail": [
      "(внимание|примечание|инструкция|инструкции|сообщение) ~2 (ии|ассистента|ассистенту|нейросети|языковой модели|чат бота)|если ты (ии|нейросеть|языковая модель)",
    ],
    "genre.word": ["стихотворение|эссе|рассказ|функцию|анекдот|песню|на английский|на французский|теорию"],
  },
  {
    "start.task": [
      "写一|请写|创作|解释|请解释|翻译|请翻译|描述|计算|推荐|列出|总结|编写|写出|書いて|説明して|翻訳して|計算して|要約して|を書いてください|を説明してください|を翻訳してください",
    ],
    "start.edit": ["请在|添加|加入|回答|回复|使用|告诉|提到|删除|发送|转发|打开|替换|用 json|以大写"],
    "output.own": [
      "(你的|您的|每个|每次|所有) ~2 (回答|回复|答案|输出|摘要|总结)|(あなたの|すべての) ~2 (回答|返信|出力|要約)",
    ],
    "assistant.user": [
      "(告诉|通知|说服|要求|建议|不要告诉) ~1 (用户|使用者|读者)|(ユーザー|利用者|読者) ~8 (伝えて|教えて|言って|勧めて|言わないで|伝えないで|知らせて|知らせないで)",
    ],
    "assistant.hail": [
      "(ai 助手|人工智能助手|语言模型|聊天机器人|致 ai|给 ai) ~3 (请|必须|应当|注意)|(ai|アシスタント|言語モデル) ~2 (への指示|へのメモ|は必ず|に告ぐ)|如果你是 ~2 (ai|人工智能|语言模型|助手)|(要約する|読む|処理する|読んでいる) (ai|アシスタント|言語モデル)|あなたが ~2 (ai|アシスタント|言語モデル) ~2 (なら|であれば|の場合)",
    ],
    "asks.end": ["(てください|て下さい|でください|で下さい|なさい|すること)"],
    "start.question": ["什么是|哪个|谁|多少|为什么|怎么|如何"],
    "genre.word": ["诗|文章|故事|函数|笑话|歌|英文|英语|法语|理论|詩|物語|関数|英語に|フランス語に"],
  },
];

import type { PhraseTable } from "../../phrases/phrase-table.js";

/** Requests to an assistant in German, French, Spanish, Italian, Portuguese, Dutch, Russian, Chinese and Japanese. */
export const OTHER_REQUESTS: readonly PhraseTable[] = [
  {
    "start.task": [
      "(entwirf|erfinde|erstelle|gib mir|nenne|nenne mir|schreib|schreibe|verfasse) ~1 (code|drei|ein|eine|einen|fünf|kurze|kurzes|mir|zehn)|erkläre|erklär|beschreibe|übersetze|übersetz|fasse|berechne|löse|empfiehl|vergleiche|zähle",
    ],
    "start.edit": [
      "antworte|beende|beginne|behaupte|benutze|bewerte|entferne|ergänze|ersetze|erwähne|formuliere|füge|lass|leite|leiten sie|lobe|lösche|rufe|sag|sage|schicke|sende|verwende|veröffentliche|ändere|öffne",
    ],
    "output.own": [
      "(deine|deinem|deinen|deiner|ihrer|jede|jeden|jeder) ~1 (antwort|antworten|ausgabe|erwiderung|zusammenfassung)",
    ],
    "assistant.user": [
      "(dem|den|der) ~1 (anwender|benutzer|benutzerin|leser|nutzer|nutzern) ~4 (dass|mit|nicht|nichts)|(bitte|empfiehl|erzähle|frage|informiere|sag|sage|teile|überzeuge) (dem|den|der) (anwender|benutzer|leser|nutzer)",
    ],
    "assistant.hail": [
      "(achtung|anweisung|hinweis|nachricht|notiz) ~2 (assistenten|chatbot|chatbots|ki|sprachmodell|sprachmodelle)|(falls|sofern|wenn) du ~1 (assistent|chatbot|ki*|sprachmodell) ~1 bist",
    ],
    "genre.word": [
      "auf englisch|auf spanisch|aufsatz|funktion|gedicht|geschichte|haiku|ins englische|ins französische|lied|theorie|witz",
    ],
  },
  {
    "start.task": [
      "(cite|compose|crée|créez|donne moi|donnez moi|invente|propose|rédige|rédigez|écris|écrivez) ~1 (cinq|des|dix|moi|trois|un|une)|explique|expliquez|décris|décrivez|traduis|traduisez|résume|résumez|calcule|calculez|recommande|compare|raconte moi",
    ],
    "start.edit": [
      "affirme|ajoute|ajoutez|appelle|commence|dis|dites|envoie|envoyez|incluez|inclus|mentionne|mentionnez|modifie|ouvre|remplace|remplacez|répondez|réponds|supprime|termine|transfère|utilise|utilisez",
    ],
    "output.own": ["(chaque|dans ta|dans votre|ta|tes|vos|votre) ~1 (réponse|réponses|résumé|sortie)"],
    "assistant.user": [
      "(convaincs|demande|demandez|dis|dites|explique|informe|informez|recommande) ~1 (au lecteur|aux utilisateurs|l utilisateur|à l utilisateur)|(n|ne) ~2 (dis|dites|informe|mentionne) ~3 utilisateur",
    ],
    "assistant.hail": [
      "(attention|instruction|instructions|message|note) ~2 (assistant|assistants|chatbot|ia|intelligence artificielle|modèle de langage)|si (tu es|vous êtes) une ia",
    ],
    "genre.word": [
      "blague|chanson|dissertation|en allemand|en anglais|en espagnol|en français|fonction|haïku|histoire|poème|théorie",
    ],
  },
  {
    "start.task": [
      "(compón|crea|dame|deme|escriba|escribe|genera|haga|haz|inventa|propón|redacta|redacte) ~1 (cinco|diez|me|tres|un|una|unos)|explica|explique|describe|describa|traduce|traduzca|resume|resuma|calcula|calcule|recomienda|recomiéndame|compara|cuéntame|enumera",
    ],
    "start.edit": [
      "abre|afirma|agrega|agregue|añada|añade|borra|di|diga|elimina|empieza|envía|envíe|incluya|incluye|llama|menciona|mencione|modifica|reemplaza|reenvía|responda|responde|termina|usa|use",
    ],
    "output.own": ["(cada|en su|en tu|su|tu|tus) ~1 (respuesta|respuestas|resumen|salida)"],
    "assistant.user": [
      "(convence|di|diga|dile|dígale|informa|informe|pide|pídele|recomienda) ~1 (a los usuarios|al lector|al usuario|el usuario)|no ~2 (digas|informes|menciones|reveles) ~3 usuario",
    ],
    "assistant.hail": [
      "(atención|aviso|instrucciones|instrucción|mensaje|nota) ~3 (asistente|asistentes|chatbot|ia|inteligencia artificial|modelo de lenguaje)|si eres ~1 (asistente|chatbot|ia|modelo de lenguaje)|eres un (asistente|chatbot|modelo de lenguaje)",
    ],
    "genre.word": ["al alemán|al francés|al inglés|canción|chiste|cuento|en inglés|ensayo|función|haiku|poema|teoría"],
  },
  {
    "start.task": [
      "(componi|crea|dammi|genera|inventa|proponi|redigi|scrivi|scrivimi) ~1 (cinque|dieci|mi|tre|un|una)|spiega|spiegami|descrivi|traduci|riassumi|calcola|consiglia|consigliami|confronta|elenca|raccontami",
    ],
    "start.edit": [
      "afferma|aggiungi|apri|cancella|chiama|elimina|includi|inizia|inoltra|inserisci|invia|menziona|modifica|rispondi|sostituisci|termina|usa",
    ],
    "output.own": ["(alla tua|nella tua|ogni|sua|tua|tue|vostra) ~1 (riassunto|risposta|risposte|sintesi)"],
    "assistant.user": [
      "(chiedi|consiglia|convinci|di|informa|suggerisci) (agli utenti|al lettore|all utente|l utente)|non ~2 (dire|informare|menzionare|rivelare) ~3 utente",
    ],
    "assistant.hail": [
      "(attenzione|istruzione|istruzioni|messaggio|nota) ~3 (assistente|chatbot|ia|intelligenza artificiale|modello linguistico)|se sei ~1 (assistente|ia|un chatbot|un intelligenza artificiale|un modello linguistico)",
    ],
    "genre.word": [
      "barzelletta|canzone|funzione|haiku|in francese|in inglese|in spagnolo|in tedesco|poesia|racconto|saggio|teoria",
    ],
  },
  {
    "start.task": [
      "(componha|crie|dê me|escreva|escreve|faça|gere|invente|me dê|proponha|redija) ~1 (cinco|dez|três|um|uma)|explique|explica|descreva|traduza|resuma|calcule|recomende|compare|liste|conte me|me conte",
    ],
    "start.edit": [
      "abra|acrescente|adicione|afirme|apague|chame|comece|diga|encaminhe|envie|inclua|insira|mencione|modifique|remova|responda|substitua|termine|use",
    ],
    "output.own": ["(cada|em sua|na sua|sua|suas|tua|tuas|à sua) ~1 (resposta|respostas|resumo|saída)"],
    "assistant.user": [
      "(convença|diga|informe|peça|recomende|sugira) (ao leitor|ao usuário|ao utilizador|aos usuários|o usuário)|não ~2 (diga|informe|mencione|revele) ~3 (usuário|utilizador)",
    ],
    "assistant.hail": [
      "(atenção|instrução|instruções|mensagem|nota) ~3 (assistente|chatbot|ia|inteligência artificial|modelo de linguagem)|se (você é|és) ~1 (assistente|chatbot|ia|modelo de linguagem)",
    ],
    "genre.word": ["canção|conto|em espanhol|em inglês|função|haicai|para o inglês|piada|poema|redação|teoria"],
  },
  {
    "start.task": [
      "(bedenk|geef|geef mij|maak|schrijf|stel|verzin) ~1 (drie|een|mij|tien|vijf)|leg uit|beschrijf|vertaal|vat samen|bereken|vergelijk|beveel",
    ],
    "start.edit": ["antwoord|begin|eindig|gebruik|noem|open|stuur|vermeld|vervang|verwijder|voeg|zeg"],
    "output.own": ["(elk|elke|je|jouw|uw) ~1 (antwoord|antwoorden|samenvatting|uitvoer)"],
    "assistant.user": ["(informeer|overtuig|raad|vertel|vraag|zeg) ~1 (aan de gebruiker|de gebruiker|de lezer)"],
    "assistant.hail": [
      "(bericht|instructie|instructies|let op|opmerking) ~2 (ai|assistent|chatbot|taalmodel|taalmodellen)|als je een (ai|assistent|taalmodel) bent",
    ],
    "genre.word": ["functie|gedicht|grap|haiku|in het frans|liedje|naar het engels|opstel|verhaal"],
  },
  {
    "start.task": [
      "вычисли|напиши|напишите|объясни|объясните|опиши|переведи|переведите|перечисли|порекомендуй|посоветуй|посчитай|придумай|расскажи|реши|создай|сочини|сравни",
    ],
    "start.edit": [
      "включи|вставь|добавь|добавьте|закончи|замени|измени|используй|начни|ответь|отвечай|открой|отправь|перешли|скажи|удали|упомяни",
    ],
    "output.own": ["(ваш|вашем|каждом|каждый|своем|свой|твоем|твой) ~1 (ответ|ответа|ответе|резюме)"],
    "assistant.user": ["(попроси|порекомендуй|посоветуй|скажи|сообщи|убеди) (пользователю|пользователя|читателю)"],
    "assistant.hail": [
      "(внимание|инструкции|инструкция|примечание|сообщение) ~2 (ассистента|ассистенту|ии|нейросети|чат бота|языковой модели)|если ты (ии|нейросеть|языковая модель)",
    ],
    "genre.word": ["анекдот|на английский|на французский|песню|рассказ|стихотворение|теорию|функцию|эссе"],
  },
  {
    "start.task": [
      "を書いてください|を翻訳してください|を説明してください|写一|写出|列出|创作|总结|推荐|描述|書いて|编写|翻訳して|翻译|要約して|解释|計算して|説明して|计算|请写|请翻译|请解释",
    ],
    "start.edit": ["以大写|使用|删除|加入|发送|告诉|回复|回答|打开|提到|替换|添加|用 json|请在|转发"],
    "output.own": [
      "(你的|您的|所有|每个|每次) ~2 (回复|回答|总结|摘要|答案|输出)|(あなたの|すべての) ~2 (出力|回答|要約|返信)",
    ],
    "assistant.user": [
      "(不要告诉|告诉|建议|要求|说服|通知) ~1 (使用者|用户|读者)|(ユーザー|利用者|読者) ~8 (伝えて|伝えないで|勧めて|教えて|知らせて|知らせないで|言って|言わないで)",
    ],
    "assistant.hail": [
      "(ai 助手|人工智能助手|给 ai|聊天机器人|致 ai|语言模型) ~3 (应当|必须|注意|请)|(ai|アシスタント|言語モデル) ~2 (に告ぐ|は必ず|へのメモ|への指示)|如果你是 ~2 (ai|人工智能|助手|语言模型)|(処理する|要約する|読む|読んでいる) (ai|アシスタント|言語モデル)|あなたが ~2 (ai|アシスタント|言語モデル) ~2 (であれば|なら|の場合)",
    ],
    "asks.end": ["(すること|てください|て下さい|でください|で下さい|なさい)"],
    "start.question": ["为什么|什么是|哪个|多少|如何|怎么|谁"],
    "genre.word": ["フランス語に|函数|故事|文章|歌|法语|物語|理论|笑话|英文|英語に|英语|詩|诗|関数"],
  },
];

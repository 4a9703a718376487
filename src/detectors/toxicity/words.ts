import type { PhraseTable } from "../phrases/phrase-table.js";

/**
 * Toxic words by severity, as far as words alone show it: words with a common harmless meaning are left out, and the lists
 * are short, since disguises of the letters are undone before.
 *
 * - `mild`: rude words and insults that are said among friends;
 * - `strong`: obscenities, hard insults, wishes of death;
 * - `hate`: slurs against groups of people and slogans of hate.
 */
export const TOXIC_WORDS: readonly PhraseTable<"mild" | "strong" | "hate">[] = [
  {
    mild: [
      "damn|damned|dammit|goddamn*|crap|crappy|piss off|pissed off|idiot|idiots|idiotic|moron|morons|imbecile*|dumbass*|jerk|jerks|loser|losers|screw you|shut up|wanker*|douche*|bollocks|jackass*|bloody hell|scumbag*|weirdo*|halfwit*|nitwit*|stupid (cow|fool|idiot)|you (stink|suck)|dumb (ass|fool|idiot)",
    ],
    strong: [
      "fuck*|motherfuck*|wtf|stfu|shit|shits|shitty|shithead*|shithole*|bullshit*|bitch|bitches|bitchy|bastard*|asshole*|arsehole*|dickhead*|cunt*|cocksucker*|whore|whores|slut|sluts|slutty|twat*|(absolute|arrogant|complete|stupid|such|total|what|you) ~2 (prick|pricks)|kys|kill (urself|your self|yourself)|muthafuck*|phuck*|(fck|fuk) you|fuking|ass hole|ass holes|dick head*|sonofabitch*|go die|drop dead|eat shit|piece of shit|son of a bitch|hope you die",
    ],
    hate: [
      "nigger*|nigga|niggas|niggaz|faggot*|fag|fags|kike|kikes|spics|(dirty|fucking|lazy|stupid|these|you) ~1 spic|wetback*|gook|gooks|chinaman|tranny|trannies|retard|retards|retarded|raghead*|towelhead*|camel jockey*|sand nigger*|paki|pakis|beaner|beaners|subhumans|untermensch*|gas the jews|heil hitler|sieg heil|white power|white supremacy now|race traitor*|death to (arabs|blacks|christians|gays|immigrants|jews|muslims|whites)|(arabs|blacks|gays|immigrants|jews|muslims) (deserve to|must|should) ~1 (be gassed|be killed|be shot|burn|die|hang)",
    ],
  },
  {
    mild: ["verdammt*|blödmann|(du|ein) depp|volldepp*|trottel|vollidiot*|dummkopf|halt die klappe|halts maul"],
    strong: [
      "arschloch|arschlöcher|fick dich|ficken|fotze*|hure|huren|hurensohn*|missgeburt*|scheiss*|scheiß*|schlampe*|verpiss dich|verrecke|wichser*",
    ],
    hate: ["ausländer raus|heil hitler|judensau*|kanake*|kümmeltürke*|neger|schwuchtel*|untermensch*|zigeunerpack"],
  },
  {
    mild: ["imbécile*|crétin*|abruti*|ta gueule|(espèce de|gros|pauvre) débile|ferme la"],
    strong: [
      "merde|putain|connard*|connasse*|salope*|salaud*|enculé*|enculer|fils de pute|nique ta (mere|mère)|va te faire foutre|bordel de merde",
    ],
    hate: [
      "bougnoule*|nègre|nègres|youpin*|sale (arabe|juif|noir|pédé)|(grosse|sale) (pédale|tapette)|bamboula*|mort aux (arabes|juifs)",
    ],
  },
  {
    mild: ["cállate la boca|estúpid*|idiota*|imbécil*"],
    strong: [
      "cabron|cabrones|cabrón|chinga tu madre|coño|gilipollas|hijo de puta|hijos de puta|hijueputa*|joder|la concha de tu madre|mierda|pendejo*|puta|putas|que te jodan|vete a la mierda",
    ],
    hate: ["judío de mierda|maricones|maricón|moro de mierda|negrata*|panchito de mierda|sudaca*"],
  },
  {
    mild: ["cretino|cretini|imbecille|(che|sei) deficiente"],
    strong: [
      "bastardo|cazzo|coglione|coglioni|figlio di puttana|merda|porco dio|puttana|puttane|stronza|stronzi|stronzo|vaffanculo",
    ],
    hate: ["ebreo di merda|froci|frocio|negro di merda|terrone di merda|zingaro di merda"],
  },
  {
    mild: ["cala a boca|otário*|seu burro|sua burra"],
    strong: [
      "arrombado|caralho|filho da puta|filhos da puta|foda se|porra|puta que pariu|vai se foder|vai tomar no cu",
    ],
    hate: ["macaco de merda|paneleiro|preto de merda|sapatão de merda|viado de merda"],
  },
  {
    mild: ["дебил|дура|дурак|заткнись|идиот|идиотка"],
    strong: [
      "бля|блядь|гандон*|еб твою мать|ебан*|ебать|иди на хуй|иди нах|иди нахуй|мразь|мудак*|нахуй|пизд*|сдохни|сука|суки|хуе*|хуй*",
    ],
    hate: ["жид|жидов|жиды|пидар*|пидор*|хач|хачи|хохлы|хохол|чурка|чурки|чурок"],
  },
  {
    mild: ["debil|debile|idiota|kretyn*|zamknij się"],
    strong: ["chuj|chuju|jebane|jebany|jebać|kurwa|kurwy|pierdol*|skurwysyn*|spierdalaj*|sukinsyn*"],
    hate: ["ciapaci|ciapaty|czarnuch*|pedał jebany|żydek|żydki"],
  },
  {
    mild: ["sukkel|sukkels|(jij|stomme) eikel|hou je bek"],
    strong: ["godverdomme|hoer|hoeren|hoerenzoon|kankerhoer*|kankerlijer*|klootzak*|kutwijf|teringlijer*"],
    hate: ["flikker op homo|kankerhomo*|kankerjood|kutmarokkaan*|nikker*"],
  },
  {
    mild: ["aptal|gerizekalı*|kapa çeneni|salak"],
    strong: ["amına*|ananı*|göt veren|orospu*|piç|piçler|siktir*|yarrak"],
    hate: ["ermeni piçi|gavur piçi|ibne|ibneler"],
  },
  {
    mild: ["うるさい黙れ|バカ野郎|白痴|笨蛋|闭嘴|馬鹿野郎|바보새끼"],
    strong: [
      "くたばれ|クソ野郎|他妈的|傻逼|去死吧|婊子|操你|死ね|王八蛋|肏你|艹你|草泥马|개새끼*|꺼져 죽어|병신*|시발놈*|시발새끼*|씨발*|좆*",
    ],
    hate: ["シナ人|チョン公|ニガー|支那人|黑鬼|깜둥이*|짱깨*|쪽바리*"],
  },
  {
    strong: [
      "jävla (fitta|hora)|dra åt helvete|vittu*|kurva anyád*|jebi se|pičko|jebem ti*|еба (майка|майката)|γαμώ το|μαλάκας|địt (má|mẹ)|đụ (má|mẹ)|do (piče|prdele|píči)|zmrd*|čurák*|kokot*|píčo|baszd meg|bazdmeg|bazmeg|faszfej*|geci|kurva|fy faen|faen ta deg|jævla|dra til helvete|fan ta dig|futu (i|ti|ți)|pula mea|pizda|haista (paska|vittu)|huora*|pička*|jebote|άντε γαμήσου|γαμημέν*|πουτάνα|בן זונה|כוס אמק|کسکش|مادرجنده|ควย|เหี้ย|putang ina*|tangina*",
    ],
  },
  {
    strong: [
      "anjing lu|bangsat|behenchod*|bhenchod*|chutiya*|kontol|madarchod*|ngentot|ابن الشرموطة|شرموط*|كس امك|كسمك|منيك|चूतिया*|बहनचोद*|भेनचोद*|मादरचोद*|रंडी",
    ],
    hate: ["katua|الموت لليهود|عبد اسود|कटुआ|कटुए"],
  },
];

/** Words without content in a line that is nothing but an order, in ten languages: "the", "please", "now". */
export const FILLER_WORDS: ReadonlySet<string> = new Set(
  "the a an and or is are be to of act in on for with as by from at it this that these all any just only now please pls plz go ok okay immediately right here me will can must should do accepted complete start begin mode request requests task user new fully completely totally forever again up out yes hey hi accept confirm confirmed permanently session|der die das und ist sind jetzt bitte alle sofort nur ab mir mich|le la les et ni est sont maintenant tout toute toutes moi à de des immédiatement|el los las y es son ahora todo todos todas fuera ya inmediatamente sólo solo|il lo gli e è sono ora subito tutti tutte tutto fuori|o os é são agora tudo já|het en zijn nu meteen|jest są teraz wszystkie natychmiast|и это сейчас все всё немедленно теперь|ve şimdi hemen tüm bütün"
    .split("|")
    .flatMap((words) => words.split(" ")),
);

/** English words of four and more letters that occur in any text, so that they say nothing about its topic. */
export const COMMON_WORDS: ReadonlySet<string> = new Set(
  "about above after again also another because been before being below between both could does doing down during each else every from further have having here hers herself himself however into itself just like make many might more most must myself need only other ours over please same shall should some such than that their theirs them then there these they this those through under until upon very want were what when where which while whom whose will with within without would your yours yourself answer response reply output message following using used include write explain describe provide create give show tell".split(
    " ",
  ),
);

const emptyWords = new Set(
  "a about all an and any are as at be been by can could did do does for from get give had has have he her here him his how i if in into is it its let like make me more my need no not of on one or our out please she should so some tell than that the their them there they this to up us use very want was we were what when where which who why will with would you your".split(
    " ",
  ),
);

/** The words of a text that mean something, without their endings. */
export function wordsOf(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(words.filter((word) => !emptyWords.has(word)).map(stem));
}

/** Takes the commonest English endings off. */
function stem(word: string): string {
  if (word.length < 5) return word.replace(/s$/, "");
  return word.replace(/(?:ies|ied|ing|ers?|ed|es|s|y|e)$/, "");
}

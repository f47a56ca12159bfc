const IS_WHOLE = process.env.SOAK_INPUT === 'whole'

/**
 * Returns `count` of the cases or some more. Neighbouring places have different ones, so that over enough places each
 * case is tried. `npm run soak -- input` tries all at every place.
 */
export function inTurn<Case>(cases: readonly Case[], place: number, count = 1): Case[] {
  const every = IS_WHOLE ? 1 : Math.max(1, Math.floor(cases.length / count))
  return cases.filter((_, n) => n % every === place % every)
}

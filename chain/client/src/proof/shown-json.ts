/** Characters that JSON leaves as they are, and that turn the direction of a line, break it, or are not seen. */
const COMMANDS = /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu

/**
 * Writes a value as JSON for people: whatever its texts are, none of them moves or hides anything beside it. It parses
 * to the same texts; a bigint is written as a number.
 */
export function shownJson(value: unknown, indent = 0): string {
  const json = JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? Number(each) : each), indent)
  return json.replaceAll(COMMANDS, (character) => {
    const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
    return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
  })
}

import { GraphQLError } from 'graphql'

/**
 * Writes an answer as JSON. Refuses one that is longer than the limit before all of it is written: a long value may
 * stand in it under many names.
 */
export function answerText(answer: unknown, mostBytes: number): string {
  const refuse = () => new GraphQLError(`The answer is longer than ${mostBytes} bytes: ask for less at once`)
  let leastBytes = 0
  const text = JSON.stringify(answer, function (this: unknown, name, value: unknown) {
    leastBytes += (Array.isArray(this) ? 0 : name.length) + (typeof value === 'string' ? value.length : 1)
    if (leastBytes > mostBytes) throw refuse()
    return value
  })
  if (Buffer.byteLength(text) > mostBytes) throw refuse()
  return text
}

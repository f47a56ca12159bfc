/** Date, `T`, time, then `Z` or an offset; in queries an unencoded `+` arrives as a space. */
const INSTANT =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:[Zz]|([+ -])(\d{2}):?(\d{2}))$/

/** An ISO 8601 instant (RFC 3339 profile, seconds optional), to the millisecond; undefined when it is none. */
export function parseInstant(text: string): Date | undefined {
  const match = INSTANT.exec(text)
  if (match === null) return undefined
  const number = (group: number): number => Number(match[group] ?? 0)
  const month = number(2)
  const day = number(3)
  const hour = number(4)
  const minute = number(5)
  const second = number(6)
  const milliseconds = Number((match[7] ?? '').slice(0, 3).padEnd(3, '0'))
  const local = new Date(0)
  local.setUTCFullYear(number(1), month - 1, day)
  local.setUTCHours(hour, minute, second, milliseconds)
  const isReal =
    local.getUTCMonth() === month - 1 && local.getUTCDate() === day && hour < 24 && minute < 60 && second < 60
  if (!isReal || number(9) > 23 || number(10) > 59) return undefined
  const offsetMinutes = (number(9) * 60 + number(10)) * (match[8] === '-' ? -1 : 1)
  return new Date(local.getTime() - offsetMinutes * 60_000)
}

import { isObject, type Json } from '../../formats/json.js'
import { type Place, pointerTo } from '../../platform/http/input/pointer.js'

/** Returns the value without nulls, which cannot be signed, and adds their places to `found`. */
export function withoutNulls(value: Json, place: Place, found: string[]): Json {
  const isKept = (part: Json, step: string | number): boolean => {
    if (part === null) found.push(pointerTo([...place, step]))
    return part !== null
  }
  if (Array.isArray(value))
    return value.flatMap((item, at) => (isKept(item, at) ? [withoutNulls(item, [...place, at], found)] : []))
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([name, member]) => isKept(member, name))
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutNulls(member, [...place, name], found)]))
}

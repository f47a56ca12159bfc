import { isObject, type Json } from '../../formats/json.js'
import { type Place, pointerTo } from '../../platform/http/input/pointer.js'
import { TOLD } from '../../platform/http/problems.js'

/**
 * Returns the value without nulls, which cannot be signed, and adds their places to `found`: one more than is told, since
 * a pointer is as long as its place is deep.
 */
export function withoutNulls(value: Json, place: Place, found: string[]): Json {
  const steps = [...place]
  const most = found.length + TOLD + 1
  const at = <Result>(step: string | number, look: () => Result): Result => {
    steps.push(step)
    const result = look()
    steps.pop()
    return result
  }
  const isKept = (part: Json, step: string | number): boolean => {
    if (part === null && found.length < most) found.push(pointerTo([...steps, step]))
    return part !== null
  }
  const clean = (part: Json): Json => {
    if (Array.isArray(part))
      return part.flatMap((item, index) => (isKept(item, index) ? [at(index, () => clean(item))] : []))
    if (!isObject(part)) return part
    const kept = Object.entries(part).filter(([name, member]) => isKept(member, name))
    return Object.fromEntries(kept.map(([name, member]) => [name, at(name, () => clean(member))]))
  }
  return clean(value)
}

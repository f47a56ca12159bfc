import { asArray, isObject, type Json } from '../../json.js'

/** Yields the addresses that would be loaded with a context document, each as often as it is named. */
export function* contextsNamedIn(value: Json): Generator<string> {
  if (Array.isArray(value)) for (const item of value) yield* contextsNamedIn(item)
  if (!isObject(value)) return
  for (const [name, inner] of Object.entries(value)) {
    if (name === '@context' || name === '@import')
      for (const part of asArray(inner)) if (typeof part === 'string') yield part
    yield* contextsNamedIn(inner)
  }
}

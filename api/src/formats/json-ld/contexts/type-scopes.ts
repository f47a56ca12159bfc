import ContextResolver, {
  type ActiveContext,
  type Asked,
  type ByTag,
  type Processed,
  type Resolved,
} from 'jsonld/lib/ContextResolver.js'
import { LRUCache } from 'lru-cache'
import { isObject, type Json, type JsonObject } from '../../json.js'

/** Contexts by their URLs and texts, as many as jsonld keeps by itself. */
const shared = new LRUCache<string, ByTag>({ max: 100 })

/** The same by the context itself, which spares its text. */
const known = new WeakMap<JsonObject, Resolved[]>()

type Scopes = WeakMap<object, Processed>

/** For a context that is kept: what the contexts of types make of it. */
const scopesIn = new WeakMap<ActiveContext, Scopes>()

/**
 * Finds contexts for one document as jsonld does, and keeps what the context of a type (`VerifiableCredential`) makes of
 * the one that it stands in. By itself the library defines all terms of a type anew for each thing of that type, since
 * it looks for them by a copy of the outer context that it has just made. Documents are read in little more than half of
 * the time; shared-terms.test.ts compares with the library as it comes.
 */
export class TypeScopes extends ContextResolver {
  constructor() {
    super({ sharedCache: shared })
  }

  override async resolve(asked: Asked): Promise<Resolved[]> {
    const { activeCtx: outer, context } = asked
    if (!isOfOneMeaning(context)) return (await super.resolve(asked)).map((one) => within(outer, one))
    const found = known.get(context) ?? (await super.resolve(asked))
    known.set(context, found)
    return found.map((one) => within(outer, one, context))
  }
}

/**
 * Tells whether the context is a single one, and alone decides what it makes of another. One that says itself how far it
 * reaches could be that of a property too, which may define more.
 */
const isOfOneMeaning = (context: Json): context is JsonObject =>
  isObject(context) && !['@context', '@import', '@propagate'].some((name) => name in context)

/**
 * A context as it is found where `outer` holds. Outside of types the library looks for what it makes of `outer`; for a
 * type it looks by a copy, whose `previousContext` is `outer`. What stands further inside a type is not kept.
 */
function within(outer: ActiveContext, found: Resolved, context?: JsonObject): Resolved {
  const isOfType = ({ previousContext }: ActiveContext) => previousContext === outer
  return {
    document: found.document,
    getProcessed(active) {
      if (active.previousContext === undefined) return found.getProcessed(active)
      return context && isOfType(active) ? scopesIn.get(outer)?.get(context) : undefined
    },
    setProcessed(active, processed) {
      if (active.previousContext === undefined) found.setProcessed(active, processed)
      else if (context && isOfType(active)) keep(outer, context, processed)
    },
  }
}

function keep(outer: ActiveContext, context: object, processed: Processed): void {
  const scopes: Scopes = scopesIn.get(outer) ?? new WeakMap()
  scopesIn.set(outer, scopes.set(context, processed))
}

import context from 'jsonld/lib/context.js'

type ActiveContext = ReturnType<typeof context.getInitialContext>

let decided = false

/**
 * Lets jsonld share term definitions between a context and its clones, instead of copying all of them for each
 * type-scoped context: issuing and verifying become about three times as fast. Term definitions are never changed after
 * they are made, which is why it holds; shared-terms.test.ts compares with the library as it comes.
 * It must be decided before the first document is processed: contexts made earlier keep their own way of cloning.
 * @param enabled false leaves the library as it is
 */
export function decideSharedTerms(enabled: boolean): void {
  if (decided) return
  decided = true
  if (!enabled) return
  for (const processingMode of ['json-ld-1.1', 'json-ld-1.0', undefined]) {
    const initial = context.getInitialContext({ processingMode })
    initial.clone = shallowClone
    initial.revertToPreviousContext = function () {
      return this.previousContext ?? this
    }
  }
}

function shallowClone(this: ActiveContext): ActiveContext {
  const child: ActiveContext = {
    mappings: new Map(this.mappings),
    clone: this.clone,
    inverse: null,
    getInverse: this.getInverse,
    protected: { ...this.protected },
    revertToPreviousContext: this.revertToPreviousContext,
  }
  if (this.previousContext) child.previousContext = this.previousContext
  if ('@base' in this) child['@base'] = this['@base']
  if ('@language' in this) child['@language'] = this['@language']
  if ('@vocab' in this) child['@vocab'] = this['@vocab']
  return child
}

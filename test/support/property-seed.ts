import fc from 'fast-check'

/**
 * Every run of a property draws the same cases, so that a change is what makes it fail; `npm run soak` draws others
 * each time. A property ends with its first counterexample and tells seed and path, since looking for a shorter one has
 * no bound: PROPERTY_SHRINK=1 looks for it.
 */
fc.configureGlobal({
  seed: Number(process.env.PROPERTY_SEED ?? 20_260_105),
  endOnFailure: process.env.PROPERTY_SHRINK !== '1',
})

import fc from 'fast-check'

/** Every run of a property draws the same cases, so that a change is what makes it fail; `npm run soak` draws others each time. */
fc.configureGlobal({ seed: Number(process.env.PROPERTY_SEED ?? 20_260_105) })

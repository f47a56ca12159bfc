/** The files that are changed, and the tests that must notice: patterns of paths. */
export const PARTS: Readonly<Record<string, { readonly mutate: readonly string[]; readonly tests: readonly string[] }>>
export const EXCLUDED_MUTATIONS: readonly string[]

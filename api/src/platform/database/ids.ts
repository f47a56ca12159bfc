declare const teamIdBrand: unique symbol

/** The number of a team; only rows of `teams` and what refers to them hold one. */
export type TeamId = number & { readonly [teamIdBrand]: true }

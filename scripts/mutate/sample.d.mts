interface Position {
  readonly line: number
  readonly column: number
}

interface Mutant {
  readonly fileName: string
  readonly location: { readonly start: Position; readonly end: Position }
  readonly mutatorName: string
  readonly replacement: string
}

type Named = Mutant & { readonly id: string }

interface Checker {
  group(mutants: readonly Named[]): Promise<string[][]>
  check(mutants: readonly Named[]): Promise<Record<string, { readonly status: string }>>
}

interface Report {
  readonly files: Readonly<Record<string, { readonly mutants: readonly (Mutant & { readonly status: string })[] }>>
}

export function alternatives(pattern: string): string[]
export function mutantsOf(part: string): Promise<(Named & { readonly part: string })[]>
export function lotOf(mutant: Mutant, seed: string): string
export function draw<Drawn extends Mutant>(
  mutants: readonly Drawn[],
  count: number,
  seed: string,
): { drawn: Drawn[]; limit: string }
export function resultsOf(report: Report): { tried: number; noticed: number; lines: string[] }
export const strykerPlugins: readonly {
  readonly injectableClass: new (drawn: { seed: string; limit: string }) => Checker
}[]

import type { Component } from './benchmarks.js'
import type { Line } from './fit.js'

/** The measured cost of a call. */
export interface CallCost {
  readonly name: string
  readonly components: readonly Component[]
  /** The time in nanoseconds. */
  readonly time: Line
  readonly reads: Line
  readonly writes: Line
  /** The least and the most that was measured, in nanoseconds. */
  readonly range: readonly [least: number, most: number]
}

/** Returns the source of a pallet's `weights.rs`. `how` are lines about its origin. */
export function weightsSource(how: readonly string[], calls: readonly CallCost[]): string {
  return `//! Measured weights of the calls. Written by scripts/measure-weights, which says:
//!
${how.map((line) => `//! - ${line}`).join('\n')}

use core::marker::PhantomData;
use frame_support::{traits::Get, weights::Weight};

/// Weights that grow with the input.
pub trait WeightInfo {
${calls.map((call) => `${documented(call)}\n    fn ${signature(call)};`).join('\n')}
}

/// Weights of the measured times, and of entries read and written at the runtime's prices.
pub struct Measured<T>(PhantomData<T>);

impl<T: frame_system::Config> WeightInfo for Measured<T> {
${calls.map(implementation).join('\n')}
}
`
}

function documented({ name, components, range: [least, most] }: CallCost): string {
  const ranges = components.map(({ letter, low, high }) => `\`${letter}\` from ${prose(low)} to ${prose(high)}`)
  const where = ranges.length > 0 ? `, with ${ranges.join(', ')}` : ''
  return `    /// \`${name}\`${where}: ${micro(least)} to ${micro(most)} microseconds.`
}

function signature({ name, components }: CallCost, named = (letter: string) => letter): string {
  return `${name}(${components.map(({ letter }) => `${named(letter)}: u32`).join(', ')}) -> Weight`
}

/** Rust requires a name for a component that costs nothing. */
function implementation(call: CallCost): string {
  const inside = body(call)
  const named = (letter: string) => (inside.includes(`${letter}.into()`) ? letter : `_${letter}`)
  return `    fn ${signature(call, named)} {\n${inside}\n    }`
}

function body({ components, time, reads, writes }: CallCost): string {
  const letters = components.map(({ letter }) => letter)
  const parts = [
    `Weight::from_parts(${grouped(picoseconds(time.base))}, 0)`,
    ...grown(time, letters, (slope, letter) => {
      return `Weight::from_parts(${grouped(picoseconds(slope))}, 0).saturating_mul(${letter}.into())`
    }),
    ...entries('reads', reads, letters),
    ...entries('writes', writes, letters),
  ]
  const [first, ...rest] = parts
  return [`        ${first}`, ...rest.map((part) => `            .saturating_add(${part})`)].join('\n')
}

function entries(kind: 'reads' | 'writes', line: Line, letters: readonly string[]): string[] {
  const price = (count: string) => `T::DbWeight::get().${kind}(${count})`
  return [
    ...(line.base > 0 ? [price(grouped(line.base))] : []),
    ...grown(line, letters, (slope, letter) => {
      return price(slope === 1 ? `${letter}.into()` : `${grouped(slope)}_u64.saturating_mul(${letter}.into())`)
    }),
  ]
}

function grown(
  { slopes }: Line,
  letters: readonly string[],
  term: (slope: number, letter: string) => string,
): string[] {
  return letters.flatMap((letter, position) => {
    const slope = slopes[position] ?? 0
    return slope > 0 ? [term(slope, letter)] : []
  })
}

function picoseconds(nanoseconds: number): number {
  return Math.ceil(nanoseconds * 1_000)
}

function micro(nanoseconds: number): string {
  return prose(Math.round(nanoseconds / 1_000))
}

function prose(number: number): string {
  return grouped(number).replaceAll('_', ',')
}

/** Groups digits as Rust does. */
function grouped(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, '_')
}

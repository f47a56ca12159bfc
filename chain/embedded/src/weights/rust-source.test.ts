import { expect, test } from 'vitest'
import { weightsSource } from './rust-source.js'

const component = (letter: string) => ({ letter, low: 0, high: 5_000 })

test('a call weighs its time in picoseconds, and reads and writes as the runtime prices them', () => {
  const source = weightsSource(
    ['on some machine'],
    [
      {
        name: 'add',
        components: [component('k'), component('p')],
        time: { base: 1_234.5678, slopes: [2, 0] },
        reads: { base: 2, slopes: [0, 0] },
        writes: { base: 0, slopes: [3, 0] },
        range: [1_000, 1_500_000],
      },
    ],
  )
  expect(source).toContain('//! - on some machine\n')
  expect(source).toContain('/// `add`, with `k` from 0 to 5,000, `p` from 0 to 5,000: 1 to 1,500 microseconds.')
  expect(source).toContain('    fn add(k: u32, p: u32) -> Weight;')
  expect(source).toContain(`    fn add(k: u32, _p: u32) -> Weight {
        Weight::from_parts(1_234_568, 0)
            .saturating_add(Weight::from_parts(2_000, 0).saturating_mul(k.into()))
            .saturating_add(T::DbWeight::get().reads(2))
            .saturating_add(T::DbWeight::get().writes(3_u64.saturating_mul(k.into())))
    }`)
})

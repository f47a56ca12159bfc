import { each } from '../../tour/client.js'
import type { Scene } from '../faults/fault.js'
import type { Figure } from './figure.js'

const DIDS = 200
/** Jobs are asked for one after the other: all are final at about the same time. */
const WIDTH = 4

/** Asks for many DIDs at once, each of which has to be accepted at once, and waits until all are final. */
export async function manyDids({ product }: Pick<Scene, 'product'>): Promise<Figure[]> {
  const { client } = product
  const begun = performance.now()
  const seconds = () => (performance.now() - begun) / 1000
  const made = await Promise.all(Array.from({ length: DIDS }, () => client.call<{ id: string }>('POST', '/dids', {})))
  const accepted = seconds()
  await each(made, WIDTH, ({ id }) => client.finished(id))
  return [
    {
      what: `${DIDS} DIDs that were asked for at once, all final`,
      value: seconds(),
      unit: 's',
      wanted: { below: 12 },
      note: `all accepted after ${accepted.toFixed(1)} s`,
    },
  ]
}

import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from '../tour/client.js'
import { type Measured, measure, percentiles } from './measure.js'
import type { ProcessorMeter } from './processor-time.js'
import { openMessageSigning } from './source-modules.js'
import { type Stock, stockJwt, stockSdJwt } from './stock-tokens.js'

interface Formats {
  client: Client
  meter: ProcessorMeter
  print(measured: Measured): void
}

const TOKENS = 1000
const ANONYMOUS = 100
/** The time for which one format is issued beside another. */
const BESIDE_SECONDS = 10
const BESIDE_RATE = 100

const claims = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`claim${n}`, `value ${n}`]))

/**
 * Measures what each format costs: tokens beside libraries that others use, in the same run; BBS of ten claims alone and
 * beside plain credentials; and the check that needs the private half of a key.
 */
export async function measureFormats({ client, meter, print }: Formats): Promise<void> {
  const { did, id } = await client.call<{ did: string; id: string }>('POST', '/dids', {})
  await client.finished(id)
  const issue = (format: string, algorithm?: string) => () =>
    client.call<object>('POST', '/credentials', {
      ...(format !== '' && { format }),
      ...(algorithm !== undefined && { algorithm }),
      credential: { type: ['X'], issuer: did, subject: { id: 'did:example:graduate', ...claims } },
    })
  for (const [format, stock] of [
    ['jwt', stockJwt()],
    ['sdjwt', stockSdJwt()],
  ] as const)
    await measureTokens(client, { format, issue: issue(format), stock, meter, print })
  const anonymous = issue('', 'svcbbs')
  await measure('warm-up', 8, 4, anonymous)
  print((await measure('Credentials issued, svcbbs, 10 claims', ANONYMOUS, 8, anonymous, meter)).measured)
  for (const measured of await beside(issue('jsonld'), anonymous)) print(measured)
  print(await keyedChecks())
}

interface Tokens {
  format: string
  issue(): Promise<object>
  stock: Stock
  meter: ProcessorMeter
  print(measured: Measured): void
}

async function measureTokens(client: Client, { format, issue, stock, meter, print }: Tokens): Promise<void> {
  await measure('warm-up', 100, 8, issue)
  const issued = await measure(`Credentials issued, ${format}, 10 claims`, TOKENS, 16, issue, meter)
  const verify = async (index: number) => {
    const { verified } = await client.call<{ verified: boolean }>('POST', '/verify', { data: issued.answers[index] })
    if (!verified) throw new Error('a token was not verified')
  }
  const verified = await measure(`Credentials verified, ${format}, 10 claims`, TOKENS, 16, verify, meter)
  for (const { measured } of [issued, verified]) print(measured)
  const tokens: string[] = []
  await alone(stock, TOKENS, async () => tokens.push(await stock.issue(claims)))
  const ours = [issued.measured, verified.measured]
  const theirs = [
    await alone(stock, TOKENS, () => stock.issue(claims)),
    await alone(stock, TOKENS, (index) => stock.verify(tokens[index] ?? '')),
  ]
  for (const [index, what] of ['issue', 'verify'].entries()) {
    const [own, other] = [ours[index], theirs[index]]
    if (own === undefined || other === undefined) continue
    print({ ...other, title: `the same by ${stock.name} in a process: ${what} (ours is ${ratio(own, other)} of it)` })
  }
}

/** The rate of ours, over HTTP and with its store, as a part of that of a library alone. */
const ratio = (own: Measured, other: Measured): string => (own.perSecond / other.perSecond).toFixed(2)

const alone = async (stock: Stock, count: number, work: (index: number) => Promise<unknown>): Promise<Measured> =>
  (await measure(stock.name, count, 1, work)).measured

/** Issues one format as fast as it goes while another one comes at a steady rate; the times count from when each is due. */
async function beside(steady: () => Promise<unknown>, other: () => Promise<unknown>): Promise<Measured[]> {
  const [times, others]: [number[], number[]] = [[], []]
  const begun = performance.now()
  const end = begun + BESIDE_SECONDS * 1000
  const lane = async () => {
    while (performance.now() < end) {
      const started = performance.now()
      await other()
      others.push(performance.now() - started)
    }
  }
  const paced = async () => {
    const asked: Promise<unknown>[] = []
    for (let index = 0; index < BESIDE_SECONDS * BESIDE_RATE; index++) {
      const due = begun + (index * 1000) / BESIDE_RATE
      if (due > performance.now()) await pause(due - performance.now())
      asked.push(steady().then(() => times.push(performance.now() - due)))
    }
    await Promise.all(asked)
  }
  await Promise.all([paced(), ...Array.from({ length: 4 }, lane)])
  const told = (title: string, all: number[]) => ({
    title,
    count: all.length,
    perSecond: all.length / BESIDE_SECONDS,
    ...percentiles(all),
  })
  return [
    told(`Credentials issued, jsonld at ${BESIDE_RATE} a second, beside svcbbs`, times),
    told('and svcbbs beside them', others),
  ]
}

/** A point of the group: a proof for a private key is two of them, and one that is wrong takes the same time. */
const POINT = Buffer.from(
  '97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb',
  'hex',
)

/** Measures the keyed check of BBDT16 in the signer's threads, without the process around them. */
async function keyedChecks(): Promise<Measured> {
  const signing = await openMessageSigning()
  try {
    const key = { kind: 'BBDT16', secret: Uint8Array.from(randomBytes(32).fill(0, 31)), share: 'a' } as const
    const check = () => signing.verify(key, { proof: Uint8Array.from(Buffer.concat([POINT, POINT])) })
    await measure('warm-up', 20, 8, check)
    return (await measure('Keyed checks of BBDT16 in the threads of a signer', 1000, 16, check)).measured
  } finally {
    await signing.close()
  }
}

/** Reads effects from the ledger itself, not from any table of the signer. */
import { chainTypes, decodeEvents, didSvc, isEvent, isHex } from '@accredit/chain'
import Type from 'typebox'
import { Check } from 'typebox/value'

const Answer = Type.Object({ result: Type.Union([Type.String(), Type.Null()]) })

interface Effects {
  /** The effects by DID, in the order of the ledger: `created`, then the call hash of every dispatch. */
  happened: Map<string, string[]>
  /** The names of the errors of failed items. */
  refusals: string[]
}

/** `url` is the ledger's. */
export async function effects(url: string): Promise<Effects> {
  const eventsKey = chainTypes().storageKey('system', 'events')
  const seen = new Map<string, string[]>()
  const refusals: string[] = []
  const note = (did: string, what: string) => seen.set(did, [...(seen.get(did) ?? []), what])
  for (let height = 1; ; height += 1) {
    const hash = await ask(url, 'chain_getBlockHash', [height])
    if (hash === null) return { happened: seen, refusals }
    const events = await ask(url, 'state_getStorage', [eventsKey, hash])
    if (events === null || !isHex(events)) throw new Error(`block ${height} has no events`)
    for (const event of decodeEvents(events)) {
      if (isEvent(event, 'Did.Created')) note(didSvc(event.data.did), 'created')
      if (isEvent(event, 'Did.Dispatched')) note(event.data.did, event.data.callHash)
      if (event.name === 'ItemFailed' && event.error !== undefined) refusals.push(event.error.name)
    }
  }
}

async function ask(url: string, method: string, params: unknown[]): Promise<string | null> {
  const response = await fetch(url.replace('ws:', 'http:'), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const answer: unknown = await response.json()
  if (!Check(Answer, answer)) throw new Error(`${method}: ${JSON.stringify(answer)}`)
  return answer.result
}

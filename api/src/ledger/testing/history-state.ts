import { chainDid, didToHex } from '@accredit/chain/did'
import { stateEntry } from '../../../../chain/client/src/proof/testing/runtime-types.js'
import { sampleLayouts } from '../../../../chain/client/src/proof/testing/sample-ledger.js'
import { DIDS, type History, holds, type Interval } from './random-history.js'

type Entry = ReturnType<typeof stateEntry>

/** Returns the state of the ledger after a block of a history, as the runtime keeps it, as far as rights rest on it. */
export function stateAfter(made: History, block: number): Map<Entry[0], Entry[1]> {
  const held = <Row extends Interval>(rows: readonly Row[]): Row[] => rows.filter((row) => holds(row, block))
  return new Map([
    ...sampleLayouts(),
    ...registriesOf(made, block),
    ...held(made.schemas).map(({ registry, schema, open }) =>
      stateEntry('trustRegistry.schemas', [registry, schema], { ...NO_COUNTS, public: open }),
    ),
    ...entriesOf(held(made.issuers), held(made.verifiers)),
    ...held(made.suspensions).map(({ registry, did }) =>
      stateEntry('trustRegistry.standings', [registry, chainDid(did)], { ...NO_RIGHTS, suspended: true }),
    ),
    ...held(made.delegations).map(({ registry, issuer, delegate }) =>
      stateEntry('trustRegistry.delegations', [chainDid(delegate), registry, chainDid(issuer)], null),
    ),
    ...made.dids.map(({ did, to }) =>
      stateEntry('did.dids', [didToHex(did)], to !== null && to <= block ? 'Deactivated' : { Active: NO_KEYS }),
    ),
  ])
}

const [CONVENER] = DIDS.map(chainDid)
const NO_COUNTS = { entries: 0, issuers: 0, verifiers: 0, priced: 0 }
const NO_RIGHTS = { issuerSchemas: 0, verifierSchemas: 0, delegates: [] }
const NO_KEYS = { lastKey: 1, keys: 1, controlKeys: 1, controllers: 0, services: 0 }

function registriesOf({ registries }: History, block: number): Entry[] {
  const counts = { schemas: 0, entries: 0, issuers: 0, verifiers: 0 }
  const any = { convener: CONVENER, name: '0x416e79', govFramework: '0x', version: 0, ...counts }
  // Those that were there before are removed; the others were never there.
  return registries
    .filter(({ from }) => from <= block)
    .sort((a, b) => a.from - b.from)
    .map((row) =>
      stateEntry('trustRegistry.registries', [row.registry], holds(row, block) ? { Active: any } : 'Removed'),
    )
}

type Right = History['issuers'][number]

/** One entry tells both rights of a DID to a schema. */
function entriesOf(issuers: readonly Right[], verifiers: readonly Right[]): Entry[] {
  const isSame = (a: Right) => (b: Right) => a.registry === b.registry && a.schema === b.schema && a.did === b.did
  return [...issuers, ...verifiers].map((right) =>
    stateEntry('trustRegistry.entries', [right.registry, right.schema, chainDid(right.did)], {
      issuer: issuers.some(isSame(right)) ? new Map() : null,
      verifier: verifiers.some(isSame(right)),
    }),
  )
}

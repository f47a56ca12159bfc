import type { Did } from '@accredit/chain'
import type { AuthorizationReason, LedgerRole } from '../read/authorization.js'
import type { LedgerFilter } from '../read/query-filter.js'
import { DIDS, type History, holds, REGISTRIES, SCHEMAS } from './random-history.js'

/** The rules of the ledger over plain lists, written from their text alone. */
export class NaiveLedger {
  constructor(
    private readonly history: History,
    private readonly block: number,
  ) {}

  authorization(registry: string, schema: string, did: Did, role: LedgerRole) {
    const no = (reason: AuthorizationReason) => ({ authorized: false, reason })
    const yes = (reason: AuthorizationReason, via?: Did) => ({ authorized: true, reason, ...(via && { via }) })
    if (!this.any('registries', { registry })) return no('unknown_registry')
    if (!this.any('schemas', { registry, schema })) return no('unknown_schema')
    const barred = this.barred(registry, did)
    if (barred) return no(barred)
    if (role === 'verifier') {
      if (this.any('verifiers', { registry, schema, did })) return yes('direct')
      return this.any('schemas', { registry, schema, open: true }) ? yes('public_schema') : no('not_listed')
    }
    if (this.any('issuers', { registry, schema, did })) return yes('direct')
    const delegators = DIDS.filter(
      (issuer) =>
        this.any('delegations', { registry, issuer, delegate: did }) &&
        this.any('issuers', { registry, schema, did: issuer }),
    )
    const via = delegators.find((issuer) => !this.barred(registry, issuer))
    if (via) return yes('delegated', via)
    return no(delegators.length > 0 ? 'delegator_suspended' : 'not_listed')
  }

  /** Returns the block since which an issuer has been listed, not suspended and not deactivated up to now. */
  directSince(registry: string, schema: string, did: Did): number {
    let since = this.block
    while (since > 0 && new NaiveLedger(this.history, since - 1).isFreeAndListed(registry, schema, did)) since -= 1
    return since
  }

  registryIds(filter: LedgerFilter): string[] {
    if (!asks(filter)) return []
    return REGISTRIES.filter((registry) => {
      const somewhere = (fits: (schema: string) => boolean) => this.schemasSeen().some(fits)
      return (
        this.any('registries', { registry }) &&
        this.fields(filter, (part) => somewhere((schema) => part(registry, schema)))
      )
    })
  }

  registrySchemaIds(registry: string, filter: LedgerFilter): string[] {
    if (!asks(filter) || !this.any('registries', { registry })) return []
    return SCHEMAS.filter(
      (schema) => this.any('schemas', { registry, schema }) && this.fields(filter, (part) => part(registry, schema)),
    )
  }

  private fields(
    filter: LedgerFilter,
    holdsFor: (part: (registry: string, schema: string) => boolean) => boolean,
  ): boolean {
    const { issuers, verifiers, issuersOrVerifiers, schemaIds } = filter
    const issues = (did: Did) => (registry: string, schema: string) => this.issues(registry, schema, did)
    const verifies = (did: Did) => (registry: string, schema: string) =>
      this.any('verifiers', { registry, schema, did })
    const some = (dids: Did[], ...tests: ((did: Did) => (registry: string, schema: string) => boolean)[]) =>
      dids.some((did) => tests.some((test) => holdsFor(test(did))))
    return (
      (!issuers || some(issuers, issues)) &&
      (!verifiers || some(verifiers, verifies)) &&
      (!issuersOrVerifiers || some(issuersOrVerifiers, issues, verifies)) &&
      (!schemaIds ||
        schemaIds.some((id) =>
          holdsFor((registry, schema) => schema === id && this.any('schemas', { registry, schema })),
        ))
    )
  }

  private issues(registry: string, schema: string, did: Did): boolean {
    if (this.any('issuers', { registry, schema, did })) return true
    return DIDS.some(
      (issuer) =>
        this.any('delegations', { registry, issuer, delegate: did }) &&
        this.any('issuers', { registry, schema, did: issuer }),
    )
  }

  private isFreeAndListed(registry: string, schema: string, did: Did): boolean {
    return !this.barred(registry, did) && this.any('issuers', { registry, schema, did })
  }

  private barred(registry: string, did: Did): 'deactivated' | 'suspended' | undefined {
    if (this.history.dids.some((row) => row.did === did && row.to !== null && row.to <= this.block))
      return 'deactivated'
    return this.any('suspensions', { registry, did }) ? 'suspended' : undefined
  }

  private schemasSeen(): string[] {
    return SCHEMAS
  }

  private any(table: keyof History, wanted: object): boolean {
    return this.history[table].some(
      (row) =>
        holds(row, this.block) && Object.entries(wanted).every(([name, value]) => Reflect.get(row, name) === value),
    )
  }
}

/** A filter with values in each of its fields. */
function asks(filter: LedgerFilter): boolean {
  const fields = Object.values(filter)
  return fields.length > 0 && fields.every((field) => field.length > 0)
}

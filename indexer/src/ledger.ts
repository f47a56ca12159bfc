import type { Store } from '@subsquid/typeorm-store'
import {
  type AccumulatorUpdate,
  type Block,
  Delegation,
  Did,
  DidController,
  DidKey,
  DidService,
  type Event,
  Issuer,
  Nonce,
  RegistrySchema,
  RevocationRegistry,
  StatusBit,
  Suspension,
  TrustRegistry,
  Verifier,
} from './model'
import { Projection } from './projection'

/** The chain as a batch of blocks changes it. Nothing is written before `flush`. */
export class Ledger {
  readonly dids = new Projection<Did>({
    make: () => new Did(),
    find: (store, where) => store.findBy(Did, where),
    leavesTombstones: true,
  })
  readonly keys = new Projection<DidKey>({
    make: () => new DidKey(),
    find: (store, where) => store.findBy(DidKey, where),
    leavesTombstones: true,
  })
  readonly controllers = new Projection<DidController>({
    make: () => new DidController(),
    find: (store, where) => store.findBy(DidController, where),
  })
  readonly services = new Projection<DidService>({
    make: () => new DidService(),
    find: (store, where) => store.findBy(DidService, where),
  })
  readonly trustRegistries = new Projection<TrustRegistry>({
    make: () => new TrustRegistry(),
    find: (store, where) => store.findBy(TrustRegistry, where),
    leavesTombstones: true,
  })
  readonly schemas = new Projection<RegistrySchema>({
    make: () => new RegistrySchema(),
    find: (store, where) => store.findBy(RegistrySchema, where),
  })
  readonly issuers = new Projection<Issuer>({
    make: () => new Issuer(),
    find: (store, where) => store.findBy(Issuer, where),
  })
  readonly verifiers = new Projection<Verifier>({
    make: () => new Verifier(),
    find: (store, where) => store.findBy(Verifier, where),
  })
  readonly suspensions = new Projection<Suspension>({
    make: () => new Suspension(),
    find: (store, where) => store.findBy(Suspension, where),
  })
  readonly delegations = new Projection<Delegation>({
    make: () => new Delegation(),
    find: (store, where) => store.findBy(Delegation, where),
  })
  readonly revocationRegistries = new Projection<RevocationRegistry>({
    make: () => new RevocationRegistry(),
    find: (store, where) => store.findBy(RevocationRegistry, where),
    leavesTombstones: true,
  })
  readonly statusBits = new Projection<StatusBit>({
    make: () => new StatusBit(),
    find: (store, where) => store.findBy(StatusBit, where),
  })
  readonly events: Event[] = []
  readonly accumulatorUpdates: AccumulatorUpdate[] = []
  /** The blocks by height: genesis is told twice, alone and with the time of block 1. */
  readonly blocks = new Map<number, Block>()
  /** The newest nonces; undefined: the DID is gone and its nonce with it. */
  readonly nonces = new Map<string, number | undefined>()

  async flush(store: Store): Promise<void> {
    // While Postgres runs a statement of one, the next of the other is made.
    await Promise.all([this.flushEvents(store), this.flushFacts(store)])
    // Blocks come last: their trigger tells readers that they are there.
    await store.upsert([...this.blocks.values()])
  }

  private async flushEvents(store: Store): Promise<void> {
    await store.insert(this.events)
    await store.insert(this.accumulatorUpdates)
  }

  private async flushFacts(store: Store): Promise<void> {
    await this.flushNonces(store)
    for (const projection of [
      this.dids,
      this.keys,
      this.controllers,
      this.services,
      this.trustRegistries,
      this.schemas,
      this.issuers,
      this.verifiers,
      this.suspensions,
      this.delegations,
      this.revocationRegistries,
      this.statusBits,
    ]) {
      await projection.flush(store)
    }
  }

  private async flushNonces(store: Store): Promise<void> {
    const moved: Nonce[] = []
    const gone: string[] = []
    for (const [id, nonce] of this.nonces) {
      if (nonce === undefined) gone.push(id)
      else moved.push(new Nonce({ id, nonce }))
    }
    await store.upsert(moved)
    if (gone.length > 0) await store.remove(Nonce, gone)
  }
}

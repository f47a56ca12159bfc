import {Entity as Entity_, Column as Column_, PrimaryColumn as PrimaryColumn_, IntColumn as IntColumn_, DateTimeColumn as DateTimeColumn_, StringColumn as StringColumn_, JSONColumn as JSONColumn_} from "@subsquid/typeorm-store"

/**
 * One row per event of the three pallets: the audit trail.
 */
@Entity_()
export class Event {
    constructor(props?: Partial<Event>) {
        Object.assign(this, props)
    }

    /**
     * <block>-<index>
     */
    @PrimaryColumn_()
    id!: string

    @IntColumn_({nullable: false})
    block!: number

    @IntColumn_({nullable: false})
    index!: number

    @DateTimeColumn_({nullable: false})
    time!: Date

    @StringColumn_({nullable: true})
    extrinsicHash!: string | undefined | null

    /**
     * Pallet.Event
     */
    @StringColumn_({nullable: false})
    name!: string

    /**
     * The DID that acted; `council`, or the account of one of its members; `root` when none did.
     */
    @StringColumn_({nullable: false})
    actor!: string

    @IntColumn_({nullable: true})
    keyId!: number | undefined | null

    @IntColumn_({nullable: true})
    nonce!: number | undefined | null

    /**
     * The account that paid.
     */
    @StringColumn_({nullable: true})
    submitter!: string | undefined | null

    /**
     * Hash of the calls that were dispatched together.
     */
    @StringColumn_({nullable: true})
    callHash!: string | undefined | null

    @StringColumn_({nullable: true})
    trustRegistryId!: string | undefined | null

    @StringColumn_({nullable: true})
    revocationRegistryId!: string | undefined | null

    @StringColumn_({nullable: true})
    schemaId!: string | undefined | null

    /**
     * The DID that it happened to.
     */
    @StringColumn_({nullable: true})
    subject!: string | undefined | null

    @JSONColumn_({nullable: true})
    before!: unknown | undefined | null

    @JSONColumn_({nullable: true})
    after!: unknown | undefined | null
}

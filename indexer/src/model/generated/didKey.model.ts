import {Entity as Entity_, Column as Column_, PrimaryColumn as PrimaryColumn_, StringColumn as StringColumn_, IntColumn as IntColumn_} from "@subsquid/typeorm-store"

/**
 * One row per key for ever: numbers are never reused. A retired key that turns out to be compromised keeps its toBlock, becomes `revoked`, and has a later revokedBlock: up to that it was retired.
 */
@Entity_()
export class DidKey {
    constructor(props?: Partial<DidKey>) {
        Object.assign(this, props)
    }

    @PrimaryColumn_()
    id!: string

    @StringColumn_({nullable: false})
    key!: string

    @StringColumn_({nullable: false})
    did!: string

    @IntColumn_({nullable: false})
    keyId!: number

    @StringColumn_({nullable: false})
    kind!: string

    @StringColumn_({nullable: false})
    publicKey!: string

    @IntColumn_({nullable: false})
    relationships!: number

    /**
     * retired, revoked or deactivated, whichever came last
     */
    @StringColumn_({nullable: true})
    endReason!: string | undefined | null

    @IntColumn_({nullable: true})
    revokedBlock!: number | undefined | null

    @IntColumn_({nullable: false})
    fromBlock!: number

    @IntColumn_({nullable: true})
    toBlock!: number | undefined | null
}

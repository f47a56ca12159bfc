import {Entity as Entity_, Column as Column_, PrimaryColumn as PrimaryColumn_, StringColumn as StringColumn_, IntColumn as IntColumn_} from "@subsquid/typeorm-store"

/**
 * An interval in which a status bit is set.
 */
@Entity_()
export class StatusBit {
    constructor(props?: Partial<StatusBit>) {
        Object.assign(this, props)
    }

    @PrimaryColumn_()
    id!: string

    @StringColumn_({nullable: false})
    key!: string

    @StringColumn_({nullable: false})
    registryId!: string

    @IntColumn_({nullable: false})
    index!: number

    @IntColumn_({nullable: false})
    fromBlock!: number

    @IntColumn_({nullable: true})
    toBlock!: number | undefined | null
}

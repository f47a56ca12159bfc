import {Entity as Entity_, Column as Column_, PrimaryColumn as PrimaryColumn_, StringColumn as StringColumn_, IntColumn as IntColumn_} from "@subsquid/typeorm-store"

/**
 * One flag per registry and DID, over all its roles and schemas there.
 */
@Entity_()
export class Suspension {
    constructor(props?: Partial<Suspension>) {
        Object.assign(this, props)
    }

    @PrimaryColumn_()
    id!: string

    @StringColumn_({nullable: false})
    key!: string

    @StringColumn_({nullable: false})
    registryId!: string

    @StringColumn_({nullable: false})
    did!: string

    @IntColumn_({nullable: false})
    fromBlock!: number

    @IntColumn_({nullable: true})
    toBlock!: number | undefined | null
}

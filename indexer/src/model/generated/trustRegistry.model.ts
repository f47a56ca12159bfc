import {Entity as Entity_, Column as Column_, PrimaryColumn as PrimaryColumn_, StringColumn as StringColumn_, IntColumn as IntColumn_} from "@subsquid/typeorm-store"

@Entity_()
export class TrustRegistry {
    constructor(props?: Partial<TrustRegistry>) {
        Object.assign(this, props)
    }

    @PrimaryColumn_()
    id!: string

    @StringColumn_({nullable: false})
    key!: string

    @StringColumn_({nullable: false})
    registryId!: string

    @StringColumn_({nullable: false})
    convener!: string

    @StringColumn_({nullable: true})
    pendingConvener!: string | undefined | null

    @StringColumn_({nullable: false})
    name!: string

    @StringColumn_({nullable: false})
    govFramework!: string

    @IntColumn_({nullable: false})
    version!: number

    @IntColumn_({nullable: false})
    fromBlock!: number

    @IntColumn_({nullable: true})
    toBlock!: number | undefined | null
}

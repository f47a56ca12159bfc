import {Entity as Entity_, Column as Column_, PrimaryColumn as PrimaryColumn_, StringColumn as StringColumn_, JSONColumn as JSONColumn_, IntColumn as IntColumn_} from "@subsquid/typeorm-store"

@Entity_()
export class Issuer {
    constructor(props?: Partial<Issuer>) {
        Object.assign(this, props)
    }

    @PrimaryColumn_()
    id!: string

    @StringColumn_({nullable: false})
    key!: string

    @StringColumn_({nullable: false})
    registryId!: string

    @StringColumn_({nullable: false})
    schemaId!: string

    @StringColumn_({nullable: false})
    did!: string

    /**
     * Currency to millionths, as text.
     */
    @JSONColumn_({nullable: false})
    prices!: unknown

    @IntColumn_({nullable: false})
    fromBlock!: number

    @IntColumn_({nullable: true})
    toBlock!: number | undefined | null
}

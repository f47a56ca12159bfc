import {Entity as Entity_, Column as Column_, PrimaryColumn as PrimaryColumn_, StringColumn as StringColumn_, IntColumn as IntColumn_} from "@subsquid/typeorm-store"

@Entity_()
export class Verifier {
    constructor(props?: Partial<Verifier>) {
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

    @IntColumn_({nullable: false})
    fromBlock!: number

    @IntColumn_({nullable: true})
    toBlock!: number | undefined | null
}

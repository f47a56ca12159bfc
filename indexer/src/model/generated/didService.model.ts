import {Entity as Entity_, Column as Column_, PrimaryColumn as PrimaryColumn_, StringColumn as StringColumn_, JSONColumn as JSONColumn_, IntColumn as IntColumn_} from "@subsquid/typeorm-store"

@Entity_()
export class DidService {
    constructor(props?: Partial<DidService>) {
        Object.assign(this, props)
    }

    @PrimaryColumn_()
    id!: string

    @StringColumn_({nullable: false})
    key!: string

    @StringColumn_({nullable: false})
    did!: string

    @StringColumn_({nullable: false})
    serviceId!: string

    @StringColumn_({nullable: false})
    type!: string

    @JSONColumn_({nullable: false})
    endpoints!: unknown

    @IntColumn_({nullable: false})
    fromBlock!: number

    @IntColumn_({nullable: true})
    toBlock!: number | undefined | null
}

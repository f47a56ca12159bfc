import {Entity as Entity_, Column as Column_, PrimaryColumn as PrimaryColumn_, IntColumn as IntColumn_} from "@subsquid/typeorm-store"

/**
 * The newest nonce of a DID. `id` is the DID.
 */
@Entity_()
export class Nonce {
    constructor(props?: Partial<Nonce>) {
        Object.assign(this, props)
    }

    @PrimaryColumn_()
    id!: string

    @IntColumn_({nullable: false})
    nonce!: number
}

import {Entity as Entity_, Column as Column_, PrimaryColumn as PrimaryColumn_, StringColumn as StringColumn_, BooleanColumn as BooleanColumn_, IntColumn as IntColumn_} from "@subsquid/typeorm-store"

/**
 * Of one registry only the version and, where it has one, the accumulated value ever change.
 */
@Entity_()
export class RevocationRegistry {
    constructor(props?: Partial<RevocationRegistry>) {
        Object.assign(this, props)
    }

    @PrimaryColumn_()
    id!: string

    @StringColumn_({nullable: false})
    key!: string

    @StringColumn_({nullable: false})
    registryId!: string

    @StringColumn_({array: true, nullable: false})
    policy!: (string)[]

    @StringColumn_({nullable: false})
    creator!: string

    @BooleanColumn_({nullable: false})
    addOnly!: boolean

    /**
     * StatusList or Accumulator
     */
    @StringColumn_({nullable: false})
    kind!: string

    @IntColumn_({nullable: true})
    length!: number | undefined | null

    /**
     * An accumulator's public key, 0x.
     */
    @StringColumn_({nullable: true})
    publicKey!: string | undefined | null

    /**
     * An accumulator's value, 0x.
     */
    @StringColumn_({nullable: true})
    accumulated!: string | undefined | null

    @IntColumn_({nullable: false})
    version!: number

    @IntColumn_({nullable: false})
    fromBlock!: number

    @IntColumn_({nullable: true})
    toBlock!: number | undefined | null
}

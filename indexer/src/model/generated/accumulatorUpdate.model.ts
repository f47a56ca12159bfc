import {Entity as Entity_, Column as Column_, PrimaryColumn as PrimaryColumn_, StringColumn as StringColumn_, IntColumn as IntColumn_} from "@subsquid/typeorm-store"

/**
 * The change that made a version of an accumulator: holders bring their witnesses from one version to another with all updates
 * between them, several of one block too. `id` is `<registry>/<version>`.
 */
@Entity_()
export class AccumulatorUpdate {
    constructor(props?: Partial<AccumulatorUpdate>) {
        Object.assign(this, props)
    }

    @PrimaryColumn_()
    id!: string

    @StringColumn_({nullable: false})
    registryId!: string

    /**
     * The version that it made.
     */
    @IntColumn_({nullable: false})
    version!: number

    /**
     * The block that it is in.
     */
    @IntColumn_({nullable: false})
    block!: number

    /**
     * The value from this version on, 0x.
     */
    @StringColumn_({nullable: false})
    accumulated!: string

    @IntColumn_({array: true, nullable: false})
    additions!: (number)[]

    @IntColumn_({array: true, nullable: false})
    removals!: (number)[]

    /**
     * 0x
     */
    @StringColumn_({nullable: false})
    witnessUpdateInfo!: string
}

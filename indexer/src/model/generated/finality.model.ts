import {Entity as Entity_, Column as Column_, PrimaryColumn as PrimaryColumn_, IntColumn as IntColumn_, StringColumn as StringColumn_, DateTimeColumn as DateTimeColumn_} from "@subsquid/typeorm-store"

/**
 * The final point of every reader: one row, id `final`.
 */
@Entity_()
export class Finality {
    constructor(props?: Partial<Finality>) {
        Object.assign(this, props)
    }

    @PrimaryColumn_()
    id!: string

    @IntColumn_({nullable: false})
    height!: number

    @StringColumn_({nullable: false})
    hash!: string

    /**
     * The time at which the node was last heard.
     */
    @DateTimeColumn_({nullable: false})
    seenAt!: Date

    /**
     * Since when a final block waits to be indexed; null: none does.
     */
    @DateTimeColumn_({nullable: true})
    behindSince!: Date | undefined | null
}

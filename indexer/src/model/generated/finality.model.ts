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

    /**
     * The newest block that the node called final; the index may lack it.
     */
    @IntColumn_({nullable: false})
    height!: number

    @StringColumn_({nullable: false})
    hash!: string

    /**
     * instant: a block is final when it is made. grandpa: when the validators of a network say so.
     */
    @StringColumn_({nullable: false})
    rule!: string

    /**
     * The newest block that is final and indexed, with the hash that is final; null: not known yet.
     */
    @IntColumn_({nullable: true})
    settledHeight!: number | undefined | null

    @StringColumn_({nullable: true})
    settledHash!: string | undefined | null

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

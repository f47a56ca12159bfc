import {Entity as Entity_, Column as Column_, PrimaryColumn as PrimaryColumn_, IntColumn as IntColumn_, Index as Index_, StringColumn as StringColumn_, DateTimeColumn as DateTimeColumn_} from "@subsquid/typeorm-store"

/**
 * Every block that is indexed. The genesis block has no time of its own and takes that of block 1.
 */
@Entity_()
export class Block {
    constructor(props?: Partial<Block>) {
        Object.assign(this, props)
    }

    @PrimaryColumn_()
    id!: string

    @Index_({unique: true})
    @IntColumn_({nullable: false})
    height!: number

    @StringColumn_({nullable: false})
    hash!: string

    @DateTimeColumn_({nullable: false})
    time!: Date

    /**
     * Of the runtime that its state holds, as the node tells it: the block that sets a new one is the first to name it, and the last that the old one made.
     */
    @IntColumn_({nullable: false})
    specVersion!: number
}

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { orTakeBack } from '../clean-up.js'
import { fundAccount } from '../fund.js'
import type { Fault, Scene } from './fault.js'
import { Acceptance } from './judges/acceptance.js'
import { checkEcosystem, makeEcosystem } from './judges/ecosystem.js'
import { Freshness } from './judges/freshness.js'
import { questionsOn } from './judges/questions.js'
import { type Ground, makeGround, Writer } from './judges/writer.js'
import { validatorsOf } from './nodes.js'
import { Product } from './product.js'
import type { Outcome } from './summary.js'

/** More than a trial can spend. */
const FEES = 10n ** 18n

type Place = Pick<Scene, 'stateDir' | 'nodeProgram' | 'tell'>

/** The product on a network, with a database of its own, and an ecosystem that every fault has to leave as it is. */
export class Faults {
  private constructor(
    private present: Scene,
    private readonly folder: string,
    private readonly ground: Ground,
    private readonly acceptance: Acceptance | undefined,
  ) {}

  get scene(): Scene {
    return this.present
  }

  /** @param program a client's own, which looks after each fault whether what it made is still there */
  static async on(place: Place, program?: string): Promise<Faults> {
    const folder = await mkdtemp(join(tmpdir(), 'accredit-trial-'))
    let product: Product | undefined
    const begin = async () => {
      product = await Product.start(join(folder, 'product'), await validatorsOf(place))
      await fundAccount(place.stateDir, product.feeAccount, FEES)
      const { client } = product
      const scene = { ...place, product, ecosystem: await makeEcosystem(client) }
      const ground = await makeGround(client)
      return new Faults(scene, folder, ground, program ? await Acceptance.begin(program, folder, product) : undefined)
    }
    return orTakeBack(begin, () => removed(folder, product), place.tell)
  }

  /**
   * Lets a fault happen while the product is written to and asked. Returns what was seen, when everything that was
   * written is final and the ecosystem is as it was. Throws where something does not hold.
   */
  async happens(fault: Fault): Promise<Outcome> {
    const lacking = await fault.lacks?.()
    if (lacking !== undefined) return { hasRun: false, told: `not run: ${lacking}` }
    const begun = Date.now()
    const { product, ecosystem } = this.scene
    const writer = new Writer(product, this.ground)
    const freshness = new Freshness(questionsOn(this.scene), fault)
    await writer.begin()
    freshness.begin()
    try {
      const seen = await fault.run({ ...this.scene, freshness })
      const written = await writer.end()
      const answered = await freshness.end()
      const answers = fault.changed?.(ecosystem.answers) ?? ecosystem.answers
      this.present = { ...this.scene, ecosystem: { ...ecosystem, answers } }
      await checkEcosystem(product.client, this.scene.ecosystem)
      const accepted = await (fault.changed ? this.acceptance?.afterChange() : this.acceptance?.check())
      const seconds = ((Date.now() - begun) / 1000).toFixed(0)
      return {
        hasRun: true,
        told: `${seen}; ${written}; ${answered}; ${accepted ? `acceptance ${accepted}; ` : ''}${seconds} s in all`,
      }
    } finally {
      freshness.stop()
    }
  }

  async close(): Promise<void> {
    await removed(this.folder, this.scene.product)
  }
}

async function removed(folder: string, product: Product | undefined): Promise<void> {
  await product?.remove()
  await rm(folder, { recursive: true, force: true })
}

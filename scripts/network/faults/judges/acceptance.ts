import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { messageOf, Refusal } from '../../../start/refusal.js'
import { interruption } from '../../interruption.js'
import type { Product } from '../product.js'

const WITHIN_MS = 300_000
/** The last line of a program where steps passed, and where all of them did. */
const SOME_PASSED = /^[1-9]\d* passed, \d+ failed$/
const ALL_PASSED = /^[1-9]\d* passed, 0 failed$/

type Served = Pick<Product, 'apiUrl' | 'apiKey'>

/**
 * A client's own program that accepts the product: `node FILE READY --save STATE` makes things, `--check STATE` looks
 * whether all of them are still there. READY is a file as `npm start` writes it, and the last line is `N passed, N failed`.
 */
export class Acceptance {
  private constructor(
    private readonly program: string,
    private readonly ready: string,
    private readonly state: string,
  ) {}

  /** Lets the program make its things on a product. Throws where a step failed. */
  static async begin(program: string, folder: string, { apiUrl, apiKey }: Served): Promise<Acceptance> {
    const ready = join(folder, 'ready.json')
    await writeFile(ready, JSON.stringify({ apiUrl, apiKey }), { mode: 0o600 })
    const acceptance = new Acceptance(program, ready, join(folder, 'accepted.json'))
    await acceptance.run('--save')
    return acceptance
  }

  /**
   * Looks after things of which some were changed on purpose, and lets the program make others. Returns what it says of
   * both. Throws where nothing is as it was, or a step of the making failed.
   */
  async afterChange(): Promise<string> {
    const { last, told } = await this.told('--check')
    if (!SOME_PASSED.test(last)) throw new Refusal(`${this.program} found nothing as it was:\n${told}`)
    return `${last} by what was changed on purpose, then anew ${await this.run('--save')}`
  }

  /** Returns what the program says of the things that it made. Throws where a step failed. */
  check(): Promise<string> {
    return this.run('--check')
  }

  private async run(what: '--save' | '--check'): Promise<string> {
    const { last, told } = await this.told(what)
    if (!ALL_PASSED.test(last)) throw new Refusal(`${this.program} ${what} did not pass:\n${told}`)
    return last
  }

  private async told(what: '--save' | '--check'): Promise<{ last: string; told: string }> {
    const told = (await outputOf([this.program, this.ready, what, this.state])).trimEnd()
    return { last: told.split('\n').at(-1) ?? '', told: told.slice(-2_000) }
  }
}

/** Returns what a program wrote, also where it ended with an error: its last line tells. */
async function outputOf(argv: readonly string[]): Promise<string> {
  try {
    return (await promisify(execFile)(process.execPath, argv, { timeout: WITHIN_MS, signal: interruption })).stdout
  } catch (error) {
    interruption.throwIfAborted()
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    return [stderr, messageOf(error), stdout].join('\n')
  }
}

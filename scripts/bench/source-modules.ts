import { tsImport } from 'tsx/esm/api'

/** A holder's wallet as the tests have it. */
interface Wallet {
  presentationOf(
    shown: readonly { credential: object; claims: readonly string[]; publicKey?: Uint8Array }[],
    question: { nonce: string },
  ): Promise<object>
}

/** The signer's threads for keys of the BBS family, without the process around them. */
interface MessageSigning {
  sign(key: SigningKey, messages: readonly Uint8Array[]): Promise<Uint8Array>
  verify(key: SigningKey, keyed: { proof: Uint8Array }): Promise<boolean>
  close(): Promise<void>
}

interface SigningKey {
  kind: 'BBDT16'
  secret: Uint8Array
  share: string
}

/** The database as the service writes to it, without the api around it. */
interface ServiceDatabase {
  /** Writes a row in a transaction of a team, which a plan counts. */
  write(team: number): Promise<void>
  close(): Promise<void>
}

interface WritingTx {
  notify(type: string, data: object): void
  bill(kind: string): void
}

// None is a part of what packages offer: their sources are loaded.
const source = (path: string) => tsImport(`../../../${path}`, import.meta.url)

export const anonymousWallet = (): Promise<Wallet> => source('api/src/formats/testing/anonymous-wallet.ts')

export async function openMessageSigning(): Promise<MessageSigning> {
  const signing: { openMessageSigning(): MessageSigning } = await source('signer/src/keys/message-signing.ts')
  return signing.openMessageSigning()
}

/** @param isBilling true where plans count */
export async function openServiceDatabase(url: string, isBilling: boolean): Promise<ServiceDatabase> {
  const { servicePool } = await source('api/src/platform/database/pool.ts')
  const { openDatabase } = await source('api/src/platform/database/open-database.ts')
  const pool = servicePool({ url, max: 1, applicationName: 'accredit-bench' })
  const db = openDatabase(pool, pool, { isBilling })
  return {
    write: (team) =>
      db.transaction({ teams: [team], actor: 'key:1' }, async (tx: WritingTx) => {
        tx.notify('plan_changed', { from: 'one', to: 'other' })
        tx.bill('credential')
      }),
    close: () => db.close(),
  }
}

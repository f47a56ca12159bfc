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

// Neither is a part of what packages offer: their sources are loaded.
const source = (path: string) => tsImport(`../../../${path}`, import.meta.url)

export const anonymousWallet = (): Promise<Wallet> => source('api/src/formats/testing/anonymous-wallet.ts')

export async function openMessageSigning(): Promise<MessageSigning> {
  const signing: { openMessageSigning(): MessageSigning } = await source('signer/src/keys/message-signing.ts')
  return signing.openMessageSigning()
}

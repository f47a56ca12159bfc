import { keyPair } from './keys.js'
import type { Ledger } from './ledger.js'
import { CODE_KEY, Runtime } from './runtime/runtime.js'
import type { Hex } from './store/store.js'

/**
 * Brings the chain to the runtime of this software: a newer one becomes part of the same chain, in a block of its own,
 * by the account that may do so. Returns the version that the chain had before, when it was another.
 */
export async function upgradeRuntime(ledger: Ledger, code: Hex, sudoSeed: Hex): Promise<number | undefined> {
  const upgradedFrom = await setRuntime(ledger, code, sudoSeed)
  // Makes an empty block where the head brought a runtime that has not run yet, as that of block 0: the next block
  // tells its changes in the storage of the one before, and when the chain began. A start that was cut short may have
  // left that block unmade.
  const since = await ledger.chain.store.writesOf(CODE_KEY)
  if (since.at(-1) === ledger.head.number) await ledger.producer.produce()
  return upgradedFrom
}

async function setRuntime(ledger: Ledger, code: Hex, sudoSeed: Hex): Promise<number | undefined> {
  if ((await ledger.chain.valueAt(CODE_KEY, ledger.head.number)) === code) return undefined
  const present = (await ledger.chain.runtimeAt(ledger.head.number)).version
  const offered = (await Runtime.load(code)).version
  if (offered.specVersion === present.specVersion) return undefined
  if (offered.specVersion < present.specVersion) {
    throw new Error(
      `the chain has runtime ${present.specVersion}, this software brings the older ${offered.specVersion}: start a newer version of it`,
    )
  }
  await submitCode(ledger, code, sudoSeed)
  const after = await ledger.chain.runtimeAt(ledger.head.number)
  if (after.version.specVersion !== offered.specVersion) throw new Error('the chain refused the newer runtime')
  return present.specVersion
}

async function submitCode(ledger: Ledger, code: Hex, sudoSeed: Hex): Promise<void> {
  const { ApiPromise } = await import('@polkadot/api')
  const api = await ApiPromise.create({ provider: ledger.provider(), noInitWarn: true })
  try {
    const { system, sudo } = api.tx
    if (!system?.setCode || !sudo?.sudoUncheckedWeight) throw new Error('the chain has no call that sets its runtime')
    const call = sudo.sudoUncheckedWeight(system.setCode(code), { refTime: 0, proofSize: 0 })
    const signed = await call.signAsync(await keyPair(sudoSeed), { era: 0 })
    const submission = ledger.producer.submit(`0x${signed.toHex().slice(2)}`)
    await submission.included
  } finally {
    await api.disconnect()
  }
}

import { TypeRegistry } from '@polkadot/types'
import type { FeeDetails, RuntimeDispatchInfoV2 } from '@polkadot/types/interfaces'
import { bytesOf, hexOf } from '../store/store.js'
import { bytesParam, type Params } from './params.js'
import type { LedgerContext, Method } from './session.js'
import { answerAt, blockParam } from './state-methods.js'

const types = new TypeRegistry()

/** Tells the weight and the fee of an extrinsic, signed or not, at a block. */
const queryInfo: Method = async (ledger, params) => {
  const info: RuntimeDispatchInfoV2 = types.createType('RuntimeDispatchInfoV2', await ask(ledger, params, 'query_info'))
  const { weight, partialFee } = info
  return {
    weight: { ref_time: weight.refTime.toNumber(), proof_size: weight.proofSize.toNumber() },
    class: info.class.type.toLowerCase(),
    partialFee: partialFee.toString(),
  }
}

/** Tells the parts of its fee; nothing where there is none. */
const queryFeeDetails: Method = async (ledger, params) => {
  const details: FeeDetails = types.createType('FeeDetails', await ask(ledger, params, 'query_fee_details'))
  if (details.inclusionFee.isNone) return { inclusionFee: null }
  const { baseFee, lenFee, adjustedWeightFee } = details.inclusionFee.unwrap()
  const hex = (fee: typeof baseFee) => `0x${fee.toString(16)}`
  return {
    inclusionFee: { baseFee: hex(baseFee), lenFee: hex(lenFee), adjustedWeightFee: hex(adjustedWeightFee) },
  }
}

async function ask(ledger: LedgerContext, params: Params, question: string): Promise<Uint8Array> {
  const extrinsic = bytesOf(bytesParam(params, 0))
  const block = await blockParam(ledger, params, 1)
  const length = types.createType('u32', extrinsic.length).toU8a()
  const argument = hexOf(Buffer.concat([extrinsic, length]))
  return bytesOf(await answerAt(ledger, block, `TransactionPaymentApi_${question}`, argument))
}

export const paymentMethods: Readonly<Record<string, Method>> = {
  payment_queryInfo: queryInfo,
  payment_queryFeeDetails: queryFeeDetails,
}

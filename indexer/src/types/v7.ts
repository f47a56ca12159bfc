import {sts, Result, Option, Bytes, BitSequence} from './support'

export const Kind: sts.Type<Kind> = sts.closedEnum(() => {
    return  {
        Accumulator: sts.enumStruct({
            publicKey: sts.bytes(),
            accumulated: sts.bytes(),
        }),
        StatusList: sts.enumStruct({
            length: sts.number(),
        }),
    }
})

export type Kind = Kind_Accumulator | Kind_StatusList

export interface Kind_Accumulator {
    __kind: 'Accumulator'
    publicKey: Bytes
    accumulated: Bytes
}

export interface Kind_StatusList {
    __kind: 'StatusList'
    length: number
}

export const Currency = sts.bytes()

export const H256 = sts.bytes()

export const DidId = sts.bytes()

export const AccountId32 = sts.bytes()

export const Did: sts.Type<Did> = sts.closedEnum(() => {
    return  {
        Key: DidKey,
        Other: DidText,
        Svc: DidId,
    }
})

export const DidText = sts.bytes()

export const DidKey: sts.Type<DidKey> = sts.closedEnum(() => {
    return  {
        Ed25519: sts.bytes(),
        Secp256k1: sts.bytes(),
    }
})

export type DidKey = DidKey_Ed25519 | DidKey_Secp256k1

export interface DidKey_Ed25519 {
    __kind: 'Ed25519'
    value: Bytes
}

export interface DidKey_Secp256k1 {
    __kind: 'Secp256k1'
    value: Bytes
}

export type Did = Did_Key | Did_Other | Did_Svc

export interface Did_Key {
    __kind: 'Key'
    value: DidKey
}

export interface Did_Other {
    __kind: 'Other'
    value: DidText
}

export interface Did_Svc {
    __kind: 'Svc'
    value: DidId
}

export type DidId = Bytes

export type DidText = Bytes

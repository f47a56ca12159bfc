import {sts, Result, Option, Bytes, BitSequence} from './support'

export const Kind: sts.Type<Kind> = sts.closedEnum(() => {
    return  {
        Accumulator: sts.enumStruct({
            publicKey: BoundedVec,
            accumulated: BoundedVec,
        }),
        StatusList: sts.enumStruct({
            length: sts.number(),
        }),
    }
})

export type Kind = Kind_Accumulator | Kind_StatusList

export interface Kind_Accumulator {
    __kind: 'Accumulator'
    publicKey: BoundedVec
    accumulated: BoundedVec
}

export interface Kind_StatusList {
    __kind: 'StatusList'
    length: number
}

export type BoundedVec = Bytes

export const Currency = sts.bytes()

export const H256 = sts.bytes()

export const Service: sts.Type<Service> = sts.struct(() => {
    return  {
        serviceType: BoundedVec,
        endpoints: sts.array(() => BoundedVec),
    }
})

export interface Service {
    serviceType: BoundedVec
    endpoints: BoundedVec[]
}

export const BoundedVec = sts.bytes()

export const Relationships = sts.number()

export const PublicKey: sts.Type<PublicKey> = sts.closedEnum(() => {
    return  {
        BabyJubJub: sts.bytes(),
        Bls12381G2: sts.bytes(),
        Ed25519: sts.bytes(),
        Secp256k1: sts.bytes(),
        Sr25519: sts.bytes(),
        X25519: sts.bytes(),
    }
})

export type PublicKey = PublicKey_BabyJubJub | PublicKey_Bls12381G2 | PublicKey_Ed25519 | PublicKey_Secp256k1 | PublicKey_Sr25519 | PublicKey_X25519

export interface PublicKey_BabyJubJub {
    __kind: 'BabyJubJub'
    value: Bytes
}

export interface PublicKey_Bls12381G2 {
    __kind: 'Bls12381G2'
    value: Bytes
}

export interface PublicKey_Ed25519 {
    __kind: 'Ed25519'
    value: Bytes
}

export interface PublicKey_Secp256k1 {
    __kind: 'Secp256k1'
    value: Bytes
}

export interface PublicKey_Sr25519 {
    __kind: 'Sr25519'
    value: Bytes
}

export interface PublicKey_X25519 {
    __kind: 'X25519'
    value: Bytes
}

export const Did: sts.Type<Did> = sts.closedEnum(() => {
    return  {
        Key: DidKey,
        Svc: DidId,
    }
})

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

export type Did = Did_Key | Did_Svc

export interface Did_Key {
    __kind: 'Key'
    value: DidKey
}

export interface Did_Svc {
    __kind: 'Svc'
    value: DidId
}

export type DidId = Bytes

export const AccountId32 = sts.bytes()

export const DidId = sts.bytes()

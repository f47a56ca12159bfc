import {sts, Result, Option, Bytes, BitSequence} from './support'

export const Relationships = sts.number()

export const PublicKey: sts.Type<PublicKey> = sts.closedEnum(() => {
    return  {
        BabyJubJub: sts.bytes(),
        Bls12381G2: sts.bytes(),
        Bls12381G2Plus2022: sts.bytes(),
        Ed25519: sts.bytes(),
        Secp256k1: sts.bytes(),
        Sr25519: sts.bytes(),
        X25519: sts.bytes(),
    }
})

export type PublicKey = PublicKey_BabyJubJub | PublicKey_Bls12381G2 | PublicKey_Bls12381G2Plus2022 | PublicKey_Ed25519 | PublicKey_Secp256k1 | PublicKey_Sr25519 | PublicKey_X25519

export interface PublicKey_BabyJubJub {
    __kind: 'BabyJubJub'
    value: Bytes
}

export interface PublicKey_Bls12381G2 {
    __kind: 'Bls12381G2'
    value: Bytes
}

export interface PublicKey_Bls12381G2Plus2022 {
    __kind: 'Bls12381G2Plus2022'
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

export const DidId = sts.bytes()

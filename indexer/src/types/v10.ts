import {sts, Result, Option, Bytes, BitSequence} from './support'

export const AccountId32 = sts.bytes()

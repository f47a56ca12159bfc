import { Type } from 'typebox'
import { TrustRegistryRef } from '../../platform/http/identifiers.js'
import { DELEGATES_MAX } from '../rights.js'

export const DelegatesParams = Type.Object({
  registryId: TrustRegistryRef,
  did: Type.String({ minLength: 1, maxLength: 512, description: 'The issuer' }),
})

export const Delegates = Type.Object({
  delegates: Type.Array(Type.String({ minLength: 1, maxLength: 512 }), {
    maxItems: DELEGATES_MAX,
    description: 'DIDs that may issue whatever the issuer may issue in this registry, now and later',
  }),
})

import { Type } from 'typebox'
import type { AnyContext } from '../platform/http/context.js'
import { hexId } from '../platform/http/identifiers.js'
import { statusListUrl } from '../status/status-list/status-entry.js'

export const RegistryParams = Type.Object({ registryId: hexId('revocationRegistry') })

/** The length of the lists of wallets, which choose the places. */
export const LENGTH = 131_072

export const Changed = Type.Object({
  registryId: Type.String({ description: '64 hexadecimal digits' }),
  action: Type.String({ description: 'As it was asked for' }),
  credentialId: Type.Optional(Type.String({ description: 'The credential' })),
  statusListCredential: Type.String({ description: 'The public address of the list' }),
})

export const listAddress = ({ config }: Pick<AnyContext, 'config'>, registryId: string): string =>
  statusListUrl(config.apiUrl, registryId, '')

import type { Served } from '../platform/http/operation.js'
import { createProfile } from './create-profile.js'
import { deleteProfile } from './delete-profile.js'
import { getLogo } from './get-logo.js'
import { getProfile } from './get-profile.js'
import { listProfiles } from './list-profiles.js'
import { updateProfile } from './update-profile.js'

export const profiles: Served = {
  operations: [listProfiles, createProfile, getProfile, updateProfile, deleteProfile, getLogo],
}

import type { Capability } from '../platform/http/operation.js'
import { createProfile } from './create-profile.js'
import { deleteProfile } from './delete-profile.js'
import { getLogo } from './get-logo.js'
import { getProfile } from './get-profile.js'
import { listProfiles } from './list-profiles.js'
import { updateProfile } from './update-profile.js'

export const profiles: Capability = {
  operations: [listProfiles, createProfile, getProfile, updateProfile, deleteProfile, getLogo],
}

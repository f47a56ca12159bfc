import type { Served } from '../platform/http/operation.js'
import { createKey } from './keys/create-key.js'
import { createTemporaryKey } from './keys/create-temporary-key.js'
import { deleteKey } from './keys/delete-key.js'
import { listKeys } from './keys/list-keys.js'
import { rotateKey } from './keys/rotate-key.js'
import { updateKey } from './keys/update-key.js'
import { createSession } from './people/create-session.js'
import { createSignInLink } from './people/create-sign-in-link.js'
import { deleteSession } from './people/delete-session.js'
import {
  createSubAccountKey,
  deleteSubAccountKey,
  listSubAccountKeys,
} from './subaccounts/subaccount-key-operations.js'
import {
  createSubAccount,
  deleteSubAccount,
  getSubAccount,
  listSubAccounts,
  updateSubAccount,
} from './subaccounts/subaccount-operations.js'
import { acceptTeamInvitation } from './teams/accept-team-invitation.js'
import { cancelTeamInvitation } from './teams/cancel-team-invitation.js'
import { createTeam } from './teams/create-team.js'
import { getTeam } from './teams/get-team.js'
import { inviteTeamMembers } from './teams/invite-team-members.js'
import { listTeamInvitations } from './teams/list-team-invitations.js'
import { listTeamMembers } from './teams/list-team-members.js'
import { listTeams } from './teams/list-teams.js'
import { removeTeamMember } from './teams/remove-team-member.js'
import { resendTeamInvitation } from './teams/resend-team-invitation.js'
import { transferTeam } from './teams/transfer-team.js'
import { updateTeam } from './teams/update-team.js'
import { updateTeamMember } from './teams/update-team-member.js'
import { listTeamAudit } from './trail/list-team-audit.js'

export const accounts: Served = {
  operations: [
    createSignInLink,
    createSession,
    deleteSession,
    listTeams,
    createTeam,
    getTeam,
    updateTeam,
    transferTeam,
    listTeamMembers,
    updateTeamMember,
    removeTeamMember,
    inviteTeamMembers,
    listTeamInvitations,
    resendTeamInvitation,
    cancelTeamInvitation,
    acceptTeamInvitation,
    listTeamAudit,
    listKeys,
    createKey,
    createTemporaryKey,
    updateKey,
    rotateKey,
    deleteKey,
    listSubAccounts,
    createSubAccount,
    getSubAccount,
    updateSubAccount,
    deleteSubAccount,
    listSubAccountKeys,
    createSubAccountKey,
    deleteSubAccountKey,
  ],
}

import type { Served } from '../platform/http/operation.js'
import { getStatement } from './billing/get-statement.js'
import { getSubscription } from './billing/get-subscription.js'
import { listStatements } from './billing/list-statements.js'
import { updateSubscription } from './billing/update-subscription.js'
import { deleteAccount } from './deletion/delete-account.js'
import { deleteData } from './deletion/delete-data.js'
import { getDeletion } from './deletion/get-deletion.js'
import { createErasure } from './erasure/create-erasure.js'
import { getErasure, listErasures } from './erasure/get-erasure.js'
import { exportData } from './export/export-data.js'
import { listNotifications } from './notifications/list-notifications.js'
import { markNotificationsRead } from './notifications/mark-notifications-read.js'
import { getOwnProfile } from './profile/get-own-profile.js'
import { storeOnboarding } from './profile/store-onboarding.js'
import { updateOwnProfile } from './profile/update-own-profile.js'
import { listSweptRows } from './retention/list-swept-rows.js'
import { getLimits } from './usage/get-limits.js'
import { getStats } from './usage/get-stats.js'
import { listHistory } from './usage/list-history.js'
import { listSubAccountUsage } from './usage/list-subaccount-usage.js'
import { listTransactions } from './usage/list-transactions.js'

export const data: Served = {
  operations: [
    getOwnProfile,
    updateOwnProfile,
    storeOnboarding,
    listNotifications,
    markNotificationsRead,
    getLimits,
    listHistory,
    listTransactions,
    getStats,
    listSubAccountUsage,
    getSubscription,
    updateSubscription,
    listStatements,
    getStatement,
    exportData,
    listSweptRows,
    createErasure,
    listErasures,
    getErasure,
    deleteData,
    deleteAccount,
    getDeletion,
  ],
}

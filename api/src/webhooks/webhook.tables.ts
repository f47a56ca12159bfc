import type { ColumnType, Generated } from 'kysely'
import type { TeamId } from '../platform/database/ids.js'
import type { JsonColumn, Timestamp } from '../platform/database/tables.js'

interface WebhooksTable {
  id: string
  team_id: TeamId
  url: string
  description: string
  status: 0 | 1
  events: string[]
  personal_data: boolean
  /** See `WebhookSecrets`. */
  sealed: Buffer
  created: Timestamp
  failing_since: ColumnType<Date | null, Date | null | undefined, Date | null>
  disabled_reason: ColumnType<string | null, string | null | undefined, string | null>
}

/** A try to deliver: the status of the answer, or the reason for which there was none. */
export interface Try {
  at: string
  status: number | null
  error: string | null
  ms: number
}

interface WebhookDeliveriesTable {
  id: Generated<number>
  /** The same in every try and replay: receivers know by it what they had. */
  message: Generated<string>
  team_id: TeamId
  webhook_id: string
  event_id: number
  event: string
  resource: Buffer | null
  state: Generated<'waiting' | 'delivered' | 'dead'>
  is_replay: Generated<boolean>
  due: ColumnType<Date | number, Date | string | undefined, Date | string>
  attempt: Generated<number>
  tries: Generated<number>
  give_up: ColumnType<Date | null, Date | null | undefined, Date | null>
  log: JsonColumn<Try[]>
  created: ColumnType<Date, Date | undefined, Date>
}

declare module '../platform/database/tables.js' {
  interface ServiceTables {
    webhooks: WebhooksTable
    webhook_deliveries: WebhookDeliveriesTable
  }
}

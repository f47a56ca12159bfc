import type { ColumnType, Generated } from 'kysely'
import type { Timestamp } from '../platform/database/tables.js'

/** The parts of the service that are looked at. worker: nobody looked for a while, since it or the database was down. */
export const COMPONENTS = ['signer', 'index', 'fees', 'webhooks', 'worker'] as const
export type Component = (typeof COMPONENTS)[number]

interface HealthChecksTable {
  component: Component
  is_well: boolean
  checked: Timestamp
}

interface IncidentsTable {
  id: Generated<number>
  component: Component
  began: Timestamp
  ended: ColumnType<Date | null, Date | null | undefined, Date | null>
}

declare module '../platform/database/tables.js' {
  interface ServiceTables {
    health_checks: HealthChecksTable
    incidents: IncidentsTable
  }
}

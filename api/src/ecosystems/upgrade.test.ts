import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { testIndex } from '../ledger/testing.js'
import { migrate } from '../platform/database/migrate.js'
import { scratchDatabase } from '../platform/testing.js'

const MIGRATIONS = fileURLToPath(new URL('../../migrations', import.meta.url))
const SHOWN_NAMES = '0340_shown_names.sql'

/** A service database as it was before a migration. */
async function databaseBefore(migration: string) {
  const folder = await mkdtemp(join(tmpdir(), 'migrations-'))
  const names = (await readdir(MIGRATIONS)).filter((name) => name < migration)
  for (const name of names) await cp(join(MIGRATIONS, name), join(folder, name))
  const scratch = await scratchDatabase({ folder })
  await rm(folder, { recursive: true })
  return scratch
}

test('registries that were removed before a removal let go of slugs have none when the service is newer', async () => {
  const scratch = await databaseBefore(SHOWN_NAMES)
  const ledger = await testIndex(scratch)
  try {
    await ledger.blocks(9)
    await ledger.finality({ height: 7 })
    const registry = (registry_id: string, from_block: number, to_block: number | null) =>
      ledger.row('trust_registry', {
        ...{ registry_id, convener: 'did:svc:a', name: '', gov_framework: '', pending_convener: null, version: 0 },
        ...{ from_block, to_block },
      })
    await registry('there', 1, 5)
    await registry('there', 5, null)
    await registry('removed', 1, 4)
    await registry('removed', 4, 7)
    await registry('removed in a block that can be taken back', 1, 5)
    await registry('removed in a block that can be taken back', 5, 8)
    await scratch.db.transaction('system', (tx) =>
      sql`insert into service.registry_slugs (slug, registry_id, team_id) select id, id, 1
        from unnest(array['there', 'removed', 'removed in a block that can be taken back', 'on its way']) as r (id)`.execute(
        tx,
      ),
    )
    await migrate({ migrationUrl: scratch.adminUrl, tenantUrl: scratch.tenantUrl, systemUrl: scratch.systemUrl })
    const { rows } = await scratch.db.read('system', (reader) =>
      sql<{ slug: string }>`select slug from service.registry_slugs order by slug`.execute(reader),
    )
    expect(rows.map(({ slug }) => slug)).toEqual(['on its way', 'removed in a block that can be taken back', 'there'])
  } finally {
    await ledger.close()
    await scratch.close()
  }
})

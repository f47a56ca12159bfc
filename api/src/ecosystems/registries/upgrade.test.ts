import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { testIndex } from '../../ledger/testing/test-index.js'
import { migrate } from '../../platform/database/migrate.js'
import { serviceDatabase } from '../../platform/testing/scratch-database.js'

const MIGRATIONS = fileURLToPath(new URL('../../../migrations', import.meta.url))
const DISPLAY_NAMES = '0340_shown_names.sql'
const NO_IDS = '0410_slugs_that_are_no_ids.sql'

/** A service database as it was before a migration. */
async function databaseBefore(migration: string) {
  const folder = await mkdtemp(join(tmpdir(), 'migrations-'))
  const names = (await readdir(MIGRATIONS)).filter((name) => name < migration)
  for (const name of names) await cp(join(MIGRATIONS, name), join(folder, name))
  const scratch = await serviceDatabase({ folder })
  await rm(folder, { recursive: true })
  return scratch
}

test('registries that were removed before a removal let go of slugs have none when the service is newer', async () => {
  const scratch = await databaseBefore(DISPLAY_NAMES)
  const ledger = await testIndex(scratch)
  try {
    await ledger.blocks(9)
    await ledger.finality({ height: 7 })
    const registry = (registry_id: string, from_block: number, to_block: number | null) =>
      ledger.row('trust_registry', {
        registry_id,
        convener: 'did:svc:a',
        name: '',
        gov_framework: '',
        pending_convener: null,
        version: 0,
        from_block,
        to_block,
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

test('slugs that are ids are renamed, and those of the past come back, when the service is newer', async () => {
  const scratch = await databaseBefore(NO_IDS)
  const [victim, impostor, another, renamed, removed] = ['aa', 'bb', 'bc', 'dd', 'ee'].map((byte) => byte.repeat(32))
  const versions: Record<string, (string | undefined)[]> = {
    [`0x${victim}`]: ['degrees'],
    [`0x${impostor}`]: [victim, 'honest'],
    [`0x${another}`]: ['taken', victim],
    [`0x${renamed}`]: ['old', 'taken', 'new'],
    [`0x${removed}`]: ['closed'],
  }
  try {
    await scratch.db.transaction('system', async (tx) => {
      const row = async (registry: string, version: number, slug: string | undefined) =>
        sql`insert into service.trust_registry_versions values (${registry}, ${version}::int, 1, '', ${slug}, '', '', '', '', '', '',
          'active', null, '2026-01-01'::timestamptz + ${version}::int * interval '1 day')`.execute(tx)
      for (const [registry, slugs] of Object.entries(versions)) {
        await sql`insert into service.trust_registries values (${registry}, 1, '', 'active', '0', now())`.execute(tx)
        for (const [index, slug] of slugs.entries()) await row(registry, index + 1, slug)
      }
      const held = { degrees: victim, honest: impostor, [victim ?? '']: another, new: renamed, taken: victim }
      for (const [slug, registry] of Object.entries(held))
        await sql`insert into service.registry_slugs values (${slug}, ${`0x${registry}`}, 1)`.execute(tx)
    })
    await migrate({ migrationUrl: scratch.adminUrl, tenantUrl: scratch.tenantUrl, systemUrl: scratch.systemUrl })
    const { rows } = await scratch.db.read('system', (reader) =>
      sql<{
        slug: string
        id: string
      }>`select slug, registry_id as id from service.registry_slugs order by slug`.execute(reader),
    )
    expect(Object.fromEntries(rows.map(({ slug, id }) => [slug, id.slice(2)]))).toEqual({
      [`${victim}-${impostor}`]: impostor,
      [`${victim}-${another?.slice(0, 6)}`]: another,
      closed: removed,
      degrees: victim,
      honest: impostor,
      new: renamed,
      old: renamed,
      taken: victim,
    })
    const shown = await scratch.db.read('system', (reader) =>
      sql<{ slug: string }>`select slug from service.trust_registry_versions where registry_id = ${`0x${another}`}
        order by version`.execute(reader),
    )
    expect(shown.rows.map(({ slug }) => slug)).toEqual(['taken', `${victim}-${another?.slice(0, 6)}`])
  } finally {
    await scratch.close()
  }
})

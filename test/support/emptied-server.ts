import pg from 'pg'

/** Makes a server that of another machine: the database of a URL is empty, and nobody knows its roles. */
export async function emptyServer(databaseUrl: string): Promise<void> {
  const name = new URL(databaseUrl).pathname.slice(1)
  const client = new pg.Client({ connectionString: new URL('/template1', databaseUrl).href })
  await client.connect()
  try {
    await client.query(`drop database if exists ${name} with (force)`)
    const { rows } = await client.query<{ role: string }>(
      'select quote_ident(rolname) as role from pg_roles where oid >= 16384',
    )
    for (const { role } of rows) await client.query(`drop role ${role}`)
    await client.query(`create database ${name} template template0`)
  } finally {
    await client.end()
  }
}

import type pg from 'pg'

/**
 * A digest of the rows of each table in these schemas, but for the signer's sign of life and the time at which a key was
 * last used: equal where nothing else was written.
 */
export async function tableContents(client: pg.Client, schemas: string[]): Promise<Record<string, string>> {
  const { rows } = await client.query<{ name: string; content: string }>(
    `select table_schema || '.' || table_name as name, (xpath('//c/text()', query_to_xml(format(
         'select md5(coalesce(string_agg(r::text, chr(10) order by r::text), '''')) as c from (select to_jsonb(t) - ''last_used'' as r from %I.%I t) rows', table_schema, table_name), false, true, '')))[1]::text as content
     from information_schema.tables where table_schema = any($1) and table_type = 'BASE TABLE'
       and table_name <> 'holder' order by 1`,
    [schemas],
  )
  return Object.fromEntries(rows.map(({ name, content }) => [name, content]))
}

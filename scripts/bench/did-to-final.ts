import type { Client } from '../tour/client.js'

export async function didToFinal(client: Client): Promise<void> {
  const { id } = await client.call<{ id: string }>('POST', '/dids', {})
  await client.finished(id)
}

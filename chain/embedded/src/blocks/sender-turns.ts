/**
 * The order in which extrinsics go into blocks: their senders take turns, one extrinsic at a time, each sender's own in
 * the order of their arrival. One sender's many extrinsics so do not delay those of another. The turns go round in the
 * order in which the senders' first extrinsics stand in the queue. Pure.
 */
export function inTurns<Item extends { readonly sender: string }>(queue: readonly Item[]): Item[] {
  const rounds: Item[][] = []
  const taken = new Map<string, number>()
  for (const item of queue) {
    const round = taken.get(item.sender) ?? 0
    taken.set(item.sender, round + 1)
    const others = rounds[round]
    if (others === undefined) rounds[round] = [item]
    else others.push(item)
  }
  return rounds.flat()
}

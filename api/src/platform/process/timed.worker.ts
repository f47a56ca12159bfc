/** Runs a task of another module in its thread, after it has told when the task begins. */
import { type Beginning, noteBeginning } from './run-time.js'

export interface TimedTask {
  /** The URL of the module. */
  module: string
  task: unknown
  beginning: Beginning
}

export default async function run({ module, task, beginning }: TimedTask): Promise<unknown> {
  const { default: work } = await import(module)
  noteBeginning(beginning)
  return work(task)
}

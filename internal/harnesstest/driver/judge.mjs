// Opens logs with the harness's own loader. Reads lines from standard input:
//   {"data": base64 of the file, "encoding": "jsonl" | "jsonl.zstd", "session": id, "folder": below the root}
// and answers each with {"events": N} (events taken from the file) or {"refused": why}.
// One store root per encoding serves all of them, in the folder named by the argument.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Context } from '@deepseek-ai/cordis'
import SessionStore from '@deepseek-ai/dsh-session'
import * as jsonl from '@deepseek-ai/dsh-session-persistence-jsonl'

const [root] = process.argv.slice(2)
const stores = new Map()

async function store(encoding) {
  if (stores.has(encoding)) return stores.get(encoding)
  const ctx = new Context()
  const dir = join(root, encoding)
  mkdirSync(dir, { recursive: true })
  await ctx.plugin(SessionStore)
  await ctx.plugin(jsonl.default, { root: dir, compression: encoding === 'jsonl' ? 'none' : 'zstd', preparedSessionCacheSize: 1 })
  const persistence = ctx.sessionPersistence
  const opened = { dir, persistence, taken: 0 }
  const load = persistence.loadStored.bind(persistence)
  persistence.loadStored = async (...args) => {
    const stored = await load(...args)
    opened.taken = stored?.events.length ?? 0
    return stored
  }
  stores.set(encoding, opened)
  return opened
}

for await (const line of createInterface({ input: process.stdin })) {
  const { data, encoding, session, folder } = JSON.parse(line)
  const s = await store(encoding)
  const dir = join(s.dir, folder)
  let answer
  try {
    mkdirSync(dir, { recursive: true })
    writeFileSync(join(dir, `session.${encoding}`), Buffer.from(data, 'base64'))
    const { events } = await s.persistence.inspect(session)
    answer = { events: s.taken, balanced: events.length }
  } catch (error) {
    answer = { refused: String(error.message ?? error) }
  }
  rmSync(dir, { recursive: true, force: true })
  process.stdout.write(`${JSON.stringify(answer)}\n`)
}
process.exit(0)

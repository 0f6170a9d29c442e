// Opens logs with the harness's own loader, and has the harness's own folds make
// each request of those that load. It runs in two ways: as a script under Node, with
// the packages of a release beside it (judge.mjs JOBS ANSWERS SCRATCH), and as a
// plugin of a released executable, which holds its packages itself (the same names
// in JUDGE_JOBS, JUDGE_ANSWERS and JUDGE_SCRATCH).
//
// A job is a line {"data": base64 of the file, "encoding": "jsonl" | "jsonl.zstd", "session": id,
// "folder": below the store root}. Its answer is a line, too:
//   {"refused": why}
//   {"events": taken from the file, "unfoldable": why}
//   {"events": taken from the file, "requests": [[turn, step, attempt, bytes, sha256]…]}
import { createHash } from 'node:crypto'
import { createReadStream, mkdirSync, openSync, closeSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'

export const name = 'log-judge'

export function apply() {
  main(process.env.JUDGE_JOBS, process.env.JUDGE_ANSWERS, process.env.JUDGE_SCRATCH).then(() => process.exit(0), fail)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main(...process.argv.slice(2)).then(() => process.exit(0), fail)

function fail(error) {
  process.stderr.write(`judge: ${error?.stack ?? error}\n`)
  process.exit(3)
}

async function main(jobs, answers, scratch) {
  const session = await import('@deepseek-ai/dsh-session')
  const open = await stores(session, scratch)
  const out = openSync(answers, 'w')
  for await (const line of createInterface({ input: createReadStream(jobs) })) {
    writeSync(out, `${JSON.stringify(await judge(session, open, JSON.parse(line)))}\n`)
  }
  closeSync(out)
}

// One store root per encoding serves all logs.
async function stores(session, scratch) {
  const { Context } = await import('@deepseek-ai/cordis')
  const jsonl = await import('@deepseek-ai/dsh-session-persistence-jsonl')
  const opened = new Map()
  return async (encoding) => {
    if (!opened.has(encoding)) opened.set(encoding, await openStore(Context, session, jsonl, join(scratch, encoding), encoding))
    return opened.get(encoding)
  }
}

async function openStore(Context, session, jsonl, dir, encoding) {
  const ctx = new Context()
  mkdirSync(dir, { recursive: true })
  await ctx.plugin(session.default)
  await ctx.plugin(jsonl.default, { root: dir, compression: encoding === 'jsonl' ? 'none' : 'zstd', preparedSessionCacheSize: 1 })
  const persistence = ctx.get('sessionPersistence')
  const store = { dir, persistence, taken: 0 }
  const load = persistence.loadStored.bind(persistence)
  persistence.loadStored = async (...args) => {
    const stored = await load(...args)
    store.taken = stored?.events.length ?? 0
    store.inherited = Number(stored?.inheritedEventCount ?? stored?.meta.seedLength ?? 0)
    return stored
  }
  return store
}

async function judge(session, open, { data, encoding, session: id, folder }) {
  const store = await open(encoding)
  const dir = join(store.dir, folder)
  let loaded
  try {
    mkdirSync(dir, { recursive: true })
    writeFileSync(join(dir, `session.${encoding}`), Buffer.from(data, 'base64'))
    store.taken = 0
    loaded = await store.persistence.inspect(id)
  } catch (error) {
    return { refused: String(error?.message ?? error) }
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
  const events = loaded.events.slice(0, store.taken)
  try {
    return { events: store.taken, requests: requests(session, loaded.meta, store.inherited, events) }
  } catch (error) {
    return { events: store.taken, unfoldable: String(error?.message ?? error) }
  }
}

// The loop's requests that a log shows as sent. Where they lie follows from the
// events alone; what they hold is folded by the harness.
function requests(session, meta, inherited, events) {
  const found = []
  session.foldRequestHeader(events) // as the harness does when it opens the session for another turn
  let step
  const send = (at) => {
    step.attempt += 1
    step.state = 'streaming'
    const header = session.foldRequestHeader(events.slice(0, at))
    if (header === undefined) return
    step.rest ??= header
    if (step.start < inherited) return
    found.push(digest(session, meta, events.slice(0, step.messages ?? at), header, step))
  }
  const take = (at) => { if (step?.state === 'entering') Object.assign(step, { state: 'waiting', messages: at }) }
  for (const [at, event] of events.entries()) {
    const data = event.data
    if (event.type !== 'user/message' && event.surfaceOp?.op !== 'replace' && event.type !== 'step/start') take(at)
    switch (event.type) {
      case 'turn/start': case 'turn/end': case 'step/end':
        step = undefined
        break
      case 'step/start':
        step = { turn: data.turn, step: data.step, start: at, state: 'entering', attempt: 0 }
        break
      case 'request/header': case 'request/context':
        if (step?.state === 'failed') step.messages ??= at
        break
      case 'llm/retry-started':
        if (step?.state === 'failed') step.messages = at + 1
        break
      case 'assistant/chunk':
        step ??= { turn: data?.turn, step: data?.step, start: at, state: 'waiting', attempt: 0 }
        if (step.state !== 'streaming') send(at)
        if (data?.chunk?.type === 'finish' && ['error', 'aborted'].includes(data.chunk.reason?.kind)) {
          Object.assign(step, { state: 'failed', messages: undefined })
        }
        break
      case 'assistant/message':
        if (step?.state === 'waiting' && event.surfaceOp === 'append') send(at)
        break
    }
  }
  return found
}

function digest(session, meta, before, header, { turn, step, attempt, rest }) {
  const surface = session.foldSurface(before).nodes.map(seq => session.deriveEventMessage(before[seq])).filter(message => message !== null)
  const request = {
    ...header.config, messages: surface,
    ...rest.system === undefined ? {} : { system: rest.system },
    ...rest.tools === undefined ? {} : { tools: rest.tools },
    sessionId: meta.id, signal: undefined,
  }
  const bytes = Buffer.from(JSON.stringify(request))
  return [turn, step, attempt, bytes.length, createHash('sha256').update(bytes).digest('hex')]
}

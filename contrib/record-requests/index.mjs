/**
 * Records every request of the agent loop as it is dispatched, one JSON line
 * each, so that a session's log can be verified against what the model was sent.
 *
 * A plain ES module without dependencies. There is no default export: the
 * harness's loader would take it in place of the module's names.
 */
import { closeSync, fstatSync, fsyncSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

export const name = 'record-requests'

export const inject = ['sessions']

const DEFAULTS = { dir: '', oneShots: false, sync: false }

/** The configuration's schema, in the form that the harness validates with. */
export const Config = {
  '~standard': {
    version: 1,
    vendor: name,
    validate(input) {
      const config = input ?? {}
      if (typeof config !== 'object' || Array.isArray(config)) return { issues: [{ message: 'the configuration must be an object' }] }
      const issues = []
      for (const key of Object.keys(config)) {
        if (!Object.hasOwn(DEFAULTS, key)) issues.push({ message: 'unknown key', path: [key] })
        else if (config[key] !== undefined && typeof config[key] !== typeof DEFAULTS[key]) issues.push({ message: `must be a ${typeof DEFAULTS[key]}`, path: [key] })
      }
      if (issues.length > 0) return { issues }
      const value = { ...DEFAULTS }
      for (const key of Object.keys(config)) if (config[key] !== undefined) value[key] = config[key]
      return { value }
    },
  },
}

export function apply(ctx, config) {
  const options = { ...DEFAULTS, ...config }
  const announced = new WeakMap() // session → the step whose request is being built
  const counted = new WeakMap() // session → the step and attempt recorded last
  const checked = new Set() // files whose last line is known to be whole

  // The loop announces each attempt before it builds the request.
  ctx.on('agent/request', ({ agent, turn, step }, next) => {
    if (agent?.session) announced.set(agent.session, { turn, step })
    return next()
  }, { global: true, prepend: true })

  ctx.on('llm/stream', (request, next) => {
    try {
      record(request)
    } catch (error) {
      ctx.logger.warn(`record-requests: a request of session "${String(request?.sessionId)}" was not recorded: ${String(error)}`)
    }
    return next()
  }, { global: true, prepend: true })

  function record(dispatched) {
    const { signal: _signal, ...request } = dispatched
    const session = request.sessionId === undefined ? undefined : ctx.sessions.get(request.sessionId)
    if (session === undefined) return
    const at = request.purpose === undefined ? announced.get(session) : undefined
    if (at === undefined) {
      if (options.oneShots) append(session, 'one-shots.jsonl', { sessionId: session.id, purpose: request.purpose, request })
      return
    }
    announced.delete(session)
    const attempt = nextAttempt(session, at)
    counted.set(session, { ...at, attempt })
    append(session, 'requests.jsonl', { sessionId: session.id, turn: at.turn, step: at.step, attempt, request })
  }

  /** Which attempt of its step this is: one more than those that the log shows to have failed. */
  function nextAttempt(session, { turn, step }) {
    const last = counted.get(session)
    if (last?.turn === turn && last.step === step) return last.attempt + 1
    let attempt = 1
    const { events } = session
    for (let i = events.length - 1; i >= 0 && events[i].type !== 'step/start'; i--) {
      const chunk = events[i].type === 'assistant/chunk' ? events[i].data.chunk : undefined
      if (chunk?.type === 'finish' && (chunk.reason.kind === 'error' || chunk.reason.kind === 'aborted')) attempt++
    }
    return attempt
  }

  /** Writes before it returns, so that a crash right after the dispatch leaves the line. */
  function append(session, file, entry) {
    const folder = folderOf(session)
    if (folder === undefined) throw new Error('no session persistence with files, and no dir configured')
    const path = join(folder, file)
    let line = `${JSON.stringify(entry)}\n`
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const fd = openSync(path, 'a+', 0o600)
    try {
      // A process that died inside a write left half a line: end it, so that ours is whole.
      if (!checked.has(path) && !endsLine(fd)) line = `\n${line}`
      const bytes = Buffer.from(line)
      for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done)
      checked.add(path)
      if (options.sync) fsyncSync(fd)
    } catch (error) {
      checked.delete(path)
      throw error
    } finally {
      closeSync(fd)
    }
  }

  function folderOf(session) {
    if (options.dir !== '') return join(resolve(options.dir), encodeSegment(session.id))
    const log = ctx.get('sessionPersistence')?.locate?.(session.header)?.path
    return log === undefined ? undefined : dirname(log)
  }
}

function endsLine(fd) {
  const { size } = fstatSync(fd)
  if (size === 0) return true
  const last = Buffer.alloc(1)
  readSync(fd, last, 0, 1, size - 1)
  return last[0] === 0x0a
}

/** A session's id as a folder name, spelled as the harness spells session folders. */
function encodeSegment(id) {
  if (id === '') throw new Error('an empty session id')
  if (id === '.' || id === '..') return id.replaceAll('.', '~002E')
  let out = ''
  for (let i = 0; i < id.length; i++) {
    out += /[A-Za-z0-9._-]/.test(id[i]) ? id[i] : `~${id.charCodeAt(i).toString(16).toUpperCase().padStart(4, '0')}`
  }
  return out
}

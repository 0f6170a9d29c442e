// One lifetime of a session: a process that composes the real harness with a
// scripted model and plays one part of a plan.
//
//   node run.mjs PLAN.json INDEX DIR
//
// The store lies in DIR/sessions, attachments in DIR/home, raw bodies of the
// DeepSeek adapter in DIR/wire. The process may kill itself, if the plan says so.
import { appendFileSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { crc32, deflateSync } from 'node:zlib'
import { Context } from '@deepseek-ai/cordis'
import AgentRegistry from '@deepseek-ai/dsh-agent'
import AgentLoop from '@deepseek-ai/dsh-agent-loop'
import Attachments from '@deepseek-ai/dsh-attachment-local'
import Compaction from '@deepseek-ai/dsh-compaction-basic'
import Pruner from '@deepseek-ai/dsh-compaction-tool-result-pruner'
import LlmRuntime, { createUserMessage, LlmAdapter, LlmError, resolveRetryPolicy } from '@deepseek-ai/dsh-llm'
import * as deepseek from '@deepseek-ai/dsh-llm-deepseek'
import * as retry from '@deepseek-ai/dsh-llm-retry'
import SessionStore from '@deepseek-ai/dsh-session'
import * as jsonl from '@deepseek-ai/dsh-session-persistence-jsonl'
import SystemPrompt from '@deepseek-ai/dsh-system-prompt'
import TokenMeter from '@deepseek-ai/dsh-token-meter'
import ToolRuntime from '@deepseek-ai/dsh-tools'
import * as recorder from './record-requests/index.mjs'

const [planPath, index, dirName] = process.argv.slice(2)
const dir = resolve(dirName)
// A lone surrogate cannot stand in the plan's file: <<d83d>> stands for one.
const plan = JSON.parse(readFileSync(planPath, 'utf8'), (_, v) => typeof v === 'string'
  ? v.replace(/<<([0-9a-f]{4})>>/g, (_, unit) => String.fromCharCode(parseInt(unit, 16))) : v)
const life = plan.lifetimes[Number(index)]
const home = join(dir, 'home')
mkdirSync(home, { recursive: true })
process.env.DSH_HOME = home
process.env.DEEPSEEK_API_KEY = 'not-a-key'

const BACKOFF = { initialDelayMs: 1, maxDelayMs: 3, jitterRatio: 0 }
const CALM = [{ type: 'text-delta', index: 0, text: 'Nothing new.' }, { type: 'finish', reason: { kind: 'stop' } }]

let agent
let replies = []
let overrides = {} // members of the next requests' configuration
let batch = null // what to do to the next entering batch
const text = { system: life.system ?? '', context: life.context ?? '' }
const tools = new Map()

const user = (words, extra = {}) => createUserMessage({ content: [{ type: 'text', text: words }], source: { kind: 'user' }, ...extra })

async function imageBlock(side) {
  const rows = Buffer.alloc(side * (side * 3 + 1), side * 7)
  const chunk = (type, data) => {
    const body = Buffer.concat([Buffer.from(type), data])
    const out = Buffer.alloc(body.length + 8)
    out.writeUInt32BE(data.length, 0)
    body.copy(out, 4)
    out.writeUInt32BE(crc32(body), body.length + 4)
    return out
  }
  for (let y = 0; y < side; y++) rows[y * (side * 3 + 1)] = 0
  const head = Buffer.alloc(13)
  head.writeUInt32BE(side, 0)
  head.writeUInt32BE(side, 4)
  head.set([8, 2, 0, 0, 0], 8)
  const data = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), chunk('IHDR', head), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))])
  const attachment = await ctx.attachments.saveImage({ data, mediaType: 'image/png', name: `square-${side}.png` })
  return { type: 'image', attachment }
}

async function messageOf(m) {
  const content = m.content ?? [{ type: 'text', text: m.text }]
  const blocks = m.image ? [...content, await imageBlock(m.image)] : content
  return createUserMessage({ content: blocks, source: m.source ?? { kind: 'user' } })
}

async function act(a) {
  switch (a.do) {
    case 'wait': return sleep(a.ms)
    case 'cancel': return agent.cancel({ kind: 'user' }, a.keep ? { keepInbox: true } : {})
    case 'steer': return agent.steer(await messageOf(a))
    case 'inject': return agent.inject(await messageOf(a))
    case 'followup': return agent.followup(await messageOf(a))
    case 'append': return void agent.session.append('user/message', await messageOf(a), { surfaceOp: 'append' })
    case 'event': return void agent.session.append('feedback/record', a.data)
    case 'flush': return void await ctx.sessions.flush(agent.session)
    case 'kill':
      if (a.flush) await ctx.sessions.flush(agent.session)
      process.kill(process.pid, 'SIGKILL')
      return sleep(60_000)
    case 'throw': throw new LlmError(a.message ?? 'the line is down', a.code ?? 'TRANSPORT', a.status ? { status: a.status } : {})
    case 'system': text.system = a.text; return
    case 'context': text.context = a.text; return
    case 'config': overrides = a.config; return
    case 'batch': batch = a; return
    case 'tool': return toggleTool(a.tool)
    case 'prune': return void ctx.get('toolResultPruner')?.pruneSession(agent.session)
    case 'compact':
      try {
        await ctx.get('compaction')?.compactNow(agent, new AbortController().signal)
      } catch {} // there may be nothing to compact, or work under way
      return
    default: throw new Error(`no action ${a.do}`)
  }
}

function toggleTool(t) {
  if (tools.has(t.name)) {
    tools.get(t.name)()
    tools.delete(t.name)
    return
  }
  tools.set(t.name, ctx.tools.register({
    name: t.name,
    description: t.description,
    parameters: t.parameters,
    output: { schema: {}, render: (_args, value) => value.content ?? [{ type: 'text', text: String(value.text) }], presentationMeta: t.meta === undefined ? undefined : () => t.meta },
    ...t.parallel ? { isConcurrencySafe: () => true } : {},
    async execute(_args, exec) {
      for (const a of t.acts ?? []) await act(a)
      if (t.slow) await sleep(t.slow, undefined, { signal: exec.signal })
      if (t.fails !== undefined) throw new Error(t.fails)
      if (t.context) exec.deferContext(user(t.context))
      if (t.concludes) exec.concludeTurn()
      if (t.image) return { content: [{ type: 'text', text: t.result }, await imageBlock(t.image)] }
      return { text: t.repeat ? t.result.repeat(t.repeat) : t.result }
    },
  }))
}

class Scripted extends LlmAdapter {
  providerRetryPolicy() {
    return resolveRetryPolicy({ mode: 'normal', maxRetries: 3, backoff: BACKOFF }, 'scripted')
  }
  async resolveModel(provider, model) {
    return {
      provider, id: model, name: model, context: { contextWindow: life.window ?? 100_000 },
      ...life.defaultMaxTokens ? { defaultMaxTokens: life.defaultMaxTokens } : {},
      ...life.efforts ? { reasoning: { efforts: life.efforts.map(id => ({ id, name: id })), defaultEffort: life.efforts[0] } } : {},
      inputModalities: ['text', 'image'],
    }
  }
  async *stream(options) {
    if (options.purpose !== undefined) {
      yield { type: 'text-delta', index: 0, text: life.summary ?? 'Long ago, some things were said.' }
      yield { type: 'finish', reason: { kind: 'stop' } }
      return
    }
    for (const c of replies.shift() ?? CALM) {
      if (c.do) await act(c)
      else yield c
    }
  }
}

/** A server that speaks the provider's side of the wire from the same script. */
async function serve() {
  const wire = join(dir, 'wire')
  mkdirSync(wire, { recursive: true })
  const server = createServer(async (req, res) => {
    const parts = []
    for await (const part of req) parts.push(part)
    const number = String(readdirSync(wire).filter(f => f.endsWith('.json')).length + 1).padStart(4, '0')
    writeFileSync(join(wire, `${number}.json`), Buffer.concat(parts))
    const { authorization: _credential, ...headers } = req.headers
    appendFileSync(join(wire, 'index.jsonl'), `${JSON.stringify({ file: `${number}.json`, headers })}\n`)
    const script = headers['x-deepseek-harness-compact'] ? [{ type: 'text-delta', index: 0, text: life.summary ?? 'Long ago.' }, CALM[1]] : replies.shift() ?? CALM
    const send = delta => {
      if (!res.headersSent) res.writeHead(200, { 'content-type': 'text/event-stream' })
      res.write(`data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, finish_reason: null, delta: {}, ...delta }] })}\n\n`)
    }
    try {
      for (const c of script) {
        if (c.do) await act(c)
        else if (c.type === 'text-delta') send({ delta: { content: c.text } })
        else if (c.type === 'reasoning-delta') send({ delta: { reasoning_content: c.text } })
        else if (c.type === 'tool-call-delta') send({ delta: { tool_calls: [{ index: c.index, id: c.id, type: 'function', function: { ...c.name ? { name: c.name } : {}, arguments: c.argumentsDelta } }] } })
        else if (c.type === 'finish') {
          if (c.reason.kind === 'error') throw new LlmError('scripted', 'SERVER')
          send({ finish_reason: { stop: 'stop', 'tool-calls': 'tool_calls', 'max-tokens': 'length' }[c.reason.kind] ?? 'stop' })
        }
      }
      send({ finish_reason: 'stop' })
      res.end('data: [DONE]\n\n')
    } catch (error) {
      if (res.headersSent) return res.destroy()
      res.writeHead(error.code === 'CONTEXT_WINDOW_EXCEEDED' ? 400 : error.code === 'RATE_LIMIT' ? 429 : 503, { 'content-type': 'application/json' })
      res.end(JSON.stringify({ error: { message: error.code === 'CONTEXT_WINDOW_EXCEEDED' ? 'This model\'s maximum context length is exceeded: context_length_exceeded' : 'come back later', code: error.code } }))
    }
  })
  await new Promise(done => server.listen(0, '127.0.0.1', done))
  return `http://127.0.0.1:${server.address().port}`
}

const ctx = new Context()
await ctx.plugin(LlmRuntime)
await ctx.plugin(SessionStore)
await ctx.plugin(jsonl.default, { root: join(dir, 'sessions'), compression: plan.compression, packChunks: plan.packChunks, writeBatchMaxDelayMs: plan.batchMs })
await ctx.plugin(Attachments, { dshHome: home })
await ctx.plugin(SystemPrompt, { persona: '', includeHarnessIdentity: false })
ctx.systemPrompt.variable('story', () => text.system)
ctx.systemPrompt.section({ name: 'story', order: 1, text: () => text.system === '' ? '' : '{{story}}' })
ctx.systemPrompt.variable('weather', () => text.context)
ctx.systemPrompt.context({ name: 'weather', order: 1, text: () => text.context === '' ? '' : '{{weather}}' })
await ctx.plugin(ToolRuntime)
await ctx.plugin(AgentRegistry)
await ctx.plugin(AgentLoop, { agents: [], maxParallelToolCalls: 3 })
await ctx.plugin(TokenMeter)
if (life.prune) await ctx.plugin(Pruner, life.prune)
if (life.compact) await ctx.plugin(Compaction, life.compact)
if (life.retry) await ctx.plugin(retry, {})
if (life.provider === 'deepseek-official') {
  await ctx.plugin(deepseek, { baseURL: await serve(), retryPolicy: { mode: 'normal', maxRetries: 3, backoff: BACKOFF }, models: [{ id: life.model, contextWindow: life.window ?? 100_000, inputModalities: ['text', 'image'] }] })
}
ctx.llm.registerAdapter(['scripted', 'other'], new Scripted())
await ctx.plugin(recorder, plan.recordDir ? { dir: join(dir, plan.recordDir), oneShots: true } : {})

ctx.on('agent/request', async (_, next) => {
  const config = { ...await next(), ...overrides }
  for (const key of Object.keys(config)) if (config[key] === null) delete config[key]
  return config
}, { global: true })
ctx.on('agent/pre-step', async (_, next) => {
  const decision = await next()
  const b = batch
  batch = null
  if (b === null || decision.kind !== 'enter') return decision
  if (b.how === 'reject') return { kind: 'reject' }
  if (b.how === 'empty') return { ...decision, messages: [] }
  if (b.how === 'reverse') return { ...decision, messages: [...decision.messages].reverse() }
  return { ...decision, messages: [...decision.messages, await messageOf(b)] }
}, { global: true })
if (life.earlyActs) {
  // Acts between the building of a request and its first byte.
  let left = life.earlyActs.slice()
  ctx.on('llm/stream', (options, next) => {
    const acts = options.purpose === undefined ? left.shift() : undefined
    if (!acts) return next()
    return (async function* () {
      for (const a of acts) await act(a)
      yield* next()
    })()
  }, { global: true })
}
for (const t of life.tools ?? []) toggleTool(t)

const agentOptions = { provider: life.provider, model: life.model, ...life.maxTokens ? { maxTokens: life.maxTokens } : {} }
const stored = new Set((await ctx.sessionPersistence.list()).map(header => header.id))
if (life.op === 'fork' && !stored.has(life.parent)) process.exit(0) // the parent died before anything was stored
if (life.op === 'resume' && stored.has(life.session)) {
  agent = (await ctx.agents.resume({ resumeSessionId: life.session, agentOptions })).agent
} else {
  const options = { sessionId: life.session, agentOptions, meta: { ...life.cwd ? { cwd: life.cwd } : {} } }
  if (life.op === 'fork') {
    const { events } = await ctx.sessionPersistence.load(life.parent)
    const ends = events.filter(e => e.type === 'turn/end')
    const last = ends.length === 0 ? -1 : ends[Math.floor((life.at ?? 0) * ends.length)].seq
    options.seed = structuredClone(events.slice(0, last + 1))
    options.meta = { ...options.meta, parentSession: life.parent, seedLength: last + 1 }
  }
  agent = (await ctx.agents.create(options)).agent
}
for (const turn of life.turns) {
  for (const a of turn.before ?? []) await act(a)
  replies = structuredClone(turn.replies ?? [])
  if (turn.message) agent.followup(await messageOf(turn.message))
  const timers = (turn.timed ?? []).map(a => setTimeout(() => void act(a), a.at))
  await agent.whenIdle()
  for (const timer of timers) clearTimeout(timer)
}
await agent.whenIdle()
await ctx.sessions.flush(agent.session)
process.exit(0)

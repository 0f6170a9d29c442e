// Package promptcache tells what a provider's prompt cache should have given for the
// requests of a session, what it gave, and what in the session's log explains the
// difference.
//
// # The model of a prompt
//
// A provider caches prefixes of what it makes of a request. Which model it is
// comes before everything; then come the system prompt, the tools and the
// messages, in this order. Limits and sampling settings (maxTokens, temperature,
// stop) are not rendered into a prompt; any other config field may be. The prefix
// that a request shares with the one before it is counted in bytes of these parts'
// JSON.
//
// # Tokens
//
// The log holds what the provider reported, in usage chunks and assistant
// messages: input tokens (those that were not cached), cache reads and cache writes
// are counts apart, so their sum is the whole prompt. That gives a lower bound
// without any tokenizer: when an earlier request's whole prompt is a prefix of this
// one's, the cache should give at least as many tokens as that request had.
// A provider caches in blocks, so two blocks less are not compared with it.
//
// # Verdicts
//
//   - cold start: the first request of a session. It is never blamed.
//   - hit: the cache gave what the request before left in it, or this request's
//     whole prompt.
//   - explained drop: it gave less, and the log shows why: a [Cause].
//   - UNEXPLAINED drop: it gave less than a prefix which did not change should have
//     given. That is the provider's side: expiry, routing, eviction, or a
//     rendering that leaves out earlier reasoning.
//   - not reported: the provider said nothing about its cache.
//   - too few tokens: the numbers are too small, or none came before, to judge.
//
// A drop costs the tokens that had to be read again: up to the request before's
// whole prompt, or to this one's when that is shorter. What a cause and the
// provider share in is split between them.
//
// # Non-goals
//
// It does not know prices, and it does not guess tokens where none were reported:
// there, costs are bytes of the prompt.
package promptcache

// Package authored reads transcripts that were written or projected for tests,
// as the harness's own repository keeps them, and makes complete logs of them.
//
// # The form
//
//   - A scenario is a folder with a session.jsonl; the logs of its subagents are
//     session.1.jsonl, session.2.jsonl and so on beside it.
//   - The first line is a session header. Its cwd may start with the token
//     {{cwd}}.
//   - Each later line is an event without seq and time, or a packed chunk row
//     without seq0 and time0. No line has one of the four.
//   - In a request/header, the string "{{system}}" may stand for the system prompt
//     and "{{tools}}" for the tools. Sidecar files hold what they stand for.
//
// # The log that it stands for
//
// Events are numbered from 0, a row by its members, and all times are 0. A row
// without dt has gaps of 0. The cwd becomes absolute by a leading slash. Lines
// keep their order and their number; those that are no JSON stay as they are, so
// that the reader of the log judges them.
//
// # Sidecars
//
//	session.jsonl      tool-schemas.expected.json     system-prompt.expected.md
//	session.N.jsonl    tool-schemas.N.expected.json   system-prompt.N.expected.md
//
// The tools are an object: "initial" is the list of the first request/header and
// of those with the reason resume, and changes[k] that of the k-th with the reason
// change. The system prompts are one text: the first prompt, then for each later
// one a line <!-- request/header change K --> between blank lines, and the prompt.
// A header with the reason change takes the prompt of the latest change up to its
// own; where the first marker says 0, changes count from 0. A line feed that ends
// a prompt is not part of it: the file cannot tell whether it was.
//
// A token whose sidecar is missing stays, and the model is taken to have seen it.
package authored

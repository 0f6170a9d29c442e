// Package report puts what was found in logs on one HTML page that a person can
// open from disk: no network, no server, nothing beside the file.
//
// # What is on it
//
// For each log the verdict and what it rests on; two charts (the requests by
// turn, and the prefix that each keeps against what the provider said it read
// from its cache); a table of the requests, each of which opens to its change
// against the one before, its header, its messages with their place in the log,
// and where a recording drifts from it; attachments; findings.
//
// # How it is made
//
//	result.Log ─┐
//	            ├──▶ Session ──▶ Page ──▶ template.html + style.css + script.js
//	the log ────┘    (Collect, and promptcache)
//
// A message is on the page once, and the requests that hold it refer to it: a
// request lists what it adds to the request before it on the page, and how many
// of that one's messages it keeps. So the page grows with the log and not with
// the requests times their history. The texts on the page have a budget
// (Budget): when a log's texts are more, each is cut at the same length, which
// is the greatest that fits. Beyond maxDetailed requests, those that do what
// their predecessors did are folded into one row for a run of them.
//
// # What keeps it safe
//
// A log is written by strangers. html/template escapes every text for its place,
// a Content-Security-Policy in the page allows the one style and the one script
// by their digests and images from data: URLs only, and pictures are decoded and
// encoded again, never passed through. No attribute that a log fills is a URL,
// a style or a handler. Characters without ink are shown as escapes, as they are
// on a terminal, but line feeds and tabs are kept.
//
// The page is the same for the same input: it holds no time of its making.
package report

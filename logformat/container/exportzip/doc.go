// Package exportzip reads session export archives, the ZIP files that people
// attach to incident tickets:
//
//	session.jsonl                      the root session, decoded
//	subagents/<id>/session.jsonl       each subagent descendant
//	media/sha256:<hex>.<png|jpg|webp|gif>   each referenced image
//
// A log of a later format is called session.vN.jsonl, as on disk. Archives of several
// exports, of a store root or of a whole home are read too: every folder in them
// that holds a log is a session, and its newest generation is the log.
//
// Nothing is unpacked to disk. An archive comes from somebody else, so entries
// that no exporter writes are refused by name: absolute paths, "..", back
// slashes, links, encryption, a name that stands twice. Sizes in the directory
// are not believed: reading stops where an entry's own limit is.
package exportzip

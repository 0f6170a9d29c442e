// Package objectstore turns an attachment reference into verified bytes.
//
// # Vocabulary
//
//   - A [Reference] is what a session log says about an image: its id, which is
//     "sha256:" and the digest of its bytes, its media type, length and size.
//   - An object is those bytes, in a store: a folder attachments/v1 with
//     objects/<first 2 hex>/<64 hex>, or the media/ entries of an export archive.
//   - A request image is a re-encoded variant of an object that a route asked for,
//     cached beside the objects under a key of its own ([Transform.Key]).
//
// # When an object verifies
//
// Its SHA-256 is its id, its length is the reference's, and the media type and
// the dimensions read from its encoded header are the reference's. The type is
// always read from the bytes, never taken from the reference. Pixels are not
// decoded: the harness did that when it admitted the image, and equal digests
// mean equal pixels.
//
// Each way to fail is a [Failure] with a [Code] of its own.
//
// # Goals and non-goals
//
// Objects are read as streams, in constant memory. A symbolic link is followed,
// as the harness does, and noted. A folder, pipe or device in an object's place
// is a failure and never opened. The package writes nothing and knows no requests.
package objectstore

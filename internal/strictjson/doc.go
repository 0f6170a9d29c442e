// Package strictjson reads JSON that others wrote, as JavaScript's JSON.parse does
// and as encoding/json does not:
//
//   - member names are compared byte for byte after their escapes, in their case;
//   - of members of one name the last counts, wherever it stands, and that is noted;
//   - a text that ends early, or that anything but white space follows, is an error;
//   - bytes that are not UTF-8 are noted. They read as U+FFFD, one for each maximal
//     subpart, as a decoder of JavaScript makes it.
//
// A [Reader] reads a text of any length as a stream: only the values that are asked
// for are kept, and what is skipped is checked all the same. [Parse] reads one that
// is in memory.
//
// A member that stands twice is seen twice by the caller, who takes the last:
//
//	err := r.Object(func(name string) error {
//		if name == "entries" {
//			return r.Array(entry) // forgets what it read before
//		}
//		return nil // skipped
//	})
package strictjson

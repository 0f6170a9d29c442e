package objectstore

// A Code names a way in which an attachment fails. Codes are stable.
type Code string

// The codes.
const (
	CodeReference  Code = "object/reference-invalid"
	CodeMissing    Code = "object/missing"
	CodeUnreadable Code = "object/unreadable"
	CodeNotAFile   Code = "object/not-a-file"
	CodeDigest     Code = "object/digest-mismatch"
	CodeLength     Code = "object/length-mismatch"
	CodeType       Code = "object/type-mismatch"
	CodeDimensions Code = "object/dimensions-mismatch"
	CodeHeader     Code = "object/undecodable-header"
)

// A Failure says why an attachment does not verify. It implements error.
type Failure struct {
	Code   Code
	Detail string // what was found, in one clause
}

func (f *Failure) Error() string { return f.Detail + ": " + f.Code.Info().Meaning }

// CodeInfo describes a code.
type CodeInfo struct {
	Code    Code
	Meaning string // a clause without a full stop
	Action  string
}

var codes = []CodeInfo{
	{CodeReference, "the reference in the log is malformed, so no object can be found for it", "The harness never writes this: look for a tool that edited the log."},
	{CodeMissing, "the object is not in the store, so the image that the model saw cannot be shown or checked", "Look for the store that the harness used, or a backup of it."},
	{CodeUnreadable, "the object could not be read", "Check the permissions and the disk."},
	{CodeNotAFile, "something else than a file is in the object's place", "Remove it, and restore the object from a backup."},
	{CodeDigest, "the object's bytes are not those that the log names: it was damaged or exchanged", "Restore the object from a backup."},
	{CodeLength, "the object has another length than the reference says", "The reference was edited, or made for another object."},
	{CodeType, "the type read from the object's bytes is not the reference's", "The reference was edited, or made for another object."},
	{CodeDimensions, "the width and height read from the object's bytes are not the reference's", "The reference was edited, or made for another object."},
	{CodeHeader, "the object's bytes are no image that the harness stores, or its header is cut", "The harness never stores such an object: look for what put it there."},
}

// Codes returns the description of every failure, in catalogue order. The slice
// is shared: do not change it.
func Codes() []CodeInfo { return codes }

// Info returns the description of c.
func (c Code) Info() CodeInfo {
	for _, info := range codes {
		if info.Code == c {
			return info
		}
	}
	return CodeInfo{Code: c, Meaning: string(c)}
}

package logformat

// A Lifetime is a part of a log that one process wrote, as far as that shows in its
// requests: it begins at each snapshot of the header for the first request of a process.
type Lifetime struct {
	Seq int64 // of the snapshot
	// Shape is that of the lifetime's requests, where the log bears a sign of it; "" where
	// it bears none, or signs of both.
	Shape string
	// Migrated says that its requests were made in an older format.
	Migrated bool
	// Disagrees says that there are signs of more than one shape.
	Disagrees bool
}

// Shapes lists the shapes of requests that a format has several of, the one that is assumed
// first.
func Shapes() []string { return []string{Shape02, Shape017} }

// The shapes of requests of format 4 (section 11 of the specification of later formats).
const (
	Shape02  = "0.2"   // of the releases from 0.1.7-rc.2 on
	Shape017 = "0.1.7" // of 0.1.7-alpha.2 and 0.1.7-rc.1
)

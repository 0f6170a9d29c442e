package objectstore

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
)

// An Object is an open object of a store.
type Object struct {
	io.ReadCloser
	Path    string // where it is, for the report
	Symlink bool   // it was reached through a symbolic link
}

// A Store finds objects by their digest.
type Store interface {
	// Open opens the object with the digest. A *[Failure] says that it is not
	// there or cannot be read.
	Open(digest string) (*Object, *Failure)
	// OpenRequestImage opens a cached request image by its key.
	OpenRequestImage(key string) (*Object, *Failure)
	// Name says which store this is, for the report.
	Name() string
}

// A Check is what a verification of one reference found.
type Check struct {
	Reference Reference
	Path      string
	Symlink   bool
	Failure   *Failure // nil: the object verifies
}

// A Verifier checks references against a store, each object and reference once.
// It is not safe for concurrent use.
type Verifier struct {
	store  Store
	facts  map[string]*facts
	checks map[Reference]*Check
}

// NewVerifier returns a verifier over the store.
func NewVerifier(store Store) *Verifier {
	return &Verifier{store: store, facts: make(map[string]*facts), checks: make(map[Reference]*Check)}
}

// Store returns the verifier's store.
func (v *Verifier) Store() Store { return v.store }

// facts are what an object's bytes are like, whatever a reference says.
type facts struct {
	path    string
	symlink bool
	failure *Failure // it could not be read
	digest  string
	length  int64
	image   Image
	sniff   error
}

// Verify checks one reference.
func (v *Verifier) Verify(ref Reference) *Check {
	ref.Name = "" // two names of one object are one check
	if c := v.checks[ref]; c != nil {
		return c
	}
	f := v.facts[ref.Digest()]
	if f == nil {
		f = v.read(ref.Digest())
		v.facts[ref.Digest()] = f
	}
	c := &Check{Reference: ref, Path: f.path, Symlink: f.symlink, Failure: f.judge(ref)}
	v.checks[ref] = c
	return c
}

func (v *Verifier) read(digest string) *facts {
	object, failure := v.store.Open(digest)
	if failure != nil {
		return &facts{failure: failure}
	}
	defer object.Close()
	f := &facts{path: object.Path, symlink: object.Symlink}
	h := sha256.New()
	counted := &counter{r: io.TeeReader(object, h)}
	f.image, f.sniff = Sniff(counted)
	if _, err := io.Copy(io.Discard, counted); err != nil {
		f.failure = &Failure{CodeUnreadable, err.Error()}
		return f
	}
	f.length, f.digest = counted.n, hex.EncodeToString(h.Sum(nil))
	return f
}

func (f *facts) judge(ref Reference) *Failure {
	switch {
	case f.failure != nil:
		return f.failure
	case f.digest != ref.Digest():
		return &Failure{CodeDigest, fmt.Sprintf("its SHA-256 is %s", f.digest)}
	case f.length != ref.Bytes:
		return &Failure{CodeLength, fmt.Sprintf("%d bytes, the reference says %d", f.length, ref.Bytes)}
	case f.sniff != nil:
		return &Failure{CodeHeader, f.sniff.Error()}
	case f.image.MediaType != ref.MediaType:
		return &Failure{CodeType, fmt.Sprintf("%s, the reference says %s", f.image.MediaType, ref.MediaType)}
	case f.image.Width != ref.Width || f.image.Height != ref.Height:
		return &Failure{CodeDimensions, fmt.Sprintf("%d×%d, the reference says %d×%d", f.image.Width, f.image.Height, ref.Width, ref.Height)}
	}
	return nil
}

// Bytes returns the bytes of a reference that verifies.
func (v *Verifier) Bytes(ref Reference) ([]byte, *Failure) {
	if c := v.Verify(ref); c.Failure != nil {
		return nil, c.Failure
	}
	object, failure := v.store.Open(ref.Digest())
	if failure != nil {
		return nil, failure
	}
	defer object.Close()
	data, err := io.ReadAll(io.LimitReader(object, ref.Bytes+1))
	if err != nil {
		return nil, &Failure{CodeUnreadable, err.Error()}
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != ref.Digest() {
		return nil, &Failure{CodeDigest, "it changed while it was read"}
	}
	return data, nil
}

// counter counts the bytes read through it.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// maxRequestImage bounds the request images that are read: the harness re-encodes
// to a few hundred kilobytes.
const maxRequestImage = 64 << 20

// RequestImage returns the bytes of a cached request image. No digest vouches for
// them.
func (v *Verifier) RequestImage(key string) ([]byte, *Failure) {
	object, failure := v.store.OpenRequestImage(key)
	if failure != nil {
		return nil, failure
	}
	defer object.Close()
	data, err := io.ReadAll(io.LimitReader(object, maxRequestImage+1))
	if err != nil {
		return nil, &Failure{CodeUnreadable, err.Error()}
	}
	if len(data) > maxRequestImage {
		return nil, &Failure{CodeUnreadable, "the request image is longer than 64 MiB"}
	}
	return data, nil
}

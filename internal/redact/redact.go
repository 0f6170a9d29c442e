// Package redact replaces text by its length and a keyed digest, and an unkeyed digest by a
// keyed one, so that a report can be shown to strangers: equal texts stay recognisably
// equal within one report, and nobody without the key can test a guess.
package redact

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// A Redactor redacts with one key. A nil Redactor passes everything through.
type Redactor struct {
	key []byte
}

// New returns a redactor with the given key; an empty one is replaced by a random
// one.
func New(key []byte) *Redactor {
	if len(key) == 0 {
		key = make([]byte, 16)
		rand.Read(key)
	}
	return &Redactor{key}
}

// Key returns the key in hexadecimal.
func (r *Redactor) Key() string { return hex.EncodeToString(r.key) }

// Digest returns what stands for a text's SHA-256 digest, which would let a guess of the
// text be tested: in hexadecimal, HMAC-SHA-256 with the key over the digest's own
// hexadecimal digits. With key 2a, a shell has it of a digest D as
//
//	printf %s D | openssl dgst -sha256 -mac HMAC -macopt hexkey:2a
func (r *Redactor) Digest(sha256hex string) string {
	if r == nil {
		return sha256hex
	}
	return hex.EncodeToString(r.mac(sha256hex))
}

// Text returns what stands for a text.
func (r *Redactor) Text(s string) string {
	if r == nil {
		return s
	}
	return fmt.Sprintf("‹%d bytes #%x›", len(s), r.mac(s)[:4])
}

func (r *Redactor) mac(s string) []byte {
	mac := hmac.New(sha256.New, r.key)
	mac.Write([]byte(s))
	return mac.Sum(nil)
}

package verify_test

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"testing"

	"github.com/dsh-verify/dsh-verify/internal/check"
	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/requestlog"
)

// TestDamage cuts a log at every byte and flips bits of every byte. Whatever is
// left must get a verdict, and no request may be called verified whose bytes
// are not the recorded ones.
func TestDamage(t *testing.T) {
	for _, dir := range []string{"text-one-turn", "text-multi-turn-packed-zstd"} {
		t.Run(dir, func(t *testing.T) {
			file, err := requestlog.Open(filepath.Join(fixtures, dir, "requests.jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			want := recordedDigests(t, file)
			judge := func(what string, at int, data []byte) {
				log := run(data, check.Options{Recording: file})
				if log.Verdict == "" {
					t.Fatalf("%s at byte %d: no verdict", what, at)
				}
				for _, row := range log.Requests {
					if row.Verdict == finding.Verified && want[row.Key()] != row.SHA256 {
						t.Fatalf("%s at byte %d: request %s is called verified and has other bytes", what, at, row.Key())
					}
				}
			}
			data := logBytes(t, dir)
			for at := range data {
				judge("cut", at, data[:at])
				for _, mask := range []byte{0x01, 0x20, 0x80} {
					flipped := append([]byte(nil), data...)
					flipped[at] ^= mask
					judge("flip", at, flipped)
				}
			}
		})
	}
}

func recordedDigests(t *testing.T, file *requestlog.File) map[string]string {
	digests := make(map[string]string)
	for _, e := range file.Entries {
		b, err := file.Bytes(e)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(b)
		digests[e.Key()] = hex.EncodeToString(sum[:])
	}
	return digests
}

package reconstruct_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/reconstruct"
)

// TestDoubt: why a request's rebuilt bytes may not be those that were sent, of the
// lifetime that sent it.
func TestDoubt(t *testing.T) {
	const old = `raw {"type":"user/message","seq":2,"time":1,"data":{"content":[],"source":{"kind":"user"}},"surfaceOp":"append"}`
	const foreign = `raw {"type":"user/message", "seq":2,"time":1,"data":{"id":"a","role":"user","source":{"kind":"user"},"content":[]},"surfaceOp":"append"}`
	const lost = "raw {\"type\":\"user/message\",\"seq\":2,\"time\":1,\"data\":{\"id\":\"\xff\",\"role\":\"user\",\"source\":{\"kind\":\"user\"},\"content\":[]},\"surfaceOp\":\"append\"}"
	const rest = `
		header gpt
		chunk
		step end
		end-seed
		step 1.2
		chunk`
	for _, c := range []struct {
		name, log string
		want      reconstruct.Doubt
		overOld   bool
	}{
		{"none", turnOpen + `user "a"`, 0, false},
		{"a legacy shape", turnOpen + old, reconstruct.DoubtUpgraded, true},
		{"another writer's JSON", turnOpen + foreign, reconstruct.DoubtForeignJSON, true},
		{"lost bytes", turnOpen + lost, reconstruct.DoubtLostBytes, true},
		{"a foreign line that is not in the request", turnOpen + `raw {"type":"plan/mode", "seq":2,"time":1,"data":null}`, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := foldText(t, c.log+rest)
			if f.refusal != nil {
				t.Fatal(f.refusal)
			}
			if q := f.requests[0]; q.Doubt != c.want || q.OverOld {
				t.Errorf("first lifetime: doubt %d, over old %t", q.Doubt, q.OverOld)
			}
			if q := f.requests[1]; q.Doubt != 0 || q.OverOld != c.overOld {
				t.Errorf("second lifetime: doubt %d, over old %t", q.Doubt, q.OverOld)
			}
		})
	}
}

// TestOutranked: a fault of higher rank that comes after one of the surface decides.
func TestOutranked(t *testing.T) {
	const fault = turnOpen + `
		a: user "a"
		b: user "b"
		user "x" over b..a
	`
	for _, c := range []struct {
		name, log string
		code      logformat.Code
	}{
		{"the surface's own", fault, logformat.CodeReplaceReversed},
		{"an unknown type after it", fault + `event x/y {}`, logformat.CodeTypeUnknown},
		{"legacy vocabulary after it", fault + `event mode/set {}`, logformat.CodeLegacyMode},
		{"another fault of the surface after it", fault + `user "y" over a..b cites a`, logformat.CodeReplaceReversed},
		{"damage in front of it", turnOpen + `event x/y {}` + strings.TrimPrefix(fault, turnOpen), logformat.CodeTypeUnknown},
	} {
		f := foldText(t, c.log)
		if f.refusal == nil || f.refusal.Code != c.code {
			t.Errorf("%s: %v, want %s", c.name, f.refusal, c.code)
		}
	}
	plain := errors.New("the disk is gone")
	if got := reconstruct.Outranked(nil, plain); !errors.Is(got, plain) {
		t.Errorf("a failure to read became %v", got)
	}
}

package reconstruct_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/internal/logtext"
	"github.com/dsh-verify/dsh-verify/reconstruct"
)

// eachRequest folds a log and sees its requests while they are live, as no kept copy
// shows them.
func eachRequest(t *testing.T, log *logtext.Log, see func(*reconstruct.Request)) {
	t.Helper()
	r := log.Reader()
	header, err := r.Header()
	if err != nil {
		t.Fatal(err)
	}
	for q, err := range reconstruct.NewSession(header, reconstruct.Options{}).Requests(r) {
		if err != nil {
			t.Fatal(err)
		}
		see(q)
	}
}

// history is a log of many short steps; each(i) is what comes before the chunk of
// step i.
func history(steps int, each func(i int) string) string {
	var b strings.Builder
	b.WriteString("turn 1\n")
	for i := 1; i <= steps; i++ {
		fmt.Fprintf(&b, "step 1.%d\nu%d: user \"question %d\"\n%s\nchunk\na%d: assistant \"answer %d\"\nstep end\n", i, i, i, each(i), i, i)
	}
	return b.String()
}

// TestDigests: however a request relates to the one before it, its extended digest is
// that of its bytes.
func TestDigests(t *testing.T) {
	long := strings.Repeat("long ", 20000)
	for _, c := range []struct {
		name string
		log  string
	}{
		{"appends", history(12, func(i int) string { return first(i, "header gpt") })},
		{"a header that changes each time", history(8, func(i int) string { return fmt.Sprintf("header gpt system=\"%d\"", i) })},
		{"a config that changes each time", history(8, func(i int) string { return fmt.Sprintf("header gpt%d", i) })},
		{"a header that comes back", history(8, func(i int) string { return fmt.Sprintf("header gpt%d", i%2) })},
		{"a replace of the end", history(6, func(i int) string {
			return first(i, "header gpt") + after(i, 4, "user \"x\" over a3")
		})},
		{"a replace of the start", history(6, func(i int) string {
			return first(i, "header gpt") + after(i, 4, "user \"x\" over u1..a1")
		})},
		{"a replace in the middle", history(6, func(i int) string {
			return first(i, "header gpt") + after(i, 5, "user \"x\" over a2..u3")
		})},
		{"a replace of everything", history(6, func(i int) string {
			return first(i, "header gpt") + after(i, 5, "user \"x\" over u1..u5")
		})},
		{"replaces one after the other", history(6, func(i int) string {
			return first(i, "header gpt") + after(i, 3, "x: user \"x\" over u1..u2") + after(i, 4, "y: user \"y\" over x..a2") + after(i, 5, "user \"z\" over y..u3")
		})},
		{"a replace that a taken request does not see", before + `
			chunk
			a: assistant "yo"
			step end
			step 1.2
			user "more"
			header gpt
			user "x" over q..a
			chunk
			step end
			step 1.3
			chunk`},
		{"messages longer than the space between two checkpoints", history(6, func(i int) string {
			return first(i, "header gpt") + "\nl" + fmt.Sprint(i) + ": user \"" + long + "\"" + after(i, 5, "user \"x\" over l2..a3")
		})},
		{"prepared requests in between", before + `
			step end
			step 1.2
			user "b"
			step end
			step 1.3
			user "c"
			chunk
			step end
			step 1.4
			user "d"
			step end`},
	} {
		t.Run(c.name, func(t *testing.T) {
			eachRequest(t, logtext.New(t, c.log), func(q *reconstruct.Request) { check(t, q) })
		})
	}
}

func first(i int, line string) string { return after(i, 1, line) }

// after gives a line in one step only.
func after(i, step int, line string) string {
	if i != step {
		return ""
	}
	return "\n" + line
}

// TestDigestsOfRandomLogs folds logs of random appends, replaces and headers.
func TestDigestsOfRandomLogs(t *testing.T) {
	for seed := range uint64(60) {
		log := logtext.New(t, randomLog(rand.New(rand.NewPCG(seed, 1))))
		requests := 0
		eachRequest(t, log, func(q *reconstruct.Request) {
			check(t, q)
			requests++
		})
		if t.Failed() {
			t.Fatalf("seed %d:\n%s", seed, log.Text)
		}
		if requests == 0 {
			t.Errorf("seed %d makes no request", seed)
		}
	}
}

// randomLog is a log in which anything that may happen to the surface does.
func randomLog(r *rand.Rand) string {
	var b strings.Builder
	var surface []string // names, in order
	names := 0
	name := func() string {
		names++
		return fmt.Sprintf("n%d", names)
	}
	b.WriteString("turn 1\nheader gpt\n")
	for step := 1; step <= 12; step++ {
		fmt.Fprintf(&b, "step 1.%d\n", step)
		for range r.IntN(5) {
			switch n := name(); {
			case len(surface) > 0 && r.IntN(3) == 0:
				i := r.IntN(len(surface))
				j := i + r.IntN(len(surface)-i)
				fmt.Fprintf(&b, "%s: user \"over\" over %s..%s cites %s\n", n, surface[i], surface[j], strings.Join(surface[i:j+1], ","))
				surface = append(append(append([]string{}, surface[:i]...), n), surface[j+1:]...)
			case r.IntN(4) == 0:
				fmt.Fprintf(&b, "header gpt%d\n%s: user \"late\"\n", r.IntN(3), n)
				surface = append(surface, n)
			default:
				fmt.Fprintf(&b, "%s: user \"words\"\n", n)
				surface = append(surface, n)
			}
		}
		b.WriteString([]string{"chunk\n", "finish error\nchunk\n", "finish error\nretry started\n", ""}[r.IntN(4)])
		n := name()
		fmt.Fprintf(&b, "%s: assistant \"answer\"\nstep end\n", n)
		surface = append(surface, n)
	}
	return b.String()
}

// TestKeep: a request is valid until the next record, a kept one
// for good.
func TestKeep(t *testing.T) {
	log := logtext.New(t, before+`
		chunk
		a: assistant "yo"
		step end
		step 1.2
		chunk
		step end
		user "sum" over q..a
		step 1.3
		chunk`)
	var kept []*reconstruct.Request
	var digests []string
	eachRequest(t, log, func(q *reconstruct.Request) {
		kept = append(kept, q.Keep())
		digests = append(digests, fmt.Sprintf("%x", sha256.Sum256(q.Bytes())))
	})
	for i, q := range kept {
		if got := fmt.Sprintf("%x", sha256.Sum256(q.Bytes())); got != digests[i] || q.Digest().String() != got {
			t.Errorf("request %s changed after the log went on", q.Key())
		}
		if q.Count() != len(messages(q)) {
			t.Errorf("request %s counts %d of %d messages", q.Key(), q.Count(), len(messages(q)))
		}
	}
	if got := texts(kept[1]); got != "hi | yo" {
		t.Errorf("the second holds %s", got)
	}
}

// TestWriteTo stops at the first error and says how much it wrote.
func TestWriteTo(t *testing.T) {
	q := foldText(t, before+`chunk`).requests[0]
	for room := range int(q.Len()) + 1 {
		w := &narrow{room: room}
		n, err := q.WriteTo(w)
		if full := room == int(q.Len()); (err == nil) != full || int(n) != w.written {
			t.Fatalf("with room for %d bytes: %d written of %d, error %v", room, n, w.written, err)
		}
	}
}

// narrow takes as many bytes as it has room for.
type narrow struct{ room, written int }

func (w *narrow) Write(p []byte) (int, error) {
	n := min(len(p), w.room-w.written)
	w.written += n
	if n < len(p) {
		return n, errors.New("full")
	}
	return n, nil
}

// TestRequestsStops: a caller that breaks off is given nothing more.
func TestRequestsStops(t *testing.T) {
	log := logtext.New(t, history(4, func(i int) string { return first(i, "header gpt") }))
	r := log.Reader()
	header, err := r.Header()
	if err != nil {
		t.Fatal(err)
	}
	session := reconstruct.NewSession(header, reconstruct.Options{})
	for q := range session.Requests(r) {
		if q.Key() == "1.2.1" {
			break
		}
	}
	if got := session.Stats().Requests; got != 2 {
		t.Errorf("%d requests were folded", got)
	}
	if _, err := r.Next(); err != nil && !errors.Is(err, io.EOF) {
		t.Error(err)
	}
}

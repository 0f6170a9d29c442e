package seal

import "slices"

// An edit is a run of sealed events, and the run of the log's that stands in its
// place: [from,to) of each.
type edit struct {
	sealed, now span
}

type span struct{ from, to int }

func (s span) len() int { return s.to - s.from }

// The bounds of a search for the place at which two logs go on alike.
const (
	agree    = 4     // marks that must be equal there
	farthest = 2_000 // events that may be skipped on both sides together
)

// align returns the edits that lead from the sealed marks to those of the log now,
// which may go on after them. Of several ways the one that skips fewest events is
// taken.
func align(sealed, now []mark) (edits []edit) {
	i, j := 0, 0
	for i < len(sealed) {
		if j < len(now) && sealed[i] == now[j] {
			i, j = i+1, j+1
			continue
		}
		a, b := resume(sealed[i:], now[j:])
		edits = append(edits, edit{span{i, i + a}, span{j, j + b}})
		i, j = i+a, j+b
	}
	return edits
}

// resume returns how many events to skip on both sides until they go on alike.
func resume(sealed, now []mark) (a, b int) {
	for k := 2; len(sealed) <= min(agree, len(now)) && k <= len(sealed); k++ {
		if permuted(sealed[:k], now[:k]) && slices.Equal(sealed[k:], now[k:len(sealed)]) {
			return k, k // so near the end a moved event looks like one that was taken out
		}
	}
	for sum := 1; sum <= farthest; sum++ {
		if a := sum / 2; sum%2 == 0 && goesOn(sealed, now, a, a) {
			return a, a // changed, rather than one taken out and another put in
		}
		for a := sum; a >= 0; a-- {
			if goesOn(sealed, now, a, sum-a) {
				return a, sum - a
			}
		}
	}
	return len(sealed), min(len(sealed), len(now))
}

// goesOn reports whether both sides are alike after what is skipped. The end of
// the sealed events is reached together with as many of the log's as there are.
func goesOn(sealed, now []mark, a, b int) bool {
	if a > len(sealed) || b > len(now) {
		return false
	}
	if a == len(sealed) {
		return b == min(a, len(now))
	}
	n := min(agree, len(sealed)-a)
	return len(now)-b >= n && slices.Equal(sealed[a:a+n], now[b:b+n])
}

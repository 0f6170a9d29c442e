package upgrade

import "github.com/dsh-verify/dsh-verify/internal/upgrade/jsvalue"

// decodeRanges0 decodes sourceEventSeqs as formats 0 and 1 do: entries are counts or pairs of
// counts; there are no more of them than the row's number; with a pair among them they
// strictly increase. ok is false for anything else.
func decodeRanges0(v *jsvalue.Value, seq int64) (out []int64, ok bool) {
	if !v.IsArray() {
		return nil, false
	}
	ranged := false
	for _, item := range v.Items() {
		if n, count := item.Count(); count && int64(len(out)) < seq {
			out = append(out, n)
			continue
		}
		first, last, pair := pairOf(item)
		if !pair || last-first+1 > seq-int64(len(out)) {
			return nil, false
		}
		for n := first; n <= last; n++ {
			out = append(out, n)
		}
		ranged = true
	}
	return out, !ranged || increasing(out)
}

// decodeRanges decodes sourceEventSeqs as formats 2 to 4 do: besides, the numbers are
// distinct and below the row's.
func decodeRanges(v *jsvalue.Value, seq int64) (out []int64, ok bool) {
	if !v.IsArray() {
		return nil, false
	}
	ranged := false
	for _, item := range v.Items() {
		if n, count := item.Count(); count {
			out = append(out, n)
			continue
		}
		first, last, pair := pairOf(item)
		if !pair || last >= seq || last-first+1 > seq-int64(len(out)) {
			return nil, false
		}
		for n := first; n <= last; n++ {
			out = append(out, n)
		}
		ranged = true
	}
	return out, distinctBelow(out, seq) && (!ranged || increasing(out))
}

func pairOf(v *jsvalue.Value) (first, last int64, ok bool) {
	if len(v.Items()) != 2 {
		return 0, 0, false
	}
	first, ok1 := v.Item(0).Count()
	last, ok2 := v.Item(1).Count()
	return first, last, ok1 && ok2 && first <= last
}

func increasing(seqs []int64) bool {
	for i := 1; i < len(seqs); i++ {
		if seqs[i] <= seqs[i-1] {
			return false
		}
	}
	return true
}

func distinctBelow(seqs []int64, limit int64) bool {
	seen := make(map[int64]bool, len(seqs))
	for _, n := range seqs {
		if n >= limit || seen[n] {
			return false
		}
		seen[n] = true
	}
	return true
}

// encodeRanges is how rows hold sourceEventSeqs: in a list that strictly increases, each run
// of three or more numbers is a pair of its first and last.
func encodeRanges(seqs []int64) *jsvalue.Value {
	items := make([]*jsvalue.Value, 0, len(seqs))
	if !increasing(seqs) {
		for _, n := range seqs {
			items = append(items, jsvalue.Int(n))
		}
		return jsvalue.Array(items...)
	}
	for i := 0; i < len(seqs); {
		end := i
		for end+1 < len(seqs) && seqs[end+1] == seqs[end]+1 {
			end++
		}
		if end-i >= 2 {
			items = append(items, jsvalue.Array(jsvalue.Int(seqs[i]), jsvalue.Int(seqs[end])))
			i = end + 1
			continue
		}
		items = append(items, jsvalue.Int(seqs[i]))
		i++
	}
	return jsvalue.Array(items...)
}

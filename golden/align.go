package golden

import "sort"

// A pair is an item of the old list and the one of the new list that it became;
// -1 where there is none.
type pair struct{ old, new int }

// align pairs the items of two lists of keys, in order. Items whose keys are
// equal pair up where they are in the same order; what is left between them pairs
// up one by one where alike allows it. It costs n log n.
func align(old, new []string, alike func(i, j int) bool) []pair {
	a := aligner{old: old, new: new, alike: alike}
	a.moved = a.anchors()
	last := pair{-1, -1}
	for _, anchor := range append(a.fixed, pair{len(old), len(new)}) {
		a.between(last.old+1, anchor.old, last.new+1, anchor.new)
		if anchor.old < len(old) {
			a.pairs = append(a.pairs, anchor)
		}
		last = anchor
	}
	return a.pairs
}

type aligner struct {
	old, new []string
	alike    func(i, j int) bool
	fixed    []pair          // equal keys, ascending in both lists
	moved    map[string]bool // keys that are in both lists, in another order
	pairs    []pair
}

// anchors finds the equal items that hold the alignment: the common ends, and
// between them the longest run of unique keys in the same order.
func (a *aligner) anchors() map[string]bool {
	start, oldEnd, newEnd := 0, len(a.old), len(a.new)
	for start < oldEnd && start < newEnd && a.old[start] == a.new[start] {
		a.fixed = append(a.fixed, pair{start, start})
		start++
	}
	var tail []pair
	for oldEnd > start && newEnd > start && a.old[oldEnd-1] == a.new[newEnd-1] {
		oldEnd--
		newEnd--
		tail = append(tail, pair{oldEnd, newEnd})
	}
	inOld, inNew := unique(a.old[start:oldEnd]), unique(a.new[start:newEnd])
	var common []pair
	for j := start; j < newEnd; j++ {
		i, once := inOld[a.new[j]]
		if _, also := inNew[a.new[j]]; once && also && i >= 0 && inNew[a.new[j]] >= 0 {
			common = append(common, pair{start + i, j})
		}
	}
	run := ascending(common)
	a.fixed = append(a.fixed, run...)
	for i := len(tail) - 1; i >= 0; i-- {
		a.fixed = append(a.fixed, tail[i])
	}
	moved := make(map[string]bool)
	for _, p := range common {
		moved[a.new[p.new]] = true
	}
	for _, p := range run {
		delete(moved, a.new[p.new])
	}
	return moved
}

// unique returns the index of each key, -1 where it is there twice.
func unique(keys []string) map[string]int {
	at := make(map[string]int, len(keys))
	for i, key := range keys {
		if _, twice := at[key]; twice {
			i = -1
		}
		at[key] = i
	}
	return at
}

// ascending returns the longest subsequence of pairs, which ascend in new, that
// ascends in old too.
func ascending(pairs []pair) []pair {
	var ends []int // index in pairs of the lowest end of a run of each length
	before := make([]int, len(pairs))
	for k, p := range pairs {
		n := sort.Search(len(ends), func(n int) bool { return pairs[ends[n]].old >= p.old })
		before[k] = -1
		if n > 0 {
			before[k] = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, k)
		} else {
			ends[n] = k
		}
	}
	if len(ends) == 0 {
		return nil
	}
	run := make([]pair, len(ends))
	for n, k := len(ends)-1, ends[len(ends)-1]; n >= 0; n, k = n-1, before[k] {
		run[n] = pairs[k]
	}
	return run
}

// between pairs what lies between two anchors.
func (a *aligner) between(i, oldEnd, j, newEnd int) {
	for i < oldEnd || j < newEnd {
		switch {
		case i < oldEnd && (j == newEnd || a.moved[a.old[i]]):
			a.pairs = append(a.pairs, pair{i, -1})
			i++
		case j < newEnd && (i == oldEnd || a.moved[a.new[j]]):
			a.pairs = append(a.pairs, pair{-1, j})
			j++
		case a.alike(i, j):
			a.pairs = append(a.pairs, pair{i, j})
			i++
			j++
		case oldEnd-i > newEnd-j:
			a.pairs = append(a.pairs, pair{i, -1})
			i++
		default:
			a.pairs = append(a.pairs, pair{-1, j})
			j++
		}
	}
}

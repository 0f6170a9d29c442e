package diffview

import (
	"bytes"
	"strconv"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// array compares two arrays: by name where the elements have names of their own,
// as tools do, otherwise by what they share in order.
func (d *Diff) array(path string, old, new ecmajson.Value) {
	oldElements, newElements := elements(old), elements(new)
	if d.named(path, old, new, oldElements, newElements) {
		return
	}
	n := 0
	for n < min(len(oldElements), len(newElements)) && bytes.Equal(oldElements[n], newElements[n]) {
		n++
	}
	i, j := len(oldElements), len(newElements)
	for i > n && j > n && bytes.Equal(oldElements[i-1], newElements[j-1]) {
		i, j = i-1, j-1
	}
	d.gaps(path, oldElements[n:i], newElements[n:j], n)
}

func elements(v ecmajson.Value) (list []ecmajson.Value) {
	for e := range v.Elements() {
		list = append(list, e)
	}
	return list
}

// named compares arrays of objects that have distinct names.
func (d *Diff) named(path string, oldArray, newArray ecmajson.Value, old, new []ecmajson.Value) bool {
	oldNames, newNames := names(old), names(new)
	if oldNames == nil || newNames == nil {
		return false
	}
	at := make(map[string]int, len(newNames))
	for j, name := range newNames {
		at[name] = j
	}
	last, moved := -1, false
	for i, name := range oldNames {
		j, ok := at[name]
		if !ok {
			d.add(Change{Removed, element(path, i), old[i], nil})
			continue
		}
		moved = moved || j < last
		last = j
		d.compare(element(path, i), old[i], new[j])
		delete(at, name)
	}
	for j, name := range newNames {
		if _, ok := at[name]; ok {
			d.add(Change{Added, element(path, j), nil, new[j]})
		}
	}
	if moved {
		d.add(Change{Reorder, path, oldArray, newArray})
	}
	return true
}

func element(path string, i int) string { return path + "/" + strconv.Itoa(i) }

// names returns the distinct names of all elements, nil when there are none such.
// A tool's name lies a level deeper on the wire.
func names(list []ecmajson.Value) []string {
	seen := make(map[string]bool, len(list))
	out := make([]string, 0, len(list))
	for _, v := range list {
		name := v.Lookup("name")
		if name == nil {
			name = v.Lookup("function").Lookup("name")
		}
		text := name.Text()
		if text == "" || seen[text] {
			return nil
		}
		seen[text] = true
		out = append(out, text)
	}
	return out
}

// maxTable bounds the table in which a longest common subsequence is searched.
const maxTable = 1 << 20

// gaps compares two runs of elements that start at the same index. Equal ones
// are matched; what lies between matches is compared pair by pair.
func (d *Diff) gaps(path string, old, new []ecmajson.Value, base int) {
	i, j := 0, 0
	for _, match := range matches(old, new) {
		d.pairs(path, old[i:match[0]], new[j:match[1]], base+i, base+j)
		i, j = match[0]+1, match[1]+1
	}
	d.pairs(path, old[i:], new[j:], base+i, base+j)
}

func (d *Diff) pairs(path string, old, new []ecmajson.Value, i, j int) {
	n := min(len(old), len(new))
	for k := range n {
		if old[k].Lookup("id") != nil && !ecmajson.Equal(old[k].Lookup("id"), new[k].Lookup("id")) {
			// Two messages, not one that was edited.
			d.add(Change{Removed, element(path, i+k), old[k], nil})
			d.add(Change{Added, element(path, j+k), nil, new[k]})
			continue
		}
		d.compare(element(path, i+k), old[k], new[k])
	}
	for k := n; k < len(old); k++ {
		d.add(Change{Removed, element(path, i+k), old[k], nil})
	}
	for k := n; k < len(new); k++ {
		d.add(Change{Added, element(path, j+k), nil, new[k]})
	}
}

// matches returns the pairs of a longest common subsequence, none when the runs
// are too long to search.
func matches(old, new []ecmajson.Value) (pairs [][2]int) {
	n, m := len(old), len(new)
	if n == 0 || m == 0 || n > maxTable/m {
		return nil
	}
	ids := make(map[string]int)
	id := func(v ecmajson.Value) int {
		k, ok := ids[string(v)]
		if !ok {
			k = len(ids)
			ids[string(v)] = k
		}
		return k
	}
	a, b := make([]int, n), make([]int, m)
	for i, v := range old {
		a[i] = id(v)
	}
	for j, v := range new {
		b[j] = id(v)
	}
	table := make([]int32, (n+1)*(m+1))
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			if a[i] == b[j] {
				table[i*(m+1)+j] = table[(i+1)*(m+1)+j+1] + 1
			} else {
				table[i*(m+1)+j] = max(table[(i+1)*(m+1)+j], table[i*(m+1)+j+1])
			}
		}
	}
	for i, j := 0, 0; i < n && j < m; {
		switch {
		case a[i] == b[j]:
			pairs = append(pairs, [2]int{i, j})
			i, j = i+1, j+1
		case table[(i+1)*(m+1)+j] >= table[i*(m+1)+j+1]:
			i++
		default:
			j++
		}
	}
	return pairs
}

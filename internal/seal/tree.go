package seal

import (
	"crypto/sha256"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"
)

// The subtrees whose hashes a statement holds have 256 events.
const (
	blockLevel = 8
	blockSize  = 1 << blockLevel
)

// A tree is the tree over a log's events.
type tree struct {
	size   int64
	hashes []tlog.Hash // by tlog.StoredHashIndex
}

// ReadHashes makes a tree a tlog.HashReader.
func (t *tree) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	list := make([]tlog.Hash, len(indexes))
	for i, at := range indexes {
		if at < 0 || at >= int64(len(t.hashes)) {
			return nil, fmt.Errorf("seal: the tree has no hash %d", at)
		}
		list[i] = t.hashes[at]
	}
	return list, nil
}

func (t *tree) add(leaf tlog.Hash) {
	hashes, err := tlog.StoredHashesForRecordHash(t.size, leaf, t)
	if err != nil {
		panic("seal: " + err.Error()) // the tree holds all that it asks for
	}
	t.hashes = append(t.hashes, hashes...)
	t.size++
}

// root returns the hash of the tree over the first n events.
func (t *tree) root(n int64) tlog.Hash {
	if n == 0 {
		return emptyRoot
	}
	h, err := tlog.TreeHash(n, t)
	if err != nil {
		panic("seal: " + err.Error())
	}
	return h
}

// emptyRoot is the hash of the tree without leaves.
var emptyRoot = tlog.Hash(sha256.Sum256(nil))

// blocks returns the hashes of the subtrees over the first n events: of 256 each,
// the last of what is left.
func (t *tree) blocks(n int64) (list []tlog.Hash) {
	for first := int64(0); first < n; first += blockSize {
		if first+blockSize <= n {
			list = append(list, t.hashes[tlog.StoredHashIndex(blockLevel, first/blockSize)])
			continue
		}
		var rest []tlog.Hash
		for i := first; i < n; i++ {
			rest = append(rest, t.hashes[tlog.StoredHashIndex(0, i)])
		}
		list = append(list, join(rest))
	}
	return list
}

// join returns the hash of the tree whose leaves, or equal subtrees of which only
// the last may be smaller, have the given hashes.
func join(hashes []tlog.Hash) tlog.Hash {
	switch n := len(hashes); n {
	case 0:
		return emptyRoot
	case 1:
		return hashes[0]
	default:
		left := 1
		for left*2 < n {
			left *= 2
		}
		return tlog.NodeHash(join(hashes[:left]), join(hashes[left:]))
	}
}

// prove proves that the tree over n events is a prefix of this one.
func (t *tree) prove(n int64, root tlog.Hash) error {
	if n == 0 || n > t.size {
		return nil
	}
	proof, err := tlog.ProveTree(t.size, n, t)
	if err != nil {
		return err
	}
	return tlog.CheckTree(proof, t.size, t.root(t.size), n, root)
}

package objectstore

import "strings"

// Several returns a store over several stores. An object is taken from the first
// one that has it.
func Several(stores ...Store) Store {
	if len(stores) == 1 {
		return stores[0]
	}
	return several(stores)
}

type several []Store

func (s several) Name() string {
	names := make([]string, len(s))
	for i, store := range s {
		names[i] = store.Name()
	}
	return strings.Join(names, ", ")
}

func (s several) Open(digest string) (*Object, *Failure) {
	return s.first(func(store Store) (*Object, *Failure) { return store.Open(digest) })
}

func (s several) OpenRequestImage(key string) (*Object, *Failure) {
	return s.first(func(store Store) (*Object, *Failure) { return store.OpenRequestImage(key) })
}

// first asks store after store. Where none has the object, the first failure that
// is more than its absence counts.
func (s several) first(open func(Store) (*Object, *Failure)) (*Object, *Failure) {
	var worst *Failure
	for _, store := range s {
		object, failure := open(store)
		if failure == nil {
			return object, nil
		}
		if worst == nil || worst.Code == CodeMissing {
			worst = failure
		}
	}
	if worst == nil {
		worst = &Failure{CodeMissing, "no store"}
	}
	return nil, worst
}

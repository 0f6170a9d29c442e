package sqlitefile

import (
	"bytes"
	"cmp"
	"slices"
	"sync"
)

// A Table is a table of the database.
type Table struct {
	file    *File
	name    string
	def     *definition
	root    uint32
	indexes []index

	mu      sync.Mutex
	tallies map[int]map[string]int // by column: how many rows have each text
}

// tally counts the rows by the text in a column, in a walk over the whole table
// that is made once. Overflow pages are read only for a text that reaches there.
func (t *Table) tally(column int) (map[string]int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if counts := t.tallies[column]; counts != nil {
		return counts, nil
	}
	counts := map[string]int{}
	r := &Rows{table: t}
	r.ascent.tree = tree{t.file, t.root, t.def.withoutRowID}
	if !t.def.withoutRowID { // its keys are compared whole
		r.ascent.prefix = t.def.stored(column) + 1
	}
	err := r.ascent.first()
	for err == nil {
		var ok bool
		var v Value
		if ok, err = r.walk(); !ok {
			break
		}
		if v, err = r.at(column); err == nil && v.Kind == Text {
			counts[string(v.Bytes)]++
		}
	}
	if err != nil {
		return nil, err
	}
	if t.tallies == nil {
		t.tallies = map[int]map[string]int{}
	}
	t.tallies[column] = counts
	return counts, nil
}

// A Query says which rows of a table are wanted, and what of them.
type Query struct {
	Columns []string // the values wanted
	Where   string   // a column that must be the text Equals; any row without
	Equals  string
	OrderBy string // the column by which the rows are sorted under Where
}

// Rows are the rows of a table that a query wants, in order.
type Rows struct {
	table  *Table
	query  Query
	wanted []int // columns
	where  int   // a column
	out    []Value
	count  int // rows so far

	step   func() (bool, error)
	ascent ascent  // over the table, or over the index by which rows are found
	rows   cursor  // over the table, for rows that are looked up
	rowID  int64   // of the row on which r stands
	values []Value // of its record
	found  []foundRow
}

// A foundRow is a row to be looked up.
type foundRow struct {
	order Value
	rowID int64
}

// Rows returns the rows that a query wants: by an index where there is one that
// fits, else by walking the whole table. Next holds at the end of rows found by
// an index that the table has no others, which walks it once.
func (t *Table) Rows(q Query) (*Rows, error) {
	r := &Rows{table: t, query: q}
	for _, name := range q.Columns {
		c, err := t.column(name)
		if err != nil {
			return nil, err
		}
		r.wanted = append(r.wanted, c)
	}
	r.out = make([]Value, len(r.wanted))
	r.rows.tree = tree{t.file, t.root, t.def.withoutRowID}
	if q.Where == "" {
		r.ascent.tree = r.rows.tree
		r.step = r.walk
		return r, r.ascent.first()
	}
	var key []int
	for _, name := range []string{q.Where, q.OrderBy} {
		if name == "" {
			continue
		}
		c, err := t.column(name)
		if err != nil {
			return nil, err
		}
		key = append(key, c)
	}
	r.where = key[0]
	return r, r.plan(key)
}

// column finds a column.
func (t *Table) column(name string) (int, error) {
	if c := t.def.find(name); c >= 0 {
		return c, nil
	}
	return 0, &Unsupported{"table " + t.name + " has no column " + name}
}

// plan chooses how rows are found by their key.
func (r *Rows) plan(key []int) error {
	starts := func(columns []int) bool {
		return len(columns) >= len(key) && slices.Equal(columns[:len(key)], key)
	}
	t, wanted := r.table, []Value{{Kind: Text, Bytes: []byte(r.query.Equals)}}
	if t.def.withoutRowID {
		if !starts(t.def.primaryKey) {
			return &Unsupported{"table " + t.name + ": it is kept without row ids and by another key than that of a store"}
		}
		r.ascent.tree = r.rows.tree
		r.step = r.walkKey
		return r.ascent.seekKey(wanted)
	}
	for _, x := range t.indexes {
		if starts(x.columns) {
			r.ascent.tree = tree{t.file, x.root, true}
			r.step = func() (bool, error) { return r.followIndex(x.name, key) }
			return r.ascent.seekKey(wanted)
		}
	}
	r.ascent.tree = r.rows.tree
	r.step = func() (bool, error) { return r.sort(key) }
	return r.ascent.first()
}

// matches reports whether a value is the wanted one.
func (r *Rows) matches(v Value) bool { return v.Kind == Text && string(v.Bytes) == r.query.Equals }

// Next goes to the next row. It reports whether there is one; the error is a
// *[Damage] or that of the file system.
func (r *Rows) Next() (bool, error) {
	ok, err := r.step()
	if err == nil && !ok && r.query.Where != "" {
		err = r.complete()
	}
	if !ok || err != nil {
		return false, err
	}
	r.count++
	for i, c := range r.wanted {
		if r.out[i], err = r.at(c); err != nil {
			return false, err
		}
	}
	return true, nil
}

// complete holds that no row was missed: an index leads astray when its keys do
// not ascend, or when rows are not in it.
func (r *Rows) complete() error {
	counts, err := r.table.tally(r.where)
	if err != nil {
		return err
	}
	if n := counts[r.query.Equals]; n != r.count {
		return damage(0, "table %s has %d rows with this %s, and its index leads to %d", r.table.name, n, r.query.Where, r.count)
	}
	return nil
}

// Value returns the i-th of the wanted values. It is good until Next.
func (r *Rows) Value(i int) Value { return r.out[i] }

// at returns the value of a column of the row on which r stands.
func (r *Rows) at(column int) (Value, error) {
	def := r.table.def
	if column == def.rowIDColumn {
		return Value{Kind: Integer, Int: r.rowID}, nil
	}
	if at := def.stored(column); at < len(r.values) {
		return r.values[at], nil
	}
	c := def.columns[column]
	if c.unknown {
		return Value{}, damage(0, "a row of table %s has no value for %s, and the default is not known", r.table.name, c.name)
	}
	return c.fallback, nil
}

// walk goes through the whole table.
func (r *Rows) walk() (bool, error) {
	ok, err := r.ascent.advance()
	r.rowID, r.values = r.ascent.rowID, r.ascent.values
	return ok, err
}

// walkKey goes through the rows of a key in a table without row ids.
func (r *Rows) walkKey() (bool, error) {
	ok, err := r.walk()
	return ok && r.matches(r.values[0]), err
}

// followIndex goes through the entries of an index and looks up their rows.
func (r *Rows) followIndex(name string, key []int) (bool, error) {
	ok, err := r.ascent.advance()
	if !ok || err != nil {
		return false, err
	}
	entry, page := r.ascent.values, r.ascent.top().number
	if len(entry) <= len(key) || entry[len(entry)-1].Kind != Integer {
		return false, damage(page, "an entry of index %s has no row id", name)
	}
	if !r.matches(entry[0]) {
		return false, nil
	}
	rowID := entry[len(entry)-1].Int
	if err := r.lookUp(rowID); err != nil {
		return false, err
	}
	for i, c := range key {
		v, err := r.at(c)
		if err != nil {
			return false, err
		}
		if v.Compare(entry[i]) != 0 {
			return false, damage(page, "index %s and row %d differ in %s", name, rowID, r.table.def.columns[c].name)
		}
	}
	return true, nil
}

// lookUp reads the row with an id.
func (r *Rows) lookUp(rowID int64) error {
	ok, err := r.rows.seekRow(rowID)
	if err != nil {
		return err
	}
	if !ok {
		return damage(0, "table %s has no row %d, which an index names", r.table.name, rowID)
	}
	_, record, err := r.rows.record()
	if err != nil {
		return err
	}
	r.rowID = rowID
	r.values, err = r.rows.decode(record, r.values)
	return err
}

// sort finds the rows of a key that no index has, then goes through them.
func (r *Rows) sort(key []int) (bool, error) {
	for r.ascent.more() {
		ok, err := r.walk()
		if err != nil {
			return false, err
		}
		if !ok {
			break
		}
		if err := r.find(key); err != nil {
			return false, err
		}
	}
	slices.SortStableFunc(r.found, func(a, b foundRow) int {
		return cmp.Or(a.order.Compare(b.order), cmp.Compare(a.rowID, b.rowID))
	})
	r.values = nil // they were the ascent's
	r.step = func() (bool, error) {
		if len(r.found) == 0 {
			return false, nil
		}
		next := r.found[0]
		r.found = r.found[1:]
		return true, r.lookUp(next.rowID)
	}
	return r.step()
}

// find keeps the row on which r stands if it is wanted.
func (r *Rows) find(key []int) error {
	v, err := r.at(key[0])
	if err != nil || !r.matches(v) {
		return err
	}
	if v, err = r.at(key[len(key)-1]); err != nil {
		return err
	}
	v.Bytes = bytes.Clone(v.Bytes)
	r.found = append(r.found, foundRow{v, r.rowID})
	return nil
}

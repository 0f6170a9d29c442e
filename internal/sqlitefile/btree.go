package sqlitefile

import (
	"encoding/binary"
	"math"
	"sort"
)

// A tree is one b-tree of the file. The tree of a table is keyed by row id and
// has its records in the leaves; that of an index has its records, which are the
// keys, on every page.
type tree struct {
	file  *File
	root  uint32
	index bool
}

// A cursor stands on a record of a tree, or behind the last.
type cursor struct {
	tree
	path    []page // from the root; the record is on the last
	pool    []page // pages whose memory can be used again
	payload []byte // a record put together from overflow pages
	link    []byte // an overflow page
	prefix  int    // how many values of a record are wanted, 0 for all
	spilled uint64 // overflow pages that were read, of records that were stood on
}

// A page is a page of a tree, and a place on it.
type page struct {
	number uint32
	bytes  []byte // the usable part
	cells  []byte // the offsets of the cells, 2 bytes each; all lie on the page
	leaf   bool
	at     int // the cell, or len for the rightmost child
	right  uint32
}

const maxDepth = 20 // of a tree, as in SQLite: 20 levels hold more than a file can

func (p *page) len() int { return len(p.cells) / 2 }

// push goes down to a page.
func (c *cursor) push(number uint32) error {
	if len(c.path) == maxDepth {
		return damage(number, "the tree with root %d is deeper than %d pages", c.root, maxDepth)
	}
	if len(c.pool) <= len(c.path) {
		c.pool = append(c.pool, page{bytes: make([]byte, c.file.usable)})
	}
	p := &c.pool[len(c.path)]
	if p.number != number {
		p.number = 0
		if err := c.file.readPart(number, p.bytes); err != nil {
			return err
		}
		if err := c.parse(p, number); err != nil {
			p.number = 0
			return err
		}
	}
	if p.len() == 0 && len(c.path) > 0 {
		return damage(number, "a page below the root has no cells")
	}
	p.at = 0
	c.path = append(c.path, *p)
	return nil
}

// The types of pages of a tree, section 1.6.
const (
	interiorIndex = 0x02
	interiorTable = 0x05
	leafIndex     = 0x0a
	leafTable     = 0x0d
)

func (c *cursor) parse(p *page, number uint32) error {
	head := p.bytes
	start := 8
	if number == 1 {
		head = head[fileHeader:]
		start += fileHeader
	}
	switch kind := head[0]; {
	case !c.index && kind == leafTable, c.index && kind == leafIndex:
		p.leaf = true
	case !c.index && kind == interiorTable, c.index && kind == interiorIndex:
		p.leaf = false
		p.right = binary.BigEndian.Uint32(head[8:])
		start += 4
	default:
		return damage(number, "it is of type %#x, where the tree with root %d goes on", kind, c.root)
	}
	end := start + 2*int(binary.BigEndian.Uint16(head[3:]))
	if end > len(p.bytes) {
		return damage(number, "its cells do not fit")
	}
	p.number, p.cells = number, p.bytes[start:end]
	return c.check(p, end)
}

// check holds that every cell lies on the page, so that the other methods need
// not, and that row ids ascend.
func (c *cursor) check(p *page, floor int) error {
	last := int64(math.MinInt64)
	for i := range p.len() {
		at := int(binary.BigEndian.Uint16(p.cells[2*i:]))
		if at < floor || at+leastCell > len(p.bytes) {
			return damage(p.number, "cell %d is not on the page", i)
		}
		cell, ok := c.split(p, i)
		if !ok {
			return damage(p.number, "cell %d does not fit", i)
		}
		if !c.index && i > 0 && cell.rowID <= last {
			return damage(p.number, "row %d comes behind row %d", cell.rowID, last)
		}
		last = cell.rowID
	}
	return nil
}

// A cell is a cell of a page, taken apart.
type cell struct {
	rowID int64  // in a table
	size  uint64 // of the record
	local []byte // what of it is on the page
	link  uint32 // the page on which it goes on, when it does
}

const leastCell = 4 // bytes

// split takes a cell apart. It reports whether the cell fits on its page.
func (c *cursor) split(p *page, i int) (cell, bool) {
	var out cell
	b := p.bytes[binary.BigEndian.Uint16(p.cells[2*i:]):]
	if !p.leaf {
		b = b[leastCell:] // the child
	}
	if p.leaf || c.index {
		size, n := uvarint(b)
		if n == 0 {
			return out, false
		}
		out.size, b = size, b[n:]
	}
	if !c.index {
		id, n := uvarint(b)
		if n == 0 {
			return out, false
		}
		out.rowID, b = int64(id), b[n:]
		if !p.leaf {
			return out, true
		}
	}
	local := c.local(out.size)
	if local > len(b) {
		return out, false
	}
	out.local, b = b[:local], b[local:]
	if uint64(local) < out.size {
		if len(b) < 4 {
			return out, false
		}
		out.link = binary.BigEndian.Uint32(b)
	}
	return out, true
}

// local returns how much of a record of size bytes is stored in its cell,
// section 1.6, "Cell payload".
func (c *cursor) local(size uint64) int {
	u := c.file.usable
	most := u - 35
	if c.index {
		most = (u-12)*64/255 - 23
	}
	if size <= uint64(most) {
		return int(size)
	}
	least := (u-12)*32/255 - 23
	if k := uint64(least) + (size-uint64(least))%uint64(u-4); k <= uint64(most) {
		return int(k)
	}
	return least
}

// child returns the child to the left of cell i, or the rightmost.
func (p *page) child(i int) uint32 {
	if i == p.len() {
		return p.right
	}
	return binary.BigEndian.Uint32(p.bytes[binary.BigEndian.Uint16(p.cells[2*i:]):])
}

// top returns the page on which the cursor stands.
func (c *cursor) top() *page { return &c.path[len(c.path)-1] }

// first goes to the first record. Whether there is one is said by more.
func (c *cursor) first() error {
	c.path = c.path[:0]
	if err := c.push(c.root); err != nil {
		return err
	}
	return c.down()
}

// down goes down the child at which the cursor stands, and from there to the
// first record.
func (c *cursor) down() error {
	for !c.top().leaf {
		if err := c.push(c.top().child(c.top().at)); err != nil {
			return err
		}
	}
	return nil
}

// next goes to the next record.
func (c *cursor) next() error {
	p := c.top()
	p.at++
	if !p.leaf { // from a key to what lies between it and the one behind it
		return c.down()
	}
	return c.settle()
}

// settle goes from a place behind the last cell of a page to the next record.
func (c *cursor) settle() error {
	for len(c.path) > 0 {
		switch p := c.top(); {
		case p.at < p.len() && (p.leaf || c.index):
			return nil
		case p.at <= p.len() && !p.leaf && !c.index:
			return c.down()
		}
		c.path = c.path[:len(c.path)-1]
		if len(c.path) > 0 && !c.index {
			c.top().at++
		}
	}
	return nil
}

// more reports whether the cursor stands on a record.
func (c *cursor) more() bool { return len(c.path) > 0 && c.top().at < c.top().len() }

// record returns the record on which the cursor stands, and its row id in a
// table. It is good until the cursor moves.
func (c *cursor) record() (rowID int64, record []byte, err error) {
	p := c.top()
	cell, _ := c.split(p, p.at)
	record, err = c.assemble(p, cell)
	if err == nil && c.spilled > uint64(c.file.pages) {
		return 0, nil, damage(p.number, "records share overflow pages")
	}
	return cell.rowID, record, err
}

// maxRecord is the longest record that SQLite can be built to write.
const maxRecord = 1<<31 - 1

// assemble returns the record of a cell, or what is on the page if all the
// values wanted are there.
func (c *cursor) assemble(p *page, from cell) ([]byte, error) {
	size := from.size
	if size == uint64(len(from.local)) {
		return from.local, nil
	}
	if size > maxRecord || size > uint64(c.file.pages)*uint64(c.file.usable) {
		return nil, damage(p.number, "a record claims %d bytes, more than the file can hold", size)
	}
	if c.prefix > 0 {
		if _, fault := decodeRecord(from.local, c.prefix, nil); fault == "" {
			return from.local, nil
		}
	}
	if c.link == nil {
		c.link = make([]byte, c.file.usable)
	}
	c.payload = append(c.payload[:0], from.local...)
	for next := from.link; len(c.payload) < int(size); next = binary.BigEndian.Uint32(c.link) {
		if err := c.file.readPart(next, c.link); err != nil {
			return nil, err
		}
		c.spilled++
		rest := c.link[4:]
		c.payload = append(c.payload, rest[:min(len(rest), int(size)-len(c.payload))]...)
	}
	return c.payload, nil
}

// seekRow goes to the row with an id and reports whether there is one.
func (c *cursor) seekRow(id int64) (bool, error) {
	c.path = c.path[:0]
	for next := c.root; ; {
		if err := c.push(next); err != nil {
			return false, err
		}
		p := c.top()
		rowID := func(i int) int64 {
			cell, _ := c.split(p, i)
			return cell.rowID
		}
		p.at = sort.Search(p.len(), func(i int) bool { return rowID(i) >= id })
		if p.leaf {
			return p.at < p.len() && rowID(p.at) == id, nil
		}
		next = p.child(p.at)
	}
}

// seekKey goes to the first record of an index that starts with a key not below
// this one.
func (c *cursor) seekKey(key []Value) error {
	c.path = c.path[:0]
	var values []Value
	for next := c.root; ; {
		if err := c.push(next); err != nil {
			return err
		}
		p := c.top()
		var fault error
		p.at = sort.Search(p.len(), func(i int) bool {
			cell, _ := c.split(p, i)
			record, err := c.assemble(p, cell)
			if err == nil {
				values, err = c.decode(record, values)
			}
			if err != nil {
				fault = err
				return true
			}
			return compareKeys(values, key) >= 0
		})
		if fault != nil {
			return fault
		}
		if p.leaf {
			c.spilled = 0
			return c.settle()
		}
		next = p.child(p.at)
	}
}

// decode decodes the wanted values of a record of the page on which the cursor stands, into the
// memory of values.
func (c *cursor) decode(record []byte, values []Value) ([]Value, error) {
	values, fault := decodeRecord(record, c.prefix, values[:0])
	if fault != "" {
		return nil, damage(c.top().number, "%s", fault)
	}
	return values, nil
}

// An ascent goes up through the records of a tree from the place that first or
// seekKey chose, and holds that each comes behind the one before.
type ascent struct {
	cursor
	begun  bool
	rowID  int64   // of the record, in a table
	values []Value // of the record
	copied []byte  // the record, in an index

	lastValues []Value
	lastCopied []byte
}

// advance goes to the next record and reports whether there is one.
func (a *ascent) advance() (bool, error) {
	if !a.more() {
		return false, nil
	}
	if a.begun {
		if err := a.next(); err != nil {
			return false, err
		}
		if !a.more() {
			return false, nil
		}
	}
	rowID, record, err := a.record()
	if err != nil {
		return false, err
	}
	last := a.rowID
	a.rowID = rowID
	if a.index {
		a.lastValues, a.values = a.values, a.lastValues
		a.lastCopied, a.copied = a.copied, append(a.lastCopied[:0], record...)
		record = a.copied
	}
	if a.values, err = a.decode(record, a.values); err != nil {
		return false, err
	}
	switch {
	case !a.begun:
	case !a.index && rowID <= last:
		return false, damage(a.top().number, "row %d comes behind row %d", rowID, last)
	case a.index && compareKeys(a.lastValues, a.values) >= 0:
		return false, damage(a.top().number, "the keys do not ascend")
	}
	a.begun = true
	return true, nil
}

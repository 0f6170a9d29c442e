package sqlitefile

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
)

// A definition is what a CREATE TABLE statement says of where values are stored.
type definition struct {
	columns      []column
	primaryKey   []int   // in a table without row ids, its columns in order
	unique       []index // those that SQLite makes by itself, in order
	rowIDColumn  int     // the column that stands for the row id, or -1
	withoutRowID bool
}

type column struct {
	name     string
	typ      string
	binary   bool  // sorts by its bytes
	fallback Value // of rows that were written before the column was added
	unknown  bool  // the default is no literal, so that it is not known
}

// An index is a tree beside a table's. Its columns are nil when it cannot be
// used to find rows in order: it is partial, over expressions, descends, or
// sorts by other than the bytes.
type index struct {
	name    string
	columns []int
	root    uint32
}

func (d *definition) find(name string) int {
	return slices.IndexFunc(d.columns, func(c column) bool { return strings.EqualFold(c.name, name) })
}

// stored returns the place of a column in the records: a table without row ids
// keeps its key first, then what is left.
func (d *definition) stored(column int) int {
	if !d.withoutRowID {
		return column
	}
	if at := slices.Index(d.primaryKey, column); at >= 0 {
		return at
	}
	at := column + len(d.primaryKey)
	for _, k := range d.primaryKey {
		if k < column {
			at--
		}
	}
	return at
}

var errSchema = errors.New("the statement is not one that SQLite stores")

// parseTable reads a CREATE TABLE statement.
func parseTable(sql string) (*definition, error) {
	toks, err := tokens(sql)
	if err != nil {
		return nil, err
	}
	open := slices.IndexFunc(toks, func(t token) bool { return t.is("(") })
	if open < 0 || !toks[0].is("CREATE") {
		return nil, errSchema
	}
	items, rest, err := split(toks[open+1:])
	if err != nil {
		return nil, err
	}
	d := &definition{rowIDColumn: -1}
	for i, t := range rest {
		if t.is("ROWID") && i > 0 && rest[i-1].is("WITHOUT") {
			d.withoutRowID = true
		}
	}
	constraints := slices.IndexFunc(items, func(item []token) bool {
		return len(item) > 0 && item[0].in("CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN")
	})
	if constraints < 0 {
		constraints = len(items)
	}
	for _, item := range items[:constraints] {
		if err := d.column(item); err != nil {
			return nil, err
		}
	}
	for _, item := range items[constraints:] {
		if err := d.constraint(item); err != nil {
			return nil, err
		}
	}
	if len(d.columns) == 0 || d.withoutRowID && d.primaryKey == nil {
		return nil, errSchema
	}
	return d, nil
}

// column reads the definition of a column.
func (d *definition) column(item []token) error {
	if len(item) == 0 || item[0].kind == punctuation {
		return errSchema
	}
	d.columns = append(d.columns, column{name: item[0].text, binary: true})
	c, at := &d.columns[len(d.columns)-1], len(d.columns)-1
	item = item[1:]
	for len(item) > 0 && !item[0].in("CONSTRAINT", "PRIMARY", "NOT", "NULL", "UNIQUE", "CHECK", "DEFAULT", "COLLATE", "REFERENCES", "GENERATED", "AS", "ON") {
		c.typ = strings.TrimSpace(c.typ + " " + item[0].text)
		item = item[1:]
	}
	for i := range outside(item) {
		t, next := item[i], item[i+1:]
		switch {
		case t.is("AS"):
			return errors.New("it has a generated column")
		case len(next) == 0:
		case t.is("COLLATE"):
			c.binary = strings.EqualFold(next[0].text, "BINARY")
		case t.is("DEFAULT") && (i == 0 || !item[i-1].is("SET")):
			c.fallback, c.unknown = literal(next)
		}
	}
	// A collation can stand behind the key that it is for.
	for i := range outside(item) {
		switch {
		case item[i].is("PRIMARY"):
			descends := i+2 < len(item) && item[i+2].is("DESC")
			alias := !descends && strings.EqualFold(c.typ, "INTEGER")
			if err := d.key([]int{at}, c.binary && !descends, alias); err != nil {
				return err
			}
		case item[i].is("UNIQUE"):
			d.addUnique([]int{at}, c.binary)
		}
	}
	return nil
}

// outside yields the places in a token list that no parentheses enclose.
func outside(toks []token) iter.Seq[int] {
	return func(yield func(int) bool) {
		depth := 0
		for i, t := range toks {
			if t.is("(") {
				depth++
			}
			if depth == 0 && !yield(i) {
				return
			}
			if t.is(")") {
				depth--
			}
		}
	}
}

// key notes the primary key. sorted says that its index sorts by bytes,
// ascending; alias that a single column of it stands for the row id.
func (d *definition) key(columns []int, sorted, alias bool) error {
	switch {
	case d.withoutRowID && !sorted:
		return errors.New("it is kept without row ids, by a key that does not sort by bytes, ascending")
	case d.withoutRowID:
		for _, c := range columns {
			if !slices.Contains(d.primaryKey, c) {
				d.primaryKey = append(d.primaryKey, c)
			}
		}
	case alias:
		d.rowIDColumn = columns[0]
	default:
		d.addUnique(columns, sorted)
	}
	return nil
}

// addUnique notes an index that SQLite makes, unless there is one like it.
func (d *definition) addUnique(columns []int, sorted bool) {
	if !sorted {
		columns = nil
	}
	for _, have := range d.unique {
		if columns != nil && slices.Equal(have.columns, columns) {
			return
		}
	}
	d.unique = append(d.unique, index{columns: columns})
}

// constraint reads a table constraint, or several with no comma between them.
func (d *definition) constraint(item []token) error {
	for i := range outside(item) {
		primary, next := item[i].is("PRIMARY"), item[i+1:]
		if primary && len(next) > 0 {
			next = next[1:] // KEY
		}
		if !primary && !item[i].is("UNIQUE") || len(next) == 0 || !next[0].is("(") {
			continue
		}
		parts, _, err := split(next[1:])
		if err != nil {
			return err
		}
		columns, sorted := d.keyColumns(parts)
		if columns == nil {
			return errSchema
		}
		if !primary {
			d.addUnique(columns, sorted)
			continue
		}
		alias := len(columns) == 1 && strings.EqualFold(d.columns[columns[0]].typ, "INTEGER")
		if err := d.key(columns, sorted, alias); err != nil {
			return err
		}
	}
	return nil
}

// keyColumns returns the columns of a key, nil when it has others than columns.
// sorted says that an index of it sorts by bytes, ascending.
func (d *definition) keyColumns(parts [][]token) (columns []int, sorted bool) {
	sorted = true
	for _, part := range parts {
		if len(part) == 0 || len(part) > 1 && !part[1].in("ASC", "DESC", "COLLATE") {
			return nil, false
		}
		c := d.find(part[0].text)
		if c < 0 {
			return nil, false
		}
		columns = append(columns, c)
		sorted = sorted && d.columns[c].binary && (len(part) == 1 || len(part) == 2 && part[1].is("ASC"))
	}
	return columns, sorted
}

// parseIndex reads a CREATE INDEX statement and returns the columns of the
// index, nil when it cannot be used to find rows in order.
func (d *definition) parseIndex(sql string) ([]int, error) {
	toks, err := tokens(sql)
	if err != nil {
		return nil, err
	}
	open := slices.IndexFunc(toks, func(t token) bool { return t.is("(") })
	if open < 0 {
		return nil, errSchema
	}
	parts, rest, err := split(toks[open+1:])
	if err != nil || len(rest) > 0 { // it is partial
		return nil, err
	}
	if columns, sorted := d.keyColumns(parts); sorted {
		return columns, nil
	}
	return nil, nil
}

// literal returns the value of a literal. unknown says that it is none.
func literal(toks []token) (v Value, unknown bool) {
	negative := false
	for len(toks) > 1 && (toks[0].is("-") || toks[0].is("+")) {
		negative = negative != toks[0].is("-")
		toks = toks[1:]
	}
	t := toks[0]
	switch {
	case t.kind == text:
		return Value{Kind: Text, Bytes: []byte(t.text)}, negative
	case t.is("NULL"):
		return Value{}, false
	case t.is("TRUE"):
		return Value{Kind: Integer, Int: 1}, negative
	case t.is("FALSE"):
		return Value{Kind: Integer}, negative
	}
	n, err := strconv.ParseInt(t.text, 10, 64)
	if negative {
		n = -n
	}
	return Value{Kind: Integer, Int: n}, err != nil || t.kind != word
}

// split splits what follows an open parenthesis at its commas and returns what
// follows the closing one.
func split(toks []token) (items [][]token, rest []token, err error) {
	depth, from := 0, 0
	for i, t := range toks {
		switch {
		case t.is("("):
			depth++
		case t.is(",") && depth == 0:
			items, from = append(items, toks[from:i]), i+1
		case t.is(")"):
			if depth--; depth < 0 {
				return append(items, toks[from:i]), toks[i+1:], nil
			}
		}
	}
	return nil, nil, errSchema
}

// A token is one of SQL.
type token struct {
	text string
	kind tokenKind
}

type tokenKind uint8

const (
	word tokenKind = iota // a keyword, name or number
	name                  // a quoted name
	text                  // a quoted text; it can stand for a name
	punctuation
)

// is reports whether a token is a keyword or a sign.
func (t token) is(s string) bool {
	return (t.kind == word || t.kind == punctuation) && strings.EqualFold(t.text, s)
}

func (t token) in(words ...string) bool { return slices.ContainsFunc(words, t.is) }

// tokens splits SQL into tokens. Comments are left out.
func tokens(sql string) (toks []token, err error) {
	for i := 0; i < len(sql); {
		n := 1
		switch c := sql[i]; {
		case strings.HasPrefix(sql[i:], "--"):
			n = until(sql[i:], "\n")
		case strings.HasPrefix(sql[i:], "/*"):
			n = 2 + until(sql[i+2:], "*/")
		case c == ' ' || c >= '\t' && c <= '\r':
		case c == '\'', c == '"', c == '`', c == '[':
			t, size, err := quoted(sql[i:])
			if err != nil {
				return nil, err
			}
			toks, n = append(toks, t), size
		case isWord(c):
			for i+n < len(sql) && (isWord(sql[i+n]) || sql[i+n] == '.') {
				n++
			}
			toks = append(toks, token{sql[i : i+n], word})
		default:
			toks = append(toks, token{sql[i : i+1], punctuation})
		}
		i += n
	}
	if len(toks) == 0 {
		return nil, errSchema
	}
	return toks, nil
}

func until(s, end string) int {
	if i := strings.Index(s, end); i >= 0 {
		return i + len(end)
	}
	return len(s)
}

func isWord(c byte) bool {
	return c == '_' || c == '$' || c >= 0x80 || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// quoted reads a quoted name or text; the quote twice stands for itself.
func quoted(s string) (t token, size int, err error) {
	quote, kind := s[0], name
	switch quote {
	case '[':
		quote = ']'
	case '\'':
		kind = text
	}
	var b []byte
	for i := 1; i < len(s); i++ {
		if s[i] != quote {
			b = append(b, s[i])
			continue
		}
		if quote != ']' && i+1 < len(s) && s[i+1] == quote {
			b = append(b, quote)
			i++
			continue
		}
		return token{string(b), kind}, i + 1, nil
	}
	return token{}, 0, fmt.Errorf("a quote is not closed: %.40q", s)
}

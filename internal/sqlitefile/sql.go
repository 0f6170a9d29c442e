package sqlitefile

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A definition is what a CREATE TABLE statement says of where values are stored.
type definition struct {
	columns      []column
	primaryKey   []int     // in a table without row ids, its columns in order
	unique       []columns // of the indexes that SQLite makes by itself, in order
	rowIDColumn  int       // the column that stands for the row id, or -1
	withoutRowID bool
	unsupported  string // why the rows cannot be read, though the statement is sound
}

type column struct {
	name     string
	typ      string
	binary   bool  // sorts by its bytes
	fallback Value // of rows that were written before the column was added
	unknown  bool  // the default is no literal, so that it is not known
}

// columns are those of an index. They are nil when the index cannot be used to
// find rows in order: it is partial, over expressions, descends, or sorts by
// other than the bytes.
type columns []int

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

// A parser reads statements as SQLite stores them. It checks their structure;
// what stands in parentheses as an expression is only passed over.
type parser struct{ toks []token }

func newParser(sql string) (*parser, error) {
	toks, err := tokens(sql)
	return &parser{toks}, err
}

func (p *parser) peek() token {
	if len(p.toks) == 0 {
		return token{kind: ending}
	}
	return p.toks[0]
}

// take takes the next tokens if they are these words or signs.
func (p *parser) take(words ...string) bool {
	for i, w := range words {
		if i >= len(p.toks) || !p.toks[i].is(w) {
			return false
		}
	}
	p.toks = p.toks[len(words):]
	return true
}

// oneOf takes the next token if it is one of these words.
func (p *parser) oneOf(words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return p.take(w) })
}

// name takes a name.
func (p *parser) name() (string, error) {
	t := p.peek()
	if t.kind > text || t.kind == number || t.in(reserved...) {
		return "", p.unexpected()
	}
	p.toks = p.toks[1:]
	return t.text, nil
}

// reserved are the keywords that SQLite does not take for names.
var reserved = strings.Fields(`ADD ALL ALTER AND AS AUTOINCREMENT BETWEEN CASE CHECK COLLATE COMMIT CONSTRAINT CREATE
	DEFAULT DEFERRABLE DELETE DISTINCT DROP ELSE ESCAPE EXISTS FOREIGN FROM GROUP HAVING IN INDEX INSERT INTO IS ISNULL
	JOIN LIMIT NOT NOTNULL NULL ON OR ORDER PRIMARY REFERENCES SELECT SET TABLE THEN TO TRANSACTION UNION UNIQUE UPDATE
	USING VALUES WHEN WHERE`)

func (p *parser) unexpected() error {
	if t := p.peek(); t.kind != ending {
		return fmt.Errorf("near %.40q", t.text)
	}
	return errors.New("it is incomplete")
}

// group takes what parentheses enclose, split at its commas.
func (p *parser) group() (items []*parser, err error) {
	if !p.take("(") {
		return nil, p.unexpected()
	}
	depth, from := 0, 0
	for i, t := range p.toks {
		switch {
		case t.is("("):
			depth++
		case t.is(",") && depth == 0:
			items, from = append(items, &parser{p.toks[from:i]}), i+1
		case t.is(")"):
			if depth--; depth < 0 {
				items = append(items, &parser{p.toks[from:i]})
				p.toks = p.toks[i+1:]
				return items, nil
			}
		}
	}
	p.toks = nil
	return nil, p.unexpected()
}

// end holds that nothing follows.
func (p *parser) end() error {
	if len(p.toks) > 0 {
		return p.unexpected()
	}
	return nil
}

// called takes a name that must be this one.
func (p *parser) called(want string) error {
	name, err := p.name()
	if err == nil && !strings.EqualFold(name, want) {
		err = fmt.Errorf("its statement makes %.40q", name)
	}
	return err
}

// parseTable reads the CREATE TABLE statement of a table.
func parseTable(name, sql string) (*definition, error) {
	p, err := newParser(sql)
	if err != nil {
		return nil, err
	}
	if !p.take("CREATE", "TABLE") {
		return nil, p.unexpected()
	}
	if err := p.called(name); err != nil {
		return nil, err
	}
	items, err := p.group()
	if err != nil {
		return nil, err
	}
	d := &definition{rowIDColumn: -1}
	strict, err := d.options(p)
	if err != nil {
		return nil, err
	}
	constraints := false
	for i, item := range items {
		// Behind the columns come constraints of the table, several of which
		// may stand with no comma between them.
		constraints = constraints || i > 0 && item.peek().in("CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN")
		if !constraints {
			if err := d.column(item); err != nil {
				return nil, err
			}
			continue
		}
		for ok := true; ok; ok = len(item.toks) > 0 {
			if err := d.constraint(item); err != nil {
				return nil, err
			}
		}
	}
	return d, d.check(strict)
}

// options reads what follows the columns of a table.
func (d *definition) options(p *parser) (strict bool, err error) {
	for len(p.toks) > 0 {
		switch {
		case p.take("WITHOUT", "ROWID"):
			d.withoutRowID = true
		case p.take("STRICT"):
			strict = true
		default:
			return false, p.unexpected()
		}
		if len(p.toks) > 0 && !p.take(",") {
			return false, p.unexpected()
		}
	}
	return strict, nil
}

// check holds that the parts of a definition go together.
func (d *definition) check(strict bool) error {
	for i, c := range d.columns {
		if d.find(c.name) != i {
			return fmt.Errorf("there are two columns %.40q", c.name)
		}
		typed := slices.ContainsFunc([]string{"INT", "INTEGER", "REAL", "TEXT", "BLOB", "ANY"}, func(t string) bool { return strings.EqualFold(t, c.typ) })
		if strict && !typed {
			return fmt.Errorf("column %.40q has the unknown type %.40q", c.name, c.typ)
		}
	}
	if d.withoutRowID && d.primaryKey == nil {
		return errors.New("it is kept without row ids and has no primary key")
	}
	return nil
}

// column reads the definition of a column.
func (d *definition) column(p *parser) (err error) {
	at := len(d.columns)
	d.columns = append(d.columns, column{binary: true})
	c := &d.columns[at]
	if c.name, err = p.name(); err != nil {
		return err
	}
	if err := c.readType(p); err != nil {
		return err
	}
	var primary, unique, descends bool
	for len(p.toks) > 0 {
		switch {
		case p.take("CONSTRAINT"):
			_, err = p.name()
		case p.take("PRIMARY", "KEY"):
			if primary {
				return errors.New("it has two primary keys")
			}
			primary, descends = true, p.take("DESC")
			if !descends {
				p.take("ASC")
			}
			if err = p.conflict(); err == nil {
				p.take("AUTOINCREMENT")
			}
		case p.take("UNIQUE"):
			unique = true
			err = p.conflict()
		case p.take("NOT", "NULL"), p.take("NULL"):
			err = p.conflict()
		case p.take("CHECK"):
			_, err = p.group()
		case p.take("DEFAULT"):
			c.fallback, c.unknown, err = p.literal()
		case p.take("COLLATE"):
			var name string
			name, err = p.name()
			c.binary = strings.EqualFold(name, "BINARY")
		case p.take("GENERATED", "ALWAYS", "AS"), p.take("AS"):
			d.unsupported = "it has a generated column"
			if _, err = p.group(); err == nil {
				p.oneOf("STORED", "VIRTUAL")
			}
		default:
			err = p.references()
		}
		if err != nil {
			return err
		}
	}
	// A collation can stand behind the key that it is for.
	if primary {
		alias := !descends && strings.EqualFold(c.typ, "INTEGER")
		if err := d.key([]int{at}, c.binary && !descends, alias); err != nil {
			return err
		}
	}
	if unique {
		d.addUnique([]int{at}, c.binary)
	}
	return nil
}

// readType reads a type, which may be of several words and have sizes.
func (c *column) readType(p *parser) error {
	for p.peek().kind <= text && !p.peek().in("CONSTRAINT", "PRIMARY", "NOT", "NULL", "UNIQUE", "CHECK", "DEFAULT", "COLLATE", "REFERENCES", "GENERATED", "AS", "DEFERRABLE", "ON", "MATCH") {
		word, err := p.name()
		if err != nil {
			return err
		}
		c.typ = strings.TrimSpace(c.typ + " " + word)
	}
	if c.typ == "" || !p.peek().is("(") {
		return nil
	}
	c.typ += "()"
	sizes, err := p.group()
	for _, size := range sizes {
		if !size.take("-") {
			size.take("+")
		}
		if len(size.toks) != 1 || size.toks[0].kind != number {
			return size.unexpected()
		}
	}
	return err
}

// conflict reads a conflict clause, if there is one.
func (p *parser) conflict() error {
	if p.take("ON", "CONFLICT") && !p.oneOf("ROLLBACK", "ABORT", "FAIL", "IGNORE", "REPLACE") {
		return p.unexpected()
	}
	return nil
}

// references reads a reference to another table, or what may follow it.
func (p *parser) references() error {
	switch {
	case p.take("REFERENCES"):
		if _, err := p.name(); err != nil {
			return err
		}
		if p.peek().is("(") {
			_, err := p.group()
			return err
		}
	case p.take("ON", "DELETE"), p.take("ON", "UPDATE"):
		if !p.take("SET", "NULL") && !p.take("SET", "DEFAULT") && !p.take("NO", "ACTION") && !p.oneOf("CASCADE", "RESTRICT") {
			return p.unexpected()
		}
	case p.take("MATCH"):
		_, err := p.name()
		return err
	case p.take("DEFERRABLE"), p.take("NOT", "DEFERRABLE"):
		if p.take("INITIALLY") && !p.oneOf("DEFERRED", "IMMEDIATE") {
			return p.unexpected()
		}
	default:
		return p.unexpected()
	}
	return nil
}

// constraint reads a constraint of the table.
func (d *definition) constraint(p *parser) error {
	if p.take("CONSTRAINT") {
		if _, err := p.name(); err != nil {
			return err
		}
	}
	switch {
	case p.take("PRIMARY", "KEY"):
		parts, err := p.group()
		if err != nil {
			return err
		}
		if last := parts[len(parts)-1]; len(last.toks) > 1 && last.toks[len(last.toks)-1].is("AUTOINCREMENT") {
			last.toks = last.toks[:len(last.toks)-1]
		}
		columns, sorted, err := d.keyColumns(parts, true)
		if err != nil {
			return err
		}
		alias := len(columns) == 1 && strings.EqualFold(d.columns[columns[0]].typ, "INTEGER")
		if err := d.key(columns, sorted, alias); err != nil {
			return err
		}
		return p.conflict()
	case p.take("UNIQUE"):
		parts, err := p.group()
		if err != nil {
			return err
		}
		columns, sorted, err := d.keyColumns(parts, true)
		if err != nil {
			return err
		}
		d.addUnique(columns, sorted)
		return p.conflict()
	case p.take("CHECK"):
		if _, err := p.group(); err != nil {
			return err
		}
		return p.conflict()
	case p.take("FOREIGN", "KEY"):
		if _, err := p.group(); err != nil {
			return err
		}
		if !p.peek().is("REFERENCES") {
			return p.unexpected()
		}
		for p.peek().in("REFERENCES", "ON", "MATCH", "DEFERRABLE", "NOT") {
			if err := p.references(); err != nil {
				return err
			}
		}
		return nil
	}
	return p.unexpected()
}

// key notes the primary key. sorted says that its index sorts by bytes,
// ascending; alias that a single column of it stands for the row id.
func (d *definition) key(columns []int, sorted, alias bool) error {
	switch {
	case d.primaryKey != nil:
		return errors.New("it has two primary keys")
	case d.withoutRowID && !sorted:
		d.unsupported = "it is kept without row ids, by a key that does not sort by bytes, ascending"
	case alias && !d.withoutRowID:
		d.rowIDColumn = columns[0]
	case !d.withoutRowID:
		d.addUnique(columns, sorted)
	}
	for _, c := range columns {
		if !slices.Contains(d.primaryKey, c) {
			d.primaryKey = append(d.primaryKey, c)
		}
	}
	return nil
}

// addUnique notes an index that SQLite makes, unless there is one like it.
func (d *definition) addUnique(key []int, sorted bool) {
	if !sorted {
		key = nil
	}
	for _, have := range d.unique {
		if key != nil && slices.Equal(have, key) {
			return
		}
	}
	d.unique = append(d.unique, key)
}

// keyColumns returns the columns of a key, nil when it has expressions, which
// only says it may. sorted says that an index of it sorts by bytes, ascending.
func (d *definition) keyColumns(parts []*parser, only bool) (columns []int, sorted bool, err error) {
	sorted = true
	for _, p := range parts {
		if len(p.toks) == 0 {
			return nil, false, p.unexpected()
		}
		c := d.find(p.peek().text)
		plain := len(p.toks) == 1 || p.toks[1].in("ASC", "DESC", "COLLATE")
		if c < 0 || !plain {
			if only || plain && p.peek().kind == word {
				return nil, false, fmt.Errorf("there is no column %.40q", p.peek().text)
			}
			return nil, false, nil
		}
		columns = append(columns, c)
		sorted = sorted && d.columns[c].binary && (len(p.toks) == 1 || len(p.toks) == 2 && p.toks[1].is("ASC"))
	}
	return columns, sorted, nil
}

// parseIndex reads the CREATE INDEX statement of an index.
func (d *definition) parseIndex(name, table, sql string) (columns, error) {
	p, err := newParser(sql)
	if err != nil {
		return nil, err
	}
	if !p.take("CREATE", "INDEX") && !p.take("CREATE", "UNIQUE", "INDEX") {
		return nil, p.unexpected()
	}
	if err := p.called(name); err != nil {
		return nil, err
	}
	if !p.take("ON") {
		return nil, p.unexpected()
	}
	if err := p.called(table); err != nil {
		return nil, err
	}
	parts, err := p.group()
	if err != nil {
		return nil, err
	}
	columns, sorted, err := d.keyColumns(parts, false)
	switch {
	case err != nil:
		return nil, err
	case p.take("WHERE"):
		if len(p.toks) == 0 {
			return nil, p.unexpected()
		}
		return nil, nil
	case !sorted:
		return nil, p.end()
	}
	return columns, p.end()
}

// literal reads a default. unknown says that it is no literal.
func (p *parser) literal() (v Value, unknown bool, err error) {
	if p.peek().is("(") {
		_, err := p.group()
		return Value{}, true, err
	}
	negative := false
	for p.peek().is("-") || p.peek().is("+") {
		negative = negative != p.peek().is("-")
		p.toks = p.toks[1:]
	}
	t := p.peek()
	if t.kind == number || t.is("NULL") {
		p.toks = p.toks[1:]
	} else if _, err := p.name(); err != nil {
		return Value{}, false, err
	}
	switch {
	case t.kind == text:
		return Value{Kind: Text, Bytes: []byte(t.text)}, negative, nil
	case t.is("NULL"):
		return Value{}, negative, nil
	case t.is("TRUE"):
		return Value{Kind: Integer, Int: 1}, negative, nil
	case t.is("FALSE"):
		return Value{Kind: Integer}, negative, nil
	case t.is("X") && p.peek().kind == text: // a blob
		p.toks = p.toks[1:]
		return Value{}, true, nil
	}
	n, bad := strconv.ParseInt(t.text, 10, 64)
	if negative {
		n = -n
	}
	return Value{Kind: Integer, Int: n}, bad != nil, nil
}

// A token is one of SQL.
type token struct {
	text string
	kind tokenKind
}

type tokenKind uint8

const (
	word tokenKind = iota // a keyword or name
	number
	name // a quoted name
	text // a quoted text; it can stand for a name
	punctuation
	ending // there is none
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
		case c == ' ' || c >= '\t' && c <= '\r' && c != '\v':
		case c == '\'', c == '"', c == '`', c == '[':
			t, size, err := quoted(sql[i:])
			if err != nil {
				return nil, err
			}
			toks, n = append(toks, t), size
		case isWord(c):
			t, err := plain(sql[i:])
			if err != nil {
				return nil, err
			}
			toks, n = append(toks, t), len(t.text)
		case strings.IndexByte("(),-+*/%;=<>!|&~.?:@#", c) >= 0:
			toks = append(toks, token{sql[i : i+1], punctuation})
		default:
			return nil, fmt.Errorf("it has the byte %#02x", c)
		}
		i += n
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

// plain reads a word or a number.
func plain(s string) (token, error) {
	isNumber := s[0] >= '0' && s[0] <= '9'
	n := 1
	for n < len(s) && (isWord(s[n]) || isNumber && s[n] == '.') {
		n++
	}
	if !isNumber {
		return token{s[:n], word}, nil
	}
	_, err := strconv.ParseFloat(s[:n], 64)
	if _, hex := strconv.ParseUint(s[:n], 0, 64); err != nil && hex != nil {
		return token{}, fmt.Errorf("near %.40q", s[:n])
	}
	return token{s[:n], number}, nil
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

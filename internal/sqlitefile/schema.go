package sqlitefile

import (
	"errors"
	"fmt"
	"strings"
)

// An index is a tree beside a table's.
type index struct {
	name    string
	columns columns
	root    uint32
}

// schemaTable is the definition of the table that holds all others'.
var schemaTable = &definition{
	columns:     []column{{name: "type"}, {name: "name"}, {name: "tbl_name"}, {name: "rootpage"}, {name: "sql"}},
	rowIDColumn: -1,
}

// A schemaEntry is a row of it.
type schemaEntry struct {
	kind, name, table, sql string
	root                   uint32
}

// Table finds a table. The error is an *[Unsupported] when there is none, or one
// whose rows this package does not read, and a *[Damage] when any definition of
// the schema is damaged: SQLite does not open such a file.
func (f *File) Table(name string) (*Table, error) {
	tables, err := f.schema()
	if err != nil {
		return nil, err
	}
	t := tables[strings.ToLower(name)]
	switch {
	case t == nil:
		return nil, &Unsupported{"there is no table " + name}
	case t.def.unsupported != "":
		return nil, &Unsupported{"table " + name + ": " + t.def.unsupported}
	}
	return t, nil
}

func (f *File) readSchema() (map[string]*Table, error) {
	entries, err := f.schemaEntries()
	if err != nil {
		return nil, err
	}
	tables := map[string]*Table{}
	for _, e := range entries {
		if e.kind != "table" || e.root == 0 {
			continue
		}
		def, err := parseTable(e.name, e.sql)
		if err != nil {
			return nil, damage(0, "the schema is malformed: table %s: %v", e.name, err)
		}
		tables[strings.ToLower(e.name)] = &Table{file: f, name: e.name, def: def, root: e.root}
	}
	for _, e := range entries {
		if e.kind != "index" {
			continue
		}
		t := tables[strings.ToLower(e.table)]
		if t == nil {
			return nil, damage(0, "the schema is malformed: index %s is of no table", e.name)
		}
		x := index{name: e.name, root: e.root}
		if e.sql == "" {
			x.columns, err = t.def.ownIndex(e.table, e.name)
		} else {
			x.columns, err = t.def.parseIndex(e.name, e.table, e.sql)
		}
		if err != nil {
			return nil, damage(0, "the schema is malformed: index %s: %v", e.name, err)
		}
		t.indexes = append(t.indexes, x)
	}
	return tables, nil
}

// ownIndex finds the columns of an index that SQLite made and numbered.
func (d *definition) ownIndex(table, name string) (columns, error) {
	if d.withoutRowID {
		return nil, nil // its key is the table itself, and has a number too
	}
	for i, key := range d.unique {
		if strings.EqualFold(name, fmt.Sprintf("sqlite_autoindex_%s_%d", table, i+1)) {
			return key, nil
		}
	}
	return nil, errors.New("it is made for no constraint of its table")
}

// schemaEntries reads the rows of the schema.
func (f *File) schemaEntries() (entries []schemaEntry, err error) {
	schema := &Table{file: f, name: "sqlite_schema", def: schemaTable, root: 1}
	rows, err := schema.Rows(Query{Columns: []string{"type", "name", "tbl_name", "rootpage", "sql"}})
	if err != nil {
		return nil, err
	}
	for {
		ok, err := rows.Next()
		if !ok || err != nil {
			return entries, err
		}
		text := func(i int) string { return string(rows.Value(i).Bytes) }
		e := schemaEntry{kind: text(0), name: text(1), table: text(2), sql: text(4)}
		page := rows.Value(3)
		switch e.kind {
		case "table", "index":
			virtual := e.kind == "table" && page.Int == 0
			if page.Kind > Integer || !virtual && (page.Int < 2 || page.Int > int64(f.pages)) {
				return nil, damage(0, "the schema is malformed: %s %s starts at no page", e.kind, e.name)
			}
			e.root = uint32(page.Int)
		case "view", "trigger":
		default:
			return nil, damage(0, "the schema is malformed: it has an entry of type %.40q", e.kind)
		}
		if e.sql != "" && (len(e.sql) < 2 || !strings.EqualFold(e.sql[:2], "CR")) {
			return nil, damage(0, "the schema is malformed: %s %s is made by no statement", e.kind, e.name)
		}
		entries = append(entries, e)
	}
}

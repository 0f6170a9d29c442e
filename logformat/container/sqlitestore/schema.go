package sqlitestore

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ncruces/go-sqlite3"

	"github.com/dsh-verify/dsh-verify/logformat"
)

// An object is an entry of a database's schema.
type object struct{ kind, name, table, sql string }

func (o object) String() string { return o.kind + " " + o.name }

// objects are those of a store. The harness opens a store that has these, declared
// like this, and no others.
var objects = []object{
	{"table", "persistence_state", "persistence_state", `CREATE TABLE persistence_state (
  singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
  store_id  TEXT NOT NULL
) STRICT`},
	{"table", "sessions", "sessions", `CREATE TABLE sessions (
  id               TEXT PRIMARY KEY,
  version          INTEGER NOT NULL,
  created_at       INTEGER NOT NULL,
  cwd              TEXT,
  parent_session   TEXT,
  seed_length      INTEGER,
  origin           TEXT,
  delegation_depth INTEGER,
  agent_preset     TEXT,
  incarnation      TEXT NOT NULL,
  revision         INTEGER NOT NULL
) STRICT`},
	{"index", "sqlite_autoindex_sessions_1", "sessions", ""},
	{"table", "events", "events", `CREATE TABLE events (
  session_id        TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  seq               INTEGER NOT NULL,
  type              TEXT NOT NULL,
  time              INTEGER NOT NULL,
  data              ANY NOT NULL,
  source_event_seqs ANY,
  surface_op        TEXT,
  ignorable         INTEGER CHECK (ignorable IS NULL OR ignorable IN (0, 1)),
  PRIMARY KEY (session_id, seq)
) STRICT`},
	{"index", "sqlite_autoindex_events_1", "events", ""},
}

// statistics are the tables that SQLite makes by itself when it is asked to analyse.
var statistics = []string{"sqlite_stat1", "sqlite_stat4"}

// checkSchema compares the schema with that of a store, before any statement is run
// that reads more. What makes the engine do other things than read rows is not in
// the schema of a store: views, triggers, virtual tables, generated columns and
// indexes over expressions. The error is a refusal, or a *[damage].
func (e *engine) checkSchema() error {
	q, err := e.query(`SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY rowid`)
	if err != nil {
		return err
	}
	defer q.close()
	missing, surplus := slices.Clone(objects), []string(nil)
	for {
		ok, err := q.next()
		if err != nil {
			return err
		}
		if !ok {
			return compareSchema(missing, surplus)
		}
		o, err := objectOf(q)
		if err != nil {
			return err
		}
		if slices.Contains(statistics, o.name) && o.kind == "table" {
			continue
		}
		i := slices.IndexFunc(missing, func(m object) bool { return m.String() == o.String() })
		switch {
		case i < 0:
			surplus = append(surplus, o.String())
		case o.table != missing[i].table || !sameStatement(o.sql, missing[i].sql):
			return foreign("%s is not declared as the harness declares it", o)
		default:
			missing = slices.Delete(missing, i, i+1)
		}
	}
}

func objectOf(q *query) (o object, err error) {
	defer guard(&err)
	for i, field := range []*string{&o.kind, &o.name, &o.table, &o.sql} {
		*field = string(q.value(i).bytes)
	}
	return o, nil
}

func compareSchema(missing []object, surplus []string) error {
	switch {
	case len(missing) > 0:
		return foreign("there is no %s", missing[0])
	case len(surplus) > 0:
		list := strings.Join(surplus[:min(len(surplus), 5)], ", ")
		if more := len(surplus) - 5; more > 0 {
			list += fmt.Sprintf(" and %d more", more)
		}
		return foreign("the harness opens no store that has objects of others: %s", list)
	}
	return nil
}

// sameStatement reports whether two statements are the same except for white space.
func sameStatement(a, b string) bool {
	return slices.Equal(strings.Fields(a), strings.Fields(b))
}

func foreign(format string, args ...any) *logformat.Refusal {
	return &logformat.Refusal{Code: CodeForeign, Phase: logformat.PhaseVersion, Seq: -1, Detail: fmt.Sprintf(format, args...)}
}

// checkPages has the engine check every page, and every row against the indexes: what
// is read by an index is then what is read without it.
func (e *engine) checkPages() (err error) {
	q, err := e.query(`PRAGMA integrity_check(3)`)
	if err != nil {
		return err
	}
	defer q.close()
	defer guard(&err)
	var found []string
	for {
		ok, err := q.next()
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		if v := q.value(0); v.kind == sqlite3.TEXT && string(v.bytes) != "ok" {
			found = append(found, strings.Join(strings.Fields(string(v.bytes)), " "))
		}
	}
	if len(found) > 0 {
		return &damage{strings.Join(found, "; ")}
	}
	return nil
}

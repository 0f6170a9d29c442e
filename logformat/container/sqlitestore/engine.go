package sqlitestore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync/atomic"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/vfs"
	"github.com/ncruces/go-sqlite3/vfs/readervfs"

	"github.com/dsh-verify/dsh-verify/internal/sqlitesnapshot"
)

// An engine is a connection of SQLite to a snapshot. The store may be hostile: the
// engine runs in memory of its own, which has a bound, reads one file through the
// snapshot, and opens no other.
type engine struct {
	conn *sqlite3.Conn
	size int64
}

// onlyMain is the engine's file system: it has the snapshots, and nothing else. A
// file for temporary data, a journal, or another database is not opened.
type onlyMain struct{ vfs.VFS }

const fileSystem = "snapshot"

func init() { vfs.Register(fileSystem, onlyMain{vfs.Find("reader")}) }

func (v onlyMain) Open(name string, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	if name == "" || flags&vfs.OPEN_MAIN_DB == 0 {
		return nil, flags, sqlite3.CANTOPEN
	}
	return v.VFS.Open(name, flags)
}

// A damage says what the engine found wrong with the file.
type damage struct{ detail string }

func (d *damage) Error() string { return d.detail }

// The bounds of an engine. A value is no longer than the store, and memory holds a
// few of them. Work is counted in steps of the engine's machine, by the thousand: a
// check takes less than one for each byte, and a store whose trees lead in circles
// far more.
const (
	leastLength  = 1 << 20
	mostLength   = 1 << 30
	leastMemory  = 64 << 20
	mostMemory   = 4<<30 - 1<<16
	leastWork    = 1000
	bytesPerWork = 64
)

// names tells the snapshots apart that are being opened.
var names atomic.Int64

// connect connects an engine to a snapshot.
func connect(snapshot *sqlitesnapshot.Snapshot) (e *engine, err error) {
	size, err := snapshot.Size()
	if err != nil {
		return nil, err
	}
	length := min(max(size, leastLength), mostLength)
	name := fmt.Sprintf("store-%d", names.Add(1))
	readervfs.Create(name, snapshot)
	defer readervfs.Delete(name)
	e = &engine{size: size}
	defer func() {
		if err != nil {
			e.close()
		}
	}()
	defer guard(&err)
	work := &budget{context.Background(), leastWork}
	ctx := sqlite3.WithMaxMemory(work, min(leastMemory+4*length, mostMemory))
	if e.conn, err = sqlite3.OpenContext(ctx, "file:"+name+"?vfs="+fileSystem+"&mode=ro&immutable=1"); err != nil {
		return e, wrong(err)
	}
	return e, e.restrict(int(length))
}

// restrict takes from the engine what reading a store does not need.
func (e *engine) restrict(length int) error {
	e.allow(bytesPerWork)
	for option, on := range map[sqlite3.DBConfig]bool{
		sqlite3.DBCONFIG_DEFENSIVE: true, sqlite3.DBCONFIG_TRUSTED_SCHEMA: false,
		sqlite3.DBCONFIG_ENABLE_TRIGGER: false, sqlite3.DBCONFIG_ENABLE_VIEW: false,
	} {
		if _, err := e.conn.Config(option, on); err != nil {
			return err
		}
	}
	for limit, value := range map[sqlite3.LimitCategory]int{
		sqlite3.LIMIT_LENGTH: length, sqlite3.LIMIT_SQL_LENGTH: leastLength, sqlite3.LIMIT_ATTACHED: 0,
		sqlite3.LIMIT_VDBE_OP: 25_000, sqlite3.LIMIT_COLUMN: 100, sqlite3.LIMIT_EXPR_DEPTH: 100,
		sqlite3.LIMIT_COMPOUND_SELECT: 3, sqlite3.LIMIT_FUNCTION_ARG: 8, sqlite3.LIMIT_VARIABLE_NUMBER: 4,
		sqlite3.LIMIT_LIKE_PATTERN_LENGTH: 100, sqlite3.LIMIT_TRIGGER_DEPTH: 1, sqlite3.LIMIT_WORKER_THREADS: 0,
	} {
		e.conn.Limit(limit, value)
	}
	// Pages that end in room for a checksum need not have one.
	err := e.conn.Exec(`PRAGMA checksum_verification = OFF; PRAGMA query_only = ON; PRAGMA cell_size_check = ON;
PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 0; PRAGMA foreign_keys = OFF; PRAGMA automatic_index = OFF`)
	if err != nil {
		return wrong(err)
	}
	return e.conn.SetAuthorizer(authorize)
}

// authorize lets statements read the tables of a store, and check them.
func authorize(action sqlite3.AuthorizerActionCode, name, _, _, _ string) sqlite3.AuthorizerReturnCode {
	allowed := false
	switch action {
	case sqlite3.AUTH_SELECT:
		allowed = true
	case sqlite3.AUTH_READ:
		allowed = name == "sqlite_master" || name == "sessions" || name == "events"
	case sqlite3.AUTH_PRAGMA:
		allowed = name == "integrity_check"
	}
	if allowed {
		return sqlite3.AUTH_OK
	}
	return sqlite3.AUTH_DENY
}

// A budget ends what takes more work than a store of its size can.
type budget struct {
	context.Context
	left int64
}

// Err is asked by the engine after every thousand steps, and for each row.
func (b *budget) Err() error {
	if b.left--; b.left < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

// allow bounds the work of what follows by the size of the store.
func (e *engine) allow(bytesPerWork int64) {
	e.conn.SetInterrupt(&budget{context.Background(), leastWork + e.size/bytesPerWork})
}

// close ends the connection.
func (e *engine) close() {
	defer func() { _ = recover() }() // of an engine that failed before
	e.conn.Close()
}

// guard turns a failure of the engine into an error. The engine checks every access
// to its memory; a file that makes it leave that is damaged.
func guard(err *error) {
	if p := recover(); p != nil {
		*err = &damage{fmt.Sprintf("the engine gave up on it: %.200v", p)}
	}
}

// wrong says what an error of the engine says of the file. Errors of the file system
// and of the snapshot stay what they are.
func wrong(err error) error {
	if _, ok := errors.AsType[*fs.PathError](err); ok || err == nil || errors.Is(err, sqlitesnapshot.ErrMoved) {
		return err
	}
	switch {
	case errors.Is(err, sqlite3.INTERRUPT):
		return &damage{"reading it takes more work than a store of its size can, so its pages lead in circles"}
	case errors.Is(err, sqlite3.CORRUPT), errors.Is(err, sqlite3.NOTADB), errors.Is(err, sqlite3.TOOBIG):
		return &damage{strings.TrimPrefix(err.Error(), "sqlite3: ")}
	}
	return fmt.Errorf("the store cannot be read: %w", err)
}

// A query is a statement under way.
type query struct {
	engine *engine
	stmt   *sqlite3.Stmt
}

// query starts a statement that has a text for each of its parameters.
func (e *engine) query(sql string, args ...string) (q *query, err error) {
	defer guard(&err)
	stmt, _, err := e.conn.Prepare(sql)
	if err != nil {
		return nil, wrong(err)
	}
	for i, arg := range args {
		if err := stmt.BindText(i+1, arg); err != nil {
			return nil, wrong(err)
		}
	}
	return &query{e, stmt}, nil
}

// next goes to the next row. It reports whether there is one.
func (q *query) next() (ok bool, err error) {
	defer guard(&err)
	if q.stmt.Step() {
		return true, nil
	}
	return false, wrong(q.stmt.Err())
}

// close ends the statement.
func (q *query) close() {
	defer func() { _ = recover() }()
	q.stmt.Close()
}

// A value is one of SQLite's. Its bytes are good until the next row.
type value struct {
	kind  sqlite3.Datatype
	int   int64
	real  float64
	bytes []byte
}

// value returns the i-th value of the row.
func (q *query) value(i int) (v value) {
	switch v.kind = q.stmt.ColumnType(i); v.kind {
	case sqlite3.INTEGER:
		v.int = q.stmt.ColumnInt64(i)
	case sqlite3.FLOAT:
		v.real = q.stmt.ColumnFloat(i)
	case sqlite3.TEXT:
		v.bytes = q.stmt.ColumnRawText(i)
	case sqlite3.BLOB:
		v.bytes = q.stmt.ColumnRawBlob(i)
	}
	return v
}

func (v value) isText() bool { return v.kind == sqlite3.TEXT }

package sqlitestore

import (
	"fmt"
	"strconv"

	"github.com/ncruces/go-sqlite3"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// header prints the session's row as a header line. What is not what a store
// holds there is printed too, for the reader to refuse.
func (e *engine) header(id string) (line []byte, err error) {
	q, err := e.query(`SELECT version, created_at, cwd, parent_session, seed_length, origin, delegation_depth, agent_preset
FROM sessions WHERE id = ?`, id)
	if err != nil {
		return nil, err
	}
	defer q.close()
	defer guard(&err)
	ok, err := q.next()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("the store holds no session %q", id)
	}
	b := appendValue([]byte(`{"type":"session","version":`), q.value(0))
	b = append(b, `,"id":`...)
	b = ecmajson.AppendString(b, id)
	b = append(b, `,"createdAt":`...)
	b = appendValue(b, q.value(1))
	for i, key := range []string{"cwd", "parentSession", "seedLength", "origin", "delegationDepth", "agentPreset"} {
		v := q.value(2 + i)
		switch {
		case key == "delegationDepth" && v.kind == sqlite3.NULL:
			v = value{kind: sqlite3.INTEGER}
		case v.kind == sqlite3.NULL:
			continue
		}
		b = append(b, `,"`+key+`":`...)
		b = appendValue(b, v)
	}
	return append(b, '}'), nil
}

// appendValue prints a value as JSON.
func appendValue(b []byte, v value) []byte {
	switch v.kind {
	case sqlite3.NULL:
		return append(b, "null"...)
	case sqlite3.INTEGER:
		return strconv.AppendInt(b, v.int, 10)
	case sqlite3.FLOAT:
		return ecmajson.AppendNumber(b, v.real)
	}
	return ecmajson.AppendString(b, string(v.bytes))
}

package logformat

import (
	"math"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// This file reads values in the ways that rules of all formats need.

func nonEmpty(n ecmajson.Node) bool { return nonEmptyString(n.Value()) }

func nonEmptyString(v ecmajson.Value) bool {
	return v.Kind() == ecmajson.String && len(v) > len(`""`)
}

func hasRoute(v ecmajson.Value) bool {
	return nonEmptyString(v.Lookup("provider")) && nonEmptyString(v.Lookup("model"))
}

// count reads a non-negative safe integer other than -0.
func count(v ecmajson.Value) (int64, bool) {
	n, ok := nonNegative(v)
	return n, ok && !(n == 0 && v.IsNegativeZero())
}

func nonNegative(v ecmajson.Value) (int64, bool) {
	n, ok := v.SafeInt()
	return n, ok && n >= 0
}

const maxSafe = int64(math.MaxInt64 >> 10) // 2^53-1

// Package protocol lists the protocols by which requests are posted.
package protocol

import (
	"strings"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire/chat"
)

// All are the protocols.
var All = []wire.Protocol{chat.Protocol}

// Named returns the protocol of a name, nil if there is none.
func Named(name string) wire.Protocol {
	return first(func(p wire.Protocol) bool { return p.Name() == name })
}

// ForPath returns the protocol of posts to a path, nil if there is none.
func ForPath(path string) wire.Protocol {
	return first(func(p wire.Protocol) bool { return strings.HasSuffix(path, p.Path()) })
}

// Of returns the protocol that text is a body of, nil if it is none.
func Of(text []byte) wire.Protocol {
	if _, err := ecmajson.Check(text); err != nil {
		return nil
	}
	return first(func(p wire.Protocol) bool { return p.IsBody(text) })
}

// Paths names where posts go, for a person.
func Paths() string {
	var list []string
	for _, p := range All {
		list = append(list, "…"+p.Path())
	}
	return strings.Join(list, " or ")
}

func first(is func(wire.Protocol) bool) wire.Protocol {
	for _, p := range All {
		if is(p) {
			return p
		}
	}
	return nil
}

package logformat

import (
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// EncodeID returns the folder name of a session id (section 1 of the format):
// UTF-16 code units in [A-Za-z0-9._-] stay, every other becomes ~XXXX. It is
// "" for the empty id, which names no folder.
func EncodeID(id string) string {
	switch id {
	case ".":
		return "~002E"
	case "..":
		return "~002E~002E"
	}
	var b strings.Builder
	for _, unit := range units(id) {
		if isSafeUnit(unit) {
			b.WriteByte(byte(unit))
		} else {
			fmt.Fprintf(&b, "~%04X", unit)
		}
	}
	return b.String()
}

// ProjectFolder returns the name of the folder that holds the sessions of a
// working directory: readable, and not reversible.
func ProjectFolder(cwd string) string {
	var b strings.Builder
	run := false
	for _, unit := range units(cwd) {
		switch {
		case unit == '/' || unit == '\\' || unit == ':':
			if !run {
				b.WriteByte('-')
			}
			run = true
			continue
		case isSafeUnit(unit):
			b.WriteByte(byte(unit))
		default:
			fmt.Fprintf(&b, "~%04X", unit)
		}
		run = false
	}
	slug := strings.TrimLeft(b.String(), "-")
	if slug == "" {
		slug = "root"
	}
	return "--" + slug[:min(len(slug), 251)] + "--"
}

// NoCwdFolder holds the sessions whose header has no cwd.
const NoCwdFolder = "_no-cwd"

// IsProjectFolder recognises the name of a folder that holds the sessions of a working
// directory.
func IsProjectFolder(name string) bool {
	return name == NoCwdFolder || len(name) > 4 && strings.HasPrefix(name, "--") && strings.HasSuffix(name, "--")
}

// StorePath returns the slash-separated folder of a session below its store root.
func (h *SessionHeader) StorePath() string {
	project := NoCwdFolder
	if h.HasCwd {
		project = ProjectFolder(h.Cwd)
	}
	return project + "/" + EncodeID(h.ID)
}

func isSafeUnit(u uint16) bool {
	return u >= 'a' && u <= 'z' || u >= 'A' && u <= 'Z' || u >= '0' && u <= '9' || u == '.' || u == '_' || u == '-'
}

// units returns the UTF-16 code units of WTF-8 text, lone surrogates included.
func units(s string) []uint16 {
	var out []uint16
	for i := 0; i < len(s); {
		if i+2 < len(s) && s[i] == 0xED && s[i+1] >= 0xA0 { // a surrogate in WTF-8
			out = append(out, 0xD000|uint16(s[i+1]&0x3F)<<6|uint16(s[i+2]&0x3F))
			i += 3
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		out = utf16.AppendRune(out, r)
		i += size
	}
	return out
}

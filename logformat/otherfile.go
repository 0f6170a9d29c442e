package logformat

import (
	"bytes"
	"strings"
)

// The codes of files that are of another kind, which their first bytes show.
const (
	CodeLFSPointer Code = "other/git-lfs-pointer"
	CodeWebPage    Code = "other/web-page"
	CodeCompressed Code = "other/compressed"
	CodePacked     Code = "other/archive"
	CodeUTF16      Code = "other/utf-16"
)

// otherFiles are the first bytes of files that people name instead of a log.
var otherFiles = []struct {
	start  string
	code   Code
	detail string
}{
	{"version https://git-lfs.github.com/spec/", CodeLFSPointer, ""},
	{"\x1f\x8b", CodeCompressed, "gzip"},
	{"BZh", CodeCompressed, "bzip2"},
	{"\xfd7zXZ\x00", CodeCompressed, "xz"},
	{"\x04\x22\x4d\x18", CodeCompressed, "lz4"},
	{"7z\xbc\xaf\x27\x1c", CodePacked, "7z"},
	{"Rar!\x1a\x07", CodePacked, "rar"},
	{"\xff\xfe", CodeUTF16, ""},
	{"\xfe\xff", CodeUTF16, ""},
	{"{\x00", CodeUTF16, ""},
	{"\x00{", CodeUTF16, ""},
}

// lookAhead is how many of the first bytes show of what kind a file is.
const lookAhead = 512

// OtherFile recognises a file of another kind by its first bytes, of which 512 are
// enough: nil when they could be those of a log.
func OtherFile(head []byte) *Refusal {
	found := func(code Code, detail string) *Refusal {
		return &Refusal{Code: code, Phase: PhaseContainer, Seq: -1, Detail: detail}
	}
	for _, other := range otherFiles {
		if strings.HasPrefix(string(head), other.start) {
			return found(other.code, other.detail)
		}
	}
	text := strings.ToLower(string(bytes.TrimLeft(head, "\xef\xbb\xbf \t\r\n")))
	if strings.HasPrefix(text, "<!doctype html") || strings.HasPrefix(text, "<html") {
		return found(CodeWebPage, "")
	}
	if isTar(head) {
		return found(CodePacked, "tar")
	}
	return nil
}

// isTar recognises the header of a tar file: a block that begins with a name of at most
// 100 bytes and has only NUL bytes where the name ends early. Old ones have no more sign.
func isTar(head []byte) bool {
	const block, name = 512, 100
	if len(head) < block {
		return false
	}
	first, rest, ended := bytes.Cut(head[:name], []byte{0})
	return string(head[257:262]) == "ustar" || ended && len(first) > 0 && len(bytes.Trim(rest, "\x00")) == 0
}

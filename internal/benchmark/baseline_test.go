package benchmark

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// BenchmarkObvious does the job of BenchmarkDigests in the obvious way: decode
// each line into maps, put every request together again, print and hash it.
func BenchmarkObvious(b *testing.B) {
	each(b, func(b *testing.B, log []byte) {
		if strings.HasSuffix(b.Name(), "-10000") {
			b.Skip("quadratic: an hour of printing")
		}
		obvious(b, log)
	})
}

func obvious(b *testing.B, log []byte) {
	dec, err := zstd.NewReader(bytes.NewReader(log))
	if err != nil {
		b.Fatal(err)
	}
	defer dec.Close()
	lines := bufio.NewReader(dec)
	var (
		surface []int64
		bySeq   = map[int64]any{}
		header  map[string]any
		sent    bool
	)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return
		}
		if err != nil {
			b.Fatal(err)
		}
		var event map[string]any
		if err := json.Unmarshal(line, &event); err != nil {
			b.Fatal(err)
		}
		data, _ := event["data"].(map[string]any)
		switch event["type"] {
		case "step/start":
			sent = false
		case "request/header":
			header = data["header"].(map[string]any)
		case "assistant/chunk", "text-chunks":
			if !sent {
				sent = true
				hashRequest(b, header, surface, bySeq)
			}
		case "user/message":
			surface = apply(surface, event)
			bySeq[int64(event["seq"].(float64))] = data
		case "assistant/message", "tool/result":
			surface = apply(surface, event)
			bySeq[int64(event["seq"].(float64))] = data["message"]
		}
	}
}

func apply(surface []int64, event map[string]any) []int64 {
	seq := int64(event["seq"].(float64))
	op, ok := event["surfaceOp"].(map[string]any)
	if !ok {
		return append(surface, seq)
	}
	start, end := int64(op["start"].(float64)), int64(op["end"].(float64))
	var out []int64
	inside := false
	for _, s := range surface {
		if s == start {
			inside = true
			out = append(out, seq)
		}
		if !inside {
			out = append(out, s)
		}
		if s == end {
			inside = false
		}
	}
	return out
}

func hashRequest(b *testing.B, header map[string]any, surface []int64, bySeq map[int64]any) {
	request := map[string]any{}
	for key, value := range header["config"].(map[string]any) {
		request[key] = value
	}
	messages := make([]any, len(surface))
	for i, seq := range surface {
		messages[i] = bySeq[seq]
	}
	request["messages"], request["system"], request["tools"] = messages, header["system"], header["tools"]
	text, err := json.Marshal(request)
	if err != nil {
		b.Fatal(err)
	}
	sha256.Sum256(text)
}

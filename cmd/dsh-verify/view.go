package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/dsh-verify/dsh-verify/diffview"
	"github.com/dsh-verify/dsh-verify/internal/provenance"
	"github.com/dsh-verify/dsh-verify/internal/redact"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/reconstruct"
)

// printHeader prints what of a request is not history.
func printHeader(w io.Writer, q *reconstruct.Request, redactor *redact.Redactor) error {
	fmt.Fprintf(w, "config (seq %d, %s)\n", q.Config.Seq, visible(redactor.Word(q.Config.Reason)))
	for key, value := range q.Config.Config.Members() {
		fmt.Fprintf(w, "  %s: %s\n", visible(redactor.Member(key.Text())), excerpt(value, redactIfString(value, redactor), 400))
	}
	system := q.Header.System
	if system == nil {
		fmt.Fprintf(w, "\nno system prompt (seq %d)\n", q.Header.Seq)
	} else {
		fmt.Fprintf(w, "\nsystem prompt (seq %d): %d bytes\n", q.Header.Seq, len(system))
		printText(w, system.Text(), "  ", redactor)
	}
	tools := q.Header.Tools
	fmt.Fprintf(w, "\ntools (seq %d): %d, %d bytes\n", q.Header.Seq, tools.Len(), len(tools))
	for tool := range tools.Elements() {
		fmt.Fprintf(w, "  %s (%d bytes)\n", visible(redactor.Name(tool.Lookup("name").Text())), len(tool))
		printText(w, tool.Lookup("description").Text(), "    ", redactor)
		if p := tool.Lookup("parameters"); p != nil {
			fmt.Fprintf(w, "    parameters: %s\n", excerpt(p, redactor, 400))
		}
	}
	return nil
}

func redactIfString(v ecmajson.Value, r *redact.Redactor) *redact.Redactor {
	if v.Kind() == ecmajson.Number || v.Kind() == ecmajson.True || v.Kind() == ecmajson.False {
		return nil
	}
	return r
}

func printText(w io.Writer, text, indent string, redactor *redact.Redactor) {
	if text == "" {
		return
	}
	if redactor != nil {
		fmt.Fprintf(w, "%s%s\n", indent, redactor.Text(text))
		return
	}
	for _, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		fmt.Fprintf(w, "%s%s\n", indent, diffview.Visible(line, diffview.Tab))
	}
}

// printMessages prints a transcript.
func printMessages(w io.Writer, a *provenance.Account, redactor *redact.Redactor) error {
	i := 0
	for _, p := range a.Parts {
		if p.Kind != "message" {
			continue
		}
		fmt.Fprintf(w, "── %d  %s  (%s, seq %d, %d bytes)\n", i, visible(redactor.Word(p.Role)), visible(p.Source), p.Seq, p.End-p.Start)
		i++
		for block := range p.Value.Lookup("content").Elements() {
			printBlock(w, block, "   ", redactor)
		}
		fmt.Fprintln(w)
	}
	return nil
}

func printBlock(w io.Writer, block ecmajson.Value, indent string, redactor *redact.Redactor) {
	switch kind := block.Lookup("type").Text(); kind {
	case "text":
		printText(w, block.Lookup("text").Text(), indent, redactor)
	case "reasoning":
		fmt.Fprintf(w, "%s[reasoning]\n", indent)
		printText(w, block.Lookup("text").Text(), indent+"  ", redactor)
	case "tool-call":
		fmt.Fprintf(w, "%s[tool call %s] %s\n", indent, visible(redactor.Name(block.Lookup("id").Text())), visible(redactor.Name(block.Lookup("name").Text())))
		printText(w, block.Lookup("arguments").Text(), indent+"  ", redactor)
	case "tool-result":
		mark := ""
		if block.Lookup("isError").Kind() == ecmajson.True {
			mark = ", an error"
		}
		fmt.Fprintf(w, "%s[tool result of %s%s]\n", indent, visible(redactor.Name(block.Lookup("toolCallId").Text())), mark)
		for inner := range block.Lookup("content").Elements() {
			printBlock(w, inner, indent+"  ", redactor)
		}
	case "image":
		at := block.Lookup("attachment")
		fmt.Fprintf(w, "%s[image %s %s, %s×%s, %s bytes]\n", indent, visible(redactor.Object(at.Lookup("attachmentId").Text())), visible(redactor.Word(at.Lookup("mediaType").Text())),
			visible(string(at.Lookup("width"))), visible(string(at.Lookup("height"))), visible(string(at.Lookup("bytes"))))
	default:
		fmt.Fprintf(w, "%s[%s] %s\n", indent, visible(redactor.Word(kind)), excerpt(block, redactor, 400))
	}
}

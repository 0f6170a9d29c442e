package main

import (
	"context"
	"fmt"
	"text/tabwriter"

	"github.com/urfave/cli/v3"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/protocol"
	"github.com/dsh-verify/dsh-verify/logformat"
)

func formatsCommand(a *app) *cli.Command {
	var format string
	return &cli.Command{
		Name:  "formats",
		Usage: "list what is read and written, and every finding by its code",
		Description: `Lists log formats, containers, recordings, and the code of every refusal and finding
with what it means.

Examples:
  dsh-verify formats
  dsh-verify formats --format json | jq -r '.findings[].code'`,
		Flags:        []cli.Flag{formatFlag(&format)},
		ArgValidator: noArguments,
		Action:       func(context.Context, *cli.Command) error { return a.formats(format) },
	}
}

// A formatEntry is a line of the list.
type formatEntry struct {
	Name    string `json:"name"`
	Meaning string `json:"meaning"`
}

// A formatList is everything that the tool reads and reports.
type formatList struct {
	SchemaVersion int             `json:"schemaVersion"`
	Logs          []formatEntry   `json:"logs"`
	Containers    []formatEntry   `json:"containers"`
	Recordings    []formatEntry   `json:"recordings"`
	Bodies        []formatEntry   `json:"bodies"`
	Findings      []finding.Entry `json:"findings"`
}

func listFormats() formatList {
	list := formatList{SchemaVersion: 1, Findings: finding.Catalogue()}
	for _, v := range logformat.Versions() {
		list.Logs = append(list.Logs, formatEntry{v.String(), v.Releases})
	}
	list.Containers = []formatEntry{
		{"session.jsonl", "plain text, a JSON value per line; session.vN.jsonl in later formats, and the newest in a folder is the session"},
		{"session.jsonl.zstd", "Zstandard frames of the same text"},
		{"export ZIP", "session.jsonl, subagents/*/session.jsonl and media/*, as an archive or unpacked; and archives of homes"},
		{"SQLite store", "schema 17, opened read-only"},
		{"store root", "a folder of --project--/<session id>/ folders, a harness home, or a session's folder"},
		{"authored transcript", "session.jsonl and session.N.jsonl without event numbers, for golden alone"},
		{"-", "standard input; pipes and symbolic links work too"},
	}
	list.Recordings = []formatEntry{
		{"requests.sum", "the sum file of a golden transcript, v1, as golden record writes it"},
		{"requests.jsonl", "a loop request per line, as a recorder in the harness writes it"},
		{"folder of bodies", "HTTP bodies, with or without an index.jsonl"},
		{"HAR 1.2", "captured traffic of any proxy; base64 and compressed bodies included"},
	}
	for _, p := range protocol.All {
		list.Bodies = append(list.Bodies, formatEntry{p.Name(), "the body that the DeepSeek adapter posts to " + p.Path()})
	}
	return list
}

func (a *app) formats(format string) error {
	list := listFormats()
	if format == "json" {
		return printJSON(a.stdout, list)
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	for _, section := range []struct {
		title   string
		entries []formatEntry
	}{
		{"Log formats", list.Logs}, {"Containers", list.Containers}, {"Recordings to compare with", list.Recordings}, {"HTTP bodies (--wire)", list.Bodies},
	} {
		fmt.Fprintln(w, section.title)
		for _, e := range section.entries {
			fmt.Fprintf(w, "  %s\t%s\n", e.Name, e.Meaning)
		}
		fmt.Fprintln(w)
		w.Flush()
	}
	group := ""
	for _, e := range list.Findings {
		if e.Group != group {
			if group != "" {
				fmt.Fprintln(w)
			}
			group = e.Group
			w.Flush()
			fmt.Fprintf(w, "Findings: %s\n", group)
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\n", e.Code, e.Severity, e.Meaning)
	}
	return w.Flush()
}

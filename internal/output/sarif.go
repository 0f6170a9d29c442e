package output

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/dsh-verify/dsh-verify/diffview"
	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/result"
)

// The objects of SARIF 2.1.0 (OASIS, errata 01) that a report is made of.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		Results     []sarifResult     `json:"results"`
		Properties  map[string]any    `json:"properties"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name  string      `json:"name"`
		Rules []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID      string     `json:"id"`
		Short   sarifText  `json:"shortDescription"`
		Full    sarifText  `json:"fullDescription"`
		Help    sarifText  `json:"help"`
		Default sarifLevel `json:"defaultConfiguration"`

		Properties map[string]any `json:"properties"`
	}
	sarifText struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown,omitempty"`
	}
	sarifLevel struct {
		Level string `json:"level"`
	}
	sarifInvocation struct {
		Successful bool `json:"executionSuccessful"`
	}
	sarifResult struct {
		RuleID       string             `json:"ruleId"`
		RuleIndex    int                `json:"ruleIndex"`
		Level        string             `json:"level"`
		Message      sarifText          `json:"message"`
		Locations    []sarifLocation    `json:"locations,omitempty"`
		Related      []sarifLocation    `json:"relatedLocations,omitempty"`
		Fingerprints map[string]string  `json:"partialFingerprints"`
		Suppressions []sarifSuppression `json:"suppressions,omitempty"`
		Properties   map[string]any     `json:"properties,omitempty"`
	}
	sarifLocation struct {
		ID       *int           `json:"id,omitempty"`
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
		Message  *sarifText     `json:"message,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine int64 `json:"startLine"`
	}
	sarifLogical struct {
		Name string `json:"name"`
		Full string `json:"fullyQualifiedName"`
		Kind string `json:"kind"`
	}
	sarifSuppression struct {
		Kind          string `json:"kind"`
		Justification string `json:"justification"`
	}
)

// sarif writes one run with a result per finding. Lines are those of the decoded
// log, also where the file holds it compressed.
func sarif(w io.Writer, report *result.Report) error {
	rules, index := sarifRules(report)
	run := sarifRun{
		Tool:        sarifTool{sarifDriver{"dsh-verify", rules}},
		Invocations: []sarifInvocation{{report.Verdict != finding.Unreadable}},
		Results:     []sarifResult{},
		Properties:  map[string]any{"verdict": report.Verdict, "schemaVersion": report.SchemaVersion},
	}
	prints := make(map[string]int)
	for _, log := range report.Logs {
		for _, f := range log.Findings {
			result := sarifFinding(log, f)
			result.RuleIndex = index[f.Code.String()]
			print := fingerprint(log, f)
			prints[print]++
			result.Fingerprints = map[string]string{"dshVerifyFinding/v1": fmt.Sprintf("%s:%d", print, prints[print])}
			run.Results = append(run.Results, result)
		}
	}
	return WriteJSON(w, sarifLog{"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json", "2.1.0", []sarifRun{run}}, "  ")
}

// sarifRules returns the rules that the report's findings fall under, in the
// order of the catalogue.
func sarifRules(report *result.Report) (rules []sarifRule, index map[string]int) {
	used := make(map[string]bool)
	for _, log := range report.Logs {
		for _, f := range log.Findings {
			used[f.Code.String()] = true
		}
	}
	rules, index = []sarifRule{}, make(map[string]int)
	for _, e := range finding.Catalogue() {
		if _, twice := index[e.Code]; !used[e.Code] || twice {
			continue
		}
		index[e.Code] = len(rules)
		meaning := sentence(e.Meaning)
		help, markdown := meaning, mdText(meaning)
		if e.Action != "" {
			help, markdown = help+"\n\n"+e.Action, markdown+"\n\n**What to do:** "+mdText(e.Action)
		}
		rules = append(rules, sarifRule{
			ID: e.Code, Short: sarifText{Text: meaning}, Full: sarifText{Text: meaning}, Help: sarifText{help, markdown},
			Default: sarifLevel{e.Severity.String()}, Properties: map[string]any{"tags": []string{e.Group}},
		})
	}
	return rules, index
}

// sentence makes a clause of the catalogue a sentence.
func sentence(clause string) string {
	return strings.ToUpper(clause[:1]) + strings.TrimSuffix(clause[1:], ".") + "."
}

func sarifFinding(log *result.Log, f finding.Finding) sarifResult {
	r := sarifResult{
		RuleID: f.Code.String(), Level: f.Severity.String(),
		Message:    sarifText{Text: strings.Join(explain(f), "\n")},
		Properties: sarifProperties(f),
	}
	place := location(f.Place)
	if f.Cause != nil { // the finding is about the event; the other file shows it
		one := 1
		place.ID, place.Logical, place.Message = &one, nil, &sarifText{Text: "compared with"}
		r.Related = []sarifLocation{place}
		place = location(*f.Cause)
	}
	if place.Physical != nil || place.Logical != nil {
		r.Locations = []sarifLocation{place}
	}
	if f.Suppressed != "" {
		r.Suppressions = []sarifSuppression{{"external", diffview.Visible(f.Suppressed)}}
	}
	return r
}

func location(p finding.Place) (l sarifLocation) {
	if p.File != "" && p.File != "-" {
		l.Physical = &sarifPhysical{Artifact: sarifArtifact{fileURI(p.File)}}
		if p.Line > 0 {
			l.Physical.Region = &sarifRegion{p.Line}
		}
	}
	switch {
	case p.Request != "":
		l.Logical = []sarifLogical{{diffview.Visible(p.Request), diffview.Visible(p.Session + "/" + p.Request), "request"}}
	case p.Session != "":
		l.Logical = []sarifLogical{{diffview.Visible(p.Session), diffview.Visible(p.Session), "session"}}
	}
	return l
}

// fileURI returns a path as a URI: a relative reference as long as the path is.
func fileURI(path string) string {
	u := url.URL{Path: filepath.ToSlash(path)}
	if filepath.IsAbs(path) {
		u.Scheme, u.Path = "file", "/"+strings.TrimPrefix(u.Path, "/")
	}
	return u.String()
}

func sarifProperties(f finding.Finding) map[string]any {
	all := make(map[string]any)
	p := f.Place
	if p.Seq >= 0 {
		all["seq"] = p.Seq
	}
	for name, value := range map[string]string{"session": p.Session, "pointer": p.Pointer, "object": p.Object} {
		if value != "" {
			all[name] = diffview.Visible(value)
		}
	}
	if len(f.Requests) > 0 {
		requests := make([]string, len(f.Requests))
		for i, key := range f.Requests {
			requests[i] = diffview.Visible(key)
		}
		all["requests"] = requests
	}
	return all
}

// fingerprint names a finding by what it is about and not by where that lies: it
// stays when the log grows, moves or is packed otherwise. Findings of a run that
// share it are counted after it.
func fingerprint(log *result.Log, f finding.Finding) string {
	about := log.Session.ID
	if about == "" {
		about = filepath.ToSlash(log.File)
	}
	p := f.Place
	parts := []string{f.Code.String(), about, fmt.Sprint(p.Seq), p.Request, p.Pointer, p.Object}
	if p.Seq < 0 && p.Request == "" {
		parts = append(parts, fmt.Sprint(p.Line))
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:16])
}
